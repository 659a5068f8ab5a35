import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { test } from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import dataApi, { collection } from '../../lib/index.ts'
import { collections, ddl, idempotency, Note, noTables, world } from '../fixtures/keyed-notes.ts'
import { everySource } from '../helpers/every-source.ts'
import { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { times } from '../helpers/on-socket.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as testOnPostgres, withoutPostgres } from '../helpers/on-postgres.ts'
import { kyselyOpeners, type Opened, postgresDdl } from '../helpers/sources.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: Idempotency keys. Repetitions that race, and transactions that end in the middle.

const payload = (text: string) => ({ text, marks: [{ name: text }] })

/** Fails the writes of requests that say so, after they have written. */
const failing = (source: Opened['source']) => ({
  ...collections(source),
  notes: collection(Note, {
    source: source('notes'),
    hooks: {
      async created (_note, { request }) {
        await new Promise(resolve => { setImmediate(resolve) })
        if (request?.headers['x-fail'] !== undefined) throw Object.assign(new Error('failed'), { statusCode: 409 })
      }
    }
  })
})

everySource('of twenty that race under one key, one writes, and all that do not fail get its answer', async tools => {
  const { t, send, opened } = tools
  for (let round = 0; round < runsOf(10); round++) {
    const answers = await Promise.all(times(20, n => send('POST', '/notes', payload(`r${round}`), {
      'idempotency-key': `r${round}`, ...n % 3 === round % 3 && { 'x-fail': '1' }
    })))
    const done = answers.filter(({ statusCode }) => statusCode === 201)
    t.equal(new Set(done.map(({ body, headers }) => `${body} ${String(headers['location'])}`)).size, 1)
    t.equal(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length, 1)
    t.strictSame(answers.filter(one => !done.includes(one) && one.statusCode !== 409).map(one => one.body), [])
    t.equal((await opened.rows('notes')).length, round + 1)
    t.equal((await opened.rows('marks')).length, round + 1)
  }
}, { requestStrategies: { upsert: true } }, { ...world, collections: failing })

everySource('upserts that race under one key are one item and one answer', async ({ t, send, opened }) => {
  const answers = await Promise.all(times(20, () => send('PUT', '/notes/by_text/x', { owner: 'bo' }, {
    'idempotency-key': 'x'
  })))
  t.strictSame(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size, 1)
  t.equal((await opened.rows('notes')).length, 1)
}, { requestStrategies: { upsert: true } }, world)

for (const [name, open] of Object.entries(withoutPostgres ? {} : kyselyOpeners)) {
  test(`a write through ${name} is done once under its key`, async t => {
    const opened = await open(noTables, ddl)
    const app = Fastify()
    await app.register(dataApi, {
      rules: everybody, ...idempotency(opened.source), collections: collections(opened.source)
    })
    const send = () => app.inject({
      method: 'POST', url: '/notes', headers: { 'idempotency-key': 'k' }, payload: payload('a')
    })
    const answers = await Promise.all(times(6, send))
    t.strictSame([...new Set(answers.map(one => `${one.statusCode} ${one.body}`))], ['201 {"status":"created","id":1}'])
    t.equal((await opened.rows('notes')).length, 1)
    await app.close()
    await opened.close()
  })
}

const expiredKeys = `insert into data_api_keys values
  ('ann', 'taken', 'f', '[]', now() - interval '3 days'), ('ann', 'left', 'f', '[]', now() - interval '2 days')`

/** Serves notes over a database whose expired keys are deleted, while `writer` has one of them locked. */
const onExpiredKeys = (
  run: (made: { app: FastifyInstance, writer: pg.Client, admin: pg.Client }) => Promise<void>
) => onDatabase(`${postgresDdl(ddl).replaceAll(' strict', '')}; ${expiredKeys}`, async (db, url) => {
  const source = (table: string) => db.table(table)
  const app = Fastify()
  await app.register(dataApi, { rules: everybody, ...idempotency(source), collections: collections(source) })
  const [writer, admin] = [new pg.Client(url), new pg.Client(url)]
  await Promise.all([writer.connect(), admin.connect()])
  await writer.query("begin; update data_api_keys set at = now() where key = 'taken'")
  await run({ app, writer, admin })
  await Promise.all([writer.end(), admin.end()])
  await app.close()
})

/** Waits until the deletion has found both keys, and waits for the first. */
async function deletionWaits (admin: pg.Client): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  while ((await admin.query(waiting)).rowCount === 0) await sleep(5)
}

testOnPostgres('a key that a write takes again while the expired ones are deleted is kept', t => onExpiredKeys(
  async ({ app, writer, admin }) => {
    const send = (name: string) => app.inject({
      method: 'POST', url: '/notes', headers: { 'idempotency-key': name }, payload: payload(name)
    })
    const { now } = Date
    t.teardown(() => { Date.now = now })
    t.equal((await send('a')).statusCode, 201)
    // What has expired is deleted once a minute.
    Date.now = () => now() + 61_000
    t.equal((await send('b')).statusCode, 201)
    await deletionWaits(admin)
    await writer.query('commit')
    const left = "select from data_api_keys where key = 'left'"
    while ((await admin.query(left)).rowCount !== 0) await sleep(5)
    const { rows } = await admin.query<{ key: string }>('select key from data_api_keys order by key')
    t.strictSame(rows.map(({ key }) => key), ['a', 'b', 'taken'])
  }
))

testOnPostgres('an application that closes waits for the deletion of expired keys that runs', t => onExpiredKeys(
  async ({ app, writer, admin }) => {
    await app.ready()
    await deletionWaits(admin)
    let isClosed = false
    const closed = app.close().then(() => { isClosed = true })
    await sleep(100)
    // The database may be closed as soon as the application is.
    t.equal(isClosed, false)
    await writer.query('commit')
    await closed
  }
))
