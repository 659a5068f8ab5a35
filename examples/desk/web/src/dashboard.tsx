import { useEffect, useState } from 'react'
import { client } from './data.ts'
import { priorities, states } from './fields.tsx'

/** Asks for the numbers of the dashboard at once. */
async function load () {
  const { tickets } = client
  const [byState, byAssignee, overdue] = await Promise.all([
    tickets.groups({ by: ['state', 'priority'], count: true }),
    tickets.groups({ by: [{ assignee: ['name'] }], count: true, where: { state: { ne: 'closed' } }, sort: '-count()' }),
    tickets.count({ is_overdue: true })
  ])
  return { byState, byAssignee, overdue }
}

/** Numbers of all tickets. */
export function Dashboard () {
  const [numbers, setNumbers] = useState<Awaited<ReturnType<typeof load>>>()
  const [message, setMessage] = useState('')
  const refresh = () => { load().then(setNumbers, (error: Error) => { setMessage(error.message) }) }
  useEffect(refresh, [])
  if (numbers === undefined) return <p role='alert'>{message}</p>
  const { byState, byAssignee, overdue } = numbers
  const countOf = (state: string, priority: string) =>
    byState.find(one => one.state === state && one.priority === priority)?.count ?? 0
  return (
    <>
      <p><strong>{overdue}</strong> overdue <button onClick={refresh}>Refresh</button></p>
      <table aria-label='By state'>
        <thead><tr><th>State</th>{priorities.map(one => <th key={one}>{one}</th>)}</tr></thead>
        <tbody>
          {states.map(state => (
            <tr key={state}><th>{state}</th>{priorities.map(one => <td key={one}>{countOf(state, one)}</td>)}</tr>
          ))}
        </tbody>
      </table>
      <table aria-label='By assignee'>
        <thead><tr><th>Not closed</th><th>Tickets</th></tr></thead>
        <tbody>
          {byAssignee.map(({ assignee, count }) => (
            <tr key={String(assignee?.name)}><th>{String(assignee?.name ?? 'nobody')}</th><td>{count}</td></tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
