import type { ServerProcess } from '../process.ts'
import { pressSockets } from '../sockets.ts'
import { formatNumber, formatTable } from '../table.ts'
import { times } from '../world.ts'
import { type Extent, get } from './cost.ts'

/** Measures the cost of an item by the number of concurrent connections, against the route written by hand. */
export async function growConnections (
  plugin: ServerProcess, byHand: ServerProcess, { seconds, quick }: Extent
): Promise<string> {
  const requests = times(200, index => get(`/albums/${index + 1}`))
  const rows: string[][] = []
  for (const connections of quick ? [1, 50] : [1, 10, 100, 500, 1000, 2000]) {
    for (const [name, server] of [['plugin', plugin], ['by hand', byHand]] as const) {
      const { cpu, throughput, p99, collecting } = await pressSockets(server, requests, { connections, seconds })
      rows.push([String(connections), name, ...[cpu, throughput, p99, collecting * 100].map(formatNumber)])
    }
  }
  const head = ['connections', '', 'CPU µs a request', 'requests/s', 'latency, 99 %, ms', 'garbage collection, %']
  return `## Connections\n\nAn item by id on SQLite, over plain sockets that are open before the clock starts.\n\n${
    formatTable(head, rows, 2)}`
}
