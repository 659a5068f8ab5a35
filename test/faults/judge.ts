import { isAcknowledged, isUnknown, type Write } from './load.ts'
import type { Mark } from './world.ts'

/** What became of the writes of an experiment. All but `acknowledged` and `told` should be 0. */
export interface Verdict {
  readonly acknowledged: number
  /** Acknowledged, and not there. */
  readonly lost: number
  /** There in part. */
  readonly half: number
  /** There more than once. */
  readonly twice: number
  /** Refused with an answer that says that nothing was written, and there. */
  readonly refusedAndWritten: number
  /** Answers of 500. */
  readonly internal: number
  /** Every answer that acknowledges nothing, with its number. */
  readonly told: ReadonlyMap<string, number>
  /** What went wrong, with the kind of write and its answer, and how often. */
  readonly faults: ReadonlyMap<string, number>
}

/** Compares what clients were told with the marks in the database. */
export function judge (writes: readonly Write[], marks: readonly Mark[]): Verdict {
  const found = new Map<string, Mark[]>()
  for (const mark of marks) found.set(mark.token, [...found.get(mark.token) ?? [], mark])
  const faults = writes.map(write => ({ write, fault: faultOf(write, found.get(write.token) ?? []) }))
  const count = (wanted: Fault) => faults.filter(({ fault }) => fault === wanted).length
  return {
    acknowledged: writes.filter(isAcknowledged).length,
    lost: count('lost'),
    half: count('half written'),
    twice: count('done twice'),
    refusedAndWritten: count('refused and written'),
    internal: writes.filter(({ status }) => status === 500).length,
    told: tally(writes.filter(write => !isAcknowledged(write)).map(nameOf)),
    faults: tally(faults.flatMap(({ write, fault }) => fault === undefined ? [] : describe(fault, write)))
  }
}

const describe = (fault: Fault, write: Write) => `${fault}: ${write.kind}, ${nameOf(write)}`

type Fault = 'lost' | 'half written' | 'done twice' | 'refused and written'

function faultOf (write: Write, marks: readonly Mark[]): Fault | undefined {
  const times = timesDone(write, marks)
  if (times === undefined) return 'half written'
  if (times > 1) return 'done twice'
  if (isAcknowledged(write)) return times === 0 ? 'lost' : undefined
  return times === 1 && !isUnknown(write) ? 'refused and written' : undefined
}

/** How often a write was done; undefined where only a part of it is there. */
function timesDone ({ traces }: Write, marks: readonly Mark[]): number | undefined {
  const countAt = (place: string) => marks.find(mark => mark.place === place)?.count ?? 0
  const counts = Object.entries(traces).map(([place, once]) => countAt(place) / once)
  const [first = 0] = counts
  return Number.isInteger(first) && counts.every(count => count === first) ? first : undefined
}

/** A status with its code, and with what is wrong with its headers. */
export function nameOf (
  { kind, status, code, hasRetryAfter }: Pick<Write, 'kind' | 'status' | 'code' | 'hasRetryAfter'>
): string {
  if (status === 0) return 'no answer'
  if (code === 'unavailable' && !hasRetryAfter) return `${status} ${code} without Retry-After`
  const isKeyed = kind.endsWith('key')
  // A write with a key can be repeated.
  if (code === 'outcome_unknown' && hasRetryAfter !== isKeyed) {
    return `${status} ${code} ${isKeyed ? 'without' : 'with'} Retry-After`
  }
  return `${status} ${code}`.trim()
}

/** How often each name stands in a list. */
export function tally (names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
