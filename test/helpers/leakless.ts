import fc from './fast-check.ts'
import { CaseArbitrary } from '../../lib/tools/testing/conformance/case.ts'
import { describeDifference } from '../../lib/tools/testing/conformance/report.ts'
import { type Compared, runWorld } from '../../lib/tools/testing/conformance/run.ts'
import { makeWorld, type World } from '../../lib/tools/testing/world/world.ts'

/**
 * A property of drawn worlds with rules: each answers as its twin, which differs only in what the caller may not see,
 * and each database as memory(). `spoil`: makes a leak on purpose.
 */
export const leakless = (compared: Compared, spoil = (world: World) => world) =>
  fc.asyncProperty(new CaseArbitrary(), async ({ requests, ...choices }) => {
    const world = spoil(makeWorld(choices, true))
    const difference = await runWorld(world, requests, compared)
    if (difference !== undefined) throw new Error(describeDifference(world, difference))
  })
