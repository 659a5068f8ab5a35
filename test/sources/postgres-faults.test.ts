import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import type { Test } from 'tap'
import dataApi, { collection, postgres, type PostgresOptions, SubCollection } from '../../lib/index.ts'
import { makeFaultyProxy } from '../helpers/faulty-proxy.ts'
import { holdTimers, hour, twoHours } from '../helpers/held-timers.ts'
import { test } from '../helpers/on-postgres.ts'
import { freePort, initialize, launch, makeFolder, urlOf } from '../helpers/postgres-binaries.mjs'
import { connectionTimeout, serverUrl } from '../helpers/sources.ts'
import { end } from '../helpers/streaming-replica.ts'

// docs/http.md: Errors. A server that is killed, restarted, paused, slow, full or read-only, in the middle of reads,
// streams and writes: every answer is a right one or a 503, nothing is half written, and service returns.

const flags = { readable: true, writable: true } as const
const Order = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  note: Type.String({ identifier: true, ...flags }),
  lines: SubCollection('lines', { foreignKey: 'orderId', ...flags })
})
const Line = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }), text: Type.String(flags), orderId: Type.Integer()
})

const ddl = `
create table orders (id integer generated always as identity primary key, note text not null unique);
create table lines (id integer generated always as identity primary key, text text not null,
  "orderId" integer not null references orders);
insert into orders (note) select 'order ' || n from generate_series(1, 3000) n;
insert into lines (text, "orderId") select repeat('x', 200), n from generate_series(1, 3000) n`

let schemas = 0

/** An API over a schema of its own, reached as the options say. */
async function serve (t: Test, options: PostgresOptions = {}, at: string = serverUrl()) {
  const schema = `faults_${process.pid}_${schemas++}`
  const owner = postgres({ connectionString: at, max: 1, driver: { options: `-c search_path=${schema}` } })
  await owner.pool.query(`create schema ${schema}; ${ddl}`)
  const { driver, ...others } = options
  const db = postgres({
    connectionString: at,
    connectionTimeout,
    ...others,
    driver: { options: `-c search_path=${schema} ${String(driver?.['options'] ?? '')}` }
  })
  const app = Fastify()
  await app.register(dataApi, {
    pages: { maxSize: 5000 },
    collections: {
      orders: collection(Order, { source: db.table('orders'), hooks: { async creating () { await setTimeout(5) } } }),
      lines: collection(Line, { source: db.table('lines') })
    }
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
    await owner.pool.query(`drop schema ${schema} cascade`)
    await owner.close()
  })
  return { app, db, owner, schema }
}

const create = (app: FastifyInstance, note: string) => app.inject({
  method: 'POST',
  url: '/orders',
  headers: { 'content-type': 'application/json' },
  payload: { note, lines: [{ text: 'a' }, { text: 'b' }] }
})

/** Reads and writes without pause until they are stopped; what is answered wrongly is kept. */
function startLoad (app: FastifyInstance, name: string) {
  const wrong: unknown[] = []
  const created = new Set<string>()
  const counts = { right: 0, unavailable: 0, unknown: 0 }
  const load = { stopped: false }
  const judge = ({
    statusCode, headers, body
  }: Awaited<ReturnType<FastifyInstance['inject']>>, right: () => boolean) => {
    if (statusCode === 503 && headers['retry-after'] === '1') counts.unavailable++
    else if (statusCode === 503 && body.includes('"outcome_unknown"')) counts.unknown++
    else if (right()) counts.right++
    else wrong.push([statusCode, body.slice(0, 200)])
  }
  const reader = async () => {
    while (!load.stopped) {
      const response = await app.inject('/orders/7?fields=note,lines(text)')
      judge(response, () =>
        response.statusCode === 200 && response.body === `{"note":"order 7","lines":[{"text":"${'x'.repeat(200)}"}]}`)
      await setTimeout(1)
    }
  }
  const writer = async (which: number) => {
    for (let n = 0; !load.stopped; n++) {
      const note = `${name} ${which} ${n}`
      const response = await create(app, note)
      if (response.statusCode === 201) created.add(note)
      judge(response, () => response.statusCode === 201)
      await setTimeout(1)
    }
  }
  const done = Promise.all([reader(), reader(), writer(1), writer(2)])
  return { wrong, created, counts, stop: async () => { load.stopped = true; await done } }
}

/** Every order that was said to be created is there, and none has less than its lines. */
async function checkWhole (t: Test, { owner }: Awaited<ReturnType<typeof serve>>, created: ReadonlySet<string>) {
  const { rows } = await owner.pool.query<{ note: string, lines: string }>(
    'select note, (select count(*) from lines where "orderId" = o.id) as lines from orders o where id > 3000'
  )
  t.ok(rows.every(row => row.lines === '2'), 'no order is half written')
  const there = new Set(rows.map(row => row.note))
  t.strictSame([...created].filter(note => !there.has(note)), [], 'what was said to be written is')
}

test('a server that is killed and started again, under load', async t => {
  const folder = makeFolder()
  const [data, port] = [join(folder, 'data'), await freePort()]
  await initialize(data)
  let server = await launch({ data, folder, port })
  t.teardown(async () => {
    await end(server, 'SIGINT')
    rmSync(folder, { recursive: true, force: true })
  })
  const served = await serve(t, {}, urlOf(port))
  const load = startLoad(served.app, 'killed')
  const { counts } = load
  /** Until so many more answers are right, or are 503. */
  const more = async (kind: 'right' | 'unavailable') => {
    const enough = counts[kind] + 20
    while (counts[kind] < enough) await setTimeout(10)
  }
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    await more('right')
    await end(server, signal)
    await more('unavailable')
    server = await launchAgain(() => launch({ data, folder, port }))
  }
  await more('right')
  await load.stop()
  t.strictSame(load.wrong, [])
  t.ok(counts.unavailable > 0)
  await checkWhole(t, served, load.created)
})

