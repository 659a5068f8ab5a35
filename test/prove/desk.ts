import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import dataApi, {
  collection, type Context, type DataApiOptions, memory, SubCollection, SubItem, type Where, type WriteContext
} from '../../lib/index.ts'
import type { ProvedCaller } from '../../lib/tools/testing/prove/index.ts'
import { everybody } from '../helpers/everybody.ts'

// A help desk: each team has its own users, tickets and comments. Nobody reads the notes that agents keep for
// themselves, nor the hashes of passwords. Mistakes change parts of it.

const shown = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, readable: true })
const ofTeam = { foreignKey: 'teamId', readable: true }

const Team = Type.Object({
  id,
  name: Type.String(shown),
  tickets: SubCollection('tickets', ofTeam),
  users: SubCollection('users', ofTeam)
})
const User = Type.Object({
  id,
  name: Type.String(shown),
  email: Type.String({ default: '' }),
  passwordHash: Type.String({ default: '' }),
  teamId: Type.Integer()
})
const Ticket = Type.Object({
  id,
  title: Type.String(shown),
  isOpen: Type.Boolean({ ...shown, default: true }),
  secretNote: Type.Optional(Type.String()),
  cost: Type.Integer({ default: 0 }),
  teamId: Type.Integer(),
  team: SubItem('teams', ofTeam),
  comments: SubCollection('comments', { foreignKey: 'ticketId', ...shown })
})
const Comment = Type.Object({
  id,
  text: Type.String(shown),
  ticketId: Type.Integer(),
  ticket: SubItem('tickets', { foreignKey: 'ticketId', ...shown })
})

/** The number of the caller's team; 0, which no team has, for who says none. */
export const teamOf = (request: FastifyRequest | undefined) => Number(request?.headers['x-team'] ?? 0)

const joinTeam = (item: { teamId?: number }, { request }: WriteContext) => { item.teamId = teamOf(request) }

const strategies = { requestStrategies: { delete: true } }

/** The behaviours of the collections. A mistake replaces members of them. */
const behaviours = {
  teams: { source: memory([]), scope: ({ request }: Context) => ({ id: teamOf(request) }), ...strategies },
  users: {
    source: memory([]),
    scope: ({ request }: Context) => ({ teamId: teamOf(request) }),
    hooks: { creating: joinTeam },
    ...strategies
  },
  tickets: {
    source: memory([]),
    scope: ({ request }: Context) => ({ teamId: teamOf(request) }),
    hooks: { creating: joinTeam },
    ...strategies
  },
  comments: {
    source: memory([]),
    scope: ({ request }: Context, { some }: Where<Values>) =>
      some('ticket', ticket => ticket.equals('teamId', teamOf(request))),
    ...strategies
  }
}

type Values = Record<string, unknown>

const schemas = { teams: Team, users: User, tickets: Ticket, comments: Comment }

/** A mistake: members of behaviours that it replaces, flags of fields, and routes or hooks that it adds. */
export interface Mistake {
  readonly collections?: { readonly [name in keyof typeof schemas]?: object }
  readonly flags?: { readonly [name in keyof typeof schemas]?: Readonly<Record<string, object>> }
  readonly add?: (app: FastifyInstance, all: Desk) => void
  readonly routes?: readonly string[]
  readonly options?: Partial<DataApiOptions>
  /** True for one that takes hundreds of requests to find, and so is looked for by night alone. */
  readonly slow?: boolean
}

/** The collections of the system, which hide nothing. */
export interface Desk {
  list (name: string, query?: object): Found
  groups (name: string, query: object): Found
}

type Found = Promise<ReadonlyArray<Record<string, unknown>>>

interface System { list (query: object): Promise<{ items: never[] }>, groups (query: object): Promise<never[]> }

/** Reads as the system, in a hook or a route. */
export const systemOf = ({ asSystem }: { asSystem (): unknown }): Desk => {
  const system = asSystem() as { collection (name: string): System }
  return {
    list: async (name, query = {}) => (await system.collection(name).list({ size: 100, ...query })).items,
    groups: (name, query) => system.collection(name).groups(query)
  }
}

/** Builds the application with a mistake. */
export async function buildDesk (
  { collections = {}, flags = {}, add, options = {} }: Mistake = {}
): Promise<FastifyInstance> {
  const app = Fastify()
  const declared = Object.entries(schemas).map(([property, schema]) => {
    const name = property as keyof typeof schemas
    const fields = Object.entries(flags[name] ?? {}).map(([field, more]) =>
      [field, { ...(schema.properties as Record<string, object>)[field], ...more }])
    const properties = { ...schema.properties, ...Object.fromEntries(fields) as object }
    const behaviour = { ...behaviours[name], ...collections[name] }
    return [name, collection({ ...schema, properties } as never, behaviour as never)]
  })
  add?.(app, {
    list: (name, query) => systemOf(app.dataApi).list(name, query),
    groups: (name, query) => systemOf(app.dataApi).groups(name, query)
  })
  await app.register(dataApi, { rules: everybody, ...options, collections: Object.fromEntries(declared) })
  return app
}

type Row = Readonly<Record<string, unknown>>

/** A member of the first team, and what it may see. */
export const member: ProvedCaller = {
  headers: { 'x-team': '1' },
  sees: {
    teams: (row: Row) => row['id'] === 1,
    users: (row: Row) => row['teamId'] === 1,
    tickets: (row: Row) => row['teamId'] === 1,
    'users.passwordHash': false,
    'users.email': false,
    'tickets.secretNote': false,
    'tickets.cost': false
  }
}
