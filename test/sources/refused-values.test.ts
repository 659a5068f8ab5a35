import { Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, type Declared, kysely, sqlite, SubItem } from '../../lib/index.ts'
import type { SqlSource } from '../../lib/core/sources/sql/source.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'

// docs/http.md: Errors. What the database refuses is the client's to mend, and the answer names it.

const rw = { readable: true, writable: true }
const id = Type.Integer({ identifier: true, readable: true })

async function send (things: Record<string, Declared>, bodies: readonly object[], path = '/things') {
  const app = Fastify()
  await app.register(dataApi, { collections: things })
  const answers: Array<readonly [number, unknown]> = []
  for (const payload of bodies) {
    const { statusCode, body } = await app.inject({ method: 'POST', url: path, payload })
    answers.push([statusCode, JSON.parse(body)])
  }
  await app.close()
  return answers
}

const tables = `create table rooms (ward text not null, number integer not null, primary key (ward, number));
  create table things (id integer primary key, ward text not null, number integer not null,
    unique (ward, number), foreign key (ward, number) references rooms);
  insert into rooms values ('A', 1);`

const roomsAndThings = (table: (name: string) => SqlSource) => ({
  rooms: collection(Type.Object({ ward: Type.String(rw), number: Type.Integer(rw) }), {
    key: ['ward', 'number'], source: table('rooms')
  }),
  things: collection(Type.Object({
    id: Type.Integer({ identifier: true, ...rw }),
    ward: Type.String(),
    number: Type.Integer(),
    room: SubItem('rooms', { foreignKey: ['ward', 'number'], ...rw })
  }), { source: table('things') })
})

const room = { ward: 'A', number: 1 }
const twice = [{ id: 1, room }, { id: 2, room }]
const refused = [409, {
  status: 'conflict', error: 'duplicate', message: "An item with the same 'room' already exists.", fields: ['room']
}]

test('SQLite: an error names a relation once, whose foreign key has several columns', async t => {
  const db = sqlite(':memory:')
  db.exec(tables)
  t.strictSame((await send(roomsAndThings(name => db.table(name)), twice))[1], refused)
  db.close()
})

postgresTest('PostgreSQL: an error names a relation once, whose foreign key has several columns', t =>
  onDatabase(tables, async db => {
    t.strictSame((await send(roomsAndThings(name => db.table(name)), twice))[1], refused)
  }))

const typed = 'create table things (id serial primary key, v tsquery, path jsonpath)'
const Thing = Type.Object({ id, v: Type.Optional(Type.String(rw)), path: Type.Optional(Type.String(rw)) })
const texts = [{ v: 'a & b' }, { v: 'a b' }, { path: '$.a' }, { path: '$.' }]

postgresTest('a text that a type of PostgreSQL does not take is 400, whatever code the type has for it', t =>
  onDatabase(typed, async (db, url) => {
    const pool = new pg.Pool({ connectionString: url })
    const instance = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
    for (const source of [db.table('things'), kysely(instance).table('things')]) {
      const answers = await send({ things: collection(Thing, { source }) }, texts)
      t.same(answers.map(([status]) => status), [201, 400, 201, 400])
      t.match(answers[1], [400, { error: 'constraint' }])
    }
    await instance.destroy()
  }))