/** Starts a server again. The processes that a killed server has left hold its memory for a while. */
async function launchAgain<T> (start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!String(error).includes('shared memory block')) throw error
      await setTimeout(20)
    }
  }
}

test('connections that break in the middle, under load', async t => {
  const proxy = await makeFaultyProxy(t)
  const served = await serve(t)
  const through = await serveThrough(t, served.schema, proxy.url)
  const load = startLoad(through.app, 'broken')
  for (let round = 0; round < 5; round++) {
    await setTimeout(100)
    await proxy.close()
    await setTimeout(30)
    await proxy.reopen()
  }
  await setTimeout(100)
  await load.stop()
  t.strictSame(load.wrong, [])
  await checkWhole(t, served, load.created)
  t.ok(through.db.pool.totalCount <= 10 && through.db.pool.waitingCount === 0, 'no connection is left behind')
})

/** Another API over the same schema. */
async function serveThrough (t: Test, schema: string, connectionString: string, options: PostgresOptions = {}) {
  const db = postgres({
    connectionString,
    connectionTimeout,
    ...options,
    driver: { options: `-c search_path=${schema}` }
  })
  const app = Fastify()
  await app.register(dataApi, {
    pages: { maxSize: 5000 },
    requestStrategies: { delete: true },
    collections: {
      orders: collection(Order, { source: db.table('orders') }), lines: collection(Line, { source: db.table('lines') })
    }
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  return { app, db }
}

test('a silent server is 503 after the limit of a statement, and is served again when it wakes', async t => {
  const timers = holdTimers(t)
  const proxy = await makeFaultyProxy(t)
  const served = await serve(t)
  const limits = { connectionTimeout: twoHours, statementTimeout: hour }
  const { app } = await serveThrough(t, served.schema, proxy.url, limits)
  t.equal((await app.inject('/orders/7')).statusCode, 200)
  const untilLimits = async <T>(answer: Promise<T>): Promise<T> => {
    const passing = setInterval(() => { timers.fire() }, 5)
    return answer.finally(() => { clearInterval(passing) })
  }
  proxy.pause()
  const answers = await untilLimits(
    Promise.all([app.inject('/orders/7'), create(app, 'held'), app.inject('/orders?size=5')])
  )
  t.strictSame(answers.map(answer => [answer.statusCode, answer.headers['retry-after']]),
    [[503, '1'], [503, '1'], [503, '1']])
  proxy.resume()
  t.equal((await app.inject('/orders/7')).statusCode, 200)
  t.equal((await create(app, 'woken')).statusCode, 201)
  proxy.pause()
  const { statusCode, headers } = await untilLimits(create(app, 'held before its transaction'))
  t.strictSame([statusCode, headers['retry-after']], [503, '1'])
  proxy.resume()
  await checkWhole(t, served, new Set(['woken']))
})

test('a slow server is waited for', async t => {
  const proxy = await makeFaultyProxy(t)
  const served = await serve(t)
  const { app } = await serveThrough(t, served.schema, proxy.url)
  proxy.setDelay(40)
  t.equal((await app.inject('/orders/7/note')).body, '"order 7"')
  t.equal((await create(app, 'slow')).statusCode, 201)
  await checkWhole(t, served, new Set(['slow']))
})

test('a server that has no connection left is 503, and serves when it has', async t => {
  const served = await serve(t)
  const role = `few_${process.pid}`
  await served.owner.pool.query(
    `create role ${role} login connection limit 2; grant usage on schema ${served.schema} to ${role};
    grant select on all tables in schema ${served.schema} to ${role}`
  )
  t.teardown(async () => {
    await served.owner.pool.query(`drop owned by ${role}; drop role ${role}`)
  })
  const url = new URL(serverUrl())
  url.username = role
  const { app, db } = await serveThrough(t, served.schema, url.href, { max: 20, statementTimeout: 0 })
  t.equal((await app.inject('/orders/1')).statusCode, 200)
  const held = await Promise.all([db.pool.connect(), db.pool.connect()])
  const answers = await Promise.all(Array.from({ length: 10 }, () => app.inject('/orders/7/note')))
  t.strictSame(answers.map(answer => answer.statusCode), Array(10).fill(503))
  for (const client of held) client.release()
  t.equal((await app.inject('/orders/7/note')).statusCode, 200)
})

test('a server that is read-only serves reads, and answers writes with 503', async t => {
  const { app } = await serve(t, { driver: { options: '-c default_transaction_read_only=on' } })
  t.equal((await app.inject('/orders/7/note')).statusCode, 200)
  t.equal((await create(app, 'none')).statusCode, 503)
  t.equal((await app.inject({
    method: 'PUT', url: '/orders/7/note', headers: { 'content-type': 'application/json' }, payload: '"x"'
  })).statusCode, 503)
  t.equal((await app.inject('/orders/7/note')).body, '"order 7"')
})

test('a stream whose server goes away in the middle is broken off, never ended as if it were whole', async t => {
  const proxy = await makeFaultyProxy(t)
  const served = await serve(t)
  const { app, db } = await serveThrough(t, served.schema, proxy.url)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${address}/lines?size=5000`, { headers: { accept: 'application/x-ndjson' } })
  t.equal(response.status, 200)
  await t.rejects((async () => {
    for await (const chunk of response.body ?? []) if (chunk.length > 0) await proxy.close()
  })())
  await proxy.reopen()
  const whole = await (await fetch(`${address}/lines?size=5000`,
    { headers: { accept: 'application/x-ndjson' } })).text()
  t.equal(whole.trimEnd().split('\n').length, 3000)
  t.equal(db.pool.waitingCount, 0)
})
