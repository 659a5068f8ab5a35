import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { type Test, test } from 'tap'
import dataApi, {
  collection, DeclarationError, expression, memory, type PostgresDatabase, type SqliteDatabase
} from '../../lib/index.ts'
import type { Expression } from '../../lib/core/declare/computed.ts'
import { Id, onBoth, open, shown } from '../helpers/checked-tables.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually } from '../helpers/follow.ts'
import { internal } from '../helpers/answers.ts'

// docs/declaring.md: Values in SQL

const ddl = `create table tickets (id integer primary key, title text not null, due_at text);
  insert into tickets (id, title, due_at) values (1, 'a', '2026-01-01T00:00:00.000Z'), (2, 'b', null)`

type Database = Pick<SqliteDatabase | PostgresDatabase, 'table'>
type Sql = NonNullable<Expression['sql']>

const Ticket = Type.Object({
  id: Id, title: Type.String(open), dueAt: Type.Optional(Type.String({ format: 'date-time', ...open }))
})

const tickets = (db: Database, build: Sql) => collection(Ticket, {
  source: db.table('tickets', { columns: 'snake_case' }),
  computed: { isOverdue: expression({ type: Type.Boolean({ ...shown, listed: true }), sql: build }) }
})

/** Serves tickets with an expression. `logged`: the messages of the errors that the log holds. */
async function serve (t: Test, db: Database, build: Sql, options: object = {}) {
  const logged: string[] = []
  const write = (line: string) => { logged.push((JSON.parse(line) as { err: { message: string } }).err.message) }
  const app = Fastify({ logger: { level: 'error', stream: { write } } })
  await app.register(dataApi, { collections: { tickets: tickets(db, build) }, ...options })
  t.teardown(() => app.close())
  await app.ready()
  return { app, get: async (url: string, headers = {}) => await app.inject({ url, headers }), logged }
}

/** Returns the message with which a start is refused; undefined for one that is not. */
async function refusalOf (db: Database, build: Sql): Promise<string | undefined> {
  const app = Fastify()
  try {
    await app.register(dataApi, { collections: { tickets: tickets(db, build) } })
    await app.ready()
    return undefined
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error
    return error.message
  } finally {
    await app.close()
  }
}

const place = "collection 'tickets', computed.isOverdue: "
const advice = '. Let the database say it (sql`now()`, strftime)'

onBoth('SQL that holds a value which changes is refused at the start', ddl, async (t, db) => {
  let calls = 0
  const due = (value: () => unknown): Sql => eb => eb('due_at', '<', value())
  const changing: Record<string, Sql> = {
    'the time': due(() => new Date().toISOString()),
    'the time as a number': due(() => Date.now()),
    'the time as a text': due(() => Date()),
    'the time of a constructor that is called by its prototype': due(() => String(Reflect.construct(Date, []))),
    today: due(() => new Date().toISOString().slice(0, 10)),
    'this year, in the text': () => sql`due_at < ${sql.lit(String(new Date().getFullYear()))}`,
    'the weekday': due(() => new Date().getDay()),
    'the hour': due(() => new Date().getHours()),
    'a random number': due(() => Math.random()),
    'a coin': due(() => Math.random() < 0.5 ? 'heads' : 'tails'),
    'a coin after another draw': due(() => [Math.random(), Math.random() < 0.5].slice(1).join()),
    'a random key': due(() => randomUUID()),
    'a counter': due(() => calls++),
    'a counter in the text': () => sql`due_at < ${sql.raw(`'${calls++}'`)}`,
    'a value of a subquery': eb =>
      eb.exists(eb.selectFrom('tickets as t').select('t.id').where('t.id', '=', Date.now()))
  }
  for (const [name, build] of Object.entries(changing)) {
    const message = await refusalOf(db, build) ?? ''
    t.ok(message.startsWith(`${place}the SQL holds a value that changes (`), `${name}: ${message}`)
    t.ok(message.endsWith(`)${advice}`), name)
  }
  const year = new Date().getFullYear()
  t.equal(await refusalOf(db, () => sql`due_at < ${sql.lit(String(new Date().getFullYear()))}`),
    `${place}the SQL holds a value that changes ('${year}')${advice}`)
  const message = await refusalOf(db, due(() => `${new Date().getFullYear()}${'-'.repeat(60)}`))
  t.equal(message, `${place}the SQL holds a value that changes ('${year}${'-'.repeat(46)}…')${advice}`)
})

onBoth('SQL that holds what can change is refused at the start', ddl, async (t, db) => {
  const kinds: ReadonlyArray<readonly [unknown, string]> = [
    [new Date(0), 'a Date'], [['a'], 'an array'], [{ a: 1 }, 'an object'], [Buffer.from('a'), 'bytes'],
    [undefined, 'undefined'], [Promise.resolve(1), 'an object']
  ]
  for (const [value, found] of kinds) {
    t.equal(await refusalOf(db, () => sql`title = ${value}`), `${place}the SQL holds ${found}; ` +
      `expected texts, numbers, bigints, booleans and null, which do not change${advice}`)
  }
  t.match(await refusalOf(db, (async () => sql`1`) as unknown as Sql), /the SQL holds an object; expected/)
  t.equal(await refusalOf(db, () => { throw new Error('no such thing') }), `${place}'sql' throws: no such thing`)
})

