import type { Id, RecordOf } from './types.ts'

export type Keys = readonly string[]
export type Item = Readonly<Record<string, unknown>>

/** The member that every record of react-admin has. */
const id = 'id'

const isKey = (keys: Keys): boolean => keys.length === 1 && keys[0] === id

/** Returns an item as a record. The `id` of a key of several fields is the text of the item's path. */
export function recordOf (item: Item, keys: Keys): RecordOf {
  const [first = id, ...others] = keys
  if (isKey(keys)) return item as RecordOf
  const values = others.length === 0 ? item[first] as Id : keys.map(key => encodeURIComponent(String(item[key]))).join()
  return { ...item, id: values }
}

/** Returns the values of the key of a record. */
export const keyOf = (given: Id, keys: Keys): Id | readonly Id[] =>
  keys.length === 1 ? given : String(given).split(',').map(decodeURIComponent)

/** Returns the filters for the items with these ids, each for at most 100 comparisons, which is the API's limit. */
export function filtersOf (ids: readonly Id[], keys: Keys): readonly object[] {
  const [first = id, ...others] = keys
  if (others.length === 0) return chunks(ids, 1000).map(some => ({ [first]: some }))
  return chunks(ids, Math.floor(100 / keys.length)).map(some => ({
    or: some.map(one => Object.fromEntries([keyOf(one, keys)].flat().map((value, index) => [keys[index], value])))
  }))
}

const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

/**
 * Returns the body of a write: the members of `data` that are not the same in the record before. `links` has the key
 * fields of the items that a member refers to: only these are sent.
 */
export function bodyOf (
  data: object, previous: object | undefined, keys: Keys, links: ReadonlyMap<string, Keys>
): Item {
  const before = (previous ?? {}) as Item
  // As it will be sent: dates are texts, and members that are undefined are none.
  const sent = Object.entries(JSON.parse(JSON.stringify(data)) as Item)
  return Object.fromEntries(sent
    .filter(([name, value]) => (name !== id || isKey(keys)) && !(name in before && isSame(value, before[name])))
    .map(([name, value]) => [name, linkOf(value, links.get(name))]))
}

/** Returns the key of an item that exists; an item without one is new. */
function linkOf (value: unknown, keys: Keys | undefined): unknown {
  if (keys === undefined || Object(value) !== value) return value
  if (Array.isArray(value)) return value.map(one => linkOf(one, keys))
  const item = value as Item
  return keys.every(key => item[key] != null) ? Object.fromEntries(keys.map(key => [key, item[key]])) : value
}

/** Returns true for equal JSON values. A member that is undefined is none. */
export function isSame (one: unknown, other: unknown): boolean {
  if (Object(one) !== one || Object(other) !== other) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [one, other] as [Item, Item]
  return Object.keys({ ...left, ...right }).every(name => isSame(left[name], right[name]))
}
