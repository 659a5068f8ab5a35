import { Type } from '@sinclair/typebox'
import {
  DummyDriver, Kysely, MssqlAdapter, MysqlAdapter, PostgresAdapter, PostgresDialect, PostgresIntrospector,
  PostgresQueryCompiler, SqliteAdapter, type DialectAdapter
} from 'kysely'
import type { Socket } from 'node:net'
import pg from 'pg'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, DeclarationError, kysely } from '../../lib/index.ts'
import { collections, ddl, shop, tables, uuid } from '../fixtures/shop.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as testOnPostgres } from '../helpers/on-postgres.ts'
import { kyselyOpeners } from '../helpers/sources.ts'

// docs/databases.md: Databases. The instances of applications: test/sources/conformance.test.ts compares their answers.

for (const [name, open] of Object.entries(kyselyOpeners)) {
  test(`${name}: reads, writes with setters and hooks, refusals and undone transactions`, async t => {
    const noted: string[] = []
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi,
      { requestStrategies: { upsert: true, delete: true }, collections: shop(noted)(opened.source) })
    t.teardown(async () => {
      await app.close()
      await opened.close()
    })
    const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) => {
      const response = await app.inject({
        method,
        url,
        ...body !== undefined && { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }
      })
      return [response.statusCode, response.body === '' ? '' : response.json()]
    }
    t.strictSame(await send('GET',
      '/artists/Noisia?fields=name,born,rating,active,tags,albums(title,tracks(seconds,played_at))'),
    [200, {
      name: 'Noisia',
      born: '2003-01-01',
      rating: 5,
      active: true,
      tags: [
        'dnb'
      ],
      albums: [{ title: 'Outer Edges', tracks: [{ seconds: 90, played_at: null }] }]
    }])
    t.strictSame(await send('PUT', '/artists/1', { name: 'noisia', tags: ['"', '\\'], rating: 0.1, active: false }),
      [200, { status: 'ok' }])
    t.strictSame(await send('GET', '/artists/1?fields=name,old_name,tags,rating,active'),
      [200, { name: 'noisia', old_name: 'Noisia', tags: ['"', '\\'], rating: 0.1, active: false }])
    t.strictSame(await send('POST', '/artists', { name: 'Can', email: null }), [409, {
      status: 'conflict', error: 'duplicate', message: "An item with the same 'name' already exists.", fields: ['name']
    }])
    t.strictSame(await send('PUT', `/tracks/${uuid(9)}`, { title: 'New', played_at: '2020-01-01T01:00:00+01:00' }),
      [201, { status: 'created' }])
    t.strictSame(await send('GET', `/tracks/${uuid(9)}/played_at`), [200, '2020-01-01T00:00:00.000Z'])
    t.strictSame(await send('DELETE', '/labels/VSN'),
      [409, { status: 'conflict', error: 'reference', message: 'Other items still refer to this item.', fields: [] }])
    t.strictSame(await send('PUT', '/artists/by_id/2', { name: 'forbidden', genre: 'jazz' }),
      [400, { error: 'argument', message: 'An artist cannot be named so.' }])
    t.strictSame(await send('GET', '/artists/Can/genre'), [200, 'rock'])
    t.ok(noted.includes('saved updated 1 noisia'))
  })

  test(`${name}: concurrent writes lose nothing`, async t => {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { requestStrategies: { upsert: true }, collections: collections(opened.source) })
    t.teardown(async () => {
      await app.close()
      await opened.close()
    })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => app.inject({
      method: 'PUT',
      url: `/artists/by_name/n${n % 3}`,
      headers: { 'content-type': 'application/json' },
      payload: { email: null, rating: n % 10 }
    })))
    t.strictSame(answers.map(answer => answer.statusCode).sort(), [...Array<number>(9).fill(200), 201, 201, 201])
  })

  test(`${name}: days and moments that no Date holds are stored, shown and found`, async t => {
    const writable = { readable: true, writable: true } as const
    const Spell = Type.Object({
      id: Type.Integer({ identifier: true, readable: true }),
      day: Type.String({ format: 'date', ...writable }),
      at: Type.String({ format: 'date-time', ...writable }),
      local: Type.String({ format: 'date-time', ...writable }),
      text: Type.String(writable)
    })
    const opened = await open({ spells: [] }, `create table spells (
      id key, day date not null, at timestamptz not null, local timestamp not null, text date not null)`)
    const app = Fastify()
    await app.register(dataApi, { collections: { spells: collection(Spell, { source: opened.source('spells') }) } })
    t.teardown(async () => {
      await app.close()
      await opened.close()
    })
    const moments = ['infinity', '-infinity', '0001-01-01T00:00:00.000Z', '2024-02-29T12:00:00.501Z']
    const spells = ['infinity', '-infinity', '0001-01-01', '2024-02-29'].map((day, index) => (
      { id: index + 1, day, at: moments[index], local: moments[index], text: index === 0 ? '0044-03-15 BC' : day }
    ))
    for (const { id, ...spell } of spells) {
      const created = await app.inject({ method: 'POST', url: '/spells', payload: spell })
      t.equal(created.statusCode, 201, created.body)
      for (const [field, value] of Object.entries({ day: spell.day, at: spell.at, local: spell.local })) {
        const found = await app.inject({ url: '/spells', query: { [field]: String(value), fields: 'id' } })
        t.strictSame(found.json(), [{ id }], `${field} ${value}`)
      }
    }
    const all = await app.inject({ url: '/spells', query: { sort: 'id' } })
    t.strictSame(all.json(), spells)
  })
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
    const Letter = Type.Object({
      id: Type.Integer({ identifier: true, readable: true }), text: Type.String({ readable: true })
    })
    const app = Fastify()
    await app.register(dataApi, {
      collections: { letters: collection(Letter, { source: db.table('letters') }) }, limits: { length: 500_000 }
    })
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
    createIntrospector: db =>
      new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler()
  }
})

test('a dialect whose answers would differ is refused at registration, with the reason', async t => {
  t.throws(() => kysely(over(new MysqlAdapter())),
    new DeclarationError(
      'kysely(): MySQL and MariaDB are not supported, because their answers would differ from those of other sources ' +
        '(see docs/databases.md)'
    ))
  t.throws(() => kysely(over(new SqliteAdapter())), /sqlite\(file, \{ driver \}\)/)
  t.throws(() => kysely(over(new MssqlAdapter())), /Microsoft SQL Server is not supported/)
})

test('a dialect that is not known is served where the application says what it speaks', async t => {
  class Another extends PostgresAdapter {}
  class Unknown { readonly supportsReturning = true }
  t.equal(kysely(over(new Another())).kind, 'postgres')
  t.throws(() => kysely(over(new Unknown() as unknown as DialectAdapter)), new DeclarationError(
    "kysely(): Unknown is not known; if its SQL is that of PostgreSQL, use kysely(instance, { dialect: 'postgres' })"
  ))
  t.equal(kysely(over(new Unknown() as unknown as DialectAdapter), { dialect: 'postgres' }).kind, 'postgres')
})
