import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'tap'
import dataApi, { collection, type Database, type Source } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import { openers } from '../helpers/sources.ts'

// docs/http.md: Pages and links

const Cell = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.Union([Type.String(), Type.Null()], { readable: true }),
  flag: Type.Boolean({ readable: true })
})

const texts = [
  'plain', 'a "quote"', 'comma, here', 'two\nlines', '=1+1', '+1', '-1', '@x', '\tx', '', null, ' space ', '\u{1F600}'
]
const sheet: World = {
  tables: { cells: texts.map((text, n) => ({ id: n + 1, text, flag: n % 2 === 0 })) },
  collections: source =>
    ({ cells: collection(Cell, { source: source('cells'), pages: { defaultSize: 2, maxSize: 3 } }) })
}

everySource('text/csv is a header row and a record an item, quoted by RFC 4180, no text a formula', async ({
  get, same
}) => {
  const csv = [
    'id,text,flag', '1,plain,true', '2,"a ""quote""",false', '3,"comma, here",true', '4,"two\nlines",false',
    "5,'=1+1,true", "6,'+1,false", "7,'-1,true", "8,'@x,false", "9,\"'\tx\",true", '10,"",false', '11,,true',
    '12," space ",false', '13,\u{1F600},true', ''
  ]
  same(await get('/cells', { accept: 'text/csv' }), 200, csv.join('\r\n'),
    { 'content-type': 'text/csv; charset=utf-8', link: undefined })
}, {}, sheet)

everySource('application/x-ndjson is an item a line', async ({ get, same }) => {
  same(await get('/cells?id<4&fields=text', { accept: 'application/x-ndjson' }), 200,
    '{"text":"plain"}\n{"text":"a \\"quote\\""}\n{"text":"comma, here"}\n', {
      'content-type': 'application/x-ndjson; charset=utf-8'
    })
}, {}, sheet)

everySource('a stream holds every matching item, or the page that is asked for, in order', async ({ get, t }) => {
  const lines = async (query: string) => (await get(`/cells?fields=id&${query}`,
    { accept: 'application/x-ndjson' })).body.split('\n').filter(Boolean).map(line => JSON.parse(line).id)
  t.strictSame(await lines('flag=true&sort=id+desc'), [13, 11, 9, 7, 5, 3, 1])
  t.strictSame(await lines('page=2&size=5'), [6, 7, 8, 9, 10])
  t.strictSame(await lines('offset=11'), [12, 13])
  t.strictSame(await lines('sort=text&size=1'), [10])
}, {}, sheet)

everySource('a stream counts when asked, and HEAD has its headers', async ({ get, request, same }) => {
  const headers = {
    'content-type': 'text/csv; charset=utf-8', 'x-total-count': '13', 'preference-applied': 'count=exact'
  }
  same(await request({ method: 'HEAD', url: '/cells', headers: { accept: 'text/csv', prefer: 'count=exact' } }), 200,
    '', headers)
  same(await get('/cells?id=1', { accept: 'text/csv', prefer: 'count=exact' }), 200, 'id,text,flag\r\n1,plain,true\r\n',
    { ...headers, 'x-total-count': '1' })
}, {}, sheet)

everySource('what an item or a missing parent is not a stream of is an error as ever', async ({ get, t }) => {
  t.equal((await get('/cells/1', { accept: 'text/csv' })).statusCode, 406)
  t.equal((await get('/cells?nope=1', { accept: 'text/csv' })).json().error, 'invalid_filter')
}, {}, sheet)

everySource('a stream crosses batches without losing or repeating an item', async ({ get, t }) => {
  const { body } = await get('/cells?sort=flag+desc,text', { accept: 'application/x-ndjson' })
  const ids = body.split('\n').filter(Boolean).map(line => JSON.parse(line).id)
  t.strictSame([ids.length, new Set(ids).size], [1700, 1700])
}, {}, {
  ...sheet,
  tables: {
    cells: Array.from({ length: 1700 }, (_, n) => ({ id: n + 1, text: texts[n % 13] ?? null, flag: n % 3 === 0 }))
  }
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const many = 100_000

// Makes the answer larger than what sockets hold between them.
const padding = 'x'.repeat(350)

for (const [kind, open] of Object.entries(openers)) {
  const opened = await open({
    cells: Array.from({ length: many }, (_, n) => ({ id: n + 1, text: `text of cell ${n} ${padding}`, flag: true }))
  })

  test(`a stream of ${many} items is held in constant memory, also for a slow reader (${kind})`, async t => {
    const { response, close } = await stream(opened.source('cells'))
    const before = heap()
    let lines = 0
    let peak = 0
    for await (const chunk of response) {
      for (const byte of chunk as Buffer) if (byte === 10) lines++
      if (lines > 10_000 && lines < 10_500) await sleep(20)
      if (lines % 10_000 < 300) peak = Math.max(peak, heap() - before)
    }
    t.equal(lines, many)
    t.ok(peak < 30 * 2 ** 20, `the heap grew by ${Math.round(peak /
      2 ** 20)} MiB, where the whole answer has ${Math.round(many * 400 / 2 ** 20)}`)
    await close()
  })

  test(`a reader that does not read holds the source up, and one that leaves ends the stream (${kind})`, async t => {
    const { response, close, reads } = await stream(opened.source('cells'))
    await once(response, 'readable')
    const held = await settled(reads)
    t.ok(held < many / 500, `${held} batches of ${many / 500} are read when nobody takes them`)
    response.destroy()
    t.ok(await settled(reads) < many / 500, 'nor are the others when nobody is there any more')
    await close()
    await opened.close()
  })
}

/** The count once it does not change any more: sockets fill for a while. */
async function settled (count: () => number): Promise<number> {
  for (let before = -1; ;) {
    const now = count()
    if (now === before) return now
    before = now
    await sleep(500)
  }
}

/** Bytes in use once garbage is collected. */
function heap (): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

async function stream (source: Source) {
  let reads = 0
  const { database } = source
  const counting: Database = {
    ...database,
    read (plan) { reads++; return database.read(plan) },
    ...database.readBatches && {
      async readBatches (plan, size) {
        const batches = await database.readBatches?.(plan, size)
        if (batches === undefined) throw new TypeError('it was there a moment ago')
        return { ...batches, rows: counted(batches.rows, () => { reads++ }) }
      }
    }
  }
  const app = Fastify({ forceCloseConnections: true })
  await app.register(dataApi,
    { collections: { cells: collection(Cell, { source: { ...source, database: counting } }) } })
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  const request = httpGet({ port, path: '/cells', headers: { accept: 'application/x-ndjson' } })
  const [response] = await once(request, 'response') as [IncomingMessage]
  response.on('error', () => {})
  return { response, reads: () => reads, close: () => app.close() }
}

async function * counted<T> (batches: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const batch of batches) {
    count()
    yield batch
  }
}
