import { press } from '../load.ts'
import type { ServerProcess } from '../process.ts'
import { medianOf } from '../statistics.ts'
import { formatNumber, formatTable } from '../table.ts'
import { connections, type Extent, get } from './cost.ts'

/** Measures the event loop's longest pause while SQLite serves pages of growing size. Other clients wait meanwhile. */
export async function growPauses (server: ServerProcess, { seconds, quick }: Extent): Promise<string> {
  const rows: string[][] = []
  for (const size of quick ? [20, 1000] : [20, 100, 300, 1000, 3000, 10_000]) {
    const pauses: number[] = []
    const requests = [get(`/tracks?sort=plays+desc&limit=${size}`)]
    await press(server.url, requests, { connections: 1, seconds })
    // The longest pause of each of several rounds: noise of the machine affects some rounds, the page's time all.
    for (let round = 0; round < 5; round++) {
      await server.ask('watch')
      await press(server.url, requests, { connections, seconds: seconds / 2 })
      pauses.push((await server.ask('usage')).pause)
    }
    rows.push([size.toLocaleString('en'), formatNumber(medianOf(pauses)), formatNumber(Math.max(...pauses))])
  }
  return "## The event loop's longest pause\n\nWhile SQLite serves pages of so many tracks over " +
    `${connections} connections, in milliseconds, by \`monitorEventLoopDelay\`; the requests that wait at once are ` +
    `served one behind another.\n\n${
    formatTable(['items of a page', 'longest, median of 5 rounds', 'longest of all'], rows, 0)}`
}
