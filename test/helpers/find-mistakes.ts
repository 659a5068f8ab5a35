import { test } from 'tap'
import { ProofError, proveRules } from '../../lib/tools/testing/prove/index.ts'
import { buildDesk, member } from '../prove/desk.ts'
import { mistakes } from '../prove/mistakes.ts'

/**
 * Tests that each mistake is found; npm run test:prove takes a hundred seeds for each. `slow`: those that take hundreds
 * of requests, or those that are found soon.
 */
export function findMistakes (slow: boolean): void {
  for (const [name, mistake] of Object.entries(mistakes)) {
    if ((mistake.slow === true) !== slow) continue
    test(`a leak is found: ${name}`, async t => {
      const { routes = [] } = mistake
      const proving = proveRules({ app: () => buildDesk(mistake), callers: { member }, seed: 1, routes })
      const error = await proving.catch((error: unknown) => error)
      t.ok(error instanceof ProofError)
      t.match(String(error), /^ProofError: A member can tell /)
    })
  }
}
