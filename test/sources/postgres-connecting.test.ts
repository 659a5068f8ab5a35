import { Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect } from 'kysely'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import dataApi, { collection, DeclarationError, kysely, postgres, type SqlSource } from '../../lib/index.ts'
import type { PoolServer } from '../../lib/core/sources/sql/postgres/database.ts'
import { toConnectFault } from '../../lib/core/sources/sql/postgres/faults.ts'
import { makeReplicas } from '../../lib/core/sources/sql/postgres/replicas.ts'
import Fastify from '../helpers/fastify.ts'

// docs/http.md: Errors; docs/databases.md: Declarations and tables. No server is needed where none can be reached.

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }), text: Type.String({ readable: true, writable: true })
})

const withCode = (code: string) => Object.assign(new Error(code), { code })

const passing: readonly Error[] = [
  ...[
    'ENOENT', 'EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENETDOWN', 'EHOSTDOWN', 'ECONNREFUSED',
    'CONNECT_TIMEOUT', 'ERR_TLS_CERT_ALTNAME_INVALID', '57P03', '53300'
  ].map(withCode),
  new Error('timeout exceeded when trying to connect'), new Error('Cannot use a pool after calling end on the pool'),
  new Error('of a kind that nobody has seen')
]

const refusals = [
  ...['28P01', '28000', '3D000', '42501'].map(withCode),
  new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
  new Error('The server does not support SSL connections')
]

/** The databases whose connections fail with an error. */
const failing: Readonly<Record<string, (error: Error) => { table (name: string): SqlSource }>> = {
  postgres (error) {
    const db = postgres('postgres://localhost:1/none')
    db.pool.connect = () => Promise.reject(error)
    return db
  },
  kysely: error => kysely(new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: { connect: () => Promise.reject(error), async end () {} } })
  }))
}

async function serve (t: Test, db: { table (name: string): SqlSource }) {
  const app = Fastify()
  t.teardown(() => app.close())
  const hooks = { creating () {} }
  await app.register(dataApi, {
    collections: {
      notes: collection(Note, { source: db.table('notes') }),
      hooked: collection(Note, { source: db.table('notes'), hooks })
    }
  })
  return app
}

const requests = [['GET', '/notes'], ['GET', '/notes/1'], ['POST', '/notes'], ['POST', '/hooked']] as const

async function isUnavailable (t: Test, app: Awaited<ReturnType<typeof serve>>, name: string): Promise<void> {
  for (const [method, url] of requests) {
    const payload = method === 'POST' ? { payload: { text: 'x' } } : {}
    const { statusCode, headers } = await app.inject({ method, url, ...payload })
    t.strictSame([statusCode, headers['retry-after']], [503, '1'], `${name}: ${method} ${url}`)
  }
}

for (const [kind, open] of Object.entries(failing)) {
  test(`whatever fails before there is a connection is 503, and stops no application (${kind})`, async t => {
    for (const error of passing) await isUnavailable(t, await serve(t, open(error)), error.message)
  })

  test(`a refusal of the user or the database stops the application at its start (${kind})`, async t => {
    for (const error of refusals) {
      const app = await serve(t, open(error))
      await t.rejects(async () => app.ready(), DeclarationError, error.message)
    }
  })
}

test('a socket of a server that is not running is 503', async t => {
  const db = postgres({ driver: { host: join(t.testdir(), 'none') } })
  t.teardown(() => db.close())
  await isUnavailable(t, await serve(t, db), 'socket')
})

test('a replica that cannot be connected to, for whatever reason, leaves its reads to the primary', async t => {
  const failing = (error: Error) => ({ use: () => Promise.reject(toConnectFault(error)) }) as unknown as PoolServer
  const primary = {} as unknown as PoolServer
  for (const error of passing) {
    const replicas = makeReplicas(primary, [failing(error)])
    const read = (server: PoolServer) =>
      server === primary ? Promise.resolve('primary') : server.use(async () => 'replica')
    t.equal(await replicas.read(read), 'primary', error.message)
  }
})
