import { Type } from '@sinclair/typebox'
import Fastify from './fastify.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import tap, { type Test, test } from 'tap'
import dataApi, {
  type Behaviour, collection, sqlite, type SqliteDatabase, type SqliteOptions, SubCollection, SubItem
} from '../../lib/index.ts'
import type { SqliteDriver, SqliteDriverClass, SqliteDriverName } from '../../lib/core/sources/sql/sqlite/driver.ts'

// A database with a world of its own, in a file, through each driver that is installed.

const require = createRequire(import.meta.url)

function loadDriver (name: SqliteDriverName): SqliteDriverClass | undefined {
  try {
    const module = require(name) as SqliteDriverClass | { readonly DatabaseSync: SqliteDriverClass }
    return 'DatabaseSync' in module ? module.DatabaseSync : module
  } catch {
    return undefined
  }
}

const drivers = (['node:sqlite', 'better-sqlite3', '@photostructure/sqlite'] as const).flatMap(name => {
  const Driver = loadDriver(name)
  return Driver === undefined ? [] : [{ name, Driver }]
})

const folder = mkdtempSync(join(tmpdir(), 'data-api-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })

let files = 0
export const newFile = () => join(folder, `${files++}.db`)

const Parent = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  kids: SubCollection('kids', { foreignKey: 'parentId', readable: true, writable: true })
})

const Kid = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  note: Type.Optional(Type.String({ readable: true, writable: true })),
  parentId: Type.Optional(Type.Integer({ readable: true, writable: true })),
  parent: SubItem('parents', { foreignKey: 'parentId', readable: true }),
  tags: SubCollection('tags', {
    through: 'kid_tags', foreignKey: 'kidId', otherKey: 'tagId', readable: true, writable: true
  })
})

const Tag = Type.Object({ id: Type.Integer({ identifier: true, readable: true, writable: true }) })

export const ddl = `
create table parents (id integer primary key, name text not null unique);
create table kids (
  id integer primary key, name text not null unique, note text,
  "parentId" integer references parents deferrable initially deferred
);
create table tags (id integer primary key);
create table kid_tags (
  "kidId" integer references kids on delete cascade, "tagId" integer references tags, primary key ("kidId", "tagId")
);
create table audit (line text not null unique);
create trigger refuse before insert on kids when new.name like 'refuse%' begin
  select raise(abort, 'the words of a trigger');
end;
create trigger undo before insert on kids when new.name like 'undo%' begin
  select raise(rollback, 'the words of a trigger');
end;
create trigger undo_audit before insert on audit when new.line like 'undo%' begin
  select raise(rollback, 'the words of a trigger');
end;
`

type Own = Pick<Behaviour<typeof Kid>, 'hooks'>

export interface Answer { readonly status: number, readonly body: unknown, readonly retryAfter: unknown }

export interface Served {
  readonly db: SqliteDatabase
  readonly logged: string[]
  send (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: unknown): Promise<Answer>
}

/** Serves a new database. Hooks are the kids'; `hooked` are the same kids with a hook that only waits. */
export async function serve (t: Test, options: SqliteOptions = {}, own: Own = {}, file = newFile()): Promise<Served> {
  const db = sqlite(file, options)
  db.exec(ddl)
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write (line: string) { logged.push(line) } } } })
  t.teardown(() => app.close())
  const kids = (own: Own) => collection(Kid, { source: db.table('kids'), ...own })
  const collections = {
    parents: collection(Parent, { source: db.table('parents') }),
    kids: kids(own),
    hooked: kids({ hooks: { creating: () => sleep(0), updating: () => sleep(0), deleting: () => sleep(0) } }),
    tags: collection(Tag, { source: db.table('tags') })
  }
  await app.register(dataApi, { collections, requestStrategies: { upsert: true, delete: true } })
  return {
    db,
    logged,
    async send (method, url, payload) {
      const json = { 'content-type': 'application/json' }
      const content = payload !== undefined && { payload: payload as object, headers: json }
      const { statusCode, body, headers } = await app.inject({ method, url, ...content })
      return { status: statusCode, body: JSON.parse(body), retryAfter: headers['retry-after'] }
    }
  }
}

/** The first column of what the statement gives. */
export const rowsOf = ({ driver }: { readonly driver: SqliteDriver }, text: string) =>
  driver.prepare(text).all().map(row => Object.values(row as object)[0])

export const loggedIn = ({ logged }: Served) => logged.map(line => JSON.parse(line).err.message as string)

export const each = (name: string, run: (t: Test, Driver: SqliteDriverClass) => Promise<void>) => {
  for (const { name: driver, Driver } of drivers) test(`${name} (${driver})`, t => run(t, Driver))
}

export const long = (name: string) => `${name} ${'x'.repeat(3000)}`

type Write = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body: unknown, done: string]
const named = (name: string) => `select 1 from kids where name = '${name}'`
const noted = (name: string) => `select 1 from kids where note = '${long(name)}'`
const linked = (name: string) => `select 1 from kids join kid_tags on "kidId" = id where note = '${long(name)}'`
const gone = (id: number) => `select 1 where not exists (select 1 from kids where id = ${id})`

/** Each kind of write, for a name and an item of its own, and a statement that gives a row once it is done. */
export const writes: Readonly<Record<string, (name: string, id: number) => Write>> = {
  'a single create': name => ['POST', '/kids', { name, note: long(name) }, named(name)],
  'an array': name => ['POST', '/kids', [{ name, note: long(name) }, { name: `${name} too` }], named(`${name} too`)],
  'a create with a hook': name => ['POST', '/hooked', { name, note: long(name) }, named(name)],
  'an upsert': name => ['PUT', `/kids/by_name/${name}`, { note: long(name) }, named(name)],
  'an update': (name, id) => ['PATCH', `/kids/${id}`, { note: long(name) }, noted(name)],
  'an update with a hook': (name, id) => ['PATCH', `/hooked/${id}`, { note: long(name) }, noted(name)],
  'a write of a field': (name, id) => ['PUT', `/kids/${id}/note`, JSON.stringify(long(name)), noted(name)],
  'a link': (name, id) => ['PATCH', `/kids/${id}`, { note: long(name), tags: [{ id: 1 }] }, linked(name)],
  'a deletion': (_name, id) => ['DELETE', `/kids/${id}`, undefined, gone(id)]
}
