import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import dataApi, { collection, type PostgresDatabase, type PostgresOptions } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/databases.md: Connections. The statement of a client that has left is cancelled, so that its connection serves
// others.

const Row = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  slow: Type.Integer({ readable: true })
})

// Each row of the view takes a second: too long for this test to wait for all.
const ddl = `
create function slowly(n integer) returns integer language plpgsql as
  $$ begin perform pg_sleep(1); return n; end $$;
create table fast (id integer primary key, slow integer);
insert into fast select n, n from generate_series(1, 60) n;
create view sleepers as select id, slowly(id) as slow from fast`

interface Running { readonly app: FastifyInstance, readonly port: number, readonly logged: readonly string[] }

async function serving (
  options: PostgresOptions, work: (running: Running, url: string) => Promise<void>
): Promise<void> {
  await onDatabase(ddl, async (db: PostgresDatabase, url) => {
    const logged: string[] = []
    const app = Fastify({ logger: { level: 'warn', stream: { write (line: string) { logged.push(line) } } } })
    await app.register(dataApi, {
      collections: {
        sleepers: collection(Row, { source: db.table('sleepers') }),
        fast: collection(Row, { source: db.table('fast') })
      },
      mcp: true
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    try {
      await work({ app, logged, port: (app.server.address() as AddressInfo).port }, url)
    } finally {
      await app.close()
    }
  }, { check: 'off', ...options })
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** The request of an agent that calls the tool `get`. */
function call (url: string): string {
  const body = JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get', arguments: { url } }
  })
  const headers = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /mcp HTTP/1.1\r\n${headers}\r\n\r\n${body}`
}

/** Sends requests, each on a connection that it closes once that many of them run on the server. */
async function sendAndLeave (
  port: number, requests: readonly string[], admin: pg.Client, running: number
): Promise<void> {
  const sockets = requests.map(request => {
    const socket = connect(port, '127.0.0.1')
    socket.write(request)
    return socket
  })
  while (await countRunning(admin) < running) await sleep(5)
  for (const socket of sockets) {
    socket.destroy()
    await once(socket, 'close')
  }
}

async function countRunning (admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ readonly count: string }>(
    "select count(*) from pg_stat_activity where query like '%sleepers%' and state = 'active' " +
    'and pid <> pg_backend_pid()'
  )
  return Number(rows[0]?.count)
}

for (const [what, max, requests] of [
  // The third request waits for a connection, and its statement is never run.
  ['a statement', 2, ['/sleepers', '/sleepers?sort=slow', '/sleepers?size=50'].map(get)],
  ['a stream', 1, [get('/sleepers?format=ndjson')]], ['an agent', 1, ['/sleepers', '/sleepers?sort=slow'].map(call)]
] as const) {
  test(`what runs for ${what} whose client has left is cancelled, and is no line in the log`, t =>
    serving({ max }, async ({ app, logged, port }, url) => {
      const admin = new pg.Client(url)
      await admin.connect()
      await sendAndLeave(port, requests, admin, max)
      // Were the statements not cancelled, they would run for a minute.
      while (await countRunning(admin) > 0) await sleep(20)
      const answers = await Promise.all(['/fast?size=2', '/fast/1', '/fast/2'].map(path => app.inject(path)))
      t.strictSame(answers.map(({ statusCode }) => statusCode), [200, 200, 200])
      t.equal(await countRunning(admin), 0)
      t.strictSame(logged, [])
      await admin.end()
    }))
}

test('the statement of a client that stays is not cancelled', t => serving({ max: 1 }, async ({ app }) => {
  const { statusCode, body } = await app.inject('/sleepers?id<2&fields=slow')
  t.strictSame([statusCode, body], [200, '[{"slow":1}]'])
}))
