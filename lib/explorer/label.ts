import type { Collection, StoredField } from '../model/model.ts'
import { leadsElsewhere, uniques } from '../model/keys.ts'
import type { Item } from '../plan/read/to-item.ts'
import { memoize } from '../scheduling/memoize.ts'
import { ownSegments, type Parts } from '../response/paths.ts'
import { segmentOf } from '../run/address.ts'

/** Returns the text by which people know an item: of the members that it shows, the one most like a name. */
export function labelOf (item: Item, collection: Collection): string {
  for (const name of namesOf(collection)) {
    const value = item[name]
    if (typeof value === 'string' && value !== '') return value
  }
  const key = collection.key.map(({ name }) => item[name])
  if (key.every(value => value !== undefined && value !== null)) return key.map(String).join(',')
  const [first] = Object.values(item).filter(value => typeof value === 'string' || typeof value === 'number')
  return first === undefined ? '…' : String(first)
}

/** Returns the field that names the items of a collection, and that a search can look into. */
export const namingField = memoize((collection: Collection): StoredField | undefined => {
  const [name] = namesOf(collection)
  return collection.stored.find(field => field.name === name)
})

/** The names of readable texts: identifiers first, then what is usually a name, then the others. */
const namesOf = memoize(({ stored }: Collection): readonly string[] => {
  const texts = stored.filter(({ readable, hidden, type }) => readable && !hidden && type.kind === 'string')
  const rank = ({ identifier, name }: StoredField) => /^(name|title|label)$|_(name|title)$/i.test(name)
    ? identifier ? 0 : 1
    : identifier ? 2 : 3
  return texts.toSorted((one, other) => rank(one) - rank(other)).map(({ name }) => name)
})

/**
 * Returns the segments that lead from a collection to an item, by the key or by another identifier that the item shows;
 * undefined if it shows none.
 */
export function segmentsTo (
  item: Item, collection: Collection, dictionaryPrefix: string
): readonly Parts[] | undefined {
  for (const fields of [collection.key, ...uniques(collection)]) {
    const values = fields.map(({ name, readable }) => readable ? item[name] ?? null : null)
    if (values.some(value => value === null || String(value).length > longestInPath)) continue
    if (leadsElsewhere(segmentOf(values))) continue
    return ownSegments(collection, { fields, values, plain: true }, dictionaryPrefix)
  }
  return undefined
}

/** The most characters of a value in the URL of a link: a server refuses longer URLs sooner or later. */
export const longestInPath = 500
