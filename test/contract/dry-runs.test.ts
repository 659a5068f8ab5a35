import { Type } from '@sinclair/typebox'
import dataApi, { collection } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import { test as onPostgres } from '../helpers/on-postgres.ts'
import { open } from '../helpers/postgres-things.ts'
import { everySource, type Tools } from '../helpers/every-source.ts'
import { collections, ddl, noTables, calls } from '../fixtures/keyed-notes.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: Dry runs

const dry = { prefer: 'dry-run' }
const world = {
  collections,
  ddl,
  tables: { ...noTables, notes: [{ id: 1, text: 'first', owner: 'ann', version: 1 }] },
  options: (source: Tools['opened']['source']) =>
    ({ idempotency: { table: source('data_api_keys'), caller: () => 'ann' } })
}
const strategies = { create: true, upsert: true, delete: true, batch: true, bulk: ['PATCH', 'DELETE'] as const }
const options = { requestStrategies: { ...strategies, bulk: [...strategies.bulk] } }

type Write = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown]

const writes: readonly Write[] = [
  ['POST', '/notes', { text: 'second' }], ['POST', '/notes', [{ text: 'second' }, { text: 'third' }]],
  ['POST', '/notes/1/marks', { name: 'x' }], ['PATCH', '/notes/1', { text: 'changed', marks: [{ name: 'x' }] }],
  ['PUT', '/notes/1/text', 'changed'], ['PUT', '/notes/by_text/new', { owner: 'ann' }], ['DELETE', '/notes/1'],
  ['PATCH', '/notes?text=first', { text: 'changed' }], ['DELETE', '/notes?id>0'],
  ['POST', '/', [{ method: 'DELETE', path: '/notes/1' }, { method: 'POST', path: '/notes', body: { text: 'x' } }]]
]

everySource('a write that is tried is 200, and nothing is written', async ({ send, get, opened, same, t }) => {
  const before = await opened.rows('notes')
  for (const [method, url, body] of writes) {
    const answer = await send(method, url, body, { ...dry, 'idempotency-key': 'k' })
    same(answer, 200, { status: 'ok' }, { 'preference-applied': 'dry-run', location: undefined, etag: undefined })
  }
  t.strictSame(await opened.rows('notes'), before)
  t.strictSame([await opened.rows('marks'), await opened.rows('data_api_keys')], [[], []])
  same(await get('/notes?fields=text'), 200, [{ text: 'first' }])
}, options, world)

everySource('hooks and setters run, and no hook is told that something was saved', async ({ send, same, t }) => {
  const from = calls.length
  await send('POST', '/notes', { text: 'second' }, dry)
  t.strictSame(calls.slice(from), ['creating second'])
  await send('POST', '/notes', { text: 'second' })
  t.strictSame(calls.slice(from + 1), ['creating second', 'created second'])
  same(await send('PUT', '/notes/1/text', 'refused', dry), 400, { error: 'argument', message: 'is refused' })
}, options, world)

everySource('an application can refuse them, for all of its collections or for one', async ({ send, same }) => {
  for (const [method, url, body] of writes) {
    same(await send(method, url, body, dry), 400, {
      error: 'invalid_preference', message: "Writes cannot be tried here. Leave out 'Prefer: dry-run' to write."
    })
  }
}, { requestStrategies: { ...options.requestStrategies, dryRun: false } }, world)

onPostgres('PostgreSQL: what a deferred constraint refuses is told as well', async t => {
  const db = await open(t, `create table parents (id integer primary key); create table children (
    id integer primary key, parent integer references parents deferrable initially deferred)`)
  const flags = { readable: true, writable: true }
  const Child = Type.Object({ id: Type.Integer({ identifier: true, ...flags }), parent: Type.Integer(flags) })
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody, collections: { children: collection(Child, { source: db.table('children') }) }
  })
  t.teardown(() => app.close())
  const post = (headers: object) =>
    app.inject({ method: 'POST', url: '/children', payload: { id: 1, parent: 9 }, headers: { ...headers } })
  const [tried, written] = [await post(dry), await post({})]
  t.equal(written.json().error, 'reference')
  t.strictSame([tried.statusCode, tried.body], [written.statusCode, written.body])
})
