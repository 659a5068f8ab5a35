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
import { openers } from '../helpers/sources.ts'

// docs/http.md: Pages and links. Streams that are longer than memory and sockets hold.

const Cell = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.Union([Type.String(), Type.Null()], { readable: true }),
  flag: Type.Boolean({ readable: true })
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const many = 30_000

// Makes the answer larger than what sockets hold between them.
const padding = 'x'.repeat(1250)

for (const [kind, open] of Object.entries(openers)) {
  const opened = await open({
    cells: Array.from({ length: many }, (_, n) => ({ id: n + 1, text: `text of cell ${n} ${padding}`, flag: true }))
  })

  test(`a stream of ${many} items is held in constant memory, also for a slow reader (${kind})`, async t => {
    const { response, close } = await stream(opened.source('cells'))
    const before = heap()
    let lines = 0
    let peak = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) lines++
      if (lines > 10_000 && lines < 10_500) await sleep(20)
      if (lines % 5_000 < 100) peak = Math.max(peak, heap() - before)
    }
    t.equal(lines, many)
    t.ok(peak < 30 * 2 ** 20, `the heap grew by ${Math.round(peak /
      2 ** 20)} MiB, where the whole answer has ${Math.round(many * 1300 / 2 ** 20)}`)
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
