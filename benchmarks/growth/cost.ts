import { press, type Pressure, type Request } from '../load.ts'
import type { ServerProcess } from '../process.ts'

/** The cost of a request: CPU time of the server in microseconds, answers per second, and latency in milliseconds. */
export interface Cost { readonly cpu: number, readonly throughput: number, readonly p99: number }

/** The duration of each measurement in seconds, and `quick` for fewer and smaller sizes. */
export interface Extent { readonly seconds: number, readonly quick: boolean }

export const connections = 10

export const get = (path: string): Request => ({ method: 'GET', path })

/** Measures the cost of requests, after a warm-up of the same duration. */
export async function costOf (server: ServerProcess, requests: readonly Request[], pressure: Pressure): Promise<Cost> {
  await press(server.url, requests, pressure)
  const before = await server.ask('usage')
  const { requests: answered, seconds, p99 } = await press(server.url, requests, pressure)
  const { cpu } = await server.ask('usage')
  return { cpu: (cpu - before.cpu) / answered, throughput: answered / seconds, p99 }
}
