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
  /** CPU time of the database in microseconds per request; undefined where not measured. */
  readonly database: number | undefined
  /** The share of the round's time for which the server was busy. Far below 1 it waited for clients or the database. */
  readonly busy: number
  /** The share of the round's time that garbage collection took. */
  readonly collecting: number
}

/** `settle`: seconds in use before the clock starts; default: as many as are measured. */
export interface SocketPressure extends Pressure { readonly settle?: number }

/** Returns the CPU time that a database has used, in microseconds; undefined where it cannot be measured. */
export type DatabaseCpu = () => number | undefined

/** The latencies of the answers that arrived while the clock ran, in milliseconds. `served`: all answers. */
interface Clock { runs: boolean, served: number, readonly latencies: number[] }

/**
 * Sends the requests again and again over plain sockets, which need little CPU time of the client. All connections are
 * open and in use before the clock starts, because opening hundreds of them takes longer than a short round. Throws if
 * any answer is no success.
 */
export async function pressSockets (
  server: ServerProcess, requests: readonly Request[], { connections, seconds, settle = seconds }: SocketPressure,
  databaseCpu: DatabaseCpu = () => undefined
): Promise<Measured> {
  const texts = requests.map(textOf)
  const clock: Clock = { runs: false, served: 0, latencies: [] }
  const sockets = await Promise.all(Array.from({ length: connections }, async () => open(portOf(server))))
  const startOf = (index: number) => Math.floor(texts.length * index / connections)
  const asking = Promise.all(sockets.map(async (socket, index) => keepAsking(socket, texts, startOf(index), clock)))
  const closed = asking.then(() => { throw new Error('all connections were closed') })
  const measuring = sleep(settle * 1000).then(async () => measure(server, clock, seconds, databaseCpu))
  try {
    return await Promise.race([closed, measuring])
  } finally {
    server.served += clock.served
    for (const socket of sockets) socket.destroy()
    await closed.catch(() => {})
  }
}

export const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port)

/** Returns a request as it is sent. */
export function textOf ({ method = 'GET', path = '/', headers = {}, body }: Request): string {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ host: 'localhost', ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n')
}

async function measure (
  server: ServerProcess, clock: Clock, seconds: number, databaseCpu: DatabaseCpu
): Promise<Measured> {
  const databaseBefore = databaseCpu()
  const before = await server.ask('usage')
  const begun = performance.now()
  clock.runs = true
  // A short round on a busy machine may end before its first answer.
  do await sleep(seconds * 1000)
  while (clock.latencies.length === 0)
  clock.runs = false
  const took = (performance.now() - begun) / 1000
  const after = await server.ask('usage')
  const databaseAfter = databaseCpu()
  const latencies = clock.latencies.sort((one, other) => one - other)
  return {
    throughput: latencies.length / took,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? NaN,
    cpu: (after.cpu - before.cpu) / latencies.length,
    database: databaseBefore === undefined || databaseAfter === undefined
      ? undefined
      : (databaseAfter - databaseBefore) / latencies.length,
    busy: (after.cpu - before.cpu) / 1e6 / took,
    collecting: (after.collecting - before.collecting) / 1000 / took
  }
}

export async function open (port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends the next request after each answer, until the socket is closed. */
async function keepAsking (socket: Socket, texts: readonly string[], start: number, clock: Clock): Promise<void> {
  let next = start
  let sent = 0
  const ask = () => {
    sent = performance.now()
    socket.write(texts[next++ % texts.length] ?? '')
  }
  socket.on('data', readAnswers(() => {
    clock.served++
    if (clock.runs) clock.latencies.push(performance.now() - sent)
    ask()
  }))
  ask()
  await once(socket, 'close')
}

/** Sends so many requests over one connection. Returns the CPU time of each in microseconds. */
export async function pressFirst (
  server: ServerProcess, requests: readonly Request[], count: number
): Promise<number> {
  const texts = requests.map(textOf)
  const socket = await open(portOf(server))
  const before = await server.ask('usage')
  await new Promise<void>(resolve => {
    let sent = 0
    const ask = () => { socket.write(texts[sent++ % texts.length] ?? '') }
    socket.on('data', readAnswers(() => {
      if (sent < count) ask()
      else resolve()
    }))
    ask()
  })
  const after = await server.ask('usage')
  socket.destroy()
  server.served += count
  return (after.cpu - before.cpu) / count
}

/** Returns a reader of chunks, which calls back at the end of each answer. Throws unless it is a success. */
export function readAnswers (onEnd: () => void): (chunk: Buffer) => void {
  let missing = 0
  let tail = ''
  return chunk => {
    missing = (missing === 0 ? lengthOf(chunk) : missing) - chunk.length
    // A stream has no length, and ends with an empty chunk.
    tail = missing === Infinity ? (tail + chunk.toString('latin1', Math.max(0, chunk.length - 5))).slice(-5) : ''
    if (missing > 0 && tail !== '0\r\n\r\n') return
    missing = 0
    onEnd()
  }
}

/** Returns an answer's length in bytes, from its head, which arrives in one chunk; Infinity for a stream. */
function lengthOf (chunk: Buffer): number {
  const head = chunk.toString('latin1', 0, Math.min(chunk.length, 2000))
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  const end = head.indexOf('\r\n\r\n')
  if (end > 0 && head.startsWith('HTTP/1.1 304')) return end + 4
  if (end < 0 || !head.startsWith('HTTP/1.1 2')) throw new Error(`the answer was no success: ${head}`)
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return Infinity
  if (length === undefined) throw new Error(`the answer has no length: ${head}`)
  return end + 4 + Number(length)
}
