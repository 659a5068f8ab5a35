import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { test } from 'tap'
import dataApi, { collection, memory, SubCollection } from '../../lib/index.ts'
import type { Rows } from '../../lib/sources/memory/table.ts'

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  day: Type.Union([Type.String({ format: 'date' }), Type.Null()], { readable: true }),
  moment: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { readable: true }),
  size2: Type.Union([Type.Number(), Type.Null()], { readable: true }),
  parentId: Type.Union([Type.Integer(), Type.Null()]),
  children: SubCollection('things', { foreignKey: 'parentId', readable: true, hidden: true })
})

async function serve (rows: Rows) {
  const source = memory(rows)
  const app = Fastify()
  await app.register(dataApi, { collections: { things: collection(Thing, { source }) } })
  const get = async (url: string) => {
    const response = await app.inject(url)
    return response.statusCode === 200 ? response.json() : response.statusCode
  }
  return { source, get }
}

const row = (id: number, more: object = {}) => ({ id, name: `n${id}`, day: null, moment: null, size2: null, parentId: null, ...more })

test('a Map serves its values', async t => {
  const rows = new Map([['a', row(1)], ['b', row(2, { parentId: 1 })]])
  const { get } = await serve(rows)
  t.strictSame(await get('/things/by_id/2/name'), 'n2')
  t.strictSame(await get('/things/1/children?fields=id'), [{ id: 2 }])
  rows.set('c', row(3))
  t.strictSame(await get('/things/n3/id'), 3)
  rows.delete('a')
  rows.set('d', row(4))
  t.strictSame(await get('/things/1'), 404)
})

test('objects of a class serve their getters, and no property that every object has', async t => {
  class Named {
    id = 1
    first = 'Ada'
    get name () { return `${this.first} L.` }
  }
  const { get } = await serve([new Named()])
  t.strictSame(await get('/things/1?fields=name,day'), { name: 'Ada L.', day: null })
  const Odd = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), toString: Type.Optional(Type.String({ readable: true })) })
  const app = Fastify()
  await app.register(dataApi, { naming: 'none', collections: { odd: collection(Odd, { source: memory([{ id: 1 }]) }) } })
  t.strictSame((await app.inject('/odd/1')).json(), { id: 1, toString: null })
})

test('a Date is the text of its format, and numbers that JSON does not have are null', async t => {
  const { get } = await serve([row(1, { day: new Date('2024-02-29T12:00:00Z'), moment: new Date('2024-02-29T12:00:00Z'), size2: NaN }), row(2, { day: new Date(NaN), size2: -0 }), row(3, { size2: Infinity })])
  t.strictSame(await get('/things?fields=day,moment,size2'), [{ day: '2024-02-29', moment: '2024-02-29T12:00:00.000Z', size2: null }, { day: null, moment: null, size2: 0 }, { day: null, moment: null, size2: null }])
  t.strictSame(await get('/things?day=2024-02-29&fields=id'), [{ id: 1 }])
  t.strictSame(await get('/things?moment=2024-02-29T13:00:00%2B01:00&fields=id'), [{ id: 1 }])
  t.strictSame(await get('/things?size2=null&fields=id'), [{ id: 1 }, { id: 3 }])
})

test('rows that the application adds, removes and replaces are seen', async t => {
  const rows = [row(1), row(2), row(3)]
  const { get } = await serve(rows)
  t.strictSame(await get('/things/2/name'), 'n2')
  rows.push(row(4, { parentId: 2 }))
  t.strictSame(await get('/things/n4/id'), 4)
  t.strictSame(await get('/things/2/children?fields=id'), [{ id: 4 }])
  rows.splice(1, 1)
  t.strictSame(await get('/things/2'), 404)
  rows[0] = row(5)
  t.strictSame(await get('/things/1'), 404)
  t.strictSame(await get('/things/5/name'), 'n5')
})

test('an identifier changed in place is found after refresh', async t => {
  const rows = [row(1), row(2)]
  const { get, source } = await serve(rows)
  t.strictSame(await get('/things/by_name/n1/id'), 1)
  rows.splice(0, 1, { ...row(1), name: 'other' })
  t.strictSame(await get('/things/by_name/n1'), 404)
  Object.assign(rows[1] ?? {}, { name: 'changed' })
  source.refresh()
  t.strictSame(await get('/things/by_name/changed/id'), 2)
})

test('an item is found in constant time', async t => {
  const time = async (count: number) => {
    const { get } = await serve(Array.from({ length: count }, (_, n) => row(n + 1)))
    await get('/things/1/name')
    const start = performance.now()
    for (let id = 1; id <= 200; id++) await get(`/things/by_id/${id}/name`)
    return performance.now() - start
  }
  await time(100)
  const [few, many] = [await time(100), await time(200_000)]
  // A scan of two thousand times the rows would take hundreds of times as long.
  t.ok(many < 10 * few + 50, `${few.toFixed(1)} ms, ${many.toFixed(1)} ms`)
})
