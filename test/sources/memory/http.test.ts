import { Type } from '@sinclair/typebox'
import Fastify from '../../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, {
  ArgumentError, collection, type Declared, memory, type MemorySource, SubCollection
} from '../../../lib/index.ts'
import { countReads } from '../../helpers/count-reads.ts'

// The memory source as a client meets it while the application changes its rows.

const readable = { readable: true }
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, ...readable }),
  parentId: Type.Optional(Type.Integer(readable)),
  children: SubCollection('things', { foreignKey: 'parentId', readable: true, hidden: true })
})

async function serve (collections: Record<string, Declared>) {
  const app = Fastify()
  await app.register(dataApi, { collections })
  return async (url: string) => {
    const response = await app.inject(url)
    return response.statusCode === 200 ? response.json() : response.statusCode
  }
}

test('an item removed and one added between two requests are seen', async t => {
  const rows = [{ id: 1 }, { id: 2 }]
  const get = await serve({ things: collection(Thing, { source: memory(rows) }) })
  await get('/things/1/id')
  rows.shift()
  rows.push({ id: 3 })
  t.strictSame(await get('/things?fields=id'), [{ id: 2 }, { id: 3 }])
  t.strictSame(await get('/things/3/id'), 3)
  t.strictSame(await get('/things?id=3&fields=id'), [{ id: 3 }])
})

test('the last object replaced by a copy with another foreign key is seen', async t => {
  const rows: Array<{ id: number, parentId?: number }> = [{ id: 1 }, { id: 2 }, { id: 3, parentId: 1 }]
  const get = await serve({ things: collection(Thing, { source: memory(rows) }) })
  await get('/things/2/children')
  rows[2] = { id: 3, parentId: 2 }
  t.strictSame(await get('/things?parent_id=2&fields=id'), [{ id: 3 }])
  t.strictSame(await get('/things/2/children?fields=id'), [{ id: 3 }])
})

test('join rows may hold the Dates that keys are', async t => {
  const Day = Type.Object({
    day: Type.String({ format: 'date', identifier: true, ...readable }),
    tags: SubCollection('tags', { through: 'day_tags', foreignKey: 'day', otherKey: 'tag', readable: true })
  })
  const Tag = Type.Object({ id: Type.String({ identifier: true, ...readable }) })
  const day = new Date('2024-01-01')
  const get = await serve({
    days: collection(Day, { source: memory([{ day }], { joins: { day_tags: [{ day, tag: 'x' }] } }) }),
    tags: collection(Tag, { source: memory([{ id: 'x' }]) })
  })
  t.strictSame(await get('/days/2024-01-01/tags'), [{ id: 'x' }])
})

test('one source may stand behind two collections that read a Date in different formats', async t => {
  const ByDay = Type.Object({ at: Type.String({ format: 'date', identifier: true, ...readable }) })
  const ByMoment = Type.Object({ at: Type.String({ format: 'date-time', identifier: true, ...readable }) })
  const source = memory([{ at: new Date('2024-01-01') }])
  const get = await serve({ days: collection(ByDay, { source }), moments: collection(ByMoment, { source }) })
  t.strictSame(await get('/days/2024-01-01'), { at: '2024-01-01' })
  t.strictSame(await get('/moments/2024-01-01T00:00:00Z'), { at: '2024-01-01T00:00:00.000Z' })
})

const Named = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true })
})

interface Named { id: number, name: string }

/** Rows that are served, whose hook waits for `go` where a name is 'waits', and then fails. */
async function serveWaiting (rows: Named[] | Map<unknown, Named>) {
  let reached = () => {}
  let go = () => {}
  const waits = new Promise<void>(resolve => { reached = resolve })
  const gone = new Promise<void>(resolve => { go = resolve })
  const app = Fastify()
  const wait = async ({ name }: { readonly name?: unknown }) => {
    if (name !== 'waits') return
    reached()
    await gone
    throw new ArgumentError('Not so.')
  }
  const named = collection(Named, { source: memory(rows), hooks: { creating: wait } })
  await app.register(dataApi, { collections: { named } })
  return { app, waits, go }
}

