import { findDeepPage } from '../deep.ts'
import type { Request } from '../load.ts'
import type { Cores } from '../machine.ts'
import type { ServerProcess } from '../process.ts'
import type { SourceName } from '../servers/setting.ts'
import { openStage } from '../stage.ts'
import { formatNumber, formatTable } from '../table.ts'
import { times } from '../world.ts'
import { connections, costOf, type Extent, get } from './cost.ts'

const tracksOfArtist = 20

/** Measures the cost of requests by the number of rows of their table. */
export async function growRows (cores: Cores, extent: Extent): Promise<string> {
  const rows: string[][] = []
  for (const count of extent.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000]) {
    const sources: readonly SourceName[] = extent.quick ? ['sqlite'] : ['sqlite', 'postgres']
    const stage = await openStage({ artists: count / tracksOfArtist, albumsEach: 4, tracksEach: 5 }, sources, cores)
    try {
      for (const source of sources) {
        rows.push([
          count.toLocaleString('en'),
          source,
          ...await costs(await stage.server('plugin', source), count, extent)
        ])
      }
    } finally {
      await stage.close()
    }
  }
  return '## Rows\n\nCPU time of Node a request, in µs, on a table of tracks of so many rows. An index ' +
    `serves the pages.\n\n${
    formatTable(['rows', 'source', 'item by id', 'page 1 of 10', 'a page in the middle, by keyset'], rows, 2)}`
}

async function costs (
  server: ServerProcess, count: number, { seconds }: Extent
): Promise<readonly string[]> {
  const cost = async (requests: readonly Request[]) =>
    formatNumber((await costOf(server, requests, { connections, seconds })).cpu)
  const items = times(200, index => get(`/tracks/${1 + index * 7919 % count}`))
  const first = get('/tracks?sort=plays+desc&limit=10')
  const deep = await findDeepPage(server.url, count / 20)
  return [await cost(items), await cost([first]), await cost([get(deep.path)])]
}
