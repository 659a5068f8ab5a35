import type { Socket } from 'node:net'
import type { Request } from './load.ts'
import type { ServerProcess } from './process.ts'
import { open, portOf, readAnswers, textOf } from './sockets.ts'
import { times } from './world.ts'

/** Latencies at a fixed rate of requests, in milliseconds. */
export interface Paced { readonly rate: number, readonly p50: number, readonly p99: number, readonly p999: number }

/** `rate`: requests a second, over all connections. */
export interface Pace { readonly connections: number, readonly rate: number, readonly seconds: number }

/**
 * Sends requests at a fixed rate, whether those before are answered or not. A latency begins when its request was due:
 * one that waits for a connection waits for the server too, which a client that pauses with the server would leave out
 * (coordinated omission).
 */
export async function paceSockets (
  server: ServerProcess, requests: readonly Request[], { connections, rate, seconds }: Pace
): Promise<Paced> {
  const texts = requests.map(textOf)
  const latencies: number[] = []
  const waiting: number[] = []
  const idle: Array<(due: number) => void> = []
  const sockets = await Promise.all(times(connections, async () => open(portOf(server))))
  for (const socket of sockets) idle.push(asker(socket, texts, latencies, waiting, idle))
  const count = Math.max(1, Math.round(rate * seconds))
  const begun = performance.now()
  let sent = 0
  while (latencies.length < count) {
    while (sent < count && begun + sent * 1000 / rate <= performance.now()) {
      const due = begun + sent++ * 1000 / rate
      const ask = idle.pop()
      if (ask === undefined) waiting.push(due)
      else ask(due)
    }
    // A timer would come a millisecond late.
    await new Promise(resolve => { setImmediate(resolve) })
  }
  for (const socket of sockets) socket.destroy()
  server.served += count
  latencies.sort((one, other) => one - other)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? NaN
  return { rate, p50: at(0.5), p99: at(0.99), p999: at(0.999) }
}

/** Returns the function that sends a request on a socket. After the answer it takes one that waits, or is idle. */
function asker (
  socket: Socket, texts: readonly string[], latencies: number[], waiting: number[], idle: Array<(due: number) => void>
): (due: number) => void {
  let begun = 0
  let next = Math.floor(texts.length * Math.random())
  const ask = (due: number) => {
    begun = due
    socket.write(texts[next++ % texts.length] ?? '')
  }
  socket.on('data', readAnswers(() => {
    latencies.push(performance.now() - begun)
    const due = waiting.shift()
    if (due === undefined) idle.push(ask)
    else ask(due)
  }))
  return ask
}
