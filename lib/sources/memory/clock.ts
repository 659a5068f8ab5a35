import { readTimedOut } from '../../errors.ts'

/** How long a read may take, in milliseconds: it holds up all other requests. */
const longest = 1000

// The objects that the read at hand has visited, and its end. One read runs at a time.
let visited = 0
let end: number | undefined = Infinity

/** Runs a read, whose loops call tick(). Throws `unavailable` if it takes too long. */
export function timed<Result> (read: () => Result): Result {
  visited = 0
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
