import { Type } from '@sinclair/typebox'
import { type Test, test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import dataApi, { collection, memory } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'

// docs/clients.md: Imports

const flags = { readable: true, writable: true }
const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, ...flags }),
  founded: Type.Union([Type.Integer(), Type.Null()], { ...flags, default: null })
})

interface Artists {
  readonly item: { id: number, name: string, founded: number | null }
  readonly listed: 'id' | 'name' | 'founded'
  readonly hidden: never
  readonly unfilterable: never
  readonly unsortable: never
  readonly identifiers: 'id' | 'name'
  readonly one: object
  readonly many: object
  readonly create: { name: string, founded?: number | null }
  readonly update: { name?: string, founded?: number | null }
  readonly upsert: { name?: string, founded?: number | null }
  readonly delete: false
  readonly elements: object
  readonly created: { readonly status: 'created', readonly id: number }
}

async function open (t: Test, imports: object | false = {}) {
  const rows: Array<Record<string, unknown>> = [{ id: 1, name: 'Can', founded: 1968 }]
  const app = Fastify()
  t.teardown(() => app.close())
  const artists = collection(Artist, { source: memory(rows) })
  await app.register(dataApi, { collections: { artists }, imports, requestStrategies: { upsert: true } })
  const client = createClient<{ artists: Artists }>(await app.listen({ port: 0 }), { idempotent: true })
  return { rows, artists: client.artists }
}

async function * many (from: number, to: number) {
  for (let n = from; n <= to; n++) yield { name: `a${n}`, founded: n }
}

test('items of an iterable are created, all or none', async t => {
  const { rows, artists } = await open(t)
  t.strictSame(await artists.import(many(1, 20_000)), { status: 'created', count: 20_000 })
  t.equal(rows.length, 20_001)
  t.strictSame(await artists.import([{ name: 'x' }], { dryRun: true }), { status: 'ok', count: 1 })
  const { error, line, outcome } = await artists.import([{ name: 'x' }, { name: 'Can' }])
    .catch((error: { facts: object, outcome: string }) => ({ ...error.facts, outcome: error.outcome })) as
      Record<string, unknown>
  t.strictSame([error, line, outcome], ['duplicate', 2, 'failed'])
  t.equal(rows.length, 20_001)
  // @ts-expect-error a name is required
  await t.rejects(artists.import([{ founded: 1 }]), { code: 'validation' })
  // @ts-expect-error the year is no identifier
  await t.rejects(artists.import([{ name: 'x' }], { merge: 'founded' }), { code: 'invalid_parameter' })
})

test('items that exist are updated or left', async t => {
  const { rows, artists } = await open(t)
  t.strictSame(await artists.import([{ name: 'Can', founded: 1 }, { name: 'Neu!' }], { merge: 'name' }),
    { status: 'ok', created: 1, updated: 1 })
  t.strictSame(await artists.import([{ name: 'Can', founded: 2 }], { ignore: 'name' }),
    { status: 'ok', created: 0, ignored: 1 })
  t.strictSame(rows.map(({ founded }) => founded), [1, null])
})

test('with a format, the text or the bytes of items are sent', async t => {
  const { rows, artists } = await open(t)
  const csv = new Blob(['name,founded\n', 'Neu!,1971\nFaust,\n']).stream()
  t.strictSame(await artists.import(csv, { format: 'csv' }), { status: 'created', count: 2 })
  t.strictSame(await artists.import(['{"name":', '"Ash Ra"}\n'], { format: 'ndjson' }),
    { status: 'created', count: 1 })
  t.strictSame(rows.map(({ name }) => name), ['Can', 'Neu!', 'Faust', 'Ash Ra'])
})

test('nothing is written where the items end with an error, or the API takes no imports', async t => {
  const { rows, artists } = await open(t)
  async function * failing () {
    yield * many(1, 3000)
    throw new Error('no more')
  }
  await t.rejects(artists.import(failing()), { code: 'network', outcome: 'unknown' })
  t.equal(rows.length, 1)
  const other = await open(t, false)
  await t.rejects(other.artists.import(many(1, 5)), { code: 'unsupported_media_type' })
})

test('where fetch() takes no streams, an import is rejected before anything is sent', async t => {
  const { artists } = await open(t)
  const { Request } = globalThis
  t.teardown(() => { globalThis.Request = Request })
  // As Firefox does, and as Safari does.
  const text = { headers: new Headers({ 'content-type': 'text/plain' }) }
  for (const made of [text, { headers: new Headers() }]) {
    globalThis.Request = function () { return made } as never
    await t.rejects(artists.import(many(1, 5)), TypeError)
  }
})
