import { Type } from '@sinclair/typebox'
import {
  collection, type Context, input, type SqliteDatabase, SubCollection, SubItem, type WriteContext
} from 'fastify-data-api'
import { hashPassword } from './passwords.ts'

declare module 'fastify-data-api' {
  // What the rules know of a caller: the option `caller` of app.ts returns it.
  interface Caller { readonly id: number, readonly team: number, readonly role: 'member' | 'lead' }
}

const shown = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, readable: true })
const teamId = Type.Integer()
const role = Type.Union([Type.Literal('member'), Type.Literal('lead')], { ...shown, default: 'member' })

const Team = Type.Object({
  id,
  name: Type.String({ identifier: true, readable: true }),
  notes: SubCollection('notes', { foreignKey: 'teamId', readable: true }),
  users: SubCollection('users', { foreignKey: 'teamId', readable: true })
})
const User = Type.Object({
  id,
  name: Type.String({ identifier: true, ...shown }),
  role,
  passwordHash: Type.String(),
  teamId
})
const Note = Type.Object({
  id,
  text: Type.String({ ...shown, minLength: 1 }),
  salary: Type.Optional(Type.Integer(shown)),
  deletedAt: Type.Union([Type.String(), Type.Null()]),
  teamId,
  team: SubItem('teams', { foreignKey: 'teamId', readable: true })
})
const Entry = Type.Object({
  id,
  at: Type.String({ readable: true }),
  text: Type.String({ readable: true }),
  userId: Type.Optional(Type.Integer({ readable: true })),
  teamId
})

const isKnown = ({ caller }: Context) => caller !== undefined
const isLead = ({ caller }: Context) => caller?.role === 'lead'
const ofTeam = ({ caller }: Context) => caller !== undefined && { teamId: caller.team }
const joinTeam = (item: { teamId?: number }, { caller }: WriteContext) => {
  if (caller !== undefined) item.teamId = caller.team
}
const now = () => new Date().toISOString()

/** Declares users, notes and a log of what was done to them. Each team has its own. */
export function declareTeams (db: SqliteDatabase) {
  const table = (name: string) => db.table(name, { columns: 'snake_case' })
  const entries = collection(Entry, { source: table('entries'), scope: ofTeam, rules: { read: isLead } })
  // A hook is part of the transaction: what was not done is not logged, and what could not be logged was not done.
  const log = async (text: string, of: { readonly teamId: number }, { data, caller }: WriteContext) => {
    const who = caller && { userId: caller.id }
    await data.asSystem().collection(entries).create({ at: now(), text, teamId: of.teamId, ...who })
  }
  const teams = collection(Team, {
    source: table('teams'),
    scope: ({ caller }) => caller !== undefined && { id: caller.team }
  })
  const users = collection(User, {
    source: table('users'),
    scope: ofTeam,
    rules: { create: isLead, update: isLead, delete: isLead },
    inputs: {
      password: input({
        type: Type.String({ format: 'password', minLength: 12 }),
        async set (user, password) { user.passwordHash = await hashPassword(password) }
      })
    },
    hooks: {
      creating: joinTeam,
      created: (user, context) => log(`user ${user.id} was created`, user, context),
      updated: (user, _before, context) => log(`user ${user.id} was changed`, user, context)
    }
  })
  const notes = collection(Note, {
    source: table('notes'),
    scope: ({ caller }) => caller !== undefined && { teamId: caller.team, deletedAt: null },
    rules: { create: isKnown, update: isKnown, delete: isLead, fields: { salary: { read: isLead, write: isLead } } },
    delete (note) { note.deletedAt = now() },
    hooks: {
      creating: joinTeam,
      created: (note, context) => log(`note ${note.id} was created`, note, context),
      updated: (note, _before, context) => log(`note ${note.id} was changed`, note, context),
      deleted: (note, context) => log(`note ${note.id} was deleted`, note, context)
    }
  })
  return { teams, users, notes, entries }
}
