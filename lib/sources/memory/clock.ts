import { readTimedOut } from '../../errors.ts'

// The objects that the read at hand has visited, its limit in milliseconds, and its end. One read runs at a time.
let visited = 0
let longest = Infinity
let end: number | undefined = Infinity

/**
 * Runs a read, whose loops call tick(). Throws `unavailable` if it takes longer than `limit` milliseconds; 0 is no
 * limit.
 */
export function timed<Result> (limit: number, read: () => Result): Result {
  visited = 0
  longest = limit || Infinity
  end = undefined
  try {
    return read()
  } finally {
    // What a transaction reads has no limit of its own.
    end = Infinity
  }
}

/** Counts an object that a read visits, and looks at the time now and then. */
export function tick (): void {
  if ((++visited & 1023) !== 0) return
  const now = performance.now()
  end ??= now + longest
  if (now <= end) return
  throw readTimedOut(longest, new Error(`a read of memory() took longer than ${longest} ms, and was ended`))
}
