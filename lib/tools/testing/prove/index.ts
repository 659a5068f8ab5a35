import type { FastifyInstance } from 'fastify'
import { describeLeak, undrivenOf, unrefusedOf, writeReport } from './report.ts'
import { prove, type Proved } from './prover.ts'
import { tableShapes } from './rows.ts'
import type { ProvedCaller } from './sight.ts'
import { buildWorld } from './world.ts'

export { expectRights, type Rights, type RightsCaller, type RightsCallers, readRights } from './rights.ts'
export type { ProvedCaller } from './sight.ts'

export interface ProveOptions {
  /**
   * Builds the application, as for a test. It is called twice, and may not listen. Its collections get throw-away
   * tables: no database is asked for their data.
   */
  app: () => Promise<FastifyInstance> | FastifyInstance
  /** The callers by name. Default: `visitor`, who sends no header. */
  callers?: Readonly<Record<string, ProvedCaller>>
  /** The number of requests of all callers. Default 2,000. */
  requests?: number
  /** The seed of all that is generated, an integer. Default: a random one, which the report names. */
  seed?: number
  /** The application's own routes to drive as well, such as `GET /me` or `POST /notes/:id/archive {"why":"old"}`. */
  routes?: ReadonlyArray<string | OwnRoute>
  /** What callers may learn, such as `notes.salary`, and ways that cannot be driven, such as `notes created`. */
  allow?: readonly string[]
}

export interface OwnRoute { method: string, url: string, headers?: Readonly<Record<string, string>>, body?: string }

/** What was driven without a difference. */
export interface Proof {
  readonly requests: number
  readonly seed: number
  /** The report, as Markdown. */
  readonly report: string
}

/** Thrown where a caller can learn what is hidden from it, or where something could not be driven. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly requests: number
  readonly seed: number
  readonly report: string
  constructor (message: string, { requests, seed, report }: Proof) {
    super(message)
    this.requests = requests
    this.seed = seed
    this.report = report
  }
}

/**
 * Looks for anything that the rules of an application do not hide (docs/testing.md: Prove). Builds the application
 * twice, over tables that differ only in what a caller may not see, and sends both the same requests: every answer must
 * be the same. Throws a ProofError for the first difference, for a write at a collection that the caller may not read
 * which is not refused, and for a way into the data that could not be driven.
 */
export async function proveRules ({
  app, callers = { visitor: {} }, requests = 2000, seed = Math.floor(Math.random() * 2 ** 31), routes = [], allow = []
}: ProveOptions): Promise<Proof> {
  const random = makeRandom(seed)
  const worlds = [await buildWorld(app), await buildWorld(app)] as const
  const proved: Proved[] = []
  const allowed = new Set(allow)
  try {
    const [{ madeUp }] = worlds
    const shapes = tableShapes(worlds[0])
    const own = routes.map(route => typeof route === 'string' ? route : { headers: {}, ...route })
    const share = Math.ceil(requests / Object.keys(callers).length)
    for (const [name, caller] of Object.entries(callers)) {
      const one = await prove(name, caller, { worlds, shapes, allow: allowed, routes: own, random, requests: share })
      proved.push(one)
      if (one.leak !== undefined) break
    }
    const report = writeReport({ seed, callers: proved, allow: allowed, madeUp })
    const proof: Proof = { requests: proved.reduce((sum, one) => sum + one.requests, 0), seed, report }
    const problem = problemIn(proved, allowed)
    if (problem !== undefined) throw new ProofError(`${problem}\n\n${report}`, proof)
    return proof
  } finally {
    for (const world of worlds) await world.close()
  }
}

function problemIn (proved: readonly Proved[], allow: ReadonlySet<string>): string | undefined {
  for (const { caller, leak } of proved) if (leak !== undefined) return describeLeak(caller, leak)
  for (const { caller, isKnown } of proved) {
    if (!isKnown) return `The application refused every request of ${caller}: its headers are not those of a caller`
  }
  for (const one of proved) {
    const [first] = unrefusedOf(one, allow)
    if (first !== undefined) return `Who may not read a collection may not change it, but ${one.caller} may: ${first}`
  }
  for (const one of proved) {
    const [first, ...more] = undrivenOf(one, allow)
    if (first === undefined) continue
    const others = more.length === 0 ? '' : `, and ${more.length} other ways,`
    return `Not all was driven: '${first}'${others} gave ${one.caller} errors only; give the schema examples, or ` +
      'name it in `allow`'
  }
  return undefined
}

/** Returns a function like Math.random() that gives the same numbers for the same seed (mulberry32). */
function makeRandom (seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ state >>> 15, state | 1)
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61)
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32
  }
}
