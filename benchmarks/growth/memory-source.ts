import type { Cores } from '../machine.ts'
import { openStage } from '../stage.ts'
import { medianOf } from '../statistics.ts'
import { formatNumber, formatTable } from '../table.ts'
import { times } from '../world.ts'
import { connections, type Cost, costOf, type Extent, get } from './cost.ts'

/** Measures a filter and sort of 100,000 objects against the same loop written by hand. */
export async function compareLoops (cores: Cores, { seconds, quick }: Extent): Promise<string> {
  const albums = quick ? 1_000 : 100_000
  const stage = await openStage({ artists: albums / 4, albumsEach: 4, tracksEach: 1 }, ['memory'], cores)
  try {
    const [plugin, byHand] = [await stage.server('plugin', 'memory'), await stage.server('by hand', 'memory')]
    const requests = times(10, index => get(`/albums?price<${20 + index}&sort=price+desc&limit=20`))
    const requestsByHand = times(10, index => get(`/albums-under?price=${20 + index}&limit=20`))
    const rounds: Array<{ readonly plugin: Cost, readonly byHand: Cost }> = []
    for (let round = 0; round < 3; round++) {
      rounds.push({
        plugin: await costOf(plugin, requests, { connections, seconds }),
        byHand: await costOf(byHand, requestsByHand, { connections, seconds })
      })
    }
    const [own, other] = [
      medianOf(rounds.map(round => round.plugin.cpu)),
      medianOf(rounds.map(round => round.byHand.cpu))
    ]
    return `## Filter and sort in memory\n\n${albums.toLocaleString('en')} objects, of which half or more pass ` +
      `the filter; the first 20 by price.\n\n${
      formatTable(
        ['plugin, CPU ms a request', 'loop by hand, CPU ms a request', 'plugin : by hand'],
        [[formatNumber(own / 1000), formatNumber(other / 1000), (own / other).toFixed(2)]], 0
      )}`
  } finally {
    await stage.close()
  }
}
