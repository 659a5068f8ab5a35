import { setTimeout } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import dataApi, { collection, kysely, postgres } from '../../lib/index.ts'
import { driverConnection } from '../../lib/core/sources/sql/postgres/wire/connection.ts'
import { PreparedStatements } from '../../lib/core/sources/sql/postgres/wire/prepared.ts'
import { holdTimers, hour, twoHours } from '../helpers/held-timers.ts'
import { test } from '../helpers/on-postgres.ts'
import { ddl, open, sender, serve } from '../helpers/postgres-notes.ts'
import { connectionTimeout, serverUrl } from '../helpers/sources.ts'
import { startPair } from '../helpers/streaming-replica.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/databases.md: Faults. What a switchover, a setting of the server or a hook that hangs does to an
// API that goes on.

test('after a switchover that leaves connections open each of them fails once, and is replaced', async t => {
  const { send, db } = await open(t, { max: 3 })
  const clients = await Promise.all([db.pool.connect(), db.pool.connect(), db.pool.connect()])
  for (const client of clients) {
    await client.query('set session characteristics as transaction read only')
    client.release()
  }
  const statuses: unknown[] = []
  for (let n = 0; n < 8; n++) {
    statuses.push(
      (await send(n % 2 === 0 ? 'POST' : 'PUT', n % 2 === 0 ? '/notes' : `/notes/${90 + n}`, { text: `note ${n}` }))[0]
    )
  }
  t.strictSame(statuses, [503, 503, 503, 201, 201, 201, 201, 201])
})

test('with the primary gone, a write that cannot have reached it stops no reads of a replica', async t => {
  const pair = await startPair()
  await pair.on(pair.primary, ddl)
  const [position] = await pair.on(pair.primary, 'select pg_current_wal_lsn()::text as lsn')
  while ((await pair.on(
    pair.replica, `select pg_last_wal_replay_lsn() >= '${String(position?.['lsn'])}' as there`
  ))[0]?.['there'] !== true) await setTimeout(10)
  const db = postgres({ primary: pair.primary, replicas: [pair.replica], connectionTimeout })
  const { app } = await serve(db.table('notes'))
  const send = sender(app)
  t.teardown(async () => {
    await app.close()
    await db.close()
    await pair.stop()
  })
  t.equal((await send('POST', '/notes', { text: 'three' }))[0], 201)
  // Until the replica is known to have it, and is read: reads ask in the background.
  const served = "select from pg_stat_activity where query like '%notes%' and pid <> pg_backend_pid()"
  while ((await pair.on(pair.replica, served)).length === 0) {
    await send('GET', '/notes/by_text/three')
    await setTimeout(10)
  }
  await pair.killPrimary()
  // Until this process knows the end of its connections, what it sends may have reached the server.
  while (db.pool.totalCount > 0) await setTimeout(5)
  await t.resolves(async () => {
    for (let n = 0; n < 10; n++) {
      t.strictSame((await send('POST', '/notes', { text: `lost ${n}` }))[0], 503)
      t.strictSame(await send('GET', '/notes/by_text/three?fields=id'), [200, { id: 3 }])
    }
  })
})

test('a hook that never returns has its transaction rolled back, and the log names it', async t => {
  const timers = holdTimers(t)
  const hanging: string[] = []
  const { send, logged, db } = await open(t, {
    max: 2,
    connectionTimeout: twoHours,
    transactionTimeout: hour,
    hooks: {
      async creating ({ text }) {
        if (text !== 'hangs') return
        hanging.push(text)
        await new Promise(() => {})
      }
    }
  })
  const answers = ['hangs', 'hangs'].map(text => send('POST', '/notes', { text }))
  while (hanging.length < 2) await setTimeout(1)
  const refused = send('POST', '/notes', { text: 'refused' })
  while (db.pool.waitingCount === 0) await setTimeout(1)
  timers.fire(twoHours)
  t.equal((await refused)[0], 503)
  timers.fire(hour)
  for (const [status, body] of await Promise.all(answers)) t.strictSame([status, body.error], [503, 'unavailable'])
  const hook = "the hook 'creating' of collection 'notes'"
  t.strictSame(logged.map(line => line.err?.message.split(': The data')[0]), [
    `no connection was free: 2 transactions are open and wait for ${hook}`,
    `a transaction was rolled back after ${hour} ms; it was waiting for ${hook}`,
    `a transaction was rolled back after ${hour} ms; it was waiting for ${hook}`
  ])
  t.equal((await send('POST', '/notes', { text: 'served' }))[0], 201)
  t.strictSame((await send('GET', '/notes?fields=text'))[1], [{ text: 'one' }, { text: 'two' }, { text: 'served' }])
})