for (const kind of ['array', 'Map']) {
  test(`a write that fails leaves nothing, though the application removed a part of it (${kind})`, async t => {
    const first: Named[] = [{ id: 1, name: 'one' }, { id: 2, name: 'two' }]
    const rows = kind === 'array' ? [...first] : new Map<unknown, Named>(first.map(row => [row.id, row]))
    const { app, waits, go } = await serveWaiting(rows)
    const payload = ['a', 'b', 'c', 'waits'].map(name => ({ name }))
    const answer = app.inject({ method: 'POST', url: '/named', payload })
    await waits
    if (Array.isArray(rows)) rows.splice(rows.findIndex(row => row.name === 'b'), 1)
    else rows.delete(4)
    go()
    t.equal((await answer).statusCode, 400)
    t.strictSame([...rows.values()], first)
    const statusOf = async (name: string) => (await app.inject(`/named/by_name/${name}`)).statusCode
    for (const { name } of payload) t.equal(await statusOf(name), 404, name)
    t.equal(await statusOf('two'), 200)
    const next = await app.inject({ method: 'POST', url: '/named', payload: { name: 'a' } })
    t.strictSame(next.json(), { status: 'created', id: 3 })
  })
}

test('objects that lack what the schema needs are refused at the start, with the name that was meant', async t => {
  const start = async (source: MemorySource) => {
    const app = Fastify()
    await app.register(dataApi, { collections: { named: collection(Named, { source }) } })
    await app.ready()
  }
  const refused = { name: 'DeclarationError' }
  const found = "collection 'named', field 'name': the first object of memory() has no value for it"
  await t.rejects(start(memory([{ id: 1 }])), { ...refused, message: new RegExp(`${escape(found)}; give it one`) })
  await t.rejects(start(memory(new Map([[1, { id: 1, nmae: 'one' }]]))),
    { ...refused, message: new RegExp(`${escape(found)}; did you mean 'nmae'\\?`) })
  await t.resolves(start(memory([{ id: 1, name: 'one', more: true }])))
  await t.resolves(start(memory([])))
})

const escape = (text: string) => text.replaceAll(/[()]/g, '\\$&')

test('at most 200,000 objects are served', async t => {
  const row = { id: 1, name: 'one' }
  const full = Array.from({ length: 200_000 }, () => row)
  const most = /expected at most 200000 rows; found 200001\. Put them into a table of sqlite\(':memory:'\)\./
  t.throws(() => memory([...full, row]), { name: 'DeclarationError', message: most })
  t.throws(() => memory([], { joins: { links: [...full, row] } }), { name: 'DeclarationError', message: most })
  const source = memory(full)
  full.push(row)
  const get = await serve({ named: collection(Named, { source }), empty: collection(Named, { source: memory([]) }) })
  await t.rejects(get('/named'), { message: most })
  full.pop()
  const named = { named: collection(Named, { source }) }
  const app = Fastify()
  await app.register(dataApi, { collections: named })
  const { statusCode } = await app.inject({ method: 'POST', url: '/named', payload: { name: 'two' } })
  t.equal(statusCode, 500)
  t.equal(full.length, 200_000)
})

test('a write reads no more values of many objects than of few', async t => {
  const readsOf = async (count: number) => {
    const counter = { reads: 0 }
    const rows = Array.from({ length: count }, (_, index) => countReads({ id: index + 1, name: `n${index}` }, counter))
    const app = Fastify()
    const named = collection(Named, { source: memory(rows), requestStrategies: { delete: true } })
    await app.register(dataApi, { collections: { named } })
    const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
      (await app.inject({ method, url, ...payload && { payload } })).statusCode
    const write = async () => [
      await send('POST', '/named', [{ name: 'a' }, { name: 'b' }, { name: 'n7' }]),
      await send('PATCH', '/named/9', { name: 'c' }),
      await send('PATCH', '/named/9', { name: 'n8' }),
      await send('DELETE', '/named/by_name/n3')
    ]
    t.strictSame(await write(), [409, 200, 200, 200])
    counter.reads = 0
    t.strictSame(await write(), [409, 200, 200, 404])
    return counter.reads
  }
  t.equal(await readsOf(2000), await readsOf(20))
})
