import cors from '@fastify/cors'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import dataApi, { collection, sqlite, SubCollection, SubItem } from 'fastify-data-api'

// The application identifies the caller, here with @fastify/jwt. What a caller may see and change is declared once,
// below, and holds on every path.

declare module '@fastify/jwt' {
  // The type of `request.user`, also in the rules.
  interface FastifyJWT { user: { readonly team: number, readonly role: 'member' | 'lead' } }
}

const shown = { readable: true, writable: true } as const

const Team = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  notes: SubCollection('notes', { foreignKey: 'teamId', readable: true })
})

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ ...shown, minLength: 1 }),
  salary: Type.Optional(Type.Integer(shown)),
  teamId: Type.Integer(),
  team: SubItem('teams', { foreignKey: 'teamId', readable: true })
})

const isLead = ({ request }: { readonly request: FastifyRequest }) => request.user.role === 'lead'

interface TeamsOptions {
  readonly secret: string
  /** The number of requests that a caller may send per minute. Default 100. */
  readonly requests?: number
}

/** Builds the application: notes that each team keeps for itself. */
export async function buildTeams ({ secret, requests = 100 }: TeamsOptions): Promise<FastifyInstance> {
  const db = sqlite(':memory:')
  db.exec(`
    create table teams (id integer primary key, name text not null unique) strict;
    create table notes (id integer primary key, text text not null, salary integer,
      team_id integer not null references teams) strict;
    insert into teams (name) values ('red'), ('blue');
    insert into notes (text, salary, team_id) values ('Water the plants.', null, 1), ('Talk to Ada.', 4000, 1),
      ('Paint it blue.', null, 2)
  `)
  const app = Fastify()
  await app.register(cors)
  await app.register(jwt, { secret })
  await app.register(rateLimit, { max: requests })
  await app.register(async scope => {
    scope.addHook('onRequest', async request => { await request.jwtVerify() })
    await scope.register(dataApi, {
      requestStrategies: { delete: true },
      collections: {
        teams: collection(Team, { source: db.table('teams'), scope: ({ request }) => ({ id: request.user.team }) }),
        notes: collection(Note, {
          source: db.table('notes', { columns: 'snake_case' }),
          scope: ({ request }) => ({ teamId: request.user.team }),
          rules: { delete: isLead, fields: { salary: { read: isLead, write: isLead } } },
          hooks: { creating (note, { request }) { if (request !== undefined) note.teamId = request.user.team } }
        })
      }
    })
  })
  app.addHook('onClose', () => { db.close() })
  return app
}
