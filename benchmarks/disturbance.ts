import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { treeTicks } from './machine.ts'
import type { Outcome } from './measure.ts'
import { ratiosOf } from './report.ts'
import { isWide } from './statistics.ts'

// Read before this process is pinned, which leaves it one core.
const cores = availableParallelism()

/** The state of the machine, in hundredths of a second of one core since its start. */
interface MachineTimes { readonly busy: number, readonly own: number, readonly at: number }

/** Watches the machine during a run of the benchmark. */
export interface Watch {
  /** Runs a round, and runs it again while other machines took much of the processor meanwhile. */
  run<Round> (round: () => Promise<Round>): Promise<Round>
  /** Returns the reasons why the run's figures do not count; none for a quiet machine. */
  disturbancesIn (outcomes: readonly Outcome[]): readonly string[]
}

/** `patience`: the pauses before a disturbed round is run again, in seconds. */
export function watchMachine (patience: readonly number[]): Watch {
  const before = readTimes()
  let rounds = 0
  let disturbed = 0

  const run = async <Round>(round: () => Promise<Round>, [pause, ...later] = patience): Promise<Round> => {
    const start = readStolen()
    const result = await round()
    const isDisturbed = stolenSince(start) > mostStolen
    if (isDisturbed && pause !== undefined) {
      await setTimeout(1_000 * pause)
      return run(round, later)
    }
    rounds++
    if (isDisturbed) disturbed++
    return result
  }
  const stolenRounds = () => disturbed > mostDisturbed * rounds
    ? [`other machines took more than ${percent(mostStolen)} of the processor in ${disturbed} of ${rounds} rounds`]
    : []

  return {
    run,
    disturbancesIn: outcomes => [...stolenRounds(), ...loadBetween(before, readTimes()), ...unclearIn(outcomes)]
  }
}

// A round of 0.4 s on two cores has 80 ticks, of which two may be stolen.
const mostStolen = 0.03
const mostDisturbed = 0.02

/** The time that other machines took, and the time since the start, in hundredths of a second. */
interface Stolen { readonly stolen: number, readonly at: number }

const readStolen = (): Stolen => ({ stolen: readCpuTimes()?.stolen ?? 0, at: performance.now() / 10 })

function stolenSince (before: Stolen): number {
  const after = readStolen()
  return (after.stolen - before.stolen) / ((after.at - before.at) * cores)
}

function loadBetween (before: MachineTimes | undefined, after: MachineTimes | undefined): readonly string[] {
  if (before === undefined || after === undefined) return ['the load of the machine is unknown: it has no /proc']
  const whole = (after.at - before.at) * cores
  const others = (after.busy - before.busy - (after.own - before.own)) / whole
  return others > mostOthers ? [`other processes took ${percent(others)} of the processor`] : []
}

const mostOthers = 0.06

/** Where many intervals are wide, the rounds differ by more than their subjects do. */
function unclearIn (outcomes: readonly Outcome[]): readonly string[] {
  const all = outcomes.flatMap(outcome => outcome.against.map(against => ratiosOf(outcome, against).cpu))
  const wide = all.filter(isWide)
  return wide.length > all.length / 5 ? [`${wide.length} of ${all.length} intervals are wider than 30 %`] : []
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** Returns undefined on a system without /proc. */
function readTimes (): MachineTimes | undefined {
  const times = readCpuTimes()
  return times && { busy: times.busy, own: treeTicks(process.pid), at: performance.now() / 10 }
}

/** Returns the time of all cores, in hundredths of a second; undefined on a system without /proc (proc(5)). */
function readCpuTimes (): { readonly busy: number, readonly stolen: number } | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
    // Interrupts, which carry the requests, belong to no process, and are left out.
    const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = line.split(/\s+/).slice(1).map(Number)
    return { busy: user + nice + system, stolen }
  } catch {
    return undefined
  }
}
