import type { ServerProcess } from '../process.ts'
import { formatNumber, formatTable } from '../table.ts'
import { times } from '../world.ts'
import { connections, costOf, type Extent, get } from './cost.ts'

/** Measures the cost of requests by page size, depth of nesting, filter terms and length of lists. */
export async function growShapes (server: ServerProcess, extent: Extent): Promise<string> {
  return [
    await grow(
      'Page size', 'Items of a listing that an index serves.', extent.quick ? [10, 100] : [10, 30, 100, 300, 1000],
      size => `/albums?genre=rock&sort=released+desc&limit=${size}`, server, extent
    ),
    await grow(
      'Depth of nesting', 'One item of each level is embedded in that of the level above; levels of relations.',
      [0, 1, 2, 3, 4, 5], depth => `/tracks?limit=10&fields=${nest(depth)}`, server, extent
    ),
    await grow(
      'Filter terms', 'Comparisons in a group, joined by `or`.', extent.quick ? [1, 10] : [1, 10, 30, 100],
      terms => `/tracks?limit=20&where=(${times(terms, index => `id=${index + 1}`).join('|')})`, server, extent
    ),
    await grow(
      'Length of a list', 'Values of one `=*`.', extent.quick ? [1, 100] : [1, 10, 100, 1000],
      length => `/tracks?limit=20&id=*${times(length, index => index + 1).join(',')}`, server, extent
    )
  ].join('\n\n')
}

/** Returns a nested selection, such as `id,album(id,artist(id))`, through relations in both directions. */
function nest (depth: number): string {
  const relations = ['album', 'artist', 'albums(id;limit=1', 'artist', 'albums(id;limit=1']
  return relations.slice(0, depth).reduceRight((inner, relation) => {
    if (!relation.includes('(')) return `id,${relation}(${inner})`
    return `id,${relation.replace('(id', `(${inner}`)})`
  }, 'id')
}

async function grow (
  title: string, text: string, sizes: readonly number[], path: (size: number) => string, server: ServerProcess,
  { seconds }: Extent
): Promise<string> {
  const rows: string[][] = []
  for (const size of sizes) {
    const { cpu, throughput } = await costOf(server, [get(path(size))], { connections, seconds })
    rows.push([
      size.toLocaleString('en'), formatNumber(cpu), formatNumber(cpu / Math.max(size, 1)), formatNumber(throughput)
    ])
  }
  const head = [title.toLowerCase(), 'CPU µs a request', 'CPU µs a request and one', 'requests/s']
  return `## ${title}\n\n${text}\n\n${formatTable(head, rows, 0)}`
}
