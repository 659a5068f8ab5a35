import { test } from 'tap'
import { ProofError, proveRules } from '../../lib/tools/testing/prove/index.ts'
import { plantedIn } from '../helpers/fast-check.ts'
import { buildDesk, member } from './desk.ts'
import { mistakes } from './mistakes.ts'

// docs/testing.md: Prove. npm run test:prove takes a hundred seeds for each mistake.

const soonFound = Object.keys(mistakes).filter(name => mistakes[name]?.slow !== true)

for (const [name, mistake] of plantedIn(mistakes, soonFound)) {
  test(`a leak is found: ${name}`, async t => {
    const { routes = [] } = mistake
    const proving = proveRules({ app: () => buildDesk(mistake), callers: { member }, seed: 1, routes })
    const error = await proving.catch((error: unknown) => error)
    t.ok(error instanceof ProofError)
    t.match(String(error), /^ProofError: A member can tell /)
  })
}
