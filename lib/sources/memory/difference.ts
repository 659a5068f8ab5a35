import { isMap, type RowPlace, type Rows, sizeOf } from './places.ts'

/** A change of the rows by the application: `after` are the places from position `start` on, as they are now. */
export interface Difference {
  readonly start: number
  readonly after: readonly RowPlace[]
  readonly gone: readonly RowPlace[]
  readonly came: readonly RowPlace[]
}

/**
 * Whether rows have come or gone: an array shows it by its length and its last row, a Map by its size alone, since its
 * last row is reached by way of all the others.
 */
export const isChanged = (rows: Rows, places: readonly RowPlace[]): boolean =>
  sizeOf(rows) !== places.length || (!isMap(rows) && rows.at(-1) !== places.at(-1)?.row)

/**
 * The difference where isChanged() is true. Rows added or removed at the end of an array cost in proportion to their
 * number; any other change costs a comparison of the places with the rows, which reads no property.
 */
export function differenceOf (rows: Rows, places: readonly RowPlace[]): Difference {
  if (isMap(rows)) return differenceOfMap(rows, places)
  const shorter = Math.min(rows.length, places.length)
  return differenceOfArray(rows, places, rows[shorter - 1] === places[shorter - 1]?.row ? shorter : 0)
}

/** The difference even where isChanged() is false: a row in the middle that was replaced. */
export const fullDifferenceOf = (rows: Rows, places: readonly RowPlace[]): Difference =>
  isMap(rows) ? differenceOfMap(rows, places) : differenceOfArray(rows, places, 0)

// Each search passes all rows, although natively. After as many, the other places count as gone and their rows as new.
const maxSearches = 100

/** `same`: how many rows at the beginning are known to be the same. */
function differenceOfArray (rows: readonly object[], places: readonly RowPlace[], same: number): Difference {
  let start = same
  while (start < rows.length && rows[start] === places[start]?.row) start++
  const { after, gone, came, add } = makeDraft()
  let searches = 0
  const find = (row: object, position: number) => {
    if (rows[position] === row) return position
    return searches++ < maxSearches ? rows.indexOf(row, position) : -1
  }
  for (const place of places.slice(start)) {
    const position = start + after.length
    const found = find(place.row, position)
    if (found > position) for (const row of rows.slice(position, found)) add(row)
    if (found < 0) gone.push(place)
    else after.push(place)
  }
  for (const row of rows.slice(start + after.length)) add(row)
  return { start, after, gone, came }
}

/** A Map has new keys at its end. So a key that is not in its place was removed, even if it was set again later. */
function differenceOfMap (rows: ReadonlyMap<unknown, object>, places: readonly RowPlace[]): Difference {
  let start = 0
  const rest: Array<readonly [unknown, object]> = []
  for (const entry of rows) {
    const place = places[start]
    if (rest.length === 0 && place?.row === entry[1] && isSameKey(place.key, entry[0])) start++
    else rest.push(entry)
  }
  const { after, gone, came, add } = makeDraft()
  for (const place of places.slice(start)) {
    const [key, row] = rest[after.length] ?? []
    const isKeyThere = row !== undefined && isSameKey(key, place.key)
    if (isKeyThere && row === place.row) after.push(place)
    else gone.push(place)
    if (isKeyThere && row !== place.row) add(row, key)
  }
  for (const [key, row] of rest.slice(after.length)) add(row, key)
  return { start, after, gone, came }
}

const isSameKey = (one: unknown, other: unknown) => one === other || Object.is(one, other)

interface DifferenceDraft extends Omit<Difference, 'start'> {
  readonly after: RowPlace[]
  readonly gone: RowPlace[]
  readonly came: RowPlace[]
  add (row: object, key?: unknown): void
}

function makeDraft (): DifferenceDraft {
  const after: RowPlace[] = []
  const came: RowPlace[] = []
  // Below every number, so that it gets one when it is put among the others.
  const add = (row: object, key?: unknown) => {
    const place = { row, key, number: -1 }
    after.push(place)
    came.push(place)
  }
  return { after, gone: [], came, add }
}