onBoth('constants of each kind stay as they are', ddl, async (t, db) => {
  const { get } = await serve(t, db, eb => eb.and([
    eb('title', 'in', ['a', 'c']), eb('id', '<', 2n), eb('id', '>', 0), sql<boolean>`${true}`,
    sql<boolean>`coalesce(title, ${null}) is not null`,
    eb('due_at', '<', new Date('2027-01-01').toISOString())
  ]))
  t.strictSame((await get('/tickets?fields=is_overdue')).json(), [{ is_overdue: true }, { is_overdue: false }])
})

onBoth('the clock and the random numbers are put back', ddl, async (t, db) => {
  const { Date: date } = globalThis
  const { random } = Math
  await refusalOf(db, eb => eb('due_at', '<', Date.now()))
  await refusalOf(db, () => { throw new Error('at once') })
  let builds = 0
  await refusalOf(db, () => {
    if (++builds > 2) throw new Error('at another time')
    return sql`1 = 1`
  })
  t.equal(globalThis.Date, date)
  t.equal(Math.random, random)
  const seen: Array<readonly [boolean, boolean, number]> = []
  t.equal(await refusalOf(db, () => {
    const now = new Date()
    class Moment extends Date {}
    seen.push([now instanceof Date && now instanceof date, new Moment(5).getTime() === 5, Date.UTC(2026, 0)])
    return sql`1 = 1`
  }), undefined)
  t.strictSame(new Set(seen.map(one => one.join())), new Set(['true,true,1767225600000']))
})

onBoth('SQL that has changed since the start answers no request', ddl, async (t, db) => {
  let state = 'a'
  const { get, logged } = await serve(t, db, eb => eb('title', '=', state), { live: true })
  t.equal((await get('/tickets?fields=is_overdue')).body, '[{"is_overdue":true},{"is_overdue":false}]')
  state = 'b'
  const urls = [
    '/tickets', '/tickets/1', '/tickets/1/is_overdue', '/tickets?is_overdue=true', '/tickets?sort=is_overdue&fields=id',
    '/tickets?fields=is_overdue,count()', '/tickets?fields=is_overdue.count()', '/tickets/by_is_overdue',
    '/tickets/by_is_overdue?fields=count()', '/tickets?fields=id,is_overdue'
  ]
  for (const url of urls) {
    const response = await get(url)
    t.equal(response.statusCode, 500, `${url} ${response.body}`)
    t.strictSame(response.json(), internal, url)
  }
  for (const accept of ['application/x-ndjson', 'text/csv', 'text/event-stream']) {
    t.equal((await get('/tickets?fields=is_overdue,id', { accept })).statusCode, 500, accept)
  }
  t.equal(logged.length, urls.length + 3)
  t.strictSame(new Set(logged), new Set([`${place}the SQL holds a value that changes ('a')${advice}`]))
  t.equal((await get('/tickets?fields=id')).statusCode, 200)
  state = 'a'
  t.equal((await get('/tickets?is_overdue=true&fields=id')).body, '[{"id":1}]')
})

onBoth('the database says what time it is', ddl, async (t, db) => {
  const now: Sql = 'exec' in db
    ? eb => eb('due_at', '<', eb.fn('strftime', [eb.val('%Y-%m-%dT%H:%M:%fZ'), eb.val('now')]))
    : eb => eb(sql`due_at::timestamptz`, '<', eb.fn('now'))
  const { get, app } = await serve(t, db, now)
  const overdue = async () => (await get('/tickets?fields=is_overdue')).json<unknown>()
  const soon = new Date(Date.now() + 2000).toISOString()
  await app.inject({ method: 'PATCH', url: '/tickets/2', payload: { due_at: soon } })
  t.strictSame(await overdue(), [{ is_overdue: true }, { is_overdue: false }])
  const both = async () => (await get('/tickets?is_overdue=true&fields=id')).json<unknown[]>().length === 2
  await eventually(both, () => 'the ticket is overdue')
  t.strictSame(await overdue(), [{ is_overdue: true }, { is_overdue: true }])
})

test('memory() builds no SQL', async t => {
  const app = Fastify()
  const sql: Sql = () => t.fail('it was built') as never
  const source = memory([{ id: 1, title: 'a' }])
  const one = collection(Ticket, {
    source, computed: { isOverdue: expression({ type: Type.Boolean(shown), sql, memory: () => true }) }
  })
  await app.register(dataApi, { collections: { tickets: one } })
  t.equal((await app.inject('/tickets/1/is_overdue')).body, 'true')
})
