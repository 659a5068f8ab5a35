import type { Test } from 'tap'

/** Timers that run when the test has them run, so that no machine is too slow for what is to happen before. */
export interface HeldTimers {
  /** Runs the timers that were set with about that delay. Without a delay, runs all. */
  fire (delay?: number): void
  /** The delays of the timers of setTimeout that are held. */
  delays (): readonly number[]
}

/** Delays that are held, in milliseconds. No timer that a test waits for takes that long. */
export const [hour, twoHours] = [3_600_000, 7_200_000]

// A limit may have begun some time before its timer is set.
const tolerance = hour / 2

/**
 * Holds all timers of the global setTimeout and setInterval with a delay of `least` or more, until the end of the test.
 * Default: about an hour.
 */
export function holdTimers (t: Test, least = hour - tolerance): HeldTimers {
  const { setTimeout: set, clearTimeout: clear, setInterval: repeat, clearInterval } = globalThis
  const held = new Map<NodeJS.Timeout, Held>()
  t.teardown(() => {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear, setInterval: repeat, clearInterval })
    for (const timer of held.keys()) clear(timer)
  })
  const forget = (timer: NodeJS.Timeout) => {
    held.delete(timer)
    clear(timer)
  }
  Object.assign(globalThis, {
    setTimeout (run: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) {
      const timer = set(run, delay, ...values)
      if (delay < least) return timer
      const refresh = timer.refresh.bind(timer)
      const hold = () => { held.set(timer, { delay, run: () => { run(...values) }, isRepeated: false }) }
      hold()
      return Object.assign(timer, {
        refresh () {
          hold()
          return refresh()
        }
      })
    },
    setInterval (run: () => void, delay: number) {
      const timer = repeat(run, delay)
      if (delay >= least) held.set(timer, { delay, run, isRepeated: true })
      return timer
    },
    clearTimeout: forget,
    clearInterval: forget
  })
  return {
    delays: () => [...held.values()].filter(({ isRepeated }) => !isRepeated).map(({ delay }) => delay),
    fire (delay) {
      for (const [timer, one] of held) {
        if (delay !== undefined && Math.abs(one.delay - delay) > tolerance) continue
        if (!one.isRepeated) clearTimeout(timer)
        one.run()
      }
    }
  }
}

interface Held { readonly delay: number, readonly isRepeated: boolean, run (): void }
