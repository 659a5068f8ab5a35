import type { Declared, Scope } from '../../../lib/index.ts'
import { tables } from '../../fixtures/notes.ts'
import fc from '../../helpers/fast-check.ts'
import type { Way } from '../../helpers/ways.ts'
import { type Data, type Kind, lawOnEach, ownKeys, sendTo, tagLinks, waysFor } from '../../helpers/ways-of-notes.ts'

// docs/http.md: Rules. By every way of writing a link and of deleting its items, enumerated from the model: a write is
// refused where it changes an item that the caller may not change, by the rows before and after alone, and done where
// it does not.

type Allowed = Readonly<Record<string, { readonly update: readonly number[], readonly delete: readonly number[] }>>

const posts = [['safes', 'notes'], ['notes', 'parts'], ['notes', 'tags'], ['tags', 'notes']] as const

const allWays = (own: Readonly<Record<string, number>>): readonly Way[] => [
  ...waysFor(own),
  ...posts.map(([holder, name]): Way =>
    ({ method: 'POST', url: `/${holder}/${own[holder]}/${name}`, body: { id: own[name] }, asks: [] }))
]

const among = (ids: readonly number[]): Scope<Record<string, unknown>> => (_context, where) => where.oneOf('id', ids)

/** Returns declarations with scopes of these items. */
const scopedBy = (allowed: Allowed) => (declared: Record<string, Declared>) =>
  Object.fromEntries(Object.entries(declared).map(([name, one]) => {
    const ids = allowed[name]
    return [name, { ...one, scope: ids && { update: among(ids.update), delete: among(ids.delete) } }]
  }))

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
  const ways = allWays(own)
  const way = ways[choice % ways.length]
  if (way === undefined) throw new TypeError('there are ways')
  const data: Data = { ...tables, note_tags: links.map(([noteId, tagId]) => ({ noteId, tagId })) }
  const open = await sendTo(kind, data, way)
  const restricted = await sendTo(kind, data, way, {}, scopedBy(allowed))
  const isWritten = JSON.stringify(restricted.after) !== JSON.stringify(data)
  const may = isAllowed(way, data, open.after, allowed)
  const isLawful = open.statusCode >= 400
    ? !isWritten && [open.statusCode, 403].includes(restricted.statusCode)
    : may
      ? restricted.statusCode === open.statusCode && JSON.stringify(restricted.after) === JSON.stringify(open.after)
      : restricted.statusCode === 403 && !isWritten
  return isLawful ? undefined : JSON.stringify({ way, allowed, links, may, open, restricted })
}

const some = (...ids: readonly number[]) => fc.record({ update: fc.subarray([...ids]), delete: fc.subarray([...ids]) })

const cases: fc.Arbitrary<Case> = fc.record({
  allowed: fc.record({ safes: some(5, 6), notes: some(1, 2, 3), parts: some(1, 2, 3), tags: some(1, 2) }),
  choice: fc.nat({ max: 100_000 }),
  links: tagLinks,
  own: ownKeys
})

lawOnEach('a write is done if the caller may change every item that it changes, and else refused', cases, 8,
  { memory: 12, sqlite: 4, postgres: 1 }, findBreach)
