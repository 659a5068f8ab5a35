import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import dataApi, {
  type Behaviour, collection, type DataApiOptions, postgres, type PostgresOptions
} from '../../lib/index.ts'
import Fastify from './fastify.ts'
import { connectionTimeout, serverUrl } from './sources.ts'

/** Opens a schema of its own, made by a script. */
export async function open (t: Test, ddl: string, options: PostgresOptions = {}) {
  const schema = `postgres_${process.pid}_${schemas++}`
  const db = postgres({
    connectionString: serverUrl(), connectionTimeout, ...options, driver: { options: `-c search_path=${schema}` }
  })
  const owner = postgres({ connectionString: serverUrl(), max: 1, driver: { options: `-c search_path=${schema}` } })
  await owner.pool.query(`create schema ${schema}; ${ddl}`)
  t.teardown(async () => {
    await db.close()
    await owner.pool.query(`drop schema ${schema} cascade`)
    await owner.close()
  })
  return db
}

/** Serves the things of a database. Returns a function that sends requests. */
export const serve = (t: Test, db: ReturnType<typeof postgres>, behaviour: Partial<Behaviour<typeof Thing>> = {}) =>
  serveAll(t, { things: collection(Thing, { source: db.table('things'), ...behaviour }) })

/** Serves collections. Returns a function that sends requests and returns the status and body of the answer. */
export async function serveAll (t: Test, collections: DataApiOptions['collections']) {
  const app: FastifyInstance = Fastify()
  await app.register(dataApi, { requestStrategies: { upsert: true }, collections })
  t.teardown(() => app.close())
  return async (...[method, url, body]: Sent) => {
    const response = await app.inject({
      method,
      url,
      ...body !== undefined && { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }
    })
    return [response.statusCode, response.json()]
  }
}

/** A request. */
export type Sent = [method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown]

let schemas = 0

const flags = { readable: true, writable: true } as const

/** A thing with a field of each type that PostgreSQL has. */
export const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  uid: Type.Optional(Type.String({ format: 'uuid', identifier: true, ...flags })),
  day: Type.Optional(Type.String({ format: 'date', ...flags })),
  at: Type.Optional(Type.String({ format: 'date-time', ...flags })),
  plain: Type.Optional(Type.String({ format: 'date-time', ...flags })),
  clock: Type.Optional(Type.String({ format: 'time', ...flags })),
  big: Type.Optional(Type.Integer(flags)),
  price: Type.Optional(Type.Number(flags)),
  exact: Type.Optional(Type.String(flags)),
  ratio: Type.Optional(Type.Number(flags)),
  yes: Type.Optional(Type.Boolean(flags)),
  word: Type.Optional(Type.String(flags)),
  mood: Type.Optional(Type.Union([Type.Literal('sad'), Type.Literal('happy')], flags)),
  words: Type.Optional(Type.Array(Type.String(), flags)),
  counts: Type.Optional(Type.Array(Type.Integer(), flags)),
  doc: Type.Optional(Type.Unknown(flags))
})

/** Makes the table of things. */
export const things = `
create type mood as enum ('sad', 'happy');
create table things (
  id integer generated always as identity primary key, uid uuid unique, day date, at timestamptz, plain timestamp,
  clock time, big bigint, price numeric(20, 4), exact numeric,
  ratio double precision, yes boolean, word varchar(20), mood mood, words text[], counts integer[], doc jsonb
)`

/** A thing with a value of each type. */
export const full = {
  uid: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  day: '0001-02-03',
  at: '2026-11-21T12:00:00.123Z',
  plain: '1999-12-31T23:59:59.999Z',
  clock: '23:59:58',
  big: Number.MAX_SAFE_INTEGER,
  price: 1234567.8912,
  exact: '123456789012345678901234567890.123456789',
  ratio: 0.30000000000000004,
  yes: true,
  word: 'É \u{1F600} %_\\',
  mood: 'happy',
  words: ['a', 'b,c', '"q"', ''],
  counts: [3, 1, 2],
  doc: { a: [1, null, { b: 'x' }] }
}
