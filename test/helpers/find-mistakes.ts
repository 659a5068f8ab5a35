import { test } from 'tap'
import { ProofError, proveRules } from '../../lib/prove/index.ts'
import { buildDesk, member } from '../prove/desk.ts'
import { mistakes } from '../prove/mistakes.ts'

/**
 * Tests that three seeds find each mistake; npm run test:prove takes a hundred for each. `slow`: those that take
 * hundreds of requests, or those that are found soon.
 */
export function findMistakes (slow: boolean): void {
  for (const [name, mistake] of Object.entries(mistakes)) {
    if ((mistake.slow === true) !== slow) continue
    test(`a leak is found: ${name}`, async t => {
      const { routes = [] } = mistake
      for (const seed of [1, 2, 3]) {
        const proving = proveRules({ app: () => buildDesk(mistake), callers: { member }, seed, routes })
        const error = await proving.catch((error: unknown) => error)
        t.ok(error instanceof ProofError)
        t.match(String(error), /^ProofError: A member can tell /)
      }
    })
  }
}
