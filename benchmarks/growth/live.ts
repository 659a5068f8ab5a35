import { Agent, get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '../process.ts'
import { formatNumber, formatTable } from '../table.ts'
import { times } from '../world.ts'
import type { Extent } from './cost.ts'

/** Connections of clients, and the bytes that went over them. */
class Line {
  readonly agent: Agent
  private readonly sockets = new Set<Socket>()

  constructor (count: number) { this.agent = new Agent({ keepAlive: true, maxSockets: count }) }

  /** Sends a GET, and resolves to its answer, whose body is read and forgotten. */
  get (url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      get(url, { agent: this.agent, headers }, response => {
        this.sockets.add(response.socket)
        resolve(response.on('error', () => {}).resume())
      }).on('error', reject)
    })
  }

  get bytes (): number { return [...this.sockets].reduce((sum, one) => sum + one.bytesRead + one.bytesWritten, 0) }
}

/** What the clients follow: the paths of their documents. */
const sets = {
  'one list': () => '/artists?limit=20&sort=-id',
  'a list each': (index: number) => `/artists/by_id/${index + 1}/albums`
}

/** Numbers of clients, and the milliseconds between two requests of those that ask: what they know is as old. */
const askers = [{ clients: 2000, every: 1000 }, { clients: 200, every: 100 }] as const

/**
 * Measures clients that follow documents, which they know within 0.1 s, beside the same clients that ask with the tag
 * that they have: each second, and as often as what is followed is read.
 */
export async function growLive (server: ServerProcess, { seconds, quick }: Extent): Promise<string> {
  const time = quick ? 1 : Math.max(5, seconds)
  const rows: string[][] = []
  for (const { clients, every } of askers) {
    for (const [name, pathOf] of Object.entries(sets)) {
      for (const changes of [0, 1]) {
        const urls = times(quick ? 20 : clients, index => server.url + pathOf(index))
        const followed = await follow(server, urls, { changes, time })
        const asked = await poll(server, urls, { changes, time, every })
        // What is freed once is used again, so that only the first number tells something.
        const { cpu, bytes, memory } = followed
        rows.push([String(urls.length), name, String(changes), ...[
          asked.requests, cpu, asked.cpu, asked.cpu / cpu, bytes, asked.bytes, asked.bytes / bytes
        ].map(formatNumber), rows.length === 0 ? formatNumber(memory / 1024) : ''])
      }
    }
  }
  const head = [
    'clients', 'documents', 'changes/s', 'requests/s, polled', 'CPU ms/s, live', 'CPU ms/s, polled', 'ratio',
    'kB/s, live', 'kB/s, polled', 'ratio', 'KiB resident a stream'
  ]
  return '## Live documents\n\nClients of live documents on SQLite, which are told within 100 ms, beside as many ' +
    'that ask with `If-None-Match`: 2,000 each second, 200 each 100 ms. A change is that of one album and artist, ' +
    `which one list shows. Bytes are of both directions.\n\n${formatTable(head, rows, 2)}`
}

interface Load { readonly changes: number, readonly time: number }

/** The cost of a second: CPU time in ms, and kilobytes. `memory`: that of a connection, in bytes. */
interface Second { readonly cpu: number, readonly bytes: number, readonly memory: number }

async function follow (server: ServerProcess, urls: readonly string[], load: Load): Promise<Second> {
  const line = new Line(urls.length)
  const { rss } = await server.ask('collect')
  const open = await Promise.all(urls.map(url => line.get(url, { accept: 'text/event-stream' })))
  await sleep(1500)
  const memory = ((await server.ask('collect')).rss - rss) / urls.length
  const cost = await costOf(server, line, load, async () => {})
  for (const one of open) one.destroy()
  await sleep(500)
  return { ...cost, memory }
}

async function poll (
  server: ServerProcess, urls: readonly string[], { every, ...load }: Load & { readonly every: number }
): Promise<Second & { readonly requests: number }> {
  const line = new Line(urls.length)
  let requests = 0
  const tags = new Map<string, string>()
  const ask = async (url: string) => {
    const response = await line.get(url, { 'if-none-match': tags.get(url) ?? '""' })
    tags.set(url, response.headers.etag ?? '')
    requests++
  }
  await Promise.all(urls.map(ask))
  const [before, start] = [requests, performance.now()]
  const cost = await costOf(server, line, load, async end => {
    await Promise.all(urls.map(async (url, index) => {
      for (let at = end - 1000 + index * every / urls.length; at < end; at += every) {
        await sleep(Math.max(0, at - performance.now()))
        await ask(url)
      }
    }))
  })
  line.agent.destroy()
  // A busy client is late, and asks less often.
  return { ...cost, memory: 0, requests: (requests - before) / (performance.now() - start) * 1000 }
}

/** Changes items for some seconds, and returns the cost of one. `each` is run once a second, until its end. */
async function costOf (
  server: ServerProcess, line: Line, { changes, time }: Load, each: (end: number) => Promise<void>
): Promise<Omit<Second, 'memory'>> {
  const [cpu, bytes, start] = [(await server.ask('usage')).cpu, line.bytes, performance.now()]
  for (let second = 1; second <= time; second++) {
    const end = start + second * 1000
    if (changes > 0) await change(server)
    await each(end)
    await sleep(Math.max(0, end - performance.now()))
  }
  const elapsed = (performance.now() - start) / 1000
  return {
    cpu: ((await server.ask('usage')).cpu - cpu) / 1000 / elapsed, bytes: (line.bytes - bytes) / 1000 / elapsed
  }
}

let turn = 0

/** Changes an album of one artist, and the artist who is last of all, each to what it was not. */
async function change ({ url }: ServerProcess): Promise<void> {
  turn++
  const [last] = await (await fetch(`${url}/artists?limit=1&sort=-id&fields=id`)).json() as Array<{ id: number }>
  const [album] = await (await fetch(`${url}/artists/1/albums?limit=1&fields=id`)).json() as Array<{ id: number }>
  for (const [path, body] of [
    [`/artists/${last?.id}`, { founded: 1900 + turn }], [`/albums/${album?.id}`, { price: turn }]
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(url + path, { method: 'PATCH', headers, body: JSON.stringify(body) })
    if (status !== 200) throw new Error(`${path} answered ${status}`)
  }
}
