import type { Against, Figures, Outcome, Sample } from './measure.ts'
import type { SourceName } from './servers/setting.ts'
import { type Estimate, estimateRatio, medianOf } from './statistics.ts'
import { formatNumber, formatRatio, formatTable } from './table.ts'

/** Formats the outcomes on each source as a table of ratios. CPU time stands first: a busy client cannot hide it. */
export function report (outcomes: readonly Outcome[]): string {
  const of = (source: SourceName) => outcomes.filter(outcome => outcome.source === source)
  return [
    section('SQLite', of('sqlite'), embeddedTable),
    section('PostgreSQL', of('postgres'), serverTable),
    section('Memory', of('memory'), embeddedTable),
    section('The first requests of a process', outcomes.filter(({ first }) => first !== undefined), firstTable),
    section('Latency at half of the capacity', outcomes.filter(({ paced }) => paced !== undefined), pacedTable)
  ].filter(text => text !== '').join('\n\n')
}

const section = (
  name: string, outcomes: readonly Outcome[], table: (outcomes: readonly Outcome[]) => string
) => outcomes.length === 0 ? '' : `## ${name}\n\n${table(outcomes)}`

/** The ratios of a plugin to a rival, by rounds. `cpu`: of the CPU times, that of the database included. */
export interface Ratios { readonly cpu: Estimate, readonly throughput: Estimate }

export function ratiosOf ({ samples }: Outcome, against: Against): Ratios {
  const pairs = samples.map((own, round) => ({ own, other: against.samples[round] ?? own }))
  return {
    cpu: estimateRatio(pairs.map(({ own, other }) => cpuOf(own) / cpuOf(other))),
    throughput: estimateRatio(pairs.map(({ own, other }) => own.throughput / other.throughput))
  }
}

const cpuOf = ({ node, database = 0 }: Sample) => node + database

/** Formats a table for sources in the server's own process. Requests a second of CPU time: higher is better. */
function embeddedTable (outcomes: readonly Outcome[]): string {
  return formatTable(
    [
      'scenario', 'against', 'connections', 'requests a second of CPU, plugin : rival', 'throughput, plugin : rival',
      'target', '', 'plugin, CPU µs', 'rival, CPU µs', 'plugin, req/s', 'rival, req/s', 'server busy',
      'requests before the clock'
    ],
    outcomes.flatMap(outcome => outcome.against.map(against => {
      const { cpu, throughput } = ratiosOf(outcome, against)
      const perCpu = { value: 1 / cpu.value, low: 1 / cpu.high, high: 1 / cpu.low }
      const lower = throughput.value < perCpu.value ? throughput : perCpu
      return [
        ...names(outcome, against), formatRatio(perCpu), formatRatio(throughput),
        ...verdict(lower, leastOf(outcome, against), 'least'),
        ...both(outcome, against, sample => sample.node), ...both(outcome, against, sample => sample.throughput),
        `${percent(outcome.samples)}, ${percent(against.samples)}`, servedBefore(outcome, against)
      ]
    })), 2)
}

function leastOf ({ source, connections }: Outcome, { rival }: Against): number | undefined {
  const target = source === 'sqlite' ? rival.sqlite : rival.memory
  return connections === 1 && rival.lone !== undefined ? rival.lone : target
}

/** Formats a table for databases on the same machine. CPU time of Node.js and the database: lower is better. */
function serverTable (outcomes: readonly Outcome[]): string {
  return formatTable(
    [
      'scenario', 'against', 'connections', 'CPU of Node and database a request, plugin : rival',
      'throughput, plugin : rival', 'target', '', 'plugin, Node + database µs', 'rival, Node + database µs',
      'requests before the clock'
    ],
    outcomes.flatMap(outcome => outcome.against.map(against => {
      const { cpu, throughput } = ratiosOf(outcome, against)
      const isMeasured = [...outcome.samples, ...against.samples].every(sample => sample.database !== undefined)
      return [
        ...names(outcome, against), isMeasured ? formatRatio(cpu) : 'not measured', formatRatio(throughput),
        ...verdict(isMeasured ? cpu : undefined, against.rival.postgres, 'most'),
        parts(outcome.samples), parts(against.samples), servedBefore(outcome, against)
      ]
    })), 2)
}

const servedBefore = (outcome: Outcome, against: Against) =>
  [outcome, against].map(({ served }) => formatNumber(served)).join(', ')

/** The servers of an outcome: the plugin, then its rivals. */
const serversOf = (outcome: Outcome): ReadonlyArray<Figures & { readonly name: string }> =>
  [{ ...outcome, name: 'plugin' }, ...outcome.against.map(one =>
    ({ ...one, name: one.rival.label ?? one.rival.subject }))]

/** Over one connection. What small services live in: the code is not yet optimized. */
const firstTable = (outcomes: readonly Outcome[]): string => formatTable(
  ['source', 'scenario', 'server', 'CPU µs a request'],
  onceEach(outcomes).flatMap(outcome => serversOf(outcome).flatMap(({ name, first }) =>
    first === undefined ? [] : [[outcome.source, outcome.scenario.name, name, formatNumber(first)]])), 3)

/** An outcome for each number of connections has the same first requests. */
const onceEach = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ scenario }, index) => outcomes[index - 1]?.scenario !== scenario)

/** In milliseconds, over the same connections as the rounds; a latency begins when its request is due. */
const pacedTable = (outcomes: readonly Outcome[]): string => formatTable(
  ['source', 'scenario', 'server', 'requests a second', 'p50 ms', 'p99 ms', 'p99.9 ms'],
  outcomes.flatMap(outcome => serversOf(outcome).flatMap(({ name, paced }) => {
    if (paced === undefined) return []
    const { rate, p50, p99, p999 } = paced
    return [[outcome.source, outcome.scenario.name, name, ...[rate, p50, p99, p999].map(formatNumber)]]
  })), 3)

const names = ({ scenario, connections }: Outcome, { rival }: Against) =>
  [scenario.name, rival.label ?? rival.subject, String(connections)]

const both = (outcome: Outcome, against: Against, figure: (sample: Sample) => number) =>
  [outcome, against].map(({ samples }) => formatNumber(medianOf(samples.map(figure))))

const percent = (samples: readonly Sample[]) => `${Math.round(100 * medianOf(samples.map(sample => sample.busy)))} %`

function parts (samples: readonly Sample[]): string {
  const database = samples.map(sample => sample.database).filter(figure => figure !== undefined)
  const node = medianOf(samples.map(sample => sample.node))
  return `${formatNumber(node)} + ${database.length === 0 ? 'not measured' : formatNumber(medianOf(database))}`
}

/** `open`: the target lies within the interval. */
function verdict (
  figure: Estimate | undefined, target: number | undefined, bound: 'least' | 'most'
): readonly [string, string] {
  if (target === undefined) return ['', '']
  const text = `${bound === 'least' ? '≥' : '≤'} ${target}`
  if (figure === undefined) return [text, '']
  if (bound === 'least' ? figure.low >= target : figure.high <= target) return [text, 'met']
  return [text, figure.low <= target && figure.high >= target ? 'open' : 'missed']
}
