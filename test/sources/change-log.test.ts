import { Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import dataApi, {
  collection, DeclarationError, kysely, postgres, type PostgresDatabase, SubCollection
} from '../../lib/index.ts'
import type { ChangedTables } from '../../lib/core/sources/changes.ts'
import { changeLogScript } from '../../lib/core/sources/sql/postgres/change-log-sql.ts'
import { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually, listen } from '../helpers/follow.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'
import { connectionTimeout } from '../helpers/sources.ts'

// docs/live.md: PostgreSQL. What the log of changes tells, to whom, and for how long it is kept.

const script = `create table items (id integer primary key, name text not null);
create table parts (id integer primary key, item_id integer references items on delete cascade);
create table others (id integer primary key);
${changeLogScript(['items', 'parts'].map(name => ({ schema: undefined, name })))}`

/** The tables that are told, in the order; `all` where it is not known which. */
function follow (t: Test, db: PostgresDatabase) {
  const told: string[] = []
  const stop = db.watch?.((tables: ChangedTables) => {
    told.push(tables === undefined ? 'all' : [...tables.keys()].toSorted().join())
  })
  t.teardown(() => stop?.())
  return told
}

/** Waits until the log was read twice, so that whatever was committed before is told. */
const settled = () => sleep(30)

/** Runs a test on logged tables. `client`: of another process. */
const withLog = (
  name: string, work: (t: Test, db: PostgresDatabase, client: pg.Client, url: string) => Promise<void>
) => {
  test(name, t => onDatabase(script, async (db, url) => {
    const client = new pg.Client(url)
    await client.connect()
    await work(t, db, client, url)
    await client.end()
  }, { changes: { poll: 1 } }))
}

/** Waits until so many have been told. */
const until = (told: readonly string[], count: number) => eventually(() => told.length >= count, () => told.join())

withLog('what anybody commits is told by its tables, once a look, a rollback is not', async (t, db, other) => {
  const told = follow(t, db)
  await until(told, 1)
  t.strictSame(told.splice(0), ['all'], 'what came before the first look')
  await other.query("insert into items values (1, 'a'), (2, 'b')")
  await until(told, 1)
  await other.query('begin; update items set id = 3 where id = 2; savepoint one; insert into parts values (1, 1)')
  await other.query('rollback to one')
  await settled()
  t.strictSame(told.splice(0), ['items'], 'nothing is told before the commit')
  await other.query('commit')
  await until(told, 1)
  await other.query("begin; insert into items values (9, 'x'); truncate parts; rollback; insert into others values (1)")
  await settled()
  t.strictSame(told.splice(0), ['items'])
  await other.query('insert into parts values (1, 1)')
  await until(told, 1)
  await other.query('delete from items where id = 1')
  await until(told, 2)
  await other.query('truncate parts')
  await until(told, 3)
  t.strictSame(told, ['parts', 'items,parts', 'parts'], 'a cascade is told')
})

withLog('the keys and foreign keys of rows are told, as they were and are, of a few rows', async (t, db) => {
  const told: ChangedTables[] = []
  const stop = db.watch?.(tables => { told.push(tables) })
  t.teardown(() => stop?.())
  await eventually(() => told.length === 1, () => 'the first look')
  const rowsAfter = async (statements: string, table = 'parts') => {
    const before = told.length
    await db.pool.query(statements)
    await eventually(() => told.length > before, () => statements)
    return told.at(-1)?.get(table)?.map(row => Object.fromEntries(row))
  }
  const part = (id: number, item: number | null) => ({ id: String(id), item_id: item === null ? null : String(item) })
  await db.pool.query("insert into items select n, 'x' from generate_series(1, 3) as n")
  await settled()
  t.strictSame(await rowsAfter('insert into parts values (1, 2)'), [part(1, 2)])
  t.strictSame(await rowsAfter('update parts set item_id = 3'), [part(1, 2), part(1, 3)])
  t.strictSame(await rowsAfter('update parts set item_id = null; update parts set id = 7'),
    [part(1, 3), part(1, null), part(1, null), part(7, null)])
  t.strictSame(await rowsAfter('insert into parts values (8, 2)'), [part(8, 2)])
  t.strictSame(await rowsAfter('delete from items where id = 2'), [part(8, 2)], 'what a deletion cascades to')
  t.strictSame(await rowsAfter('delete from parts where false; insert into parts values (8, 1)'), [part(8, 1)])
  t.equal(await rowsAfter('insert into parts select n from generate_series(10, 26) as n'), undefined, 'too many')
  const two = ['id < 15', 'id > 20'].map(where => `update parts set item_id = 1 where ${where}`)
  t.equal(await rowsAfter(`begin; ${two.join(';')}; commit`), undefined, 'too many of a transaction')
  t.equal(await rowsAfter('truncate parts'), undefined)
  await db.pool.query('alter table parts rename item_id to thing_id')
  t.equal(await rowsAfter('insert into parts values (1, 3)'), undefined, 'a column that is gone fails no write')
})

withLog('a transaction that is open while ten others commit is told when it commits', async (t, db, held) => {
  const told = follow(t, db)
  await held.query('begin; insert into parts values (1)')
  for (let id = 0; id < 10; id++) {
    await db.pool.query('insert into items values ($1, $2)', [id, 'x'])
    await settled()
  }
  t.notOk(told.join().includes('parts'))
  t.ok(told.length > 5)
  await held.query('commit')
  await eventually(() => told.at(-1) === 'parts', () => told.join())
})

// What the pooler leads to: the names of the application come before those of PostgreSQL.
const failover = `create table server (started timestamptz);
insert into server values ('2026-01-01');
create function pg_postmaster_start_time () returns timestamptz language sql as 'select started from server'`

test('behind a pooler that leads to another server, all is told', t => onDatabase(`${script}${failover}`, async db => {
  const told = follow(t, db)
  await until(told, 1)
  await db.pool.query("insert into items values (1, 'a')")
  await until(told, 2)
  await db.pool.query("update server set started = '2026-01-02'")
  await until(told, 3)
  await db.pool.query("insert into items values (2, 'b')")
  await until(told, 4)
  t.strictSame(told, ['all', 'items', 'all', 'items'])
}, { changes: { poll: 1 }, driver: { options: '-c search_path=public,pg_catalog' } }))

withLog('a view among the tables is left out of the log', async (t, db) => {
  const told = follow(t, db)
  await db.pool.query(`create schema "o'dd"; create table "o'dd"."$$" (id integer); create view shown as
    select * from items; ${changeLogScript([{ schema: "o'dd", name: '$$' }, { schema: undefined, name: 'shown' }])}`)
  await until(told, 1)
  await settled()
  told.splice(0)
  await db.pool.query('insert into "o\'dd"."$$" values (1)')
  await until(told, 1)
  t.strictSame(told, ['$$'])
})

withLog('a table whose name PostgreSQL cuts is refused at the start', async (t, db) => {
  const name = 'é'.repeat(32)
  await db.pool.query(`create table "${name}" (id integer primary key);
    ${changeLogScript([{ schema: undefined, name }])}`)
  const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })
  const check = (text: string) => db.check({ things: collection(Thing, { source: db.table(text) }) })
  await t.rejects(check(name), /table 'é{32}': PostgreSQL cuts its name after 63 bytes; write what is left of it/)
  t.strictSame(await check('é'.repeat(31)), [])
})

