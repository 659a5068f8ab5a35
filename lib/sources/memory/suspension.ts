/**
 * Thrown by tick() to give up the event loop in the middle of a read. Every loop that it leaves adds its state, the
 * innermost first. When the read runs again, each takes its state back, the outermost first, and goes on where it was.
 * So a read is plain synchronous code, and costs nothing more unless it is suspended.
 *
 * Between a loop and the loop that it calls, no other loop of this file may run on the way: it would take the state of
 * the inner one. Where two follow each other, inTurn() keeps the result of the first.
 */
export class Suspension extends Error {
  readonly states: unknown[] = []
  /** The milliseconds that the read has run so far. */
  readonly spent: number
  /** The nested objects that it has made so far. */
  readonly nested: number
  /** The characters that it has written so far. */
  readonly written: number

  constructor (spent: number, nested: number, written: number) {
    super('a read of memory() is suspended')
    this.spent = spent
    this.nested = nested
    this.written = written
  }
}

// The states that the loops of the read at hand have not yet taken back.
let states: unknown[] = []

/** Runs a read again, whose loops take back these states. */
export function withStates<Result> (kept: readonly unknown[], read: () => Result): Result {
  states = [...kept]
  try {
    return read()
  } finally {
    states = []
  }
}

/** Returns the state with which a loop was left, where the read continues in it; undefined where the loop begins. */
export const resumed = <State>(): State | undefined => states.length === 0 ? undefined : states.pop() as State

/** Adds the state of a loop that the error leaves, if the error suspends the read. Returns the error. */
export function leaving (error: unknown, state: unknown): unknown {
  if (error instanceof Suspension) error.states.push(state)
  return error
}

/** Calls `next` with the result of `first`, which is not called again where the read continues in `next`. */
export function inTurn<First, Result> (first: () => First, next: (value: First) => Result): Result {
  let done = resumed<readonly First[]>() ?? []
  try {
    if (done.length === 0) done = [first()]
    return next(done[0] as First)
  } catch (error) {
    throw leaving(error, done)
  }
}

interface Loop<Made> { readonly index: number, readonly made: Made }

/** Returns the results of `make`, which calls tick() for each element. */
export function mapEach<T, R> (list: readonly T[], make: (element: T) => R): R[] {
  let { index, made } = resumed<Loop<R[]>>() ?? { index: 0, made: [] }
  try {
    for (; index < list.length; index++) made.push(make(list[index] as T))
    return made
  } catch (error) {
    throw leaving(error, { index, made })
  }
}

/** Returns the elements of all lists that `listOf` returns, which calls tick() for each element. */
export function flatMapEach<T, R> (list: readonly T[], listOf: (element: T) => readonly R[]): R[] {
  let { index, made } = resumed<Loop<R[]>>() ?? { index: 0, made: [] }
  try {
    for (; index < list.length; index++) for (const one of listOf(list[index] as T)) made.push(one)
    return made
  } catch (error) {
    throw leaving(error, { index, made })
  }
}

/**
 * Returns true if `test`, which calls tick() for each element, returns true for one. `listOf` is called once, and can
 * be suspended.
 */
export function someOf<T> (listOf: () => readonly T[], test: (element: T) => boolean): boolean {
  let { index, list } = resumed<{ index: number, list: readonly T[] | undefined }>() ?? { index: 0, list: undefined }
  try {
    list ??= listOf()
    for (; index < list.length; index++) if (test(list[index] as T)) return true
    return false
  } catch (error) {
    throw leaving(error, { index, list })
  }
}
