import { leadsElsewhere, uniques } from '../model/identifiers.ts'
import type { Collection, Field, StoredField } from '../model/model.ts'
import type { Item } from '../plan/read/select.ts'
import { ownSegments, type Parts } from '../response/paths.ts'
import { segmentOf } from '../run/address.ts'
import { memoize } from '../scheduling/memoize.ts'
import { type Html, html } from './html.ts'
import { type Place, rootPathTo } from './place.ts'
import { cut } from './value.ts'

/** Returns the name of a field for people. */
export const titleOf = ({ schema, name }: Pick<Field, 'schema' | 'name'>): string => schema.title ?? name

/** Returns a list by the groups that its elements say they belong to, those without one first, under ''. */
export function inGroups<T> (
  list: readonly T[], groupOf: (one: T) => string | undefined
): ReadonlyArray<readonly [group: string, some: readonly T[]]> {
  const names = new Set(['', ...list.map(one => groupOf(one) ?? '')])
  return [...names].map(name => [name, list.filter(one => (groupOf(one) ?? '') === name)] as const)
    .filter(([, some]) => some.length > 0)
}

/** Returns the name of an item, as a link to its own URL where its identifier is shown. */
export function linkTo (item: Item, collection: Collection, place: Place): Html {
  const segments = segmentsTo(item, collection, place.syntax.dictionaryPrefix)
  const label = cut(labelOf(item, collection), longestLabel)
  if (segments === undefined) return html`<bdi>${label}</bdi>`
  return html`<a class="ref" href="${rootPathTo(place, [[collection.name], ...segments])}"><bdi>${label}</bdi></a>`
}

// In characters.
const longestLabel = 200

/** Returns the text by which people know an item: of the members that it shows, the one most like a name. */
export function labelOf (item: Item, collection: Collection): string {
  const texts = namesOf(collection).filter(({ name }) => isPlain(item[name]) && item[name] !== '')
  const named = texts.find(isName)
  if (named !== undefined) return String(item[named.name])
  const key = collection.key.map(({ name }) => item[name])
  if (key.every(value => value !== undefined && value !== null)) return key.map(String).join(',')
  const [first] = [...texts.map(({ name }) => item[name]), ...Object.values(item)].filter(isPlain)
  return first === undefined ? '…' : String(first)
}

const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'

/** Returns the field that names the items of a collection, and that a search can look into. */
export const namingField = (collection: Collection): StoredField | undefined => namesOf(collection)[0]

/** Returns true for a field that people know items by: an identifier that is a text, or what is called a name. */
export const isName = ({ identifier, name, schema, type }: StoredField): boolean =>
  schema.naming === true || (type.kind === 'string' && (identifier || likeName.test(name)))

const likeName = /^(name|title|label)$|_(name|title)$/i

/** The readable texts: the field flagged `naming`, then what is usually a name, then identifiers, then the others. */
const namesOf = memoize(({ stored }: Collection): readonly StoredField[] => {
  const texts = stored.filter(({ readable, hidden, schema, type }) =>
    readable && !hidden && (type.kind === 'string' || schema.naming === true))
  const rank = ({ identifier, name, schema }: StoredField) =>
    schema.naming === true ? -1 : likeName.test(name) ? identifier ? 0 : 1 : identifier ? 2 : 3
  return texts.toSorted((one, other) => rank(one) - rank(other))
})

/**
 * Returns the segments that lead from a collection to an item, by the key or by another identifier that the item shows;
 * undefined if it shows none.
 */
export const segmentsTo = (item: Item, collection: Collection, prefix: string): readonly Parts[] | undefined =>
  addressesOf(item, collection, prefix, 1)[0]

/** Returns the segments that lead to an item from its collection, by `most` of the identifiers that it shows. */
export function addressesOf (
  item: Item, collection: Collection, prefix: string, most = Infinity
): ReadonlyArray<readonly Parts[]> {
  const addresses: Array<readonly Parts[]> = []
  for (const fields of [collection.key, ...uniques(collection)]) {
    const values = fields.map(({ name, readable }) => readable ? item[name] ?? null : null)
    if (addresses.length === most) break
    if (values.some(value => value === null || String(value).length > longestInPath)) continue
    if (leadsElsewhere(segmentOf(values))) continue
    addresses.push(ownSegments(collection, { fields, values, plain: true }, prefix))
  }
  return addresses
}

/** The most characters of a value in the URL of a link: a server refuses longer URLs sooner or later. */
export const longestInPath = 500
