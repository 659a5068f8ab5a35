import { Type } from '@sinclair/typebox'
import { type Test, test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, SubItem } from '../../lib/index.ts'
import { createDataProvider, type DataProviderOptions } from '../../lib/clients/react-admin/index.ts'
import { orderLines } from '../fixtures/order-lines.ts'
import Fastify from '../helpers/fastify.ts'
import { openers } from '../helpers/sources.ts'

// docs/clients.md#react-admin: a relation in a form, such as <ReferenceInput source='artist.id'>.

async function serve (t: Test, collections: DataApiOptions['collections'], options: DataProviderOptions) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  const sent: unknown[] = []
  app.addHook('preHandler', async ({ method, body }) => { if (method !== 'GET') sent.push(body) })
  await app.register(dataApi, { collections })
  const provider = createDataProvider(await app.listen({ port: 0, host: '127.0.0.1' }), options)
  return { provider, sent: () => sent.splice(0) }
}

const id = Type.Integer({ identifier: true, readable: true })
const text = Type.Optional(Type.String({ readable: true, writable: true }))

function music (creates = true): DataApiOptions['collections'] {
  const artists = memory([{ id: 1, name: 'Can' }, { id: 2, name: 'Neu!' }])
  const albums = memory([{ id: 7, title: 'a' }, { id: 8, title: 'b', artistId: 1 }])
  return {
    artists: collection(Type.Object({ id, name: text }), { source: artists }),
    albums: collection(Type.Object({
      id,
      title: text,
      artistId: Type.Optional(Type.Integer()),
      artist: SubItem('artists', { foreignKey: 'artistId', creates, readable: true, writable: true })
    }), { source: albums })
  }
}

test('a relation whose key is blank is null', async t => {
  const { provider, sent } = await serve(t, music(), { resources: { albums: { references: { artist: 'artists' } } } })
  const before = async (id: number) => (await provider.getOne('albums', { id })).data
  for (const artist of [null, {}, { id: null }, { id: '' }, { id: undefined }, { id: null, name: 'Can' }]) {
    const name = JSON.stringify(artist)
    const unlinked = await before(7)
    await provider.update('albums', { id: 7, previousData: unlinked, data: { ...unlinked, title: `${name}!`, artist } })
    t.strictSame(sent(), [{ title: `${name}!` }], name)
    const linked = await before(8)
    await provider.update('albums', { id: 8, previousData: linked, data: { ...linked, artist } })
    await provider.update('albums', { id: 8, data: { artist: { id: 1 } } })
    await provider.create('albums', { data: { title: 'c', artist } })
    t.strictSame(sent(), [{ artist: null }, { artist: { id: 1 } }, { title: 'c', artist: null }], name)
  }
})

test('a relation is sent as its key if another item is chosen, and whole if it is new', async t => {
  const { provider, sent } = await serve(t, music(), { resources: { albums: { references: { artist: 'artists' } } } })
  const meta = { fields: ['title', { artist: ['id', 'name'] }] }
  const { data: previousData } = await provider.getOne('albums', { id: 8, meta })
  const update = (artist: object) =>
    provider.update('albums', { id: 8, previousData, data: { ...previousData, title: 'd', artist }, meta })
  await update({ id: 1, name: 'of the same artist' })
  await provider.update('albums', { id: 8, data: { title: 'b' } })
  t.strictSame(sent(), [{ title: 'd' }, { title: 'b' }])
  await provider.update('albums', { id: 8, previousData, data: { ...previousData, artist: { id: 2, name: 'Can' } } })
  await provider.update('albums', { id: 8, data: { artist: { name: 'new' } } })
  t.strictSame(sent(), [{ artist: { id: 2 } }, { artist: { name: 'new' } }])
  t.match((await provider.getOne('albums', { id: 8, meta })).data, { artist: { id: 3, name: 'new' } })
})

const errorsOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => { throw new Error('it succeeded') }, (error: { readonly body: { readonly errors: unknown } }) =>
    error.body.errors)

