import { eq, useLiveQuery } from '@tanstack/react-db'
import { ApiError } from 'fastify-data-api/client'
import { type FormEvent, useEffect, useState } from 'react'
import { client, comments, tickets } from './data.ts'
import { Choice, choices, localOf, priorities, states, timeOf, utcOf } from './fields.tsx'
import { useSession } from './session.ts'
import { tell, useNames } from './tickets.tsx'

/** A ticket with its comments, as they are now. */
export function Ticket ({ id }: { readonly id: number }) {
  const { data: [ticket], isReady, isError } = useLiveQuery(query => query.from({ ticket: tickets })
    .where(({ ticket }) => eq(ticket.id, id)), [id])
  if (ticket === undefined) return <p>{isReady || isError ? 'There is no such ticket.' : 'Loading …'}</p>
  return (
    <article aria-busy={!isReady}>
      <h1>{ticket.subject}</h1>
      <p>{ticket.state}, {ticket.priority}{ticket.is_overdue && <strong> overdue</strong>}</p>
      <p>{ticket.body}</p>
      <Edit id={id} />
      <Comments ticket={id} />
    </article>
  )
}

const fields = ['id', 'subject', 'state', 'priority', 'due_at', { assignee: ['id'] }] as const
const load = (id: number) => client.tickets.get(id, { fields })
type Loaded = Awaited<ReturnType<typeof load>>

/** The form of a ticket. It saves only if nobody else has changed the ticket since the form was filled. */
function Edit ({ id }: { readonly id: number }) {
  const [loaded, setLoaded] = useState<Loaded>()
  const [message, setMessage] = useState('')
  const [isConflict, setConflict] = useState(false)
  const names = useNames()
  useEffect(() => { fill() }, [id])
  if (loaded === undefined) return <p role='alert'>{message}</p>

  async function fill () {
    try {
      setLoaded(await load(id))
      setConflict(false)
      setMessage('')
    } catch (error) {
      setMessage((error as Error).message)
    }
  }

  async function save (event: FormEvent<HTMLFormElement>, unchanged: Loaded) {
    event.preventDefault()
    setMessage('')
    const changes = changesIn(event.currentTarget, unchanged)
    try {
      setLoaded(await client.tickets.update(id, changes, { unchanged, returning: fields }))
      setConflict(false)
      setMessage('Saved.')
    } catch (error) {
      const isLate = error instanceof ApiError && error.status === 412
      setConflict(isLate)
      setMessage(isLate ? 'Somebody else has saved this ticket before you.' : (error as Error).message)
    }
  }

  return (
    <form onSubmit={event => save(event, loaded)} aria-label='Ticket' key={JSON.stringify(loaded)}>
      <p><label>Subject <input name='subject' defaultValue={loaded.subject} required /></label></p>
      <p><Choice label='State' name='state' defaultValue={loaded.state} of={choices(states)} /></p>
      <p><Choice label='Priority' name='priority' defaultValue={loaded.priority} of={choices(priorities)} /></p>
      <p>
        <Choice
          label='Assignee' name='assignee' defaultValue={loaded.assignee?.id ?? ''} of={[['', 'nobody'], ...names]}
        />
      </p>
      <p><label>Due <input name='due_at' type='datetime-local' defaultValue={localOf(loaded.due_at)} /></label></p>
      <p role='alert'>{message}</p>
      <button>Save</button>
      {isConflict && <button type='button' onClick={fill}>Load what is saved</button>}
    </form>
  )
}

/** What a form changes in a ticket. */
function changesIn (form: HTMLFormElement, before: Loaded) {
  const text = (name: string) => String(new FormData(form).get(name))
  const assignee = Number(text('assignee'))
  return {
    ...text('subject') !== before.subject && { subject: text('subject') },
    ...text('state') !== before.state && { state: text('state') as Loaded['state'] },
    ...text('priority') !== before.priority && { priority: text('priority') as Loaded['priority'] },
    ...text('due_at') !== localOf(before.due_at) && { due_at: utcOf(text('due_at')) },
    ...assignee !== (before.assignee?.id ?? 0) && { assignee: assignee === 0 ? null : { id: assignee } }
  }
}

function Comments ({ ticket }: { readonly ticket: number }) {
  const [message, setMessage] = useState('')
  const { person } = useSession().session ?? {}
  const { data, isReady } = useLiveQuery(query => query.from({ comment: comments })
    .where(({ comment }) => eq(comment.ticket_id, ticket)).orderBy(({ comment }) => comment.created_at), [ticket])
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const written = new FormData(form)
    const text = String(written.get('text'))
    form.reset()
    const { isPersisted } = comments.insert({
      id: crypto.randomUUID(),
      text,
      internal: written.has('internal'),
      created_at: new Date().toISOString(),
      ticket_id: ticket,
      author_id: person?.id ?? null,
      author_name: person?.name ?? null
    })
    tell(isPersisted.promise, message => {
      setMessage(message)
      // What was not stored can be sent again.
      const input = form.querySelector('textarea')
      if (message !== '' && input?.value === '') input.value = text
    })
  }
  return (
    <section aria-label='Comments' aria-busy={!isReady}>
      <ul>
        {data.map(comment => (
          <li key={comment.id} aria-busy={!comment.$synced}>
            <small>{comment.author_name}, {timeOf(comment.created_at)}{comment.internal && ', internal'}</small>
            <p>{comment.text}</p>
          </li>
        ))}
      </ul>
      <form onSubmit={add} aria-label='New comment'>
        <p><textarea name='text' aria-label='Comment' /></p>
        <p role='alert'>{message}</p>
        <label><input type='checkbox' name='internal' /> internal</label> <button>Add</button>
      </form>
    </section>
  )
}
