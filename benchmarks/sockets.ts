import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pressure, Request } from './load.ts'
import type { ServerProcess } from './process.ts'

/** The result of a round. */
export interface Measured {
  /** Answers per second. */
  readonly throughput: number
  /** The 99th percentile of latency, in milliseconds. */
  readonly p99: number
  /** CPU time in microseconds per request. */
  readonly cpu: number
  /** The share of the round's time that garbage collection took. */
  readonly collecting: number
}

/** The latencies of the answers that arrived while the clock ran, in milliseconds. */
interface Clock { runs: boolean, readonly latencies: number[] }

/**
 * Sends the requests again and again over plain sockets, which need little CPU time of the client. All connections are
 * open and in use for `seconds` before the clock starts, because opening hundreds of them takes longer than a short
 * round. Throws if any answer is not 200.
 */
export async function pressSockets (
  server: ServerProcess, requests: readonly Request[], { connections, seconds }: Pressure
): Promise<Measured> {
  const port = Number(new URL(server.url).port)
  const texts = requests.map(({ path = '/' }) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const clock: Clock = { runs: false, latencies: [] }
  const sockets = await Promise.all(Array.from({ length: connections }, async () => open(port)))
  const startOf = (index: number) => Math.floor(texts.length * index / connections)
  const asking = Promise.all(sockets.map(async (socket, index) => keepAsking(socket, texts, startOf(index), clock)))
  const closed = asking.then(() => { throw new Error('all connections were closed') })
  try {
    return await Promise.race([closed, measure(server, clock, seconds)])
  } finally {
    for (const socket of sockets) socket.destroy()
    await closed.catch(() => {})
  }
}

async function measure (server: ServerProcess, clock: Clock, seconds: number): Promise<Measured> {
  await sleep(seconds * 1000)
  const before = await server.ask('usage')
  const begun = performance.now()
  clock.runs = true
  await sleep(seconds * 1000)
  clock.runs = false
  const took = (performance.now() - begun) / 1000
  const after = await server.ask('usage')
  const latencies = clock.latencies.sort((one, other) => one - other)
  return {
    throughput: latencies.length / took,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? NaN,
    cpu: (after.cpu - before.cpu) / latencies.length,
    collecting: (after.collecting - before.collecting) / 1000 / took
  }
}

async function open (port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends the next request after each answer, until the socket is closed. */
async function keepAsking (socket: Socket, texts: readonly string[], start: number, clock: Clock): Promise<void> {
  let next = start
  let sent = 0
  let missing = 0
  const ask = () => {
    sent = performance.now()
    socket.write(texts[next++ % texts.length] ?? '')
  }
  socket.on('data', (chunk: Buffer) => {
    missing = (missing > 0 ? missing : lengthOf(chunk)) - chunk.length
    if (missing > 0) return
    if (clock.runs) clock.latencies.push(performance.now() - sent)
    ask()
  })
  ask()
  await once(socket, 'close')
}

/** Returns an answer's length in bytes, from its head, which arrives in one chunk. Throws unless its status is 200. */
function lengthOf (chunk: Buffer): number {
  const head = chunk.toString('latin1', 0, Math.min(chunk.length, 2000))
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  const end = head.indexOf('\r\n\r\n')
  const isSuccess = head.startsWith('HTTP/1.1 200')
  if (!isSuccess || length === undefined || end < 0) throw new Error(`the answer was no success: ${head}`)
  return end + 4 + Number(length)
}
