import fc from 'fast-check'
import { CaseArbitrary, fewestRequests } from './case.ts'
import { report } from './report.ts'
import { type Difference, runWorld } from './run.ts'
import type { Open } from './serve.ts'
import type { Tape } from './tape.ts'
import { makeWorld, type World } from './world.ts'

export type { Open, Opened } from './serve.ts'
export type { Column, ColumnKind, Reference, Table } from './table.ts'

export interface ConformanceOptions {
  /** Makes tables with their rows in a database or schema of their own. One, or several by name: each request is then sent to all. */
  open: Open | Readonly<Record<string, Open>>
  /** How many requests are sent at the least. Default 10,000. */
  requests?: number
  /** What everything is drawn from, an integer: the same seed sends the same requests. Default: another each time; a failure tells it. */
  seed?: number
  /** The way to one failure, as the failure told it beside the seed; nothing else is then sent. */
  path?: string
  /** How long a failure is made simpler, in milliseconds. Default 60,000. */
  simplifyFor?: number
}

/** What was sent. */
export interface Conformed { readonly requests: number, readonly schemas: number, readonly seed: number }

/** Told where a source answers otherwise than memory(); the message holds all that is needed to see it again. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError'
  readonly seed: number
  readonly path: string
  constructor (message: string, { seed, path, cause }: { readonly seed: number, readonly path: string, readonly cause?: unknown }) {
    super(message, { cause })
    this.seed = seed
    this.path = path
  }
}

/**
 * Proves that a source answers as memory() does (docs/conformance.md): over and over, tables with rows and an API over them are generated, and requests
 * that read and write are sent to it over each database; status, headers and body of every answer must be the same byte for byte, and what is held at
 * the end too. Throws a ConformanceError for the simplest difference that is found.
 */
export async function conformance ({ open, requests = 10_000, seed = Math.floor(Math.random() * 2 ** 31), path, simplifyFor = 60_000 }: ConformanceOptions): Promise<Conformed> {
  const databases = typeof open === 'function' ? { source: open } : open
  const told = { requests: 0, schemas: 0 }
  let simplifyUntil = Infinity
  const property = fc.asyncProperty(new CaseArbitrary(), async ({ requests: tapes, ...world }) => {
    if (performance.now() > simplifyUntil || (told.requests >= requests && simplifyUntil === Infinity && path === undefined)) return
    told.schemas++
    try {
      await check(makeWorld(world), tapes, databases, () => { told.requests++ })
    } catch (error) {
      if (simplifyUntil === Infinity) simplifyUntil = performance.now() + simplifyFor
      throw error
    }
  })
  const numRuns = path === undefined ? Math.ceil(requests / fewestRequests) : 1
  const result = await fc.check(property, { seed, numRuns, ...path !== undefined && { path, endOnFailure: true } })
  if (result.failed) throw failure(seed, result.counterexamplePath ?? '', result.errorInstance)
  return { ...told, seed }
}

/** A world in which a difference was found. */
class Unlike extends Error {
  readonly world: World
  readonly difference: Difference
  constructor (world: World, difference: Difference) {
    super('answered differently from memory()')
    this.world = world
    this.difference = difference
  }
}

async function check (world: World, requests: readonly Tape[], databases: Readonly<Record<string, Open>>, count: () => void): Promise<void> {
  const difference = await runWorld(world, requests, databases, count)
  if (difference !== undefined) throw new Unlike(world, difference)
}

function failure (seed: number, path: string, cause: unknown): ConformanceError {
  const what = cause instanceof Unlike ? `A source answers differently from memory().\n\n${report(cause.world, cause.difference)}` : `A source could not be tested: ${cause instanceof Error ? cause.stack ?? cause.message : String(cause)}`
  return new ConformanceError(`seed: ${seed}, path: '${path}'. ${what}`, { seed, path, cause })
}
