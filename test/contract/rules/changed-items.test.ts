import { test } from 'tap'
import dataApi, { type Declared, type Scope } from '../../../lib/index.ts'
import { compileOptions } from '../../../lib/core/api/options.ts'
import { compileModel } from '../../../lib/core/model/compile.ts'
import { tables, world } from '../../fixtures/notes.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import Fastify from '../../helpers/fastify.ts'
import { test as testOnPostgres } from '../../helpers/on-postgres.ts'
import { openers } from '../../helpers/sources.ts'
import { type Way, waysOf } from '../../helpers/ways.ts'
import { everybody } from '../../helpers/everybody.ts'

// docs/http.md: Rules. By every way of writing a link and of deleting its items, enumerated from the model: a write is
// refused where it changes an item that the caller may not change, by the rows before and after alone, and done where
// it does not.

const requestStrategies = { upsert: true, delete: true } as const

type Row = Readonly<Record<string, unknown>>
type Data = Readonly<Record<string, readonly Row[]>>
type Allowed = Readonly<Record<string, { readonly update: readonly number[], readonly delete: readonly number[] }>>
type Kind = keyof typeof openers

const declared: Record<string, Declared> = world.collections((await openers.memory(tables)).source)
const { naming, pages } = compileOptions({ collections: declared, requestStrategies })
const model = compileModel(declared, { naming, pages, requestStrategies, reserved: new Map() })

function waysFor (own: Readonly<Record<string, number>>): readonly Way[] {
  const links = waysOf(model, { of: ({ name }) => own[name] ?? 0, unused: 99 })
  const posts = [['safes', 'notes'], ['notes', 'parts'], ['notes', 'tags'], ['tags', 'notes']] as const
  return [
    ...links.flatMap(({ ways, unlinking }) => [...ways, ...unlinking]),
    ...posts.map(([holder, name]): Way =>
      ({ method: 'POST', url: `/${holder}/${own[holder]}/${name}`, body: { id: own[name] }, asks: [] }))
  ]
}

async function send (kind: Kind, data: Data, { method, url, body }: Way, allowed?: Allowed) {
  const opened = await openers[kind](data, world.ddl)
  const app = Fastify()
  const among = (ids: readonly number[]): Scope<Record<string, unknown>> => (_context, where) => where.oneOf('id', ids)
  const collections = Object.fromEntries(Object.entries(world.collections(opened.source)).map(([name, one]) => {
    const ids = allowed?.[name]
    return [name, { ...one, scope: ids && { update: among(ids.update), delete: among(ids.delete) } }]
  }))
  await app.register(dataApi, { rules: everybody, requestStrategies, collections })
  try {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const { statusCode } = await app.inject({ method, url, headers, ...payload })
    const after = await Promise.all(Object.keys(data).map(async name => [name, await opened.rows(name)] as const))
    return { status: statusCode, after: Object.fromEntries(after) as Data }
  } finally {
    await app.close()
    await opened.close()
  }
}

/** Returns true if the caller may make all changes between the data before and after. */
function isAllowed ({ method, url }: Way, before: Data, after: Data, allowed: Allowed): boolean {
  const [, name = '', segment, relation] = url.split('/')
  const path = { name, id: Number(segment) }
  const may = (operation: 'update' | 'delete', collection: string, id: unknown) =>
    before[collection]?.every(row => row['id'] !== id) === true ||
      allowed[collection]?.[operation].includes(Number(id)) === true
  const isOfItem = method === 'PATCH' || (method === 'PUT' && (relation === undefined || relation === 'safe_id'))
  if (isOfItem && !may('update', path.name, path.id)) return false
  const isDeletion = Object.keys(allowed).some(one => (after[one]?.length ?? 0) < (before[one]?.length ?? 0))
  // A link that is there already is asked for as a new one is.
  const isLinking = (method === 'POST' && ['notes/tags', 'tags/notes'].includes(`${name}/${relation}`)) ||
    (!isDeletion && JSON.stringify(before['note_tags']) !== JSON.stringify(after['note_tags']))
  if (isLinking && segment !== undefined && !may('update', path.name, path.id)) return false
  // A link in a join table changes the items at both of its ends.
  const isLinkAllowed = ({ noteId, tagId }: Readonly<Record<string, unknown>>) =>
    may('update', 'notes', noteId) && may('update', 'tags', tagId)
  if (!isDeletion && !changedLinks(before, after).every(isLinkAllowed)) return false
  return Object.keys(allowed).every(one => before[one]?.every(row => {
    const now = after[one]?.find(({ id }) => id === row['id'])
    if (now === undefined) return may('delete', one, row['id'])
    return JSON.stringify(now) === JSON.stringify(row) || may('update', one, row['id'])
  }))
}

