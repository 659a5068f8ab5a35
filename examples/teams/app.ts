import cors from '@fastify/cors'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import dataApi, { type Caller, corsOptions, sqlite } from 'fastify-data-api'
import { declareTeams } from './collections.ts'
import { addMetrics } from './metrics.ts'
import { isPassword } from './passwords.ts'

// The application identifies the caller, here with @fastify/jwt. What a caller may see and change is declared once, in
// collections.ts, and holds on every path.

declare module '@fastify/jwt' {
  interface FastifyJWT { user: Caller }
}
declare module 'fastify' {
  interface FastifyContextConfig { public?: boolean }
}

interface TeamsOptions {
  readonly secret: string
  /** The number of requests that a caller may send per minute. Default 100. */
  readonly requests?: number
}

const tables = `
  create table teams (id integer primary key, name text not null unique) strict;
  create table users (id integer primary key, name text not null unique, role text not null,
    password_hash text not null, team_id integer not null references teams) strict;
  create table notes (id integer primary key, text text not null, salary integer, deleted_at text,
    team_id integer not null references teams) strict;
  create table entries (id integer primary key, at text not null, text text not null, user_id integer,
    team_id integer not null references teams) strict;
  insert into teams (name) values ('red'), ('blue');
  insert into notes (text, salary, team_id) values ('Water the plants.', null, 1), ('Talk to Ada.', 4000, 1),
    ('Paint it blue.', null, 2)`

/** Builds the application: notes that each team keeps for itself. */
export async function buildTeams ({ secret, requests = 100 }: TeamsOptions): Promise<FastifyInstance> {
  const db = sqlite(':memory:')
  db.exec(tables)
  const collections = declareTeams(db)
  const app = Fastify()
  // Before the hooks that reject, whose errors pages of another origin may read (docs/running.md: Browsers).
  await app.register(cors, corsOptions)
  await app.register(jwt, { secret })
  await app.register(rateLimit, { max: requests })
  addMetrics(app)
  app.addHook('onRequest', async request => {
    // A preflight has no token.
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    if (!isPreflight && request.routeOptions.config.public !== true) await request.jwtVerify()
  })
  // What no collection says of an operation, nobody may do.
  const rules = { create: false, update: false, delete: false }
  await app.register(dataApi, { collections, rules, caller: ({ user }) => user, requestStrategies: { delete: true } })
  addRoutes(app, collections)
  app.get('/health', { config: { public: true, rateLimit: false } }, async () => {
    await db.ping()
    return { status: 'ok' }
  })
  app.addHook('onClose', () => { db.close() })
  return app
}

const Login = Type.Object({ name: Type.String(), password: Type.String() })

/** Adds the routes that are no data: they read and write the collections by own code (docs/own-code.md: Own code). */
function addRoutes (app: FastifyInstance, { teams, users, notes }: ReturnType<typeof declareTeams>): void {
  const system = app.dataApi.asSystem()
  app.post<{ Body: { name: string, password: string } }>(
    '/login', { config: { public: true }, schema: { body: Login } }, async ({ body: { name, password } }, reply) => {
      const user = await system.collection(users).find({ name })
      if (user === undefined || !await isPassword(password, user.passwordHash)) {
        return reply.code(401).send({ error: 'unauthorized', message: 'The name or the password is wrong.' })
      }
      return { token: app.jwt.sign({ id: user.id, team: user.teamId, role: user.role }) }
    }
  )
  // All notes are deleted, and logged, or none. For somebody else the team does not exist: 404.
  app.post<{ Params: { id: string } }>('/teams/:id/clear', async request => {
    return app.dataApi.as(request).transaction(async tx => {
      const { id } = await tx.collection(teams).get(Number(request.params.id), { fields: ['id'] })
      const { items } = await tx.collection(notes).list({ where: { team: { id } }, fields: ['id'] })
      for (const note of items) await tx.collection(notes).delete(note.id)
      return { deleted: items.length }
    })
  })
}