test('a hook that goes on after its transaction is over can do nothing in it', async t => {
  const timers = holdTimers(t)
  let begin = () => {}
  const begun = new Promise<void>(resolve => { begin = resolve })
  let late: () => Promise<unknown> = async () => undefined
  const { send, owner } = await open(t, {
    max: 1,
    transactionTimeout: hour,
    hooks: {
      async creating (_note, { transaction }) {
        late = () => transaction.query("insert into notes (text) values ('late')")
        begin()
        await new Promise(() => {})
      }
    }
  })
  const slow = send('POST', '/notes', { text: 'slow' })
  await begun
  timers.fire(hour)
  t.equal((await slow)[0], 503)
  await t.rejects(late(), /The transaction has ended/)
  t.strictSame((await owner.query('select text from notes order by id')).rows, [{ text: 'one' }, { text: 'two' }])
})

const numbers = [0.30000000000000004, 2 ** 53, 1.7976931348623157e308, 5e-324, 1 / 3, 123456789.12345679]
const hostile =
  '-c extra_float_digits=-15 -c bytea_output=escape -c intervalstyle=sql_standard -c datestyle=German -c ' +
    'timezone=Pacific/Chatham'

test('settings of the server change no number', async t => {
  const { send, schema, db } = await open(t, { settings: hostile })
  const url = new URL(serverUrl())
  const instance = new Kysely<unknown>({
    dialect: new PostgresDialect(
      { pool: new pg.Pool({ connectionString: url.href, max: 2, options: `-c search_path=${schema} ${hostile}` }) }
    )
  })
  const { app } = await serve(kysely(instance).table('notes'))
  t.teardown(async () => {
    await app.close()
    await instance.destroy()
  })
  for (const [index, weight] of numbers.entries()) {
    t.equal((await send('POST', '/notes', { text: `number ${index}`, weight, rough: 0.1 }))[0], 201)
    for (const ask of [send, sender(app)]) {
      for (let round = 0; round < 3; round++) {
        t.strictSame(await ask('GET', `/notes/by_text/number ${index}?fields=weight,rough`),
          [200, { weight, rough: 0.1 }])
        t.strictSame(await ask('GET', `/notes?weight=${encodeURIComponent(weight)}&fields=weight`), [200, [{ weight }]])
        t.strictSame((await ask('GET', '/notes?sort=id&fields=weight&offset=2'))[1].at(-1), { weight })
      }
    }
  }
  t.ok(db.pool.totalCount > 0)
})

test('days and timestamps in fields of plain text have one form, whatever the server is set to', async t => {
  const { owner, schema } = await open(t)
  await owner.query(
    'create table days (id int primary key, day date, plain timestamp, moment timestamptz); insert into days values ' +
      "(1, '2026-11-22', '2026-11-22 01:02:03', '2026-11-22 01:02:03Z')"
  )
  const Day = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    ...Object.fromEntries(['day', 'plain', 'moment'].map(name => [name, Type.String({ readable: true })]))
  })
  for (const settings of ['', hostile]) {
    const db = postgres({ connectionString: serverUrl(), driver: { options: `-c search_path=${schema} ${settings}` } })
    const app = Fastify()
    await app.register(dataApi, {
      rules: everybody, collections: { days: collection(Day, { source: db.table('days') }) }
    })
    const day = { id: 1, day: '2026-11-22', plain: '2026-11-22T01:02:03', moment: '2026-11-22T01:02:03+00:00' }
    t.strictSame((await app.inject('/days/1')).json(), day)
    for (const filter of [
      'day=2026-11-22', 'day^=2026-11', 'plain$=:03', 'moment*=T01', 'moment^~=2026-11-22t',
      'moment>=2026-11-22T01:02:03%2B00:00'
    ]) {
      t.strictSame((await app.inject(`/days?${filter}`)).json(), [day], filter)
    }
    await app.close()
    await db.close()
  }
})

