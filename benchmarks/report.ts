import type { Against, Outcome, Sample } from './measure.ts'
import type { SourceName } from './servers/setting.ts'
import { medianOf, type Spread, spreadOf } from './statistics.ts'
import { formatNumber, formatRatio, formatTable } from './table.ts'

/** Formats the outcomes on each source as a table of ratios. */
export function report (outcomes: readonly Outcome[]): string {
  const of = (source: SourceName) => outcomes.filter(outcome => outcome.source === source)
  return [
    section('SQLite', of('sqlite'), throughputTable),
    section('PostgreSQL', of('postgres'), cpuTable),
    section('Memory', of('memory'), throughputTable)
  ].filter(text => text !== '').join('\n\n')
}

const section = (
  name: string, outcomes: readonly Outcome[], table: (outcomes: readonly Outcome[]) => string
) => outcomes.length === 0 ? '' : `## ${name}\n\n${table(outcomes)}`

/**
 * Formats a table whose main figure is throughput, for sources in the server's own process: higher is better. Where the
 * client is the bottleneck, throughput says nothing; so throughput per second of the server's CPU must meet the target
 * as well.
 */
function throughputTable (outcomes: readonly Outcome[]): string {
  return formatTable(
    [
      'scenario', 'against', 'throughput, plugin : rival', 'throughput a second of server CPU', 'target', '',
      'plugin, req/s', 'rival, req/s', 'plugin, CPU µs', 'rival, CPU µs', 'server busy'
    ],
    outcomes.flatMap(outcome => outcome.against.map(against => {
      const throughput = ratio(outcome, against, sample => sample.throughput)
      const perCpu = ratio(outcome, against, sample => 1 / sample.node)
      const target = outcome.source === 'sqlite' ? against.rival.sqlite : undefined
      return [
        ...names(outcome, against), formatRatio(throughput), formatRatio(perCpu),
        ...verdict(Math.min(throughput.median, perCpu.median), target, 'least'),
        ...both(outcome, against, sample => sample.throughput), ...both(outcome, against, sample => sample.node),
        `${percent(outcome.samples)}, ${percent(against.samples)}`
      ]
    })), 2)
}

/** Formats a table whose main figure is CPU time, for databases on the same machine: lower is better. */
function cpuTable (outcomes: readonly Outcome[]): string {
  return formatTable(
    [
      'scenario', 'against', 'CPU of Node and database a request, plugin : rival', 'target', '', 'CPU of Node alone',
      'throughput', 'plugin, Node + database µs', 'rival, Node + database µs'
    ],
    outcomes.flatMap(outcome => outcome.against.map(against => {
      const isMeasured = [...outcome.samples, ...against.samples].every(sample => sample.database !== undefined)
      const both = isMeasured ? ratio(outcome, against, sample => sample.node + (sample.database ?? 0)) : undefined
      return [
        ...names(outcome, against), both === undefined ? 'not measured' : formatRatio(both),
        ...verdict(both?.median, against.rival.postgres, 'most'),
        formatRatio(ratio(outcome, against, sample => sample.node)),
        formatRatio(ratio(outcome, against, sample => sample.throughput)),
        parts(outcome.samples), parts(against.samples)
      ]
    })), 2)
}

/** Returns the ratios round by round, because the rounds of the two alternate. */
function ratio (outcome: Outcome, against: Against, figure: (sample: Sample) => number): Spread {
  return spreadOf(outcome.samples.map((sample, round) => figure(sample) / figure(against.samples[round] ?? sample)))
}

const names = ({ scenario }: Outcome, { rival }: Against) => [scenario.name, rival.label ?? rival.subject]

const both = (outcome: Outcome, against: Against, figure: (sample: Sample) => number) =>
  [outcome, against].map(({ samples }) => formatNumber(medianOf(samples.map(figure))))

const percent = (samples: readonly Sample[]) => `${Math.round(100 * medianOf(samples.map(sample => sample.busy)))} %`

function parts (samples: readonly Sample[]): string {
  const database = samples.map(sample => sample.database).filter(figure => figure !== undefined)
  const node = medianOf(samples.map(sample => sample.node))
  return `${formatNumber(node)} + ${database.length === 0 ? 'not measured' : formatNumber(medianOf(database))}`
}

function verdict (
  figure: number | undefined, target: number | undefined, bound: 'least' | 'most'
): readonly [string, string] {
  if (target === undefined) return ['', '']
  const text = `${bound === 'least' ? '≥' : '≤'} ${target}`
  if (figure === undefined) return [text, '']
  return [text, (bound === 'least' ? figure >= target : figure <= target) ? 'met' : 'missed']
}
