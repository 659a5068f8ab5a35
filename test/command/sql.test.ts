import { Type } from '@sinclair/typebox'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import type { Engine } from '../../lib/core/sources/sql/catalog.ts'
import { printTables } from '../../lib/core/sources/sql/tables.ts'
import type { Declared } from '../../lib/core/declare/collection.ts'
import dataApi, { collection, type DataApiOptions, sqlite, type SqliteDatabase } from '../../lib/index.ts'
import { compileModel } from '../../lib/core/model/compile.ts'
import { programsIn, read, root, writeProgram } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'
import { runLine } from './helpers.ts'

// docs/databases.md: Tables from declarations

const pages = { defaultSize: 1, maxSize: 1 }
const compiling = { naming: 'none', pages, reserved: new Map<string, string>() } as const

function scriptFor (collections: Record<string, Declared>, engine: Engine): string {
  return printTables([...compileModel(collections, compiling).collections.values()], engine)
}

test('fields that are unique together are a constraint', t => {
  const db = sqlite(':memory:')
  const id = Type.Integer({ identifier: true, readable: true })
  const Label = Type.Object({ id, teamId: Type.Integer(), name: Type.String() })
  const source = db.table('labels', { columns: 'snake_case' })
  const labels = collection(Label, { source, unique: [['teamId', 'name']] })
  for (const engine of ['sqlite', 'postgres'] as const) {
    t.match(scriptFor({ labels }, engine), 'unique ("team_id", "name")')
  }
  t.end()
})

let files = 0

const write = (text: string) => fileURLToPath(writeProgram(`tables-${files++}.mjs`, text))

const page = 'docs/databases.md#tables-from-declarations'

test('the page of tables prints those that it shows, and the start accepts those of its own database', async t => {
  const [program = ''] = programsIn(read(page))
  const file = write(program.replace('music.db', ':memory:') + '\nexport { db }')
  t.strictSame(await runLine('sql', 'tables', file, '--export', 'collections', '--for', 'postgres'), {
    code: 0, out: programsIn(read(page), 'sql')[0], error: ''
  })
  const { db, collections } = await import(file) as { db: SqliteDatabase, collections: Record<string, Declared> }
  const { code, out } = await runLine('sql', 'tables', file, '--export', 'collections')
  t.equal(code, 0)
  db.exec(out)
  t.strictSame(await db.check(collections), [])
  const app = Fastify()
  await app.register(dataApi, { collections })
  t.match(await app.inject({ method: 'POST', url: '/artists', payload: { name: 'Can', founded: 1968 } }), created)
  t.match(await app.inject({ method: 'POST', url: '/artists/1/albums', payload: { title: 'Ege' } }), created)
  t.match((await app.inject('/albums/1')).json(), { form: 'studio', created_at: /^20\d\d-.*T.*Z$/ })
  db.close()
})

const created = { statusCode: 201 }

const declarations = (collections: string) => write(`import { Type } from '@sinclair/typebox'
  import { collection, memory, postgres, SubCollection, SubItem } from '${fileURLToPath(new URL('lib/index.ts', root))}'
  const key = { identifier: true, readable: true }
  const shown = { readable: true, writable: true }
  const db = postgres('postgres://nowhere.invalid/x')
  export const collections = ${collections}`)

test('composite keys, defaults, enums and lengths are printed; objects are tables as well', async t => {
  const file = declarations(`{
    lines: collection(Type.Object({
      order: Type.String({ format: 'uuid', ...shown }), number: Type.Integer(shown),
      on: Type.Boolean({ ...shown, default: true }), more: Type.Array(Type.String(), { ...shown, default: [] }),
      raw: Type.Optional(Type.String({ format: 'byte', ...shown, default: 'AAE=' })),
      size: Type.Union([Type.Enum({ S: 1, M: 2 }), Type.Null()], shown),
      note: Type.String({ ...shown, maxLength: 9, pattern: '^x' }), secret: Type.String({ ...shown, maxLength: 9 })
    }), { source: memory([]), key: ['order', 'number'], setters: { secret () {} } })
  }`)
  t.match(await runLine('sql', 'tables', file, '--for', 'sqlite'), {
    code: 0,
    out: `create table "lines" (
  "order" text not null,
  "number" integer not null,
  "on" integer not null default 1,
  "more" text not null default '[]',
  "raw" blob default x'0001',
  "size" real check ("size" in (1, 2)),
  "note" text not null check (length("note") <= 9),
  "secret" text not null,
  primary key ("order", "number")
) strict;
`
  })
  const { out } = await runLine('sql', 'tables', file, '--for', 'postgres')
  t.match(out, '"raw" bytea default \'\\x0001\',')
})

