import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { treeTicks } from './machine.ts'
import type { Outcome } from './measure.ts'
import { ratiosOf } from './report.ts'

// Read before this process is pinned, which leaves it one core.
const cores = availableParallelism()

/** The state of the machine, in hundredths of a second of one core since its start. */
interface MachineTimes { readonly busy: number, readonly stolen: number, readonly own: number, readonly at: number }

/** Watches a run of the benchmark. Returns the reasons why its figures do not count; none for a quiet machine. */
export function watchMachine (): (outcomes: readonly Outcome[]) => readonly string[] {
  const before = readTimes()
  return outcomes => [...disturbancesBetween(before, readTimes()), ...unclearIn(outcomes)]
}

function disturbancesBetween (before: MachineTimes | undefined, after: MachineTimes | undefined): readonly string[] {
  if (before === undefined || after === undefined) return ['the load of the machine is unknown: it has no /proc']
  const whole = (after.at - before.at) * cores
  const stolen = (after.stolen - before.stolen) / whole
  const others = (after.busy - before.busy - (after.own - before.own)) / whole
  return [
    ...stolen > mostStolen ? [`other machines took ${percent(stolen)} of the processor`] : [],
    ...others > mostOthers ? [`other processes took ${percent(others)} of the processor`] : []
  ]
}

const mostStolen = 0.01
const mostOthers = 0.06

/** Where many intervals are wide, the rounds differ by more than their subjects do. */
function unclearIn (outcomes: readonly Outcome[]): readonly string[] {
  const all = outcomes.flatMap(outcome => outcome.against.map(against => ratiosOf(outcome, against).cpu))
  const wide = all.filter(({ low, high }) => high / low > widest)
  return wide.length > all.length / 5 ? [`${wide.length} of ${all.length} intervals are wider than 30 %`] : []
}

const widest = 1.3

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** Returns undefined on a system without /proc (proc(5)). */
function readTimes (): MachineTimes | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
    // Interrupts, which carry the requests, belong to no process, and are left out.
    const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = line.split(/\s+/).slice(1).map(Number)
    return { busy: user + nice + system, stolen, own: treeTicks(process.pid), at: performance.now() / 10 }
  } catch {
    return undefined
  }
}
