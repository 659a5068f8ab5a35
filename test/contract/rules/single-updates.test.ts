import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDeepStrictEqual } from 'node:util'
import { type Test, test } from 'tap'
import dataApi, {
  type Behaviour, collection, type Declared, type PostgresDatabase, sqlite, type SqliteDatabase
} from '../../../lib/index.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import Fastify from '../../helpers/fastify.ts'
import { onDatabase } from '../../helpers/on-database.ts'
import { test as testOnPostgres, withoutPostgres } from '../../helpers/on-postgres.ts'
import { openers } from '../../helpers/sources.ts'
import { everybody } from '../../helpers/everybody.ts'
import { forbidden, missing } from '../../helpers/answers.ts'

// docs/http.md: Rules. An update in a scope is one statement where that decides what a transaction would decide.

const flags = { readable: true, writable: true } as const
const Task = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  code: Type.String({ identifier: true, ...flags }),
  title: Type.String(flags),
  owner: Type.Integer(flags),
  rank: Type.Integer(flags)
})

const me = { 'x-me': '1' }
const numberOf = ({ request }: { readonly request: { readonly headers: object } }, name: string) =>
  Number((request.headers as Record<string, unknown>)[name] ?? 1)

const behaviour: Omit<Behaviour<typeof Task>, 'source'> = {
  scope: {
    read: (context, where) => where.atMost('owner', numberOf(context, 'x-me')),
    update: (context, where) => where.atLeast('owner', numberOf(context, 'x-low'))
  }
}

const rows = [1, 1, 2, 2, 3].map((owner, index) =>
  ({ id: index + 1, code: `c${index + 1}`, title: `t${index + 1}`, owner, rank: index % 2 }))

const ddlWith = (more: string) => `create table tasks (id integer primary key, code text not null unique,
  title text not null, owner integer not null, rank integer not null${more});`
const values = rows.map(({ id, code, title, owner, rank }) => `(${id}, '${code}', '${title}', ${owner}, ${rank})`)
const insert = `insert into tasks (id, code, title, owner, rank) values ${values.join(', ')};`

async function serve (declared: Declared): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody, requestStrategies: { create: false }, collections: { tasks: declared }
  })
  return app
}

type Database = SqliteDatabase | PostgresDatabase
type Source = ReturnType<Database['table']>

/** Runs a test on both databases, after a script of each. `more`: more columns and constraints of the table. */
function onBoth (
  name: string, scripts: Readonly<Record<'sqlite' | 'postgres', string>>, more: string,
  declare: (source: Source) => Declared, run: (app: FastifyInstance, t: Test) => Promise<void>
): void {
  const ddl = ddlWith(more) + insert
  const runOn = async (db: Database, t: Test) => {
    const app = await serve(declare(db.table('tasks')))
    await run(app, t)
    await app.close()
  }
  test(`${name} (sqlite)`, async t => {
    const db = sqlite(':memory:')
    db.exec(ddl + scripts.sqlite)
    await runOn(db, t)
    db.close()
  })
  testOnPostgres(`${name} (postgres)`, t => onDatabase(ddl + scripts.postgres, db => runOn(db, t)))
}

const patch = async (app: FastifyInstance, url: string, payload: object, headers: Record<string, string> = me) => {
  const { statusCode, body } = await app.inject({ method: 'PATCH', url, payload, headers })
  return [statusCode, JSON.parse(body)] as const
}

const tasks = (source: Source) => collection(Task, { source, ...behaviour })
const updated = [200, { status: 'ok' }] as const
const refused = [403, forbidden] as const

onBoth('an update by whose trigger an item leaves the scope is 403', {
  sqlite: `create trigger moves after update of title on tasks
    begin update tasks set owner = 9 where id = new.id and new.title = 'away'; end;`,
  postgres: `create function moves () returns trigger language plpgsql as $$ begin
      if new.title = 'away' then new.owner := 9; end if; return new; end $$;
    create trigger moves before update on tasks for each row execute function moves();`
}, '', tasks, async (app, t) => {
  t.strictSame(await patch(app, '/tasks/1', { title: 'away' }), refused)
  t.strictSame(await patch(app, '/tasks/1', { title: 'here' }), updated)
})

test('an update by whose temporary trigger an item leaves the scope is 403', async t => {
  const db = sqlite(':memory:')
  db.exec(`${ddlWith('')}${insert} create temp trigger moves after update of title on main.Tasks
    begin update tasks set owner = 9 where id = new.id; end;`)
  const app = await serve(tasks(db.table('tasks')))
  t.strictSame(await patch(app, '/tasks/1', { title: 'away' }), refused)
  await app.close()
  db.close()
})

const Part = Type.Object({ ...Task.properties, whole: Type.Optional(Type.String({ readable: true })) })
const inFirst = (source: Source) => collection(Part, { source, scope: () => ({ whole: 't1' }) })

