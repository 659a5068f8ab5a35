import { formatTable } from '../../benchmarks/table.ts'
import { spreadOf } from '../../benchmarks/statistics.ts'
import type { Random } from './random.ts'
import type { Verdict } from './judge.ts'
import { isAcknowledged, type Write } from './load.ts'

/** How an experiment is run. */
export interface Effort {
  /** The short form, which shows that everything works. */
  readonly quick: boolean
  readonly random: Random
  /** A folder of the experiment's own, which is removed when it is over. */
  readonly folder: string
  /** How many times the process is killed on SQLite, where that is said. */
  readonly kills: number | undefined
}

export type Experiment = (effort: Effort) => Promise<readonly Outcome[]>

/** What one kind of fault did. */
export interface Outcome {
  readonly name: string
  /** How many times the fault struck. */
  readonly struck: number
  readonly verdict: Verdict
  /** What the log said first. */
  readonly log: string
  /** Seconds until writes were acknowledged again, a figure for each fault; Infinity where they were not. */
  readonly heals: readonly number[]
  /** What else must not be, in words. Makes the run fail. */
  readonly wrong?: readonly string[]
  /** What the fault may make of an answer, besides what every fault may. */
  readonly allowed?: readonly string[]
  /** What else was seen. */
  readonly notes?: readonly string[]
}

/** Whether all was kept that was promised. */
export function isRight ({ verdict, heals, wrong = [], allowed = [] }: Outcome): boolean {
  const { lost, half, twice, refusedAndWritten, told } = verdict
  if (lost + half + twice + refusedAndWritten > 0 || wrong.length > 0) return false
  const expected = [...passing, ...allowed]
  return heals.every(Number.isFinite) && [...told.keys()].every(name => expected.includes(name))
}

/** What every fault may make of an answer. */
const passing = ['503 unavailable', '503 outcome_unknown', 'no answer']

export function struckTable (outcomes: readonly Outcome[]): string {
  const counts = ['struck', 'acknowledged', 'lost', 'half written', 'done twice', 'refused and written', '500s']
  return formatTable(['experiment', 'other statuses', ...counts], outcomes.map(({ name, struck, verdict }) => {
    const { acknowledged, lost, half, twice, refusedAndWritten, internal, told } = verdict
    const figures = [struck, acknowledged, lost, half, twice, refusedAndWritten, internal]
    return [name, counted(told, '500'), ...figures.map(figure => figure.toLocaleString('en'))]
  }), 2)
}

export function healingTable (outcomes: readonly Outcome[]): string {
  const head = ['fault', 'the client gets', 'the log says', 'heals in (median, longest)']
  return formatTable(head, outcomes.map(({ name, verdict: { told }, log, heals }) =>
    [name, counted(told), log.replaceAll('|', '\\|'), healing(heals)]), 3)
}

function healing (heals: readonly number[]): string {
  if (heals.length === 0) return 'does not apply'
  const { median, most } = spreadOf(heals)
  return [median, most].map(seconds => Number.isFinite(seconds) ? `${seconds.toFixed(2)} s` : 'never').join(', ')
}

/** All names with their counts, the most frequent first, but for names that begin with the text `without`. */
function counted (counts: ReadonlyMap<string, number>, without?: string): string {
  const shown = [...counts].filter(([name]) => without === undefined || !name.startsWith(without))
  shown.sort(([, one], [, other]) => other - one)
  return shown.map(([name, count]) => `${name}: ${count.toLocaleString('en')}`).join('; ') || 'none'
}

/**
 * Seconds from the end of a fault until a write was acknowledged again: the first that began after it, and after the
 * first failure that followed it. Infinity where there was none.
 */
export function healedIn (writes: readonly Write[], over: number): number {
  const from = writes.find(write => !isAcknowledged(write) && write.ended >= over)?.ended ?? over
  const healed = writes.find(write => isAcknowledged(write) && write.began >= from)
  return healed === undefined ? Infinity : (healed.ended - over) / 1000
}

/** Makes one outcome of several of the same fault. */
export function merge (name: string, outcomes: readonly Outcome[]): Outcome {
  const verdicts = outcomes.map(({ verdict }) => verdict)
  const sum = (of: Exclude<keyof Verdict, 'told' | 'faults'>) => verdicts.reduce((sum, verdict) => sum + verdict[of], 0)
  const addUp = (of: 'told' | 'faults') => {
    const sums = new Map<string, number>()
    const counts = verdicts.flatMap(verdict => [...verdict[of]])
    for (const [name, count] of counts) sums.set(name, count + (sums.get(name) ?? 0))
    return sums
  }
  return {
    name,
    struck: outcomes.reduce((total, { struck }) => total + struck, 0),
    verdict: {
      acknowledged: sum('acknowledged'),
      lost: sum('lost'),
      half: sum('half'),
      twice: sum('twice'),
      refusedAndWritten: sum('refusedAndWritten'),
      internal: sum('internal'),
      told: addUp('told'),
      faults: addUp('faults')
    },
    log: outcomes.find(({ log }) => log !== '')?.log ?? '',
    heals: outcomes.flatMap(({ heals }) => heals),
    wrong: outcomes.flatMap(({ wrong = [] }) => wrong),
    notes: outcomes.flatMap(({ notes = [] }) => notes)
  }
}
