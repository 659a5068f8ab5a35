import { Type } from '@sinclair/typebox'
import {
  type Dialect, DummyDriver, Kysely, MssqlAdapter, MysqlAdapter, PostgresAdapter, PostgresDialect, PostgresIntrospector,
  PostgresQueryCompiler, SqliteAdapter, type DialectAdapter
} from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import type { Socket } from 'node:net'
import pg from 'pg'
import postgresJs from 'postgres'
import { test } from 'tap'
import dataApi, { collection, DeclarationError, kysely } from '../../lib/index.ts'
import { collections, ddl, tables } from '../fixtures/shop.ts'
import { Id, open as rw, shown } from '../helpers/checked-tables.ts'
import Fastify from '../helpers/fastify.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as testOnPostgres } from '../helpers/on-postgres.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'
import { kyselyOpeners } from '../helpers/sources.ts'

// docs/databases.md: kysely(instance, options). The instances of applications: test/sources/conformance.test.ts
// compares their answers.

for (const [name, open] of Object.entries(kyselyOpeners)) {
  test(`${name}: concurrent writes lose nothing`, async t => {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { requestStrategies: { upsert: true }, collections: collections(opened.source) })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => app.inject({
      method: 'PUT', url: `/artists/by_name/n${n % 3}`, payload: { email: null, rating: n % 10 }
    })))
    t.strictSame(answers.map(answer => answer.statusCode).sort(), [...Array<number>(9).fill(200), 201, 201, 201])
    await app.close()
    await opened.close()
  })

  test(`${name}: days and moments that no Date holds are stored, shown and found`, async t => {
    const moment = Type.String({ format: 'date-time', ...rw })
    const Spell = Type.Object({
      id: Id, day: Type.String({ format: 'date', ...rw }), at: moment, local: moment, text: Type.String(rw)
    })
    const opened = await open({ spells: [] }, `create table spells (
      id key, day date not null, at timestamptz not null, local timestamp not null, text date not null)`)
    const { app, send } = await serveMinimally({ spells: collection(Spell, { source: opened.source('spells') }) })
    const spells = [
      ['infinity', 'infinity', '0044-03-15 BC'], ['-infinity', '-infinity', '-infinity'],
      ['0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-01'], ['2024-02-29', '2024-02-29T12:00:00.501Z', '2024-02-29']
    ].map(([day = '', at = '', text], index) => ({ id: index + 1, day, at, local: at, text }))
    for (const { id, text, ...spell } of spells) {
      t.strictSame(await send('POST', '/spells', { ...spell, text }), [201, undefined])
      for (const [field, value] of Object.entries(spell)) {
        t.strictSame(await send('GET', `/spells?${field}=${value}&fields=id`), [200, [{ id }]], `${field} ${value}`)
      }
    }
    t.strictSame(await send('GET', '/spells?sort=id'), [200, spells])
    await app.close()
    await opened.close()
  })
}

const table = `create table things (id bigserial primary key, n bigint, d double precision, r real, b boolean not null);
  insert into things values (9007199254740993, -9223372036854775808, 0.1, 0.1, true), (2, 5, 'NaN', 1.5, false)`
const things = [
  { id: 2, n: 5, d: 'NaN', r: 1.5, b: false },
  { id: '9007199254740993', n: '-9223372036854775808', d: 0.1, r: 0.1, b: true }
]

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: text => text === 't' ? 1 : 0, 20: Number, 700: text => Number(text).toFixed(3), 701: text => `${text} `
}

/** Dialects whose drivers have parsers of types, often one that makes a number of each `bigint`. */
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
  testOnPostgres(`kysely() over ${name}: the parsers of the driver change no value`, t =>
    onDatabase(table, async (_db, url) => {
      const instance = new Kysely<unknown>({ dialect: dialectOf(url) })
      const number = Type.Optional(Type.Number(rw))
      const Thing = Type.Object({
        id: Id, n: Type.Optional(Type.Integer(rw)), d: number, r: number, b: Type.Boolean(rw)
      })
      const { app, send } = await serveMinimally({
        things: collection(Thing, { source: kysely(instance).table('things') })
      })
      for (const url of ['/things', '/things?sort=n+desc&page=1']) t.strictSame(await send('GET', url), [200, things])
      for (const item of things) t.strictSame(await send('GET', `/things/${item.id}`), [200, item])
      t.strictSame(await send('GET', '/things/2/b'), [200, false])
      t.match(await send('PATCH', '/things/9007199254740993', { b: false }), [204])
      t.match(await send('GET', '/things/9007199254740993'), [200, { id: '9007199254740993', b: false }])
      await app.close()
      await instance.destroy()
    }))
}

testOnPostgres('texts that are too long for an answer or a batch stay in the database', t => onDatabase(
  "create table letters as select n as id, repeat('x', 400000) as text from generate_series(1, 30) n",
  async (_db, url) => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    let received = () => 0
    pool.on('connect', client => {
      const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection
      received = () => stream.bytesRead
    })
    const db = kysely(new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }), { check: 'off' })
    const app = Fastify()
    const letters = collection(Type.Object({ id: Id, text: Type.String(shown) }), { source: db.table('letters') })
    await app.register(dataApi, { collections: { letters }, limits: { length: 500_000 } })
    try {
      for (const url of ['/letters', '/letters?id>1&sort=text', '/letters/by_id']) {
        const { statusCode, body } = await app.inject(url)
        t.match(`${statusCode} ${body}`, /^400 .*answer_too_large/, url)
      }
      t.ok(received() < 100_000, `${received()} bytes of pages`)
      const { statusCode, body } = await app.inject({ url: '/letters', headers: { accept: 'application/x-ndjson' } })
      t.strictSame([statusCode, body.trimEnd().split('\n').length], [200, 30])
    } finally {
      await app.close()
      await pool.end()
    }
  }))

/** An instance whose dialect is told by its adapter alone. */
const over = (adapter: DialectAdapter) => new Kysely<unknown>({
  dialect: {
    createAdapter: () => adapter,
    createDriver: () => new DummyDriver(),
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler()
  }
})

test('a dialect whose answers would differ is refused at registration, with the reason', async t => {
  t.throws(() => kysely(over(new MysqlAdapter())), new DeclarationError('kysely(): MySQL and MariaDB are not ' +
    'supported, because their answers would differ from those of other sources (see docs/databases.md)'))
  t.throws(() => kysely(over(new SqliteAdapter())), /sqlite\(file, \{ driver \}\)/)
  t.throws(() => kysely(over(new MssqlAdapter())), /Microsoft SQL Server is not supported/)
})

test('a dialect that is not known is served where the application says what it speaks', async t => {
  class Another extends PostgresAdapter {}
  class Unknown { readonly supportsReturning = true }
  const unknown = over(new Unknown() as unknown as DialectAdapter)
  t.equal(kysely(over(new Another())).kind, 'postgres')
  t.throws(() => kysely(unknown), new DeclarationError(
    "kysely(): Unknown is not known; if its SQL is that of PostgreSQL, use kysely(instance, { dialect: 'postgres' })"
  ))
  t.equal(kysely(unknown, { dialect: 'postgres' }).kind, 'postgres')
})
