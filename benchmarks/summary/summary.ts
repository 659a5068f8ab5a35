import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fewConnections } from '../measure.ts'

/** The rows of the tables of a whole run, as `npm run bench` has written it. */
export type Result = readonly Row[]

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
  const [, ...sections] = text.split('\n## ')
  return sections.flatMap(rowsOf)
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

/** Returns a table of the ranges in which the ratios with few connections lie on all machines. */
export function tableOf (results: readonly Result[]): string {
  const rows = results.flat().filter(isShown)
  const kinds = rows.filter((row, index) => rows.findIndex(one => isSame(one, row)) === index)
  return markdown([['Scenario', 'Against', ...sources], ...kinds.map(row => [
    row.scenario, row.against, ...sources.map(source => rangeOf(
      rows.filter(one => one.source === source && isSame(one, row))
    ))
  ])])
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
  const rows = results.flat()
  return markdown([
    ['Scenario', ...sources.map(source => `by hand, ${source}`), 'Fastify with drizzle, SQLite'],
    ...scenarios.map(scenario => [scenario, ...sources.map(source => rangeOf(
      rows.filter(one => one.source === source && one.scenario === scenario && isShown(one) && isByHand(one))
    )), intervalOf(rivals.find(one => one.scenario === scenario && one.against === 'Fastify with drizzle'))])
  ])
}

// Of nested items, the second route by hand sends the same statement.
const isByHand = ({ against }: Row) => against === 'by hand' || against === 'by hand, a query a level and parent'

/** Returns the interval of a ratio, such as `1.2 to 1.5`. */
const intervalOf = (row: Row | undefined) => /\((.+)–(.+)\)/.exec(row?.ratio ?? '')?.slice(1).join(' to ') ?? ''

function rangeOf (rows: readonly Row[]): string {
  // The time of a database is not measured where one of its processes has ended meanwhile.
  const ratios = rows.map(({ ratio }) => parseFloat(ratio)).filter(ratio => !Number.isNaN(ratio))
  if (ratios.length === 0) return ''
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
}

const markdown = ([head = [], ...rows]: ReadonlyArray<readonly string[]>) =>
  [lineOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(lineOf)].join('\n')

const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
