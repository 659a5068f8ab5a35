import { isMap, type RowPlace, type Rows, sizeOf } from './places.ts'

/** A change of the rows by the application. `after`: the new places from position `start` on. */
export interface Difference {
  readonly start: number
  readonly after: readonly RowPlace[]
  readonly removed: readonly RowPlace[]
  readonly added: readonly RowPlace[]
}

/**
 * Returns true if rows were added or removed. Compares the length and the last row of an array, but only the size of a
 * Map, whose last row cannot be reached without a pass over all rows.
 */
export const isChanged = (rows: Rows, places: readonly RowPlace[]): boolean =>
  sizeOf(rows) !== places.length || (!isMap(rows) && rows.at(-1) !== places.at(-1)?.row)

/** Returns true if nothing but rows at the end was added, as far as the last row before them shows. */
export const isExtended = (rows: readonly object[], places: readonly RowPlace[]): boolean =>
  rows.length > places.length && (places.length === 0 || rows[places.length - 1] === places.at(-1)?.row)

/**
 * Returns the difference after isChanged() has returned true. Rows added or removed at the end of an array cost time in
 * proportion to their number. Any other change costs a comparison of all places with the rows, which reads no property.
 */
export function differenceOf (rows: Rows, places: readonly RowPlace[]): Difference {
  if (isMap(rows)) return differenceOfMap(rows, places)
  const shorter = Math.min(rows.length, places.length)
  return differenceOfArray(rows, places, rows[shorter - 1] === places[shorter - 1]?.row ? shorter : 0)
}

/** Returns the difference even if isChanged() returns false, as for a replaced row in the middle. */
export const fullDifferenceOf = (rows: Rows, places: readonly RowPlace[]): Difference =>
  isMap(rows) ? differenceOfMap(rows, places) : differenceOfArray(rows, places, 0)

// Each search is a native pass over all rows. After this number, the other places count as removed and their rows as
// added.
const maxSearches = 100

/** `same`: the number of rows at the beginning that are known to be unchanged. */
function differenceOfArray (rows: readonly object[], places: readonly RowPlace[], same: number): Difference {
  let start = same
  while (start < rows.length && rows[start] === places[start]?.row) start++
  const { after, removed, added, add } = makeDraft()
  let searches = 0
  const find = (row: object, position: number) => {
    if (rows[position] === row) return position
    return searches++ < maxSearches ? rows.indexOf(row, position) : -1
  }
  for (const place of places.slice(start)) {
    const position = start + after.length
    const found = find(place.row, position)
    if (found > position) for (const row of rows.slice(position, found)) add(row)
    if (found < 0) removed.push(place)
    else after.push(place)
  }
  for (const row of rows.slice(start + after.length)) add(row)
  return { start, after, removed, added }
}

/** A Map adds new keys at its end. A key at another position was therefore removed, even if it was set again later. */
function differenceOfMap (rows: ReadonlyMap<unknown, object>, places: readonly RowPlace[]): Difference {
  let start = 0
  const rest: Array<readonly [unknown, object]> = []
  for (const entry of rows) {
    const place = places[start]
    if (rest.length === 0 && place?.row === entry[1] && isSameKey(place.key, entry[0])) start++
    else rest.push(entry)
  }
  const { after, removed, added, add } = makeDraft()
  for (const place of places.slice(start)) {
    const [key, row] = rest[after.length] ?? []
    const isKeyThere = row !== undefined && isSameKey(key, place.key)
    if (isKeyThere && row === place.row) after.push(place)
    else removed.push(place)
    if (isKeyThere && row !== place.row) add(row, key)
  }
  for (const [key, row] of rest.slice(after.length)) add(row, key)
  return { start, after, removed, added }
}

const isSameKey = (one: unknown, other: unknown) => one === other || Object.is(one, other)

interface DifferenceDraft extends Omit<Difference, 'start'> {
  readonly after: RowPlace[]
  readonly removed: RowPlace[]
  readonly added: RowPlace[]
  add (row: object, key?: unknown): void
}

function makeDraft (): DifferenceDraft {
  const after: RowPlace[] = []
  const added: RowPlace[] = []
  // The number -1 is below all others, so renumber() replaces it.
  const add = (row: object, key?: unknown) => {
    const place = { row, key, number: -1 }
    after.push(place)
    added.push(place)
  }
  return { after, removed: [], added, add }
}
