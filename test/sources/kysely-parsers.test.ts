import { Type } from '@sinclair/typebox'
import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import pg from 'pg'
import postgresJs from 'postgres'
import dataApi, { collection, kysely } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/databases.md: kysely(instance, options). An application's driver has parsers of types, often one that makes a
// number of each `bigint`.

const table = `create table things (id bigserial primary key, n bigint, d double precision, r real, b boolean not null);
  insert into things values (9007199254740993, -9223372036854775808, 0.1, 0.1, true), (2, 5, 'NaN', 1.5, false)`

const shown = [
  { id: 2, n: 5, d: 'NaN', r: 1.5, b: false },
  { id: '9007199254740993', n: '-9223372036854775808', d: 0.1, r: 0.1, b: true }
]

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: text => text === 't' ? 1 : 0, 20: Number, 700: text => Number(text).toFixed(3), 701: text => `${text} `
}

const dialects: Readonly<Record<string, (url: string) => Dialect>> = {
  pg: url => new PostgresDialect({
    pool: new pg.Pool({
      connectionString: url,
      types: { getTypeParser: (oid: number) => parsers[oid] ?? pg.types.getTypeParser(oid) }
    })
  }),
  'postgres.js': url => new PostgresJSDialect({
    postgres: postgresJs(url, {
      types: {
        number: { to: 20, from: [20, 701], parse: Number, serialize: String },
        flag: { to: 16, from: [16], parse: (text: string) => text === 't' ? 1 : 0, serialize: String }
      }
    })
  })
}

for (const [name, dialectOf] of Object.entries(dialects)) {
  test(`kysely() over ${name}: the parsers of the driver change no value`, t => onDatabase(table, async (_db, url) => {
    const instance = new Kysely<unknown>({ dialect: dialectOf(url) })
    const rw = { readable: true, writable: true }
    const Thing = Type.Object({
      id: Type.Integer({ identifier: true, readable: true }),
      n: Type.Optional(Type.Integer(rw)),
      d: Type.Optional(Type.Number(rw)),
      r: Type.Optional(Type.Number(rw)),
      b: Type.Boolean(rw)
    })
    const app = Fastify()
    const source = kysely(instance).table('things')
    await app.register(dataApi, { collections: { things: collection(Thing, { source }) } })
    t.strictSame((await app.inject('/things')).json(), shown)
    t.strictSame((await app.inject('/things?sort=n+desc&page=1')).json(), shown)
    for (const item of shown) t.strictSame((await app.inject(`/things/${item.id}`)).json(), item)
    t.strictSame((await app.inject('/things/2/b')).json(), false)
    t.equal((await app.inject({ method: 'PATCH', url: '/things/9007199254740993', payload: { b: false } })).statusCode,
      200)
    t.match((await app.inject('/things/9007199254740993')).json(), { id: '9007199254740993', b: false })
    await app.close()
    await instance.destroy()
  }))
}
