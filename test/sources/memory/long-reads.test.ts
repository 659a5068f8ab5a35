import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, memory, SubCollection, SubItem } from '../../../lib/index.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import Fastify from '../../helpers/fastify.ts'

// A read of memory() gives up the event loop when it takes longer than 10 ms. Here the clock moves on by 11 ms whenever
// it is looked at, so that reads are suspended as often as they can be.

const readable = { readable: true }
const writable = { readable: true, writable: true }
const id = Type.Integer({ identifier: true, ...readable })
const through = 'node_tags'
const Node = Type.Object({
  id,
  rank: Type.Integer(writable),
  text: Type.String(writable),
  parentId: Type.Union([Type.Integer(), Type.Null()]),
  parent: SubItem('nodes', { foreignKey: 'parentId', ...readable, hidden: true }),
  children: SubCollection('nodes', { foreignKey: 'parentId', ...readable, hidden: true }),
  tags: SubCollection('tags', { through, foreignKey: 'nodeId', otherKey: 'tagId', ...readable, hidden: true })
})
const Tag = Type.Object({
  id,
  word: Type.String(readable),
  nodes: SubCollection('nodes', { through, foreignKey: 'tagId', otherKey: 'nodeId', ...readable, hidden: true })
})

type Stored = 'array' | 'Map'
const storedAs = <T extends { readonly id: number }>(rows: readonly T[], stored: Stored) =>
  stored === 'array' ? rows : new Map(rows.map(row => [row.id, row]))

// The clock of these tests moves too fast for the limit of most of them.
async function serve (count: number, statementTimeout = 0, kind: Stored = 'array') {
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const nodes = numbers.map(n => ({ id: n, rank: n * 7 % 13, text: `t${n * 31 % 97}`, parentId: n >> 3 || null }))
  const tags = numbers.slice(0, 9).map(n => ({ id: n, word: `w${n % 3}` }))
  const options = {
    joins: { [through]: numbers.map(n => ({ nodeId: n, tagId: n % 9 + 1 })) },
    statementTimeout
  }
  const app = Fastify()
  const rows = storedAs(nodes, kind)
  const sources = [memory(rows, options), memory(storedAs(tags, kind), options)] as const
  await app.register(dataApi, {
    queryString: { limits: { cost: 1e6, items: 1e10 } },
    collections: {
      nodes: collection(Node, { source: sources[0] }),
      tags: collection(Tag, { source: sources[1] })
    }
  })
  const refresh = () => { for (const source of sources) source.refresh() }
  return { app, nodes, rows, refresh }
}

/** Runs `work` with a clock that moves on by 11 ms at each look. Returns its result and the number of looks. */
async function withFastClock<T> (work: () => Promise<T>): Promise<{ readonly result: T, readonly looks: number }> {
  const { now } = performance
  let looks = 0
  performance.now = () => 1e6 + 11 * looks++
  try {
    return { result: await work(), looks }
  } finally {
    performance.now = now
  }
}

const comparisons = fc.constantFrom('rank<6', 'text*=3', 'rank>=10', 'id>40', 'text^=t1', 'rank!=4')
const filters: fc.Arbitrary<string> = fc.letrec<{ filter: string }>(tie => ({
  filter: fc.oneof({ maxDepth: 2 }, comparisons,
    fc.tuple(fc.constantFrom('parent', 'children', 'tags.nodes'), comparisons).map(([path, one]) => `${path}.${one}`),
    fc.tuple(tie('filter'), tie('filter'), fc.constantFrom(',', '|'))
      .map(([one, other, by]) => `((${one})${by}(${other}))`),
    tie('filter').map(one => `!(${one})`))
})).filter
const sorts = fc.constantFrom('id', 'text', 'rank,text', 'text desc', 'rank desc,id')
const lists = fc.record({ where: filters, sort: sorts, limit: fc.constantFrom(1, 7, 40, 1000) })
const nested: fc.Arbitrary<string> = fc.tuple(fc.constantFrom('children', 'tags'), fc.constantFrom(1, 5, 100), filters)
  .map(([name, limit, where]) => name === 'tags'
    ? `tags(id,nodes(id;limit=${limit}))`
    : `children(id,text,tags(word);where=${where};sort=text;limit=${limit})`)
const paths = fc.constantFrom(
  '/nodes', '/nodes/9/children', '/tags/3/nodes', '/nodes/by_rank', '/nodes/by_text', '/tags/2/nodes/by_text'
)
const queries = fc.tuple(lists, nested, paths).map(([{ where, sort, limit }, nested, path]) => {
  const parameters = { where, sort, limit: String(limit), fields: `id,rank,parent(id),${nested}` }
  return `${path}?${new URLSearchParams(parameters)}`
})

for (const stored of ['array', 'Map'] as const) {
  test(`a read that is suspended gives the same answer as one that is not (${stored})`, async t => {
    const { app, refresh } = await serve(600, 0, stored)
    let suspended = 0
    await fc.assert(fc.asyncProperty(queries, fc.boolean(), async (url, isFirst) => {
      const expected = await app.inject(url)
      if (isFirst) refresh()
      const { result, looks } = await withFastClock(async () => app.inject(url))
      t.equal(expected.statusCode, 200, `${url}: ${expected.body.slice(0, 200)}`)
      t.equal(result.body, expected.body, url)
      t.strictSame(result.headers.link, expected.headers.link, url)
      if (looks > 20) suspended++
    }), { numRuns: runsOf(20) })
    t.ok(suspended > 5, `${suspended} of the reads were suspended`)
  })
}

