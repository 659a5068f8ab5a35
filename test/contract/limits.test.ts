import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, SubCollection, SubItem } from '../../lib/index.ts'

const shown = { readable: true }
const Node = Type.Object({
  id: Type.Integer({ identifier: true, ...shown }),
  text: Type.String(shown),
  parentId: Type.Union([Type.Integer(), Type.Null()]),
  parent: SubItem('nodes', { foreignKey: 'parentId', ...shown, hidden: true }),
  children: SubCollection('nodes', { foreignKey: 'parentId', ...shown, hidden: true })
})
const rows = Array.from({ length: 60 }, (_, index) => ({ id: index + 1, text: `n${index}`, parentId: index || null }))

async function serve (options: Omit<DataApiOptions, 'collections'> = {}, nodes: object[] = rows) {
  const app = Fastify()
  await app.register(dataApi, { ...options, collections: { nodes: collection(Node, { source: memory(nodes) }) } })
  return {
    get: (url: string, headers = {}) => app.inject({ url, headers }),
    message: async (url: string) => {
      const { statusCode, body } = await app.inject(url)
      const { error, message } = JSON.parse(body) as { readonly error: string, readonly message: string }
      return `${statusCode} ${error}: ${message}`
    }
  }
}

test('a path has at most 32 segments after the root', async t => {
  const { get, message } = await serve({ prefix: '/api/v1' })
  const path = (length: number) => `/api/v1/nodes/60${'/parent'.repeat(length - 2)}`
  t.equal((await get(path(32))).json<{ id: number }>().id, 30)
  t.equal(await message(path(33)), "414 url_too_long: The path has 33 segments, more than the limit 'segments' of 32.")
  const few = await serve({ limits: { segments: 2 } })
  t.match(await few.message('/nodes/1/text'), /^414 .* 3 segments/)
})

test('the cost of filters is multiplied by relations to many', async t => {
  const { get, message } = await serve()
  t.equal((await get('/nodes?children.children.text*=x')).statusCode, 200)
  t.equal((await get('/nodes?children.children.children.id=1')).statusCode, 200)
  t.equal((await get('/nodes?parent.parent.parent.text*=x')).statusCode, 200)
  t.match(
    await message('/nodes?children.children.children.text*=x'),
    /^400 invalid_filter: The filters cost 2000 comparisons for an item; the limit 'cost' is 1000\./
  )
  t.match(
    await message('/nodes?fields=children(children(text;where=children.text*=x);limit=9)'),
    /^400 invalid_filter: .* cost 2000/
  )
  t.match(await message(`/nodes?where=(${Array(30).fill('children.text*~=x').join('|')})`), /cost 1200 comparisons/)
  t.match(await message('/nodes/by_text?children.children.children.text*=x'), /the limit 'cost' is 1000/)
  const open = await serve({ queryString: { limits: { cost: 2000 } } })
  t.equal((await open.get('/nodes?children.children.children.text*=x')).statusCode, 200)
})

test('an answer is not longer than limits.length', async t => {
  const { get, message } = await serve({ limits: { length: 200 } })
  t.equal((await get('/nodes?limit=2')).statusCode, 200)
  t.match(await message('/nodes?limit=50'),
    /^400 answer_too_large: This answer is longer than the limit 'length' of 200 characters\./)
  t.match(await message('/nodes/by_text?limit=50'), /^400 answer_too_large/)
})

test('an answer could hold at most 2,000,000 items, and an item of a stream 100,000', async t => {
  const { get, message } = await serve()
  t.equal((await get('/nodes?fields=id,children(id,children(id))')).statusCode, 200)
  t.match(
    await message('/nodes?limit=1000&fields=children(id,children(id);limit=1000)'),
    /^400 invalid_fields: .* 101001000 items, more than the limit 'items' of 2000000\./
  )
  const wide = '/nodes?fields=children(id,children(id;limit=1000);limit=1000)'
  t.equal((await get(wide, { accept: 'application/x-ndjson' })).statusCode, 400)
})

test('links that exceed the length of the header are left out, and wrapped pages keep them', async t => {
  const query = `/nodes?limit=1&offset=5&text!=${'x'.repeat(600)}`
  const rels = (header: unknown) => [...String(header ?? '').matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel)
  t.strictSame(rels((await (await serve()).get(query)).headers['link']), ['first', 'prev', 'next'])
  const short = await serve({ limits: { linkLength: 1000 } })
  t.strictSame(rels((await short.get(query)).headers['link']), ['next'])
  const none = await serve({ limits: { linkLength: 100 }, responseContent: { pageLinks: 'both' } })
  const answer = await none.get(query)
  t.equal(answer.headers['link'], undefined)
  t.strictSame(Object.keys(answer.json<{ page: object }>().page), ['first', 'prev', 'next'])
})

