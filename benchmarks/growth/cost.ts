import { press, type Pressure, type Request } from '../load.ts'
import type { ServerProcess } from '../process.ts'

/** What a request costs: CPU time of the server in microseconds, and how many it answers in a second. Latency in milliseconds. */
export interface Cost { readonly cpu: number, readonly throughput: number, readonly p99: number }

/** How long each cost is measured, in seconds, and up to which size things grow. */
export interface Extent { readonly seconds: number, readonly quick: boolean }

export const connections = 10

export const get = (path: string): Request => ({ method: 'GET', path })

/** Measures a request after as long a warm-up. */
export async function costOf (server: ServerProcess, requests: readonly Request[], pressure: Pressure): Promise<Cost> {
  await press(server.url, requests, pressure)
  const before = await server.ask('usage')
  const { requests: answered, seconds, p99 } = await press(server.url, requests, pressure)
  const { cpu } = await server.ask('usage')
  return { cpu: (cpu - before.cpu) / answered, throughput: answered / seconds, p99 }
}