withLog('of concurrent commits nothing is lost, for any process', async (t, db, _client, url) => {
  const second = postgres({ connectionString: url, changes: { poll: 3 }, connectionTimeout })
  const logs = [db, second].map(one => ({ told: follow(t, one) }))
  for (const { told } of logs) await eventually(() => told.length > 0, () => 'the first look')
  const clients = Array.from({ length: 8 }, () => new pg.Client(url))
  await Promise.all(clients.map(client => client.connect()))
  // Each client has a table of its own, so that no commit of another hides that of its.
  const tables = clients.map((_, at) => `t${at}`)
  await db.pool.query([...tables.map(table => `create table ${table} (n integer)`),
    changeLogScript(tables.map(name => ({ schema: undefined, name })))].join(';'))
  await Promise.all(clients.map(async (client, at) => {
    for (let round = 0; round < runsOf(150); round++) {
      const before = logs.map(({ told }) => told.length)
      await client.query(`begin; insert into t${at} values (1)`)
      if (round % 3 === 0) await sleep(round % 7)
      await client.query('commit')
      for (const [number, { told }] of logs.entries()) {
        const isTold = () => told.slice(before[number]).some(one => `all,${one},`.includes(`,t${at},`))
        await eventually(isTold, () => `round ${round} of t${at}`)
      }
    }
  }))
  t.pass()
  await Promise.all(clients.map(client => client.end()))
  await second.close()
})

