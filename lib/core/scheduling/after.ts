/**
 * Calls `next` with the value, or with the value of the promise. A value that is no promise is passed on at once: for
 * an item in memory this saves a third of the cost of its answer.
 */
export const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Returns the values, or a promise of all of them if one of them is a promise. */
export const afterAll = <T>(values: ReadonlyArray<T | Promise<T>>): readonly T[] | Promise<readonly T[]> =>
  values.some(value => value instanceof Promise) ? Promise.all(values) : values as readonly T[]
