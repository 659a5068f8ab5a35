import Fastify from 'fastify'
import dataApi, { type Caller, sqlite } from 'fastify-data-api'
import type { ProvedCaller, ProveOptions } from 'fastify-data-api/prove'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDesk } from '../../examples/desk/app.ts'
import { openDatabase } from '../../examples/desk/database.ts'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { everybody } from '../helpers/everybody.ts'

// The proofs of the examples, which have no mistake. The package must be built.

const ada = { id: 1, name: 'Ada', tenant: 1, role: 'lead' } as const
const bob = { id: 2, name: 'Bob', tenant: 1, role: 'agent' } as const

/** Builds the desk for a proof, whose tables are throw-away ones: a token names its caller. */
async function build (live = true) {
  const database = openDatabase(':memory:')
  await database.createTables()
  return buildDesk({
    database,
    secret: 'a secret of the tests',
    files: join(tmpdir(), 'desk-proved'),
    origin: 'https://desk.example.org',
    requests: 1e9,
    live,
    findCaller: async session => [ada, bob].find(({ name }) => name === session)
  })
}

async function desk (live = true): Promise<ProveOptions> {
  const app = await build()
  await app.ready()
  const as = ({ name, tenant }: Caller, more: ProvedCaller['sees'] = {}): ProvedCaller => ({
    headers: { authorization: `Bearer ${app.jwt.sign({ session: name })}` },
    sees: {
      tenants: row => row['id'] === tenant,
      people: row => row['tenantId'] === tenant,
      customers: row => row['tenantId'] === tenant,
      tickets: row => row['tenantId'] === tenant && (row['deletedAt'] ?? null) === null,
      'people.passwordHash': false,
      ...more
    }
  })
  const agent = { entries: false, 'tickets.cost': false, 'customers.note': false } as const
  await app.close()
  return {
    app: () => build(live),
    callers: { lead: as(ada), agent: as(bob, agent) },
    routes: [
      'POST /api/customers/:id/close',
      { method: 'PUT', url: '/api/tickets/:id/files/a.txt', headers: { 'content-type': 'text/plain' }, body: 'hello' },
      'GET /api/files/:id',
      'POST /login {"email":":email","password":"correct horse"}',
      'GET /health'
    ],
    // Nobody has a password that is known, and no row a file. Tickets are assigned within a tenant, unlike drawn ones.
    allow: ['GET /api/files/:id', 'POST /login', 'tickets.assigneeId']
  }
}

const solar: ProveOptions = {
  app: async () => {
    const app = Fastify()
    await app.register(dataApi, {
      rules: everybody,
      collections: solarSystem(sqlite(':memory:')),
      explorer: true,
      live: true
    })
    return app
  },
  // Lookups find by slugs, which no item shows. Home is the item named Earth, and no generated row is.
  allow: ['planets.slug', 'moons.slug', 'missions.slug', "planets by 'home'"]
}

/** The options of each example's proof. */
export const examples = { desk, 'solar-system': async () => solar }
