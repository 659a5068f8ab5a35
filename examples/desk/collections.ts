import { Type } from '@sinclair/typebox'
import {
  type AnyContext, ArgumentError, collection, type Context, type Draft, exactly, expression, input, type Item,
  type Where, type WriteContext
} from 'fastify-data-api'
import { randomUUID } from 'node:crypto'
import { type Database, isPast } from './database.ts'
import { hashPassword } from './passwords.ts'
import { Attachment, Comment, Customer, Entry, Person, Session, Tenant, Ticket } from './schemas.ts'

// Who may do what. What a collection does not say here, the registration in app.ts forbids.

declare module 'fastify-data-api' {
  // What the rules know of a caller: the hook in sessions.ts finds it.
  interface Caller {
    readonly id: number
    readonly name: string
    readonly tenant: number
    readonly role: 'agent' | 'lead'
  }
}

const isKnown = ({ caller, request }: Context) => caller !== undefined && request.user.isCurrent()
const isKnownLead = (context: Context) => isLead(context) && isKnown(context)
const isLead = ({ caller }: Context) => caller?.role === 'lead'
const isPerson = ({ door }: Context) => door !== 'mcp'
const never = () => false
const me = ({ caller }: AnyContext) => caller?.id ?? 0
const now = () => new Date().toISOString()

const ofTenant = ({ caller }: Context) => caller !== undefined && { tenantId: caller.tenant }
/** What belongs to a ticket exists where the ticket does. */
const ofTicket = (_context: Context, where: Pick<Where<unknown>, 'some' | 'visible'>) =>
  where.some('ticket', where.visible)
const joinTenant = (item: { tenantId?: number }, { caller }: AnyContext) => {
  if (caller !== undefined) item.tenantId = caller.tenant
}

/** Declares the collections of the desk. `remove`: removes the file of an attachment. */
export function declareDesk (db: Database, remove: (file: string) => Promise<void>) {
  const entries = collection(Entry, { source: db.table('entries'), scope: ofTenant, rules: { read: isKnownLead } })

  /** A hook is part of the transaction: what was not done is not logged, and what cannot be logged is not done. */
  const log = async (text: string, { tenantId }: { readonly tenantId: number }, { data, caller }: WriteContext) => {
    const line = `${caller?.name ?? 'The system'} ${text}`
    await data.asSystem().collection(entries).create({ at: now(), text: line, tenantId, personId: caller?.id ?? null })
  }
  const logged = (name: string) => ({
    created: (item: { id: number, tenantId: number }, context: WriteContext) =>
      log(`created ${name} ${item.id}`, item, context),
    updated: (item: { id: number, tenantId: number }, _before: unknown, context: WriteContext) =>
      log(`changed ${name} ${item.id}`, item, context),
    deleted: (item: { id: number, tenantId: number }, context: WriteContext) =>
      log(`deleted ${name} ${item.id}`, item, context)
  })

  const tenants = collection(Tenant, {
    source: db.table('tenants'),
    scope: ({ caller }) => caller !== undefined && { id: caller.tenant },
    rules: { read: isKnown }
  })

  const people = collection(Person, {
    source: db.table('people'),
    // Nobody deletes or demotes oneself.
    scope: { read: ofTenant, delete: (context, where) => where.not(where.equals('id', me(context))) },
    rules: {
      read: isKnown,
      create: isLead,
      update: isLead,
      delete: isLead,
      fields: { role: { writeItem: (person, context) => person.id !== me(context) } }
    },
    identifiers: { me: exactly('me', context => ({ id: me(context) })) },
    inputs: {
      password: input({
        type: Type.String({ format: 'password', minLength: 12 }),
        async set (person, password) { person.passwordHash = await hashPassword(password) }
      })
    },
    hooks: { creating: joinTenant, ...logged('person') }
  })

  const sessions = collection(Session, {
    source: db.table('sessions'),
    // One's own; leads also see those of their tenant. To delete a session is to revoke it.
    scope: (context, where) => isLead(context)
      ? where.some('person', where.visible)
      : where.equals('personId', me(context)),
    rules: { read: isKnown, delete: isKnown },
    hooks: { creating (session) { session.id ??= randomUUID() } }
  })

  const customers = collection(Customer, {
    source: db.table('customers'),
    scope: ofTenant,
    unique: [['tenantId', 'email']],
    rules: {
      read: isKnown,
      create: isKnown,
      update: isKnown,
      delete: isLead,
      fields: { note: { read: isLead, write: isLead }, email: { read: isPerson }, phone: { read: isPerson } }
    },
    hooks: { creating: joinTenant, ...logged('customer') }
  })

  const tickets = collection(Ticket, {
    source: db.table('tickets'),
    scope: {
      read: ({ caller }) => caller !== undefined && { tenantId: caller.tenant, deletedAt: null },
      // Agents change what is theirs or nobody's.
      update: (context, where) => isLead(context) || where.oneOf('assigneeId', [me(context), null])
    },
    rules: {
      read: isKnown,
      create: isKnown,
      update: isKnown,
      delete: isLead,
      fields: { cost: { read: isLead, write: isLead } }
    },
    computed: {
      isOverdue: expression({
        type: Type.Boolean({ readable: true, listed: true }),
        nullable: false,
        // The clock is that of the database.
        sql: eb => eb.fn.coalesce(eb.and([isPast(db, eb, 'due_at'), eb('state', '!=', 'closed')]), eb.lit(false)),
        memory: ({ dueAt, state }) => dueAt !== undefined && dueAt < now() && state !== 'closed',
        from: []
      })
    },
    // Soft deletion: the scope hides it.
    delete (ticket) { ticket.deletedAt = now() },
    hooks: {
      ...logged('ticket'),
      creating (ticket, context) {
        joinTenant(ticket, context)
        ticket.createdAt ??= now()
        checkState(ticket)
      },
      updating: checkState
    }
  })

  const comments = collection(Comment, {
    source: db.table('comments'),
    scope: {
      read: ofTicket,
      update: context => ({ authorId: me(context) }),
      delete: context => ({ authorId: me(context) })
    },
    rules: {
      read: isKnown,
      create: isKnown,
      update: isKnown,
      delete: isKnown,
      fields: { id: { writeItem: never }, ticketId: { writeItem: never } }
    },
    hooks: {
      creating (comment, { caller }) {
        comment.id ??= randomUUID()
        comment.createdAt ??= now()
        if (caller !== undefined) comment.authorId = caller.id
      }
    }
  })

  const attachments = collection(Attachment, {
    source: db.table('attachments'),
    scope: ofTicket,
    // A route creates them: files.ts.
    rules: { read: isKnown, delete: isLead },
    hooks: {
      // The bytes go once it is certain that the row has gone.
      async saved (change) {
        if (change.kind === 'deleted') await remove(change.item.file)
        if (change.kind === 'updated' && change.before.file !== change.item.file) await remove(change.before.file)
      }
    }
  })

  return { tenants, people, customers, tickets, comments, attachments, entries, sessions }
}

/** What depends on two members of a body belongs in a hook: setters run in the order of the body. */
function checkState (ticket: Partial<Draft<Item<typeof Ticket>>>): void {
  const isClosed = ticket.state === 'closed'
  if (isClosed && (ticket.assigneeId ?? null) === null) {
    throw new ArgumentError('A ticket without an assignee cannot be closed.', { field: 'state' })
  }
  ticket.closedAt = isClosed ? ticket.closedAt ?? now() : undefined
}
