import { answerTooLarge, readTimedOut } from '../../errors.ts'
import { objectWeight } from '../object-weight.ts'

// The objects that the read at hand has visited, its limit in milliseconds, and its end. One read runs at a time.
let visited = 0
let longest = Infinity
let end: number | undefined = Infinity

// The nested objects that it has made, and the most characters of its answer.
let nested = 0
let most = Infinity

/** `limit`: in milliseconds; 0 is no limit. `length`: the most characters of the answer. */
export interface ReadLimits { readonly limit: number, readonly length: number }

/**
 * Runs a read, whose loops call tick() and hold(). Throws `unavailable` if it takes longer than its limit, and
 * answer_too_large if its nested objects are too many for its answer.
 */
export function timed<Result> ({ limit, length }: ReadLimits, read: () => Result): Result {
  visited = 0
  longest = limit || Infinity
  end = undefined
  nested = 0
  most = length
  try {
    return read()
  } finally {
    // Reads of a transaction have no limit of their own.
    end = Infinity
    most = Infinity
  }
}

/** Counts nested objects before they are made. */
export function hold (objects: number): void {
  nested += objects
  if (nested * objectWeight > most) throw answerTooLarge(most)
}

/** Counts an object that a read visits, or a comparison of two, and looks at the time now and then. */
export function tick (): void {
  if ((++visited & 1023) !== 0) return
  const now = performance.now()
  end ??= now + longest
  if (now <= end) return
  throw readTimedOut(longest, new Error(`a read of memory() took longer than ${longest} ms, and was ended`))
}