test('a read of memory() that takes longer than a second is 503, and the next read is answered', async t => {
  const many = Array.from({ length: 4000 }, (_, id) => ({ id, text: 'a'.repeat(50), parentId: 1 }))
  const { get, message } = await serve({}, many)
  t.match(
    await message('/nodes?parent.children.parent.children.text*~=zzz'),
    /^503 unavailable: The read took longer than the limit 'statementTimeout' of 1000 ms\./
  )
  t.equal((await get('/nodes/7/text')).body, JSON.stringify('a'.repeat(50)))
})

test('a sort by a function of a sub-item reads it once for all items that share the sub-item', async t => {
  const many = Array.from({ length: 20_000 }, (_, id) => ({ id, text: String(id), parentId: 1 }))
  const app = Fastify()
  // All at once: 20,000 counts of 20,000 items would take minutes.
  const nodes = collection(Node, { source: memory(many, { statementTimeout: 2000 }) })
  await app.register(dataApi, { collections: { nodes } })
  t.equal((await app.inject('/nodes?sort=-parent.children.count()&limit=2&fields=id')).body, '[{"id":0},{"id":1}]')
})

test('a sort of too many terms is refused before it is parsed', async t => {
  const { message } = await serve()
  t.match(await message(`/nodes?sort=${','.repeat(10_000)}`), /^400 invalid_sort: .* at most 10 terms/)
})

test('the time of a read on memory() is an option', async t => {
  const texts = Array.from({ length: 20_000 }, (_, id) => `${'n'.repeat(200)}${id * 7 % 20_000}`)
  const many = texts.map((text, id) => ({ id, text, parentId: 0 }))
  const ask = async (statementTimeout: number, url = '/nodes?where=!(parent.children.text=x)&limit=1&sort=text') => {
    const app = Fastify()
    const nodes = collection(Node, { source: memory(many, { statementTimeout }) })
    await app.register(dataApi, { collections: { nodes } })
    return app.inject(url)
  }
  const { statusCode, body } = await ask(1)
  t.equal(statusCode, 503)
  t.match(body, /the limit 'statementTimeout' of 1 ms/)
  for (const url of ['/nodes?sort=text&limit=1000', '/nodes/by_text']) {
    t.equal((await ask(1, url)).statusCode, 503, url)
    t.equal((await ask(0, url)).statusCode, 200, url)
  }
  t.throws(() => memory([], { statementTimeout: -1 }),
    /statementTimeout.*must be at least 0, in milliseconds; found the number -1/)
})

test('CSV holds no formula for readers of any separator, keeps columns in order, and numbers as they are', async t => {
  const Cell = Type.Object({
    id: Type.Integer({ identifier: true, ...shown }),
    b: Type.String(shown),
    2024: Type.String(shown),
    price: Type.String({ format: 'decimal', ...shown }),
    more: Type.Unknown(shown)
  })
  const cells = ['＝1', '＋1', '－1', '＠x', 'x;=1+1', 'a\tb', 'x\n-1;\t+1 =2', 'x;"=1"'].map((b, id) =>
    ({ id, b, 2024: b, price: '-1.50', more: { of: b.slice(0, 6) } }))
  const app = Fastify()
  await app.register(dataApi, { collections: { cells: collection(Cell, { source: memory(cells) }) } })
  const read = async (fields: string) =>
    (await app.inject({ url: `/cells?fields=${fields}`, headers: { accept: 'text/csv' } })).body
  t.equal(await read('b,2024,id,price'), [
    'b,2024,id,price', "'＝1,'＝1,0,-1.50", "'＋1,'＋1,1,-1.50", "'－1,'－1,2,-1.50", "'＠x,'＠x,3,-1.50",
    '"x;\'=1+1","x;\'=1+1",4,-1.50', '"a\tb","a\tb",5,-1.50', '"x\n\'-1;\t\'+1 =2","x\n\'-1;\t\'+1 =2",6,-1.50',
    '"x;""\'=1""","x;""\'=1""",7,-1.50', ''
  ].join('\r\n'))
  for (const cell of (await read('id,b,2024,price,more')).split(/[;\t\r\n]/)) t.notMatch(cell, /^"*[=+\-@＝＋－＠]/)
})

test('the batches of a stream count nested items', async t => {
  const { get } = await serve({ limits: { batchItems: 1 } })
  const { body } = await get('/nodes?fields=id,children(id)', { accept: 'application/x-ndjson' })
  t.equal(body.trimEnd().split('\n').length, 60)
})
