import type { ServerProcess } from '../process.ts'
import { formatNumber, formatTable } from '../table.ts'
import { times } from '../world.ts'
import { costOf, type Extent, get } from './cost.ts'

/** What an item costs as more clients ask for one at once. */
export async function growConnections (server: ServerProcess, { seconds, quick }: Extent): Promise<string> {
  const requests = times(200, index => get(`/albums/${index + 1}`))
  const rows: string[][] = []
  for (const count of quick ? [1, 50] : [1, 10, 50, 100, 500]) {
    const { cpu, throughput, p99 } = await costOf(server, requests, { connections: count, seconds })
    rows.push([String(count), formatNumber(cpu), formatNumber(throughput), formatNumber(p99)])
  }
  return `## Connections\n\nAn item by id on SQLite.\n\n${formatTable(['connections', 'CPU µs a request', 'requests/s', 'latency, 99 %, ms'], rows, 0)}`
}
