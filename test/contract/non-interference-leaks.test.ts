import { test } from 'tap'
import { type Open, openMemory } from '../../lib/tools/testing/serving/serve.ts'
import type { World } from '../../lib/tools/testing/world/world.ts'
import fc from '../helpers/fast-check.ts'
import { leakless } from '../helpers/leakless.ts'
import { leaks } from '../helpers/leaks.ts'

const same = <T>(one: T) => one

// APIs with a leak, made on purpose, show that non-interference.test.ts finds what it is there for.

for (const [name, { seed, between = same, rules = same }] of Object.entries(leaks)) {
  test(`a leak is found where ${name}`, { timeout: 0 }, async t => {
    const reference: Open = tables => {
      const { source, close } = openMemory(tables)
      return { source: table => between(source(table)), close }
    }
    const spoil = ({ guarded, ...world }: World): World =>
      ({ ...world, ...guarded && { guarded: { ...guarded, guards: rules(guarded.guards) } } })
    const { failed, numRuns, errorInstance } = await fc.check(leakless({ reference, databases: {} }, spoil),
      { seed, numRuns: 300, endOnFailure: true })
    t.ok(failed, `after ${numRuns} worlds`)
    t.match(String(errorInstance), "'memory(), the twin' answers the last of the requests below differently")
  })
}
