import { createDataProvider } from 'fastify-data-api/react-admin'
import { StrictMode } from 'react'
import {
  Admin, AutocompleteInput, Create, DataTable, DateField, DateTimeInput, Edit, List, ReferenceField, ReferenceInput,
  ReferenceManyField, required, Resource, SearchInput, SelectInput, SimpleForm, TextField, TextInput
} from 'react-admin'
import { createRoot } from 'react-dom/client'
import { priorities, states } from './fields.tsx'
import { Login } from './login.tsx'
import { logOut, send, server, useSession } from './session.ts'

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
    <DataTable>
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

function Desk () {
  const { session, isConnected } = useSession()
  return (
    <>
      <output>{isConnected ? '' : 'No connection.'}</output>
      {session && (
        <Admin
          dataProvider={dataProvider} authProvider={{
            login: async () => {},
            logout: logOut,
            checkAuth: async () => {},
            checkError: async () => {},
            getPermissions: async () => session.person.role,
            getIdentity: async () => ({ id: session.person.id, fullName: session.person.name })
          }} title='Desk' disableTelemetry
        >
          <Resource
            name='tickets' list={TicketList} recordRepresentation='subject'
            edit={() => <Edit mutationMode='pessimistic'><TicketForm /></Edit>}
            create={() => <Create><TicketForm /></Create>}
          />
          <Resource
            name='customers' list={CustomerList} edit={CustomerEdit} recordRepresentation='name'
            create={() => <Create><CustomerForm /></Create>}
          />
          <Resource name='people' recordRepresentation='name' />
        </Admin>
      )}
      <Login />
    </>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode><Desk /></StrictMode>)
