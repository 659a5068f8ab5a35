/** Runs work when it is its turn. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Returns a function that runs at most so many works at once, in the order in which they are given. */
export function makeTurns (most: number): InTurn {
  const waiting: Array<() => void> = []
  let running = 0
  return async work => {
    if (running < most) running++
    else await new Promise<void>(resolve => { waiting.push(resolve) })
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
