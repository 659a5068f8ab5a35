import { answerTooLarge, readTimedOut } from '../../errors.ts'
import { objectWeight } from '../object-weight.ts'
import { Suspension, withStates } from './suspension.ts'

// One read runs at a time. The objects that it has visited, and the time of performance.now() at which it is suspended
// or ended: undefined until it is first compared, Infinity outside of reads.
let visited = 0
let begun = 0
let end: number | undefined = Infinity

// The longest time of all slices in milliseconds, and the time of those before.
let longest = Infinity
let spent = 0

// The nested objects that it has made, the characters that it has written, and the most characters of its answer.
let nested = 0
let written = 0
let most = Infinity

/** `limit`: in milliseconds; 0 is no limit. `length`: the most characters of the answer. */
export interface ReadLimits { readonly limit: number, readonly length: number }

// In milliseconds: other requests wait for one slice of a read.
const slice = 10

/**
 * Runs a read, whose loops call tick(), hold() and holdText(), for at most 10 ms. Returns its result, or the Suspension
 * with which the next call continues it. Throws `unavailable` if all its slices take longer than its limit, and
 * answer_too_large if its nested objects are too many for its answer, or its texts too long.
 */
export function runSlice<Result> (
  limits: ReadLimits, read: () => Result, suspension?: Suspension
): Result | Suspension {
  visited = 0
  end = undefined
  longest = limits.limit || Infinity
  spent = suspension?.spent ?? 0
  nested = suspension?.nested ?? 0
  written = suspension?.written ?? 0
  most = limits.length
  try {
    return suspension === undefined ? read() : withStates(suspension.states, read)
  } catch (error) {
    if (error instanceof Suspension) return error
    throw error
  } finally {
    // Reads of a transaction have no limit of their own, and are not suspended.
    end = Infinity
    most = Infinity
  }
}

/** Counts nested objects before they are made. */
export function hold (objects: number): void {
  nested += objects
  if (nested * objectWeight > most) throw answerTooLarge(most)
}

/** Counts the characters of a text that was written. */
export function holdText (length: number): void {
  written += length
  if (written > most) throw answerTooLarge(most)
}

/**
 * Counts an object that a read visits, or a comparison of two, and looks at the time now and then. Throws a Suspension
 * at the end of a slice: the caller's loop must keep its state (suspension.ts).
 */
export function tick (): void {
  if ((++visited & 31) === 0) look()
}

/** As tick(), in work that all later reads share, such as an index: the limit of the read does not count its slices. */
export function tickShared (): void {
  if ((++visited & 31) === 0) look(true)
}

function look (isShared = false): void {
  const now = performance.now()
  if (end === undefined) {
    begun = now
    end = now + Math.min(slice, longest - spent)
  }
  if (now <= end) return
  if (isShared) throw new Suspension(spent, nested, written)
  const total = spent + now - begun
  if (total <= longest) throw new Suspension(total, nested, written)
  throw readTimedOut(longest, new Error(`a read of memory() took longer than ${longest} ms, and was ended`))
}
