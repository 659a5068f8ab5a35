import fc from '../helpers/fast-check.ts'
import { test } from 'tap'
import { openMemory } from '../../lib/tools/testing/conformance/run.ts'
import { leakless } from '../helpers/leakless.ts'
import { leaks } from '../helpers/leaks.ts'

// APIs with a leak, made on purpose, show that non-interference.test.ts finds what it is there for.

for (const [name, { seed, ...making }] of Object.entries(leaks)) {
  test(`a leak is found where ${name}`, { timeout: 0 }, async t => {
    const { failed, numRuns, errorInstance } = await fc.check(leakless({ memory: openMemory }, making),
      { seed, numRuns: 300, endOnFailure: true })
    t.ok(failed, `after ${numRuns} worlds`)
    t.match(String(errorInstance), 'THE TWIN')
  })
}
