import { press } from '../load.ts'
import type { ServerProcess } from '../process.ts'
import { formatBytes, formatNumber, formatTable } from '../table.ts'
import { genres, times } from '../world.ts'
import { connections, type Extent, get } from './cost.ts'

/** Measures memory after garbage collection during a long run of requests of new shapes, to find unbounded caches. */
export async function endure (server: ServerProcess, { seconds, quick }: Extent): Promise<string> {
  const rows: string[][] = []
  let answered = 0
  for (let turn = 0; turn <= (quick ? 2 : 10); turn++) {
    if (turn > 0) {
      answered += (await press(server.url, requestsOf(turn), {
        connections,
        seconds: quick ? seconds : seconds * 15
      })).requests
    }
    const { heap, rss } = await server.ask('collect')
    rows.push([formatNumber(answered), formatBytes(heap), formatBytes(rss)])
  }
  return '## A long run\n\nMemory after garbage collection, with requests of hundreds of shapes, other ones in each ' +
    `turn, on SQLite.\n\n${formatTable(
    ['requests answered', 'heap', 'resident'], rows, 0
  )}`
}

const fields = ['id', 'title', 'released', 'genre', 'price', 'label', 'artist_id']

/** Returns requests of 700 shapes, which differ in selections and numbers of terms. */
function requestsOf (turn: number) {
  return times(700, index => {
    const shown = fields.filter((_, place) => ((index + turn * 31) >> place & 1) === 1)
    const terms = times(1 + index % 11, term => `id!=${turn * 1000 + term}`).join('|')
    const selection = shown.length === 0 ? 'id' : shown.join(',')
    return get(`/albums?genre=${genres[index % genres.length]}&limit=5&fields=${selection}&where=(${terms})`)
  })
}
