import { test } from 'tap'
import { ProofError, proveRules } from '../../lib/prove/index.ts'
import { buildDesk, member } from './desk.ts'
import { mistakes } from './mistakes.ts'

// Those that are found soon, by three seeds; npm run test:prove takes a hundred for each mistake.

const callers = { member }

for (const [name, mistake] of Object.entries(mistakes)) {
  if (mistake.slow === true) continue
  test(`a leak is found: ${name}`, async t => {
    const { routes = [] } = mistake
    for (const seed of [1, 2, 3]) {
      const proving = proveRules({ app: () => buildDesk(mistake), callers, seed, routes })
      const error = await proving.catch((error: unknown) => error)
      t.ok(error instanceof ProofError)
      t.match(String(error), /^ProofError: A member can tell /)
    }
  })
}
