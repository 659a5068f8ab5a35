/** Returns what `run` returns, and the numbers that it drew from Math.random. */
export function recordingDraws<T> (run: () => T): { readonly result: T, readonly draws: readonly number[] } {
  const { random } = Math
  const draws: number[] = []
  Math.random = () => {
    const drawn = random()
    draws.push(drawn)
    return drawn
  }
  try {
    return { result: run(), draws }
  } finally {
    Math.random = random
  }
}

/**
 * Runs a synchronous function with a clock that is ahead, and a Math.random that draws other numbers than `draws`: each
 * is half a range away. Only what asks `Date` and `Math` by these names is told them.
 */
export function atAnotherTime<T> (draws: readonly number[], run: () => T): T {
  const { Date: date } = globalThis
  const { random } = Math
  let drawn = 0
  globalThis.Date = clockAhead(date)
  Math.random = () => ((draws[drawn++] ?? random()) + 0.5) % 1
  try {
    return run()
  } finally {
    globalThis.Date = date
    Math.random = random
  }
}

// In milliseconds: 400 days and 12:30:30, so that each part of a date and time differs.
const ahead = ((400 * 24 + 12) * 60 + 30) * 60_000 + 30_000

/** Returns a Date that asks `date` for the time; a date that is made of values is as it is. */
function clockAhead (date: DateConstructor): DateConstructor {
  const now = () => date.now() + ahead
  return new Proxy(date, {
    apply: () => new Date(now()).toString(),
    construct: (target, values: readonly unknown[], made: new () => Date) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, made) as Date,
    get: (target, property, receiver) => property === 'now' ? now : Reflect.get(target, property, receiver) as unknown
  })
}
