import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { CaseArbitrary } from '../../lib/tools/testing/conformance/case.ts'
import { declare } from '../../lib/tools/testing/world/declare.ts'
import { openMemory } from '../../lib/tools/testing/serving/serve.ts'
import dataApi, { frameworkErrors } from '../../lib/index.ts'
import { ProofError, proveRules } from '../../lib/tools/testing/prove/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { makeWorld, type World } from '../../lib/tools/testing/world/world.ts'
import { computedFrom } from '../../lib/tools/testing/world/visible.ts'

// docs/testing.md#prove, over the generated applications of test/contract/non-interference.test.ts, which makes its
// pairs of worlds by other means: a fault of either is found by the other.

async function build (world: World): Promise<FastifyInstance> {
  const { source } = openMemory(world.tables)
  const app = Fastify({ frameworkErrors, routerOptions: { maxParamLength: 10_000 } })
  await app.register(dataApi, { ...world.options, collections: declare(world, source) })
  return app
}

type Allows = (world: World) => readonly string[]

/** Fails with the sentence of a leak. `allows`: the fields that the application's own code shows. */
const holding = (allows: Allows) => fc.asyncProperty(new CaseArbitrary(), async choices => {
  const world = makeWorld(choices, true)
  const proof = proveRules({ app: () => build(world), requests: 100, seed: 1, allow: allows(world) })
  const error: unknown = await proof.catch((reason: unknown) => reason)
  if (error instanceof ProofError && !/ can tell /.test(error.message.split('\n')[0] ?? '')) return
  if (error instanceof Error) throw error
})

// Each takes a thousand requests: more do not fit into a night.
const runs = Math.min(100, runsOf(3))

test('nothing is found where the rules of generated applications hold', { timeout: 0 }, async t => {
  await fc.assert(holding(({ collections }) => collections.flatMap(one =>
    computedFrom(one).map(property => `${one.property}.${property}`))), { numRuns: runs, endOnFailure: true })
  t.pass(`${runs} applications`)
})

test('a computed field that shows hidden ones is found in generated applications', { timeout: 0 }, async t => {
  // The first application of this seed has such a field; where it no longer does, a later one will.
  const { errorInstance } = await fc.check(holding(() => []), { seed: 1, numRuns: 30, endOnFailure: true })
  t.match(String(errorInstance), / can tell .* by `\w+ \//)
})
