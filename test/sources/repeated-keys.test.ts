import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, type PostgresDatabase, sqlite, type SqliteDatabase } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/http.md: Identifiers; docs/databases.md: Declarations and tables. Rows that clients see under one key: the check
// cannot see those that come later.

const rw = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, ...rw })

const repeated = {
  sqlite: `create table days (at text primary key, name text, other text unique);
    insert into days values ('2026-01-02', 'a', 'x'), ('2026-01-02 00:00:00', 'b', 'y');
    create table base (id int, name text); insert into base values (1, 'a'), (1, 'b'), (2, 'c');
    create view parts as select id, name from base;
    create trigger u instead of update on parts begin update base set name = new.name where id = old.id; end;
    create trigger d instead of delete on parts begin delete from base where id = old.id; end`,
  postgres: `create table days (at timestamptz primary key, name text, other text unique);
    insert into days values ('2026-01-02 00:00:00.000001Z', 'a', 'x'), ('2026-01-02 00:00:00.0005Z', 'b', 'y');
    create table parts (id int primary key, name text); create table more (primary key (id)) inherits (parts);
    insert into parts values (1, 'a'), (2, 'c'); insert into more values (1, 'b')`
}

/** The answers to writes of items whose keys clients see as one, and the names that the tables hold then. */
async function writeRepeated (db: SqliteDatabase | PostgresDatabase) {
  const name = Type.Optional(Type.String(rw))
  const requestStrategies = { delete: true, upsert: true, create: false }
  const Day = Type.Object({
    at: Type.String({ format: 'date-time', identifier: true, ...rw }),
    other: Type.Optional(Type.String({ identifier: true, ...rw })),
    name
  })
  const { app, send } = await serve({
    days: collection(Day, { source: db.table('days'), requestStrategies: { delete: true } }),
    parts: collection(Type.Object({ id, name }), { source: db.table('parts'), requestStrategies }),
    hooked: collection(Type.Object({ id, name }), {
      source: db.table('parts'), requestStrategies, hooks: { updating () {}, deleting () {} }
    })
  })
  const errors = []
  const day = '2026-01-02T00:00:00.000Z'
  for (const path of [`/days/${day}`, `/days/by_at/${day}`, '/parts/1', '/hooked/1']) {
    for (const [method, payload] of [['GET'], ['PUT', { name: 'z' }], ['DELETE']] as const) {
      const [status, body] = await send(method, path, payload)
      errors.push([status, (body as { error: string } | undefined)?.error ?? `${method} ${path}`])
    }
  }
  const others = [await send('PUT', '/parts/2', { name: 'd' }), await send('DELETE', '/hooked/2')]
  const names = async (path: string) => ((await send('GET', path))[1] as Array<{ name: string }>).map(one => one.name)
  const left = [await names('/days?sort=name'), await names('/parts?sort=name')]
  await app.close()
  return { errors: new Set(errors.map(String)), others: others.map(([status]) => status), left }
}

const repeatedName = 'no write reaches several items whose keys clients see as one'
const onlyRefused =
  { errors: new Set(['409,ambiguous_identifier']), others: [204, 200], left: [['a', 'b'], ['a', 'b']] }

test(`${repeatedName} (sqlite)`, async t => {
  const db = sqlite(':memory:', { check: 'off' })
  db.exec(repeated.sqlite)
  t.strictSame(await writeRepeated(db), onlyRefused)
  db.close()
})

postgresTest(`${repeatedName} (postgres)`, t => onDatabase(repeated.postgres, async db => {
  t.strictSame(await writeRepeated(db), onlyRefused)
}, { check: 'off' }))
