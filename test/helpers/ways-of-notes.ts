import { test } from 'tap'
import { compileOptions } from '../../lib/core/api/options.ts'
import { compileModel } from '../../lib/core/model/compile.ts'
import dataApi, { type Declared } from '../../lib/index.ts'
import { tables, world } from '../fixtures/notes.ts'
import { everybody } from './everybody.ts'
import fc, { runsOf } from './fast-check.ts'
import Fastify from './fastify.ts'
import { test as testOnPostgres } from './on-postgres.ts'
import { openers } from './sources.ts'
import { type LinkWays, type Way, waysOf } from './ways.ts'

// The ways of writing the links of notes, and what each of them makes of data.

const requestStrategies = { upsert: true, delete: true } as const

export type Kind = keyof typeof openers
export type Row = Readonly<Record<string, unknown>>
export type Data = Readonly<Record<string, readonly Row[]>>

const declared: Record<string, Declared> = world.collections((await openers.memory(tables)).source)
const { naming, pages } = compileOptions({ collections: declared, requestStrategies })
const model = compileModel(declared, { naming, pages, requestStrategies, reserved: new Map() })

/** Returns the ways of making and removing each link of the items with these keys. */
export const linksOf = (own: Readonly<Record<string, number>>): readonly LinkWays[] =>
  waysOf(model, { of: ({ name }) => own[name] ?? 0, unused: 99 })

/** Returns all of them. */
export const waysFor = (own: Readonly<Record<string, number>>): readonly Way[] =>
  linksOf(own).flatMap(({ ways, unlinking }) => [...ways, ...unlinking])

/** Serves data, by declarations that `change` has changed. */
export async function serve (
  kind: Kind, data: Data = tables, change: (declared: Record<string, Declared>) => Record<string, Declared> = one => one
) {
  const opened = await openers[kind](data, world.ddl)
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody, requestStrategies, collections: change(world.collections(opened.source))
  })
  const send = async ({ method, url, body }: Way, asked: Readonly<Record<string, string>> = {}) => {
    const headers = { ...asked, ...body !== undefined && { 'content-type': 'application/json' } }
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const { statusCode, body: told } = await app.inject({ method, url, headers, ...payload })
    return { statusCode, told }
  }
  const rows = async (): Promise<Data> => Object.fromEntries(
    await Promise.all(Object.keys(data).map(async name => [name, await opened.rows(name)] as const))
  )
  const close = async () => {
    await app.close()
    await opened.close()
  }
  return { send, rows, close }
}

/** Sends a way to data of its own. Returns the status, the answer and the data afterwards. */
export async function sendTo (
  kind: Kind, data: Data, way: Way, headers: Readonly<Record<string, string>> = {},
  change?: Parameters<typeof serve>[2]
) {
  const { send, rows, close } = await serve(kind, data, change)
  try {
    return { ...await send(way, headers), after: await rows() }
  } finally {
    await close()
  }
}

/** Draws keys of items, one of each collection. */
export const ownKeys = fc.record({
  safes: fc.constantFrom(5, 6),
  notes: fc.integer({ min: 1, max: 3 }),
  parts: fc.integer({ min: 1, max: 3 }),
  tags: fc.integer({ min: 1, max: 2 })
})

/** Draws links of notes and tags. */
export const tagLinks = fc.subarray([[1, 1], [1, 2], [2, 1], [2, 2], [3, 1], [3, 2]] as const)

/**
 * Tests on each kind of source that no case is a breach. `shares`: how many times `runs` cases are drawn for it; each
 * write on SQLite and PostgreSQL has a new database.
 */
export function lawOnEach<T> (
  name: string, cases: fc.Arbitrary<T>, runs: number, shares: Readonly<Record<Kind, number>>,
  findBreach: (kind: Kind, one: T) => Promise<string | undefined>
): void {
  for (const [kind, share] of Object.entries(shares) as ReadonlyArray<readonly [Kind, number]>) {
    const run = kind === 'postgres' ? testOnPostgres : test
    run(`${name} (${kind})`, async t => {
      t.setTimeout(0)
      const numRuns = runsOf(runs) * share
      await fc.assert(fc.asyncProperty(cases, async one => {
        const breach = await findBreach(kind, one)
        if (breach !== undefined) throw new Error(breach)
      }), { numRuns, endOnFailure: true, includeErrorInReport: true })
      t.pass(`${numRuns} writes`)
    })
  }
}