test('a stream whose batches are suspended has the same lines', async t => {
  const { app } = await serve(600)
  const headers = { accept: 'application/x-ndjson' }
  const url = '/nodes?sort=text&where=!(children.text=x)&limit=600&fields=id,children(id;sort=text)'
  const expected = await app.inject({ url, headers })
  const { result } = await withFastClock(async () => app.inject({ url, headers }))
  t.equal(result.body, expected.body)
  t.equal(result.body.trim().split('\n').length, 600)
})

test('the first read along a relation gives up the event loop while it indexes the objects', async t => {
  const { app, refresh } = await serve(600)
  const nested = 'fields=text,parent(text),children(id,children(id),tags(word);where=children.text!=x;sort=text)'
  for (const url of ['/nodes/70/children/560/id', '/tags/3/nodes?limit=1', `/nodes/2?${nested}`]) {
    const { statusCode, body } = await app.inject(url)
    t.equal(statusCode, 200, body)
    refresh()
    const first = await withFastClock(async () => app.inject(url))
    const second = await withFastClock(async () => app.inject(url))
    t.strictSame([first.result.body, second.result.body], [body, body])
    t.ok(first.looks > second.looks + 15, `${url}: ${first.looks} and ${second.looks} looks at the clock`)
  }
})

test('the objects of a Map and all objects of a relation are gone through in slices', async t => {
  const looksOf = async (url: string, stored: Stored, isFirst: boolean) => {
    const { app, refresh } = await serve(6000, 0, stored)
    await app.inject(url)
    if (isFirst) refresh()
    const { result, looks } = await withFastClock(async () => app.inject(url))
    t.equal(result.statusCode, 200, result.body)
    return looks
  }
  // Every object and every link is gone through twice at least, and the clock is looked at for every 32 of them.
  t.ok(await looksOf('/nodes/5000/rank', 'Map', true) > 2 * 6000 / 32)
  t.ok(await looksOf('/tags/3/nodes?limit=1', 'Map', false) > 6 * (6000 / 9) / 32)
})

test('what the application changes while the objects of a Map are gone through is found', async t => {
  const { app, rows } = await serve(600, 0, 'Map')
  const added = (id: number) => ({ id, rank: 1, text: 'added', parentId: null })
  const { result } = await withFastClock(async () => {
    const reading = app.inject('/nodes/599/rank')
    while (performance.now() < 1e6 + 11 * 20) await new Promise(setImmediate)
    if (!(rows instanceof Map)) throw new TypeError('the nodes are a Map')
    rows.delete(1)
    rows.set(2, added(601))
    rows.set(602, added(602))
    return reading
  })
  t.equal(result.statusCode, 200)
  const statuses = [1, 2, 3, 601, 602].map(async id => (await app.inject(`/nodes/${id}`)).statusCode)
  t.strictSame(await Promise.all(statuses), [404, 404, 200, 200, 200])
})

test('the limit of a read does not count the time in which it indexes the objects', async t => {
  const { app, refresh } = await serve(6000, 1000)
  for (const url of ['/nodes/5000/rank', '/nodes/5000/parent/id', '/tags/3/nodes/2/rank']) {
    const expected = await app.inject(url)
    refresh()
    const { result, looks } = await withFastClock(async () => app.inject(url))
    t.strictSame([result.statusCode, result.body], [200, expected.body], url)
    t.ok(looks * 11 > 1500, `${url}: ${looks} looks`)
  }
  const { result } = await withFastClock(async () => app.inject('/nodes?where=text*=nothing'))
  t.equal(result.statusCode, 503)
})

// The text of each node is compared as often as it has nodes by its tags.
const long = '/nodes?where=(!(text=changed),!(tags.nodes.text=x))&limit=1000&fields=id'

test('an item is answered beside a long read', async t => {
  const { app } = await serve(600)
  await app.inject('/nodes/7/rank')
  const order: string[] = []
  const { result } = await withFastClock(async () => Promise.all([long, '/nodes/7/rank', '/nodes/8/rank'].map(
    async url => {
      const { statusCode } = await app.inject(url)
      order.push(url)
      return statusCode
    })))
  t.strictSame(order, ['/nodes/7/rank', '/nodes/8/rank', long])
  t.strictSame(result, [200, 200, 200])
})

test('a long read sees one state of the data: writes wait for it', async t => {
  const { app } = await serve(600)
  const change = async (id: number) => {
    const { statusCode } = await app.inject({ method: 'PATCH', url: `/nodes/${id}`, body: { text: 'changed' } })
    t.equal(statusCode, 200)
  }
  const { result } = await withFastClock(async () => {
    const reading = app.inject(long)
    await app.inject('/nodes/1/rank')
    await change(7)
    await change(600)
    return [await reading, await app.inject(long)]
  })
  const found = result.map(({ body }) =>
    new Set((JSON.parse(body) as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id)))
  t.strictSame(found.map(ids => [ids.size, ids.has(7), ids.has(600)]), [[600, true, true], [598, false, false]])
})

test('a read ends once its client has left', async t => {
  const { app } = await serve(600)
  let served = 0
  app.addHook('onRequest', async ({ raw }) => {
    if (served++ === 0) raw.socket.destroy()
  })
  const { looks } = await withFastClock(async () => {
    app.inject(long).catch(() => {})
    await app.inject('/nodes/7/rank')
    await app.inject({ method: 'PATCH', url: '/nodes/7', body: { text: 'changed' } })
  })
  t.ok(looks < 100, `${looks} looks`)
})
