import Fastify, { type FastifyInstance } from 'fastify'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import dataApi, { memory } from '../../lib/index.ts'
import { collections } from '../collections.ts'
import { formatNumber, formatTable } from '../table.ts'
import { makeWorld } from '../world.ts'
import type { Extent } from './cost.ts'

/** Bytes of the heap for each track: after the registration, after an item by id, and after the tracks of an album. */
interface Bytes {
  readonly objects: number
  readonly registered: number
  readonly byKey: number
  readonly related: number
}

/** Measures the memory that memory() takes for a row beyond the application's own object. */
export function growBytes ({ quick }: Extent): string {
  const rows = (quick ? [1_000] : [10_000, 100_000, 1_000_000]).map(count => {
    const { stdout, status } = spawnSync(process.execPath, [
      '--expose-gc', fileURLToPath(import.meta.url), String(count)
    ], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
    if (status !== 0) throw new Error(`measuring ${count} rows failed`)
    const { objects, registered, byKey, related } = JSON.parse(stdout) as Bytes
    return [count.toLocaleString('en'), ...[objects, registered, byKey, related].map(formatNumber)]
  })
  return '## Memory of a row\n\nBytes of the heap for a track of memory(): the object of the application, and what ' +
    `memory() adds to it.\n\n${
    formatTable(
      ['rows', 'object', 'added at registration', 'after an item by id', 'after the tracks of an album as well'],
      rows, 1
    )}`
}

async function measure (count: number): Promise<Bytes> {
  const empty = await heap()
  const world = makeWorld({ artists: count / 20, albumsEach: 4, tracksEach: 5 })
  const filled = await heap()
  const app = Fastify()
  await app.register(dataApi, { collections: collections(table => memory(world[table], { statementTimeout: 0 })) })
  await read(app, '/')
  const before = await heap()
  await read(app, '/tracks/7')
  const byKey = await heap()
  await read(app, '/albums/7/tracks')
  const related = await heap()
  const each = (bytes: number) => bytes / count
  return {
    objects: each(filled - empty),
    registered: each(before - filled),
    byKey: each(byKey - before),
    related: each(related - before)
  }
}

async function read (app: FastifyInstance, url: string): Promise<void> {
  const { statusCode } = await app.inject(url)
  if (statusCode !== 200) throw new Error(`${statusCode} ${url}`)
}

/** Returns the bytes of the heap that are in use, after a collection. */
async function heap (): Promise<number> {
  await new Promise(setImmediate)
  global.gc?.()
  return process.memoryUsage().heapUsed
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await measure(Number(process.argv[2]))))
}