withLog('a connection that is killed is replaced, and what came meanwhile is told as all', async (t, db) => {
  const told = follow(t, db)
  for (let round = 0; round < 3; round++) {
    await until(told, 1)
    await settled()
    told.splice(0)
    const { rowCount } = await db.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database()
        and query like '%changes_since%'`)
    t.equal(rowCount, 1)
    await db.pool.query('insert into items values ($1, $2)', [round, 'x'])
  }
  await until(told, 1)
  t.equal(told[0], 'all')
})

withLog('old changes are deleted, and a process that is too far behind is told of everything', async (t, db, owner) => {
  const rows = async (text: string, values: unknown[] = []) =>
    (await owner.query<Record<string, unknown>>(text, values)).rows
  const position = async () => (await rows('select pg_current_snapshot()::text as now'))[0]?.['now']
  const complete = async (before: unknown) =>
    (await rows('select complete from data_api.changes_since($1)', [before]))[0]?.['complete']
  const forget = () => rows("select data_api.forget_changes('0')")
  const count = async () => (await rows('select count(*)::int as count from data_api.changes'))[0]?.['count']
  const first = await position()
  await owner.query("insert into items values (1, 'a')")
  const second = await position()
  await owner.query('insert into parts values (1, 1)')
  await forget()
  t.same(await count(), 2, 'a horizon that has just begun forgets nothing')
  t.equal(await complete(first), true)
  await forget()
  t.same(await count(), 0)
  t.equal(await complete(first), false)
  t.equal(await complete(second), false)
  t.equal(await complete(await position()), true)
  const told = follow(t, db)
  await until(told, 1)
  await owner.query(`begin; update data_api.horizon set forgotten = (select format('%s:%s:', x, x)::pg_snapshot
    from (select pg_current_xact_id()::text::bigint + 1 as x) as next); commit`)
  await until(told, 2)
  t.equal(told[1], 'all')
})

withLog('what a dump of another server has brought is not told, and deletes nothing', async (t, db, client) => {
  await db.pool.query(`insert into data_api.changes values ('100000000000', 'others');
    update data_api.horizon set forgotten = '1:200000000000:', upcoming = '1:300000000000:'`)
  const told = follow(t, db)
  await until(told, 1)
  await client.query("insert into items values (1, 'a')")
  await client.query("select data_api.forget_changes('1 hour')")
  await until(told, 2)
  await settled()
  t.strictSame(told, ['all', 'items'])
  const { rows: [row] } = await client.query<{ count: number }>('select count(*)::int from data_api.changes')
  t.equal(row?.count, 2)
})

withLog('other roles need no right on the log', async (t, db, client) => {
  const told = follow(t, db)
  const role = `writer_${process.pid}`
  await db.pool.query(`create role ${role}; grant select, insert on items to ${role}`)
  await client.query(`set role ${role}`)
  await until(told, 1)
  await client.query("insert into items values (1, 'a')")
  await until(told, 2)
  t.equal(told[1], 'items')
  await t.rejects(client.query('select * from data_api.changes'), /permission denied/)
  await client.query('reset role')
  await db.pool.query(`drop owned by ${role}; drop role ${role}`)
})

test('wrong options are told', async t => {
  t.throws(() => postgres({ changes: { pol: 1 } as object }), /option 'changes.pol': there is no such option/)
  t.throws(() => postgres({ changes: true, max: 1 }), DeclarationError)
})

const key = { identifier: true, readable: true } as const
const declare = (db: PostgresDatabase) => ({
  items: collection(Type.Object({
    id: Type.Integer(key), parts: SubCollection('parts', { foreignKey: 'itemId', readable: true })
  }), { source: db.table('items') }),
  parts: collection(Type.Object({ id: Type.Integer(key), itemId: Type.Optional(Type.Integer()) }), {
    source: db.table('parts', { columns: 'snake_case' })
  })
})

const bare = `create table items (id integer primary key);
create table parts (id integer primary key, item_id integer references items)`

test('the start refuses tables whose changes are not logged, with the script that mends them', t =>
  onDatabase(bare, async db => {
    const scripts: string[] = []
    const check = () => db.check(declare(db)).catch((error: unknown) => {
      const [head = '', script = ''] = (error as Error).message.split(/:\n\n/)
      scripts.push(script)
      return head
    })
    t.match(await check(), /option 'changes': the changes of 'items', 'parts' are not logged; run this script/)
    await db.pool.query(scripts[0] ?? '')
    t.strictSame(await check(), [])
    await db.pool.query('drop trigger data_api_changes on items; create view v as select * from items')
    t.match(await check(), /the changes of 'items' are not logged/)
    await db.pool.query('alter table parts disable trigger data_api_changes')
    t.match(await check(), /the changes of 'items', 'parts' are not logged/)
    await db.pool.query(`alter table parts enable always trigger data_api_changes; ${scripts[1]}`)
    t.strictSame(await check(), [])
  }, { changes: true }))

test('a live document follows the log through kysely() too', t => onDatabase(script, async (own, url) => {
  const dialect = new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) })
  const instance = new Kysely<unknown>({ dialect })
  const db = kysely(instance, { changes: { poll: 1 } })
  const app = Fastify({ forceCloseConnections: true })
  const items = collection(Type.Object({ id: Type.Integer(key), name: Type.String({ readable: true }) }), {
    source: db.table('items'), requestStrategies: { create: false }
  })
  await app.register(dataApi, { collections: { items }, live: { interval: 1, recheck: 3_600_000 } })
  const follower = await (await listen(app))('/items?fields=name')
  for (const name of ['a', 'b', 'c']) {
    await own.pool.query('insert into items select count(*), $1 from items', [name])
    await eventually(() => JSON.stringify(follower.document).includes(name), () => follower.text)
  }
  t.strictSame(follower.document, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
  await app.close()
  await instance.destroy()
}))