test('statement names are a cache: what was used last stays, what is evicted is closed on the server', async t => {
  const { send, db } = await open(t, { max: 1 })
  const kept = async () => (await db.pool.query<{ name: string, length: number }>(
    "select name, length(statement) from pg_prepared_statements where name like 'data_api_%'"
  )).rows
  const shape = (n: number) => `/notes?where=(${Array.from({ length: 40 },
    (_, bit) => `${n >> bit % 10 & 1 ? 'text' : 'weight'}=${bit}`).join('|')})`
  for (let n = 0; n < 150; n++) {
    for (let round = 0; round < (n === 0 ? 3 : 2); round++) t.equal((await send('GET', shape(n)))[0], 200)
  }
  for (let round = 0; round < 2; round++) t.equal((await send('GET', shape(0)))[0], 200, 'evicted, and prepared anew')
  const before = await kept()
  t.ok(before.length > 10 && before.length < 150)
  t.ok(before.reduce((sum, { length }) => sum + length, 0) <= 250_000)
  for (let round = 0; round < 3; round++) await send('GET', '/notes/1/text')
  const fresh = (await kept()).filter(({ name }) => !before.some(one => one.name === name))
  t.equal(fresh.length, 1, 'what comes after a thousand others is prepared as well')
})

test('the option statementCache bounds the statements of a connection', async t => {
  const { send, db } = await open(t, { max: 1, statementCache: 8000 })
  const shapes = [...'abcdefghij'].map(letter => `/notes?text=${letter}&fields=${'text,weight,'.repeat(3)}id`)
  for (const [index, shape] of shapes.entries()) {
    for (let round = 0; round < 3; round++) t.equal((await send('GET', `${shape}&limit=${index + 1}`))[0], 200)
  }
  const kept = async () => (await db.pool.query<{ length: number }>(
    "select length(statement) from pg_prepared_statements where name like 'data_api_%'"
  )).rows.reduce((sum, { length }) => sum + length, 0)
  t.ok(await kept() <= 2000)
  const { send: sendToNone, db: none } = await open(t, { max: 1, statementCache: 0 })
  for (let round = 0; round < 3; round++) t.equal((await sendToNone('GET', '/notes'))[0], 200)
  const { rows } = await none.pool.query("select 1 from pg_prepared_statements where name like 'data_api_%'")
  t.strictSame(rows, [])
})

test('a text is prepared at its second use, evicted when others were used later, and never if very long', async t => {
  const statements = new PreparedStatements(250_000)
  const text = (n: number) => `select ${n} ${'x'.repeat(9_990)}`
  t.equal(statements.nameOf(text(0)), '')
  const name = statements.nameOf(text(0))
  t.match(name, /^data_api_[0-9a-f]{20}$/)
  t.equal(statements.nameOf(text(0)), name)
  for (let n = 1; n < 24; n++) for (let use = 0; use < 2; use++) statements.nameOf(text(n))
  t.strictSame(statements.takeClosing(), [])
  t.equal(statements.nameOf(text(0)), name, 'used last')
  const second = statements.nameOf(text(1))
  statements.nameOf(text(0))
  for (let n = 24; n < 48; n++) for (let use = 0; use < 2; use++) statements.nameOf(text(n))
  const closed = statements.takeClosing()
  t.ok(closed.includes(second))
  t.notOk(closed.includes(name))
  t.strictSame(statements.takeClosing(), [])
  for (let use = 0; use < 3; use++) t.equal(statements.nameOf('x'.repeat(25_001)), '')
  statements.forget(text(0))
  t.strictSame(statements.takeClosing(), [name])
})

test('a commit that the server answers with ROLLBACK is none', async t => {
  const client = new pg.Client(serverUrl())
  await client.connect()
  t.teardown(() => client.end())
  const connection = driverConnection(client,
    { naming: { on: true }, prepareValue: String, responseTimeout: undefined, preparedCharacters: 250_000 })
  await connection.run('begin')
  await t.rejects(connection.query('select 1 / 0'))
  await t.rejects(connection.commit(), { message: /answered 'commit' with ROLLBACK/ })
  await connection.run('begin')
  await t.resolves(connection.commit())
})

test('what a pooler says of a statement is believed: not sent, or lost on the way', async t => {
  const { send, owner } = await open(t)
  await owner.query(`create function fail() returns trigger language plpgsql as $$
    begin raise exception using errcode = '08P01', message = new.text; end $$;
    create trigger failing before insert on notes for each row execute function fail()`)
  t.match(await send('POST', '/notes', { text: 'query_wait_timeout' }), [503, { error: 'unavailable' }])
  t.match(await send('POST', '/notes', { text: 'server conn crashed?' }), [503, { error: 'outcome_unknown' }])
})
