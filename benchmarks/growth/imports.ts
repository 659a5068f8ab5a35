import { Agent, get, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Cores } from '../machine.ts'
import type { ServerProcess } from '../process.ts'
import { openStage } from '../stage.ts'
import { medianOf } from '../statistics.ts'
import { formatBytes, formatNumber, formatTable } from '../table.ts'
import { times } from '../world.ts'
import type { Extent } from './cost.ts'

/** Measures imports of tracks, while another client asks for an item, beside routes by hand. */
export async function growImports (cores: Cores, { quick }: Extent): Promise<string> {
  const rows: string[][] = []
  const stage = await openStage({ artists: 50, albumsEach: 4, tracksEach: 5 }, ['sqlite', 'postgres'], cores)
  try {
    for (const source of ['sqlite', 'postgres'] as const) {
      for (const count of quick ? [1000] : [10_000, 100_000, 1_000_000]) {
        const plugin = await measure(await stage.server('importing plugin', source), count)
        const byHand = await measure(await stage.server('import by hand', source), count)
        rows.push([
          source, count.toLocaleString('en'), formatNumber(plugin.speed), formatNumber(byHand.speed),
          formatNumber(plugin.speed / byHand.speed), formatNumber(plugin.p50), formatNumber(plugin.longest),
          formatNumber(byHand.longest), formatBytes(plugin.peak), formatBytes(byHand.peak),
          formatBytes(plugin.heap)
        ])
      }
    }
  } finally {
    await stage.close()
  }
  return '## Imports\n\nNDJSON of tracks, whose table has three indexes and a foreign key, beside routes by hand ' +
    'that parse the same lines, validate them by the same validator, and insert them by a prepared statement in one ' +
    'transaction on SQLite, or send them to COPY on PostgreSQL. Another client asks for an item all the while: its ' +
    'latency is in milliseconds. The resident memory is the most since the start; the heap is what the ' +
    `plugin keeps after a garbage collection.\n\n${formatTable([
      'source', 'rows', 'rows/s', 'by hand', 'ratio', 'latency, median', 'longest', 'longest, by hand', 'resident',
      'by hand', 'heap'
    ], rows, 2)}`
}

interface Measured {
  readonly speed: number
  readonly p50: number
  readonly longest: number
  readonly peak: number
  /** Of live data, after a garbage collection. */
  readonly heap: number
}

async function measure (server: ServerProcess, count: number): Promise<Measured> {
  const over = new AbortController()
  const asking = ask(`${server.url}/albums/1`, over.signal)
  const start = performance.now()
  const sent = request(`${server.url}/tracks`, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } })
  const answer = new Promise<IncomingMessage>((resolve, reject) => { sent.on('response', resolve).on('error', reject) })
  Readable.from(linesOf(count)).pipe(sent)
  const response = await answer
  const body = await text(response)
  if ((response.statusCode ?? 0) >= 300) throw new Error(body)
  const speed = count / (performance.now() - start) * 1000
  over.abort()
  const latencies = await asking
  const { peak } = await server.ask('usage')
  const { heap } = await server.ask('collect')
  return { speed, p50: medianOf(latencies), longest: Math.max(...latencies), peak, heap }
}

async function * linesOf (count: number): AsyncGenerator<string> {
  for (let start = 0; start < count; start += 1000) {
    // The other client has its turn: a socket that takes all at once would leave it none until the last line.
    await setImmediate()
    yield times(1000, index => {
      const n = start + index
      const track = { title: `Track ${n}`, position: n % 20 + 1, seconds: 200 + n % 100, plays: n * 7 % 1000 }
      return `${JSON.stringify({ ...track, album_id: 1 + n % 200 })}\n`
    }).join('')
  }
}

/** Asks again and again, and returns the latencies in milliseconds. */
async function ask (url: string, signal: AbortSignal): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const latencies: number[] = []
  while (!signal.aborted) {
    const start = performance.now()
    await new Promise<void>((resolve, reject) => {
      get(url, { agent }, response => { response.resume().on('end', resolve) }).on('error', reject)
    })
    latencies.push(performance.now() - start)
    await sleep(2)
  }
  agent.destroy()
  return latencies
}