test('the fault of a relation stands beside its input', async t => {
  const resources = { albums: { references: { artist: 'artists' } } }
  for (const [creates, artist, told] of [
    [true, { id: 99 }, { 'artist.id': 'There is no artist with the id 99.' }],
    [false, { name: 'new' }, { 'artist.id': "must name an existing item by 'id'" }]
  ] as const) {
    const { provider } = await serve(t, music(creates), { resources })
    const { data: previousData } = await provider.getOne('albums', { id: 8 })
    const update = provider.update('albums', { id: 8, previousData, data: { ...previousData, artist } })
    t.strictSame(await errorsOf(update), told)
    t.strictSame(await errorsOf(provider.create('albums', { data: { title: 'x', artist } })), told)
    const { provider: plain } = await serve(t, music(creates), {})
    t.strictSame(await errorsOf(plain.update('albums', { id: 8, data: { artist } })), { artist: told['artist.id'] })
  }
})

async function serveLines (t: Test) {
  const { collections, tables } = orderLines({ delete: true })
  const { source } = await openers.memory(tables)
  return serve(t, collections(source), {
    resources: {
      parcels: { references: { line: 'lines' } },
      labels: { key: 'code', references: { lines: 'lines' } },
      lines: { key: ['order_id', 'product_id'] }
    }
  })
}

test('a relation by a key of several fields is null if all of them are blank', async t => {
  const { provider, sent } = await serveLines(t)
  const meta = { fields: ['id', { line: ['order_id', 'product_id', 'quantity'] }] }
  const create = async (line: unknown) => {
    const { data } = await provider.create('parcels', { data: { line } })
    return (await provider.getOne('parcels', { id: data.id, meta })).data['line']
  }
  const cleared = { order_id: null, product_id: null, quantity: 2 }
  for (const line of [null, {}, { order_id: null, product_id: '' }, { order_id: '' }, cleared]) {
    t.equal(await create(line), null)
    t.strictSame(sent(), [{ line: null }], JSON.stringify(line))
  }
  const key = { order_id: 1, product_id: 7 }
  t.match(await create({ ...key, quantity: 99 }), key)
  await t.rejects(create({ order_id: 1, product_id: null }), { code: 'validation' })
  t.strictSame(sent(), [{ line: key }, { line: { order_id: 1, product_id: null } }])
  const unknown = await errorsOf(provider.create('parcels', { data: { line: { order_id: 9, product_id: 9 } } }))
  t.match(unknown, { 'line.order_id': /does not exist/, 'line.product_id': /does not exist/ }, 'of each input')
})

test('the items of a list of relations are sent as their keys, or whole if they are new', async t => {
  const { provider, sent } = await serveLines(t)
  const key = { order_id: 1, product_id: 7 }
  await provider.create('labels', { data: { code: 'x', lines: [{ ...key, quantity: 99 }] } })
  await t.rejects(provider.create('labels', { data: { code: 'y', lines: [{}] } }), { code: 'validation' })
  t.strictSame(sent(), [{ code: 'x', lines: [key] }, { code: 'y', lines: [{}] }])
  const lines = [key, { order_id: 9, product_id: 9 }]
  const unknown = await errorsOf(provider.create('labels', { data: { code: 'z', lines } }))
  t.match(unknown, { 'lines.1.order_id': /does not exist/, 'lines.1.product_id': /does not exist/ })
  const details = [{ pointer: '/lines', message: 'no' }]
  const refusal = JSON.stringify({ error: 'validation', message: 'no', details })
  const refusing = createDataProvider('http://host', {
    fetch: async () => new Response(refusal, { status: 400 }), resources: { labels: { references: { lines: 'lines' } } }
  })
  const refused = await errorsOf(refusing.create('labels', { data: { code: 'z', lines } }))
  t.strictSame(refused, { lines: 'no' }, 'of the list')
})
