import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fewConnections } from '../measure.ts'

/** The result of a whole run, as `npm run bench` has written it. `rows`: those of its tables, by source. */
export interface Result { readonly machine: string, readonly rows: readonly Row[] }

interface Row {
  readonly source: Source
  readonly scenario: string
  readonly against: string
  readonly connections: number
  /** The first ratio of a row, with its interval. */
  readonly ratio: string
}

/** The databases, as the headings of results name them. */
export const sources = ['SQLite', 'PostgreSQL'] as const
type Source = typeof sources[number]

/** The scenarios that README shows. */
export const mainScenarios: readonly string[] = [
  'item by id', 'scalar', 'listing of 100', 'three levels nested', 'create', 'update'
]

/** Reads the results of all machines in a folder, in the order of their names. */
export const readResults = (folder: string): readonly Result[] =>
  readdirSync(folder).toSorted().map(name => readResult(readFileSync(join(folder, name), 'utf8')))

/** Reads the result of a run beside what people write otherwise (docs/speed.md). */
export const readRivals = (file: string): Result => readResult(readFileSync(file, 'utf8'))

function readResult (text: string): Result {
  const [, node = ''] = /^- Node\.js (\d+)/m.exec(text) ?? []
  const [, cpu = ''] = /^- CPU: ([^,]+)/m.exec(text) ?? []
  const [, ...sections] = text.split('\n## ')
  return { machine: `${cpu.replace(/\(R\)| Processor$/g, '')}, Node.js ${node}`, rows: sections.flatMap(rowsOf) }
}

function rowsOf (section: string): readonly Row[] {
  const [heading, ...lines] = section.split('\n')
  const source = sources.find(one => one === heading)
  // memory() is for tests and small data.
  if (source === undefined) return []
  const [, , ...rows] = lines.filter(line => line.startsWith('| '))
  return rows.map(line => {
    const [scenario = '', against = '', connections = '', ratio = ''] = line.slice(2).split(' | ')
    return { source, scenario, against, connections: Number(connections), ratio }
  })
}

/** Returns a table of a source's ratios with few connections, a column for each machine. */
export function tableOf (source: Source, results: readonly Result[]): string {
  const columns = results.map(({ rows }) => rows.filter(one => one.source === source && isShown(one)))
  const rows = (columns[0] ?? []).map(row => [
    row.scenario, row.against, ...columns.map(column => column.find(one => isSame(one, row))?.ratio ?? '')
  ])
  return markdown([['Scenario', 'Against', ...results.map(({ machine }) => machine)], ...rows])
}

// The floor shows what Fastify takes, and a page of the plugin itself what a position costs. Neither is a rival. The
// other rows that are left out decide as those beside them do.
const isShown = ({ connections, scenario, against }: Row) => connections === fewConnections &&
  !/^(floor|page)|with tags$/.test(against) && !['listing of 1000', 'page 1 by keyset'].includes(scenario)

const isSame = (one: Row, other: Row) => one.scenario === other.scenario && one.against === other.against

/**
 * Returns a table of the ranges in which the ratios of some scenarios lie on all machines, and of the intervals of
 * those to Fastify with drizzle on SQLite.
 */
export function rangesOf (scenarios: readonly string[], results: readonly Result[], rivals: Result): string {
  const rows = results.flatMap(one => one.rows)
  return markdown([
    ['Scenario', ...sources.map(source => `by hand, ${source}`), 'Fastify with drizzle, SQLite'],
    ...scenarios.map(scenario => [scenario, ...sources.map(source => rangeOf(
      rows.filter(one => one.source === source && one.scenario === scenario && isShown(one) && isByHand(one))
    )), intervalOf(rivals.rows.find(one => one.scenario === scenario && one.against === 'Fastify with drizzle'))])
  ])
}

// Of nested items, the second route by hand sends the same statement.
const isByHand = ({ against }: Row) => against === 'by hand' || against === 'by hand, a query a level and parent'

/** Returns the interval of a ratio, such as `1.2 to 1.5`. */
const intervalOf = (row: Row | undefined) => /\((.+)–(.+)\)/.exec(row?.ratio ?? '')?.slice(1).join(' to ') ?? ''

function rangeOf (rows: readonly Row[]): string {
  // The time of a database is not measured where one of its processes has ended meanwhile.
  const ratios = rows.map(({ ratio }) => parseFloat(ratio)).filter(ratio => !Number.isNaN(ratio))
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
}

const markdown = ([head = [], ...rows]: ReadonlyArray<readonly string[]>) =>
  [lineOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(lineOf)].join('\n')

const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
