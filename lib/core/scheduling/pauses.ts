// When others get their turn is this room's to say, also where one place asks for it.
import { setImmediate } from 'node:timers/promises'

/**
 * Returns a function to await between the steps of long work: it gives other requests their turn once the work has gone
 * on for some milliseconds.
 */
export function makePauses (): () => Promise<void> | undefined {
  let began = performance.now()
  return () => performance.now() - began < longestWork
    ? undefined
    : setImmediate().then(() => { began = performance.now() })
}

// In milliseconds.
const longestWork = 5