test('what cannot be a constraint is a comment; tables that refer to each other are altered', async t => {
  const file = declarations(`{
    posts: collection(Type.Object({ id: Type.Integer(key), firstId: Type.Optional(Type.Integer()),
      first: SubItem('comments', { foreignKey: 'firstId' }), comments: SubCollection('comments', { foreignKey: 'of' })
    }), { source: memory([]), requestStrategies: { create: false } }),
    photos: collection(Type.Object({ id: Type.Integer(key), comments: SubCollection('comments', { foreignKey: 'of' })
    }), { source: memory([]) }),
    comments: collection(Type.Object({ id: Type.Integer(key), of: Type.Integer(), text: Type.String() }), {
      source: memory([]), requestStrategies: { create: false } })
  }`)
  const { out } = await runLine('sql', 'tables', file, '--for', 'postgres')
  t.match(out, /^-- "comments": "of" refers to several tables, so it has no foreign key\.\ncreate table "comments" \(/m)
  t.match(out, /\n\nalter table "posts" add foreign key \("firstId"\) references "comments" \("id"\);\n$/)
})

test('the names of indexes differ within the 63 bytes that PostgreSQL takes', async t => {
  const long = 'é'.repeat(30)
  const file = declarations(`{ things: collection(Type.Object({
    id: Type.Integer(key), ${long}a: Type.String({ indexed: true }), ${long}b: Type.String({ indexed: true })
  }), { source: memory([]), requestStrategies: { create: false } }) }`)
  const { out } = await runLine('sql', 'tables', file, '--for', 'postgres')
  const names = [...out.matchAll(/^create index "(.*?)"/gm)].map(([, name = '']) => name)
  t.match(names, [/^things_by_é+_[\da-f]{8}$/, /^things_by_é+_[\da-f]{8}$/])
  t.not(names[0], names[1])
  t.ok(names.every(name => Buffer.byteLength(name) <= 63))
})

test('the table of keys is printed, and the start accepts it', async t => {
  const file = write(`import { Type } from '@sinclair/typebox'
    import { collection, sqlite } from '${fileURLToPath(new URL('lib/index.ts', root))}'
    export const db = sqlite(':memory:')
    const notes = collection(Type.Object({ id: Type.Integer({ identifier: true, readable: true }) }), {
      source: db.table('notes'), requestStrategies: { create: true } })
    export const options = { collections: { notes }, idempotency: { table: db.table('data_api_keys') } }`)
  const { db, options } = await import(file) as { db: SqliteDatabase, options: DataApiOptions }
  db.exec((await runLine('sql', 'tables', file, '--export', 'options')).out)
  const { code, out } = await runLine('sql', 'idempotency', file, '--export', 'options')
  t.equal(code, 0)
  const other = Fastify()
  await t.rejects(async () => { await other.register(dataApi, options) && await other.ready() }, /data_api_keys/)
  db.exec(out)
  const app = Fastify()
  await app.register(dataApi, options)
  const send = () => app.inject({ method: 'POST', url: '/notes', headers: { 'idempotency-key': 'k' }, payload: {} })
  t.match(await send(), created)
  t.match(await send(), { ...created, headers: { 'idempotency-replayed': 'true' } })
  t.match((await runLine('sql', 'idempotency', file, '--export', 'options', '--for', 'postgres')).out,
    '"at" timestamp(3) with time zone not null')
  await app.close()
  db.close()
  const plain = declarations('{ things: collection(Type.Object({ id: Type.Integer(key) }), { source: memory([]) }) }')
  t.match(await runLine('sql', 'idempotency', plain), { code: 1, error: /no table as its option 'idempotency.table'/ })
})

test('changes prints the log and the triggers of the tables of PostgreSQL, also of join tables', async t => {
  const file = declarations(`{
    notes: collection(Type.Object({ id: Type.Integer(key),
      tags: SubCollection('tags', { through: 'note_tags', foreignKey: 'noteId', otherKey: 'tagId' })
    }), { source: db.table('my.notes') }),
    tags: collection(Type.Object({ id: Type.Integer(key) }), { source: db.table({ name: 'Tags' }) }),
    others: collection(Type.Object({ id: Type.Integer(key) }), { source: memory([]) })
  }`)
  const { code, out } = await runLine('sql', 'changes', file)
  t.equal(code, 0)
  t.match(out, /^create schema if not exists data_api;/)
  const logged = [...out.matchAll(/^select data_api.log_changes\('(\S+)'\);$/gm)].map(([, name]) => name)
  t.strictSame(logged, ['"my"."notes"', '"Tags"', '"my"."note_tags"'])
  const memory = declarations('{ a: collection(Type.Object({ id: Type.Integer(key) }), { source: memory([]) }) }')
  t.match(await runLine('sql', 'changes', memory), { code: 1, error: /no collections in PostgreSQL/ })
})

test('the engine is told, where the declarations do not tell it', async t => {
  const file = declarations('{ things: collection(Type.Object({ id: Type.Integer(key) }), { source: memory([]) }) }')
  t.match(await runLine('sql', 'tables', file), { code: 2, error: /--for: expected sqlite or postgres; .*over memory/ })
  t.match(await runLine('sql', 'tables', file, '--for', 'mysql'), { code: 2, error: /found 'mysql'/ })
})
