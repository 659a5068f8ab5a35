import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import dataApi, { collection, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { times } from '../world.ts'
import { formatNumber, formatTable } from '../table.ts'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Extent } from './cost.ts'

/** The cost of registering collections, and of a request to the last one. Times in milliseconds, memory in bytes. */
interface Registered { readonly time: number, readonly heap: number, readonly request: number }

/** Measures each number of collections in a new process, so that none reuses compiled code or memory. */
export function growCollections ({ quick }: Extent): string {
  const rows = (quick ? [1, 50] : [1, 10, 50, 100, 500, 1000]).map(count => {
    const { stdout, status } = spawnSync(process.execPath, [
      '--expose-gc', fileURLToPath(import.meta.url), String(count)
    ], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
    if (status !== 0) throw new Error(`registration of ${count} collections failed`)
    const { time, heap, request } = JSON.parse(stdout) as Registered
    return [
      String(count), formatNumber(time), formatNumber(time / count), formatNumber(heap / 1024),
      formatNumber(heap / 1024 / count), formatNumber(request * 1000)
    ]
  })
  return `## Collections\n\nOf ten fields and two relations each.\n\n${
    formatTable(
      ['collections', 'registration, ms', 'ms each', 'heap, KiB', 'KiB each', 'item by id of the last, µs by inject'],
      rows, 0
    )}`
}

/** Returns collections in a ring: each has a sub-item in the next and a sub-collection in the one before. */
function ring (count: number) {
  const name = (index: number) => `things${(index + count) % count}`
  return Object.fromEntries(times(count, index => {
    const fields = Object.fromEntries(times(8, field => [
      `field${field}`, Type.String({ readable: true, writable: true, minLength: 1 })
    ]))
    const schema = Type.Object({
      id: Type.Integer({ identifier: true, readable: true }),
      ...fields,
      nextId: Type.Integer({ readable: true, writable: true }),
      next: SubItem(name(index + 1), { foreignKey: 'nextId', readable: true, hidden: true }),
      former: SubCollection(name(index - 1), { foreignKey: 'nextId', readable: true, hidden: true })
    })
    return [
      name(index),
      collection(schema, {
        source: memory([{ id: 1, nextId: 1, ...Object.fromEntries(times(8, field => [`field${field}`, 'x'])) }])
      })
    ]
  }))
}

async function register (count: number): Promise<Registered> {
  const app = Fastify()
  const collections = ring(count)
  global.gc?.()
  const before = process.memoryUsage().heapUsed
  const start = performance.now()
  await app.register(dataApi, { collections })
  await app.ready()
  const time = performance.now() - start
  global.gc?.()
  const heap = process.memoryUsage().heapUsed - before
  return { time, heap, request: await timeOf(() => app.inject(`/things${count - 1}/1`)) }
}

async function timeOf (request: () => PromiseLike<unknown>): Promise<number> {
  const many = 3000
  for (let index = 0; index < many; index++) await request()
  const start = performance.now()
  for (let index = 0; index < many; index++) await request()
  return (performance.now() - start) / many
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await register(Number(process.argv[2]))))
}
