import fc from 'fast-check'
import { CaseArbitrary, fewestRequests } from './case.ts'
import type { ChoiceSequence } from '../world/generator.ts'
import { describeDifference, describeFault } from './report.ts'
import { type Difference, runWorld } from './run.ts'
import type { Open } from '../serving/serve.ts'
import { makeWorld, type World } from '../world/world.ts'

export type { Open, Opened } from '../serving/serve.ts'
export type { Column, ColumnKind, Reference, Table, TableReference } from '../world/table.ts'

export interface ConformanceOptions {
  /**
   * Creates tables with their rows, in a database or schema of their own. One function, or several by name: then each
   * request is sent to all.
   */
  open: Open | Readonly<Record<string, Open>>
  /** The least number of requests to send. Default 10,000. */
  requests?: number
  /**
   * The seed of all that is generated, an integer: the same seed generates the same requests. Default: a random
   * integer, which the error of a failure contains.
   */
  seed?: number
  /** The path of one failure, from its error, to run that case alone; it needs the seed of the same error. */
  path?: string
  /** The time spent on simplifying a failure, in milliseconds. Default 60,000. */
  simplifyFor?: number
}

/** The numbers of requests sent and of schemas generated, and the seed. */
export interface Conformed { readonly requests: number, readonly schemas: number, readonly seed: number }

/** Thrown where a source answers differently from memory(); the message has all that is needed to reproduce it. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError'
  readonly seed: number
  readonly path: string
  constructor (message: string, { seed, path, cause }: {
    readonly seed: number
    readonly path: string
    readonly cause?: unknown
  }) {
    super(message, { cause })
    this.seed = seed
    this.path = path
  }
}

/**
 * Tests that a source answers as memory() does (docs/testing.md: Conformance). Generates tables with rows and an API
 * over them, again and again, and sends generated requests to the API over each database. Status, headers and body of
 * all answers must be equal byte for byte, and so must the rows at the end. Throws a ConformanceError for the simplest
 * difference that it finds.
 */
export async function conformance ({
  open,
  requests = 10_000,
  seed = Math.floor(Math.random() * 2 ** 31),
  path,
  simplifyFor = 60_000
}: ConformanceOptions): Promise<Conformed> {
  const databases = typeof open === 'function' ? { source: open } : open
  const sent = { requests: 0, schemas: 0 }
  let simplifyUntil = Infinity
  const property = fc.asyncProperty(new CaseArbitrary(), async ({ requests: choices, ...world }) => {
    const isDone = sent.requests >= requests && simplifyUntil === Infinity && path === undefined
    if (isDone || performance.now() > simplifyUntil) return
    sent.schemas++
    try {
      await check(makeWorld(world), choices, databases, () => { sent.requests++ })
    } catch (error) {
      if (simplifyUntil === Infinity) simplifyUntil = performance.now() + simplifyFor
      throw error
    }
  })
  const numRuns = path === undefined ? Math.ceil(requests / fewestRequests) : 1
  const result = await fc.check(property, { seed, numRuns, ...path !== undefined && { path, endOnFailure: true } })
  if (result.failed) throw failure(seed, result.counterexamplePath ?? '', result.errorInstance)
  return { ...sent, seed }
}

/** Thrown for a world in which a difference was found, or which a source could not serve. */
class WorldError extends Error {}

async function check (
  world: World, requests: readonly ChoiceSequence[], databases: Readonly<Record<string, Open>>, count: () => void
): Promise<void> {
  let difference: Difference | undefined
  try {
    difference = await runWorld(world, requests, { databases }, count)
  } catch (cause) {
    throw new WorldError(describeFault(world, cause), { cause })
  }
  if (difference !== undefined) throw new WorldError(describeDifference(world, difference))
}

function failure (seed: number, path: string, error: unknown): ConformanceError {
  const [found, cause] = error instanceof WorldError ? [error.message, error.cause] : [String(error), error]
  const advice = `To repeat this case alone: conformance({ open, seed: ${seed}, path: '${path}' })`
  return new ConformanceError(`${found}\n\n${advice}`, { seed, path, cause })
}
