import { and, eq, ilike, isNull, useLiveInfiniteQuery, useLiveQuery } from '@tanstack/react-db'
import { useState } from 'react'
import { comments, customers, people, tickets, transact } from './data.ts'
import { Choice, choices, priorities, priorityOf, states, timeOf } from './fields.tsx'
import { useSession } from './session.ts'

const orders = { id: 'Newest', due_at: 'Due', subject: 'Subject' } as const

/** The tickets that match, as they are now. */
export function Tickets () {
  const [text, setText] = useState('')
  const [state, setState] = useState('open')
  const [assignee, setAssignee] = useState('')
  const [order, setOrder] = useState<keyof typeof orders>('id')
  const [message, setMessage] = useState('')
  const names = useNames()

  const { data, hasNextPage, fetchNextPage, isError } = useLiveInfiniteQuery(query => {
    let asked = query.from({ ticket: tickets })
    if (text !== '') asked = asked.where(({ ticket }) => ilike(ticket.subject, `%${text.replaceAll(/[%_]/g, '')}%`))
    if (state !== '') asked = asked.where(({ ticket }) => eq(ticket.state, state))
    if (assignee === 'nobody') asked = asked.where(({ ticket }) => isNull(ticket.assignee_id))
    else if (assignee !== '') asked = asked.where(({ ticket }) => eq(ticket.assignee_id, Number(assignee)))
    return asked.orderBy(({ ticket }) => ticket[order], { direction: order === 'id' ? 'desc' : 'asc', nulls: 'last' })
  }, { pageSize: 10 })

  return (
    <>
      <form role='search' onSubmit={event => { event.preventDefault() }}>
        <label>Search <input type='search' value={text} onChange={event => { setText(event.target.value) }} /></label>
        <Choice label='State' value={state} onChoose={setState} of={[['', 'all'], ...choices(states)]} />
        <Choice
          label='Assignee' value={assignee} onChoose={setAssignee} of={[['', 'all'], ['nobody', 'nobody'], ...names]}
        />
        <Choice
          label='Sort' value={order} onChoose={value => { setOrder(value as typeof order) }} of={Object.entries(orders)}
        />
      </form>
      <p role='alert'>{isError ? 'The tickets could not be loaded.' : message}</p>
      <table>
        <thead><tr><th>Ticket</th><th>State</th><th>Priority</th><th>Assignee</th><th>Due</th></tr></thead>
        <tbody>
          {data.map(ticket => (
            // What is on its way to the server is shown already.
            <tr key={ticket.id} aria-busy={!ticket.$synced} className={ticket.is_overdue ? 'overdue' : ''}>
              <td><a href={`#/tickets/${ticket.id}`}>{ticket.subject}</a></td>
              <td>{ticket.state}</td>
              <td>
                <Choice
                  value={ticket.priority} of={choices(priorities)} onChoose={value => {
                    const { isPersisted } = tickets.update(ticket.id, draft => { draft.priority = priorityOf(value) })
                    tell(isPersisted.promise, setMessage)
                  }}
                />
              </td>
              <td>{names.get(ticket.assignee_id ?? 0) ?? 'nobody'}</td>
              <td>{timeOf(ticket.due_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasNextPage && <button onClick={fetchNextPage}>More</button>}
      <CloseAll tell={closing => { tell(closing, setMessage) }} />
    </>
  )
}

/** Closes all open tickets of a customer, each with a comment, or none of them. */
function CloseAll ({ tell }: { tell (closing: Promise<void>): void }) {
  const [customer, setCustomer] = useState(0)
  const { person } = useSession().session ?? {}
  const { data: known } = useLiveQuery(query => query.from({ customer: customers })
    .orderBy(({ customer }) => customer.name))
  const { data: open, isReady } = useLiveQuery(query => query.from({ ticket: tickets })
    .where(({ ticket }) => and(eq(ticket.customer_id, customer), eq(ticket.state, 'open'))), [customer])

  const close = () => transact(() => {
    for (const { id } of open) {
      tickets.update(id, draft => { draft.state = 'closed' })
      comments.insert({
        id: crypto.randomUUID(),
        text: 'Closed with all tickets of the customer.',
        internal: true,
        created_at: new Date().toISOString(),
        ticket_id: id,
        author_id: person?.id ?? null,
        author_name: person?.name ?? null
      })
    }
  })
  return (
    <p>
      <Choice
        label='Customer' value={customer} onChoose={value => { setCustomer(Number(value)) }}
        of={[[0, 'choose'], ...known.map(({ id, name }) => [id, name] as const)]}
      />
      <button disabled={!isReady || open.length === 0} onClick={() => { tell(close()) }}>
        Close all {open.length} open
      </button>
    </p>
  )
}

/** The names of the people, by their numbers. */
export function useNames (): ReadonlyMap<number, string> {
  const { data } = useLiveQuery(query => query.from({ person: people }).orderBy(({ person }) => person.name))
  return new Map(data.map(({ id, name }) => [id, name]))
}

/** Shows the message of a write that is refused. What it has changed on the page is taken back by then. */
export function tell (written: Promise<unknown>, show: (message: string) => void): void {
  show('')
  written.catch((error: unknown) => { show((error as Error).message) })
}