onBoth('an update that cascades to the value which the scope compares is 403', {
  sqlite: "update tasks set whole = 't1' where id < 3;", postgres: "update tasks set whole = 't1' where id < 3;"
}, ', whole text references tasks (title) on update cascade, unique (title)', inFirst, async (app, t) => {
  t.strictSame(await patch(app, '/tasks/1', { title: 'z' }), refused)
  t.strictSame(await patch(app, '/tasks/2', { title: 'z' }), updated)
  t.strictSame(await patch(app, '/tasks/3', { rank: 7 }), [404, missing('3')])
})

const computed = ", whole text generated always as (case when rank = 0 then title else 'none' end) stored"

onBoth('an update that changes a computed value which the scope compares is 403', {
  sqlite: '', postgres: ''
}, computed, inFirst, async (app, t) => {
  t.strictSame(await patch(app, '/tasks/1', { title: 'z' }), refused)
  t.strictSame(await patch(app, '/tasks/1', { owner: 5 }), updated)
})

testOnPostgres('an item that leaves the scope while its update waits is 404', t =>
  onDatabase(ddlWith('') + insert, async (db, url) => {
    const app = await serve(tasks(db.table('tasks')))
    for (const path of ['1', 'c2']) {
      const [owner, admin] = [new pg.Client(url), new pg.Client(url)]
      await Promise.all([owner.connect(), admin.connect()])
      await owner.query('begin; update tasks set owner = 9')
      const answer = patch(app, `/tasks/${path}`, { title: 'late' })
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      while ((await admin.query(waiting)).rowCount === 0) await sleep(5)
      await owner.query('commit')
      t.strictSame(await answer, [404, missing(path)])
      t.equal((await admin.query("select from tasks where title = 'late'")).rowCount, 0)
      await admin.query('update tasks set owner = 1')
      await Promise.all([owner.end(), admin.end()])
    }
    await app.close()
  }))

test('an update in a scope is one statement, by the key and by another identifier', async t => {
  const { source } = await openers.memory({ tasks: rows.map(row => ({ ...row })) })
  let transactions = 0
  const counted = (table: string) => {
    const { database, ...one } = source(table)
    const transaction = (work: never) => {
      transactions++
      return database.transaction(work)
    }
    return { ...one, database: { ...database, transaction } }
  }
  const app = await serve(collection(Task, { source: counted('tasks'), ...behaviour }))
  for (const [path, body, expected] of [['1', { title: 'a' }, 0], ['c1', { rank: 7 }, 0], ['1', { owner: 1 }, 1]]) {
    transactions = 0
    t.strictSame(await patch(app, `/tasks/${String(path)}`, body as object), updated)
    t.equal(transactions, expected)
  }
})

const drawnUpdate = fc.record({
  path: fc.constantFrom('1', 'c1', '2', 'c3', '4', '5', 'c5', '9'),
  body: fc.record({
    code: fc.constantFrom('c1', 'c5', 'new'),
    title: fc.constantFrom('x', 'y'),
    owner: fc.integer({ min: 1, max: 3 }),
    rank: fc.integer({ min: 0, max: 3 }),
    unknown: fc.constant(1)
  }, { requiredKeys: [] }),
  headers: fc.record({ 'x-me': fc.constantFrom('1', '2', '3'), 'x-low': fc.constantFrom('0', '1', '2') })
})

const kinds = ['memory', 'sqlite', ...withoutPostgres ? [] : ['postgres' as const]] as const

for (const kind of kinds) {
  test(`a single statement decides as a transaction does (${kind})`, async t => {
    // A hook that is told of what was saved has every update run in a transaction.
    const worlds = await Promise.all([{}, { hooks: { saved: () => {} } }].map(async hooks => {
      const opened = await openers[kind]({ tasks: rows }, ddlWith(''))
      return { opened, app: await serve(collection(Task, { source: opened.source('tasks'), ...behaviour, ...hooks })) }
    }))
    await fc.assert(fc.asyncProperty(fc.array(drawnUpdate, { minLength: 5, maxLength: 10 }), async updates => {
      for (const { path, body, headers } of updates) {
        const [one, other] = await Promise.all(worlds.map(({ app }) => patch(app, `/tasks/${path}`, body, headers)))
        if (!isDeepStrictEqual(one, other)) throw new Error(JSON.stringify({ path, body, headers, one, other }))
      }
      const all = worlds.map(({ app }) => app.inject({ url: '/tasks', headers: { 'x-me': '9' } }))
      const [one, other] = await Promise.all(all)
      if (one?.body !== other?.body) throw new Error(`${String(one?.body)}\n${String(other?.body)}`)
    }), { numRuns: runsOf(30) })
    for (const { app, opened } of worlds) {
      await app.close()
      await opened.close()
    }
    t.pass()
  })
}