function changedLinks ({ note_tags: before = [] }: Data, { note_tags: after = [] }: Data) {
  const without = (some: typeof before, others: typeof before) => {
    const known = others.map(one => JSON.stringify(one))
    return some.filter(one => !known.includes(JSON.stringify(one)))
  }
  return [...without(before, after), ...without(after, before)]
}

interface Case {
  readonly allowed: Allowed
  readonly links: ReadonlyArray<readonly [number, number]>
  readonly own: Readonly<Record<string, number>>
  readonly choice: number
}

async function findBreach (kind: Kind, { allowed, links, own, choice }: Case): Promise<string | undefined> {
  const ways = waysFor(own)
  const way = ways[choice % ways.length]
  if (way === undefined) throw new TypeError('there are ways')
  const data: Data = { ...tables, note_tags: links.map(([noteId, tagId]) => ({ noteId, tagId })) }
  const open = await send(kind, data, way)
  const restricted = await send(kind, data, way, allowed)
  const isWritten = JSON.stringify(restricted.after) !== JSON.stringify(data)
  const may = isAllowed(way, data, open.after, allowed)
  const isLawful = open.status >= 400
    ? !isWritten && [open.status, 403].includes(restricted.status)
    : may
      ? restricted.status === open.status && JSON.stringify(restricted.after) === JSON.stringify(open.after)
      : restricted.status === 403 && !isWritten
  return isLawful
    ? undefined
    : `${way.method} ${way.url} ${JSON.stringify(way.body)} ${JSON.stringify({ allowed, links, may })}: ${
      JSON.stringify({ open, restricted })}`
}

const some = (...ids: readonly number[]) => fc.record({ update: fc.subarray([...ids]), delete: fc.subarray([...ids]) })

const cases: fc.Arbitrary<Case> = fc.record({
  allowed: fc.record({ safes: some(5, 6), notes: some(1, 2, 3), parts: some(1, 2, 3), tags: some(1, 2) }),
  choice: fc.nat({ max: 100_000 }),
  links: fc.subarray([[1, 1], [1, 2], [2, 1], [2, 2], [3, 1], [3, 2]] as const),
  own: fc.record({
    safes: fc.constantFrom(5, 6),
    notes: fc.integer({ min: 1, max: 3 }),
    parts: fc.integer({ min: 1, max: 3 }),
    tags: fc.integer({ min: 1, max: 2 })
  })
})

// Each write on SQLite and PostgreSQL has a new database.
const shares = { memory: 12, sqlite: 4, postgres: 1 } as const

for (const [kind, share] of Object.entries(shares) as ReadonlyArray<readonly [Kind, number]>) {
  const run = kind === 'postgres' ? testOnPostgres : test
  run(`a write is done if the caller may change every item that it changes, and else refused (${kind})`, async t => {
    t.setTimeout(0)
    const numRuns = runsOf(8) * share
    await fc.assert(fc.asyncProperty(cases, async one => {
      const breach = await findBreach(kind, one)
      if (breach !== undefined) throw new Error(breach)
    }), { numRuns, endOnFailure: true, includeErrorInReport: true })
    t.pass(`${numRuns} writes`)
  })
}
