import { createDataProvider } from 'fastify-data-api/react-admin'
import { StrictMode } from 'react'
import {
  Admin, type AuthProvider, AutocompleteInput, BulkDeleteButton, Create, DataTable, DateField, DateTimeInput, Edit,
  List, ReferenceField, ReferenceInput, ReferenceManyField, required, Resource, SearchInput, SelectInput, SimpleForm,
  TextField, TextInput
} from 'react-admin'
import { createRoot } from 'react-dom/client'
import { priorities, states } from './fields.tsx'
import { Login } from './login.tsx'
import { currentSession, logOut, send, server, useSession } from './session.ts'

// The same API in react-admin. The login is the desk's own dialog.

const dataProvider = createDataProvider(`${server}/api`, {
  fetch: send,
  resources: {
    tickets: {
      search: ['subject', 'body'],
      fields: ['subject', 'state', 'priority', 'due_at', { customer: ['id', 'name'] }, { assignee: ['id', 'name'] }],
      references: { customer: 'customers', assignee: 'people' }
    },
    customers: { search: ['name', 'email'] }
  }
})

const choicesOf = (values: readonly string[]) => values.map(id => ({ id, name: id }))
const search = [<SearchInput key='q' source='q' alwaysOn />]

const TicketList = () => (
  <List
    filters={[...search, <SelectInput key='state' source='state' choices={choicesOf(states)} />]}
    sort={{ field: 'id', order: 'DESC' }}
  >
    <DataTable bulkActionButtons={<BulkDeleteButton mutationMode='pessimistic' />}>
      <DataTable.Col source='subject' />
      <DataTable.Col source='state' />
      <DataTable.Col source='priority' />
      <DataTable.Col source='customer.name' />
      <DataTable.Col source='assignee.id' label='Assignee'>
        <ReferenceField source='assignee.id' reference='people' emptyText='nobody' />
      </DataTable.Col>
      <DataTable.Col source='due_at'><DateField source='due_at' showTime /></DataTable.Col>
    </DataTable>
  </List>
)

const TicketForm = () => (
  <SimpleForm>
    <TextInput source='subject' validate={required()} />
    <TextInput source='body' multiline />
    <SelectInput source='state' choices={choicesOf(states)} defaultValue='open' />
    <SelectInput source='priority' choices={choicesOf(priorities)} defaultValue='normal' />
    <DateTimeInput source='due_at' />
    <ReferenceInput source='customer.id' reference='customers'>
      <AutocompleteInput label='Customer' validate={required()} />
    </ReferenceInput>
    <ReferenceInput source='assignee.id' reference='people'>
      <AutocompleteInput label='Assignee' filterToQuery={(text: string) => ({ 'name.containsIgnoreCase': text })} />
    </ReferenceInput>
  </SimpleForm>
)

const CustomerForm = () => (
  <SimpleForm>
    <TextInput source='name' validate={required()} />
    <TextInput source='email' validate={required()} />
    <TextInput source='phone' />
  </SimpleForm>
)

const CustomerEdit = () => (
  <Edit>
    <CustomerForm />
    <ReferenceManyField reference='tickets' target='customer.id'>
      <DataTable><DataTable.Col source='subject' /><DataTable.Col source='state' /></DataTable>
    </ReferenceManyField>
  </Edit>
)

const CustomerList = () => (
  <List filters={search} sort={{ field: 'name', order: 'ASC' }}>
    <DataTable>
      <DataTable.Col source='name' />
      <DataTable.Col source='email'><TextField source='email' /></DataTable.Col>
      <DataTable.Col source='tickets.count()' label='Tickets' disableSort />
    </DataTable>
  </List>
)

const TicketEdit = () => <Edit mutationMode='pessimistic'><TicketForm /></Edit>
const TicketCreate = () => <Create><TicketForm /></Create>
const CustomerCreate = () => <Create><CustomerForm /></Create>

const authProvider: AuthProvider = {
  async login () {},
  logout: logOut,
  async checkAuth () {},
  // The dialog has asked for a login already.
  async checkError () {},
  async getIdentity () {
    const { person } = currentSession() ?? {}
    return { id: person?.id ?? 0, fullName: person?.name ?? '' }
  }
}

function Desk () {
  const { session, isConnected } = useSession()
  return (
    <>
      <output>{isConnected ? '' : 'No connection.'}</output>
      {session && (
        <Admin dataProvider={dataProvider} authProvider={authProvider} title='Desk' disableTelemetry>
          <Resource
            name='tickets' list={TicketList} edit={TicketEdit} create={TicketCreate} recordRepresentation='subject'
          />
          <Resource
            name='customers' list={CustomerList} edit={CustomerEdit} create={CustomerCreate} recordRepresentation='name'
          />
          <Resource name='people' recordRepresentation='name' />
        </Admin>
      )}
      <Login />
    </>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode><Desk /></StrictMode>)
