import { type Difference, differenceOf, fullDifferenceOf, isChanged } from './difference.ts'
import { isMap, type RowPlace, positionFrom, positionOf, renumber, type Rows } from './places.ts'
import { addPlace, buildIndex, removePlace, type ValueIndex } from './value-index.ts'

/**
 * The application's rows, with their places and the indexes that were asked for. The functions of this file change all
 * of them step by step. What the application does to the rows by itself is seen by follow().
 */
export interface IndexedRows {
  readonly rows: Rows
  readonly places: RowPlace[]
  readonly indexes: Map<string, ValueIndex>
  /** The number of the next place at the end: higher than any before, so that a removed one keeps its rank. */
  next: number
}

export const indexRows = (rows: Rows): IndexedRows => ({ rows, places: [], indexes: new Map(), next: 0 })

/** Forgets what is known of the rows. */
export function forget (indexed: IndexedRows): void {
  indexed.places.length = 0
  indexed.indexes.clear()
  indexed.next = 0
}

/** The index of a property, built when it is first asked for. */
export function indexOf (indexed: IndexedRows, property: string, kind: string | undefined): ValueIndex {
  follow(indexed)
  // One property may be read as a date by one collection and as a moment by another.
  const name = `${kind ?? ''} ${property}`
  const known = indexed.indexes.get(name)
  if (known !== undefined) return known
  const built = buildIndex(indexed.places, property, kind)
  indexed.indexes.set(name, built)
  return built
}

/** Brings places and indexes up to date with rows that the application has added or removed. */
export function follow (indexed: IndexedRows): void {
  if (isChanged(indexed.rows, indexed.places)) apply(indexed, differenceOf(indexed.rows, indexed.places))
}

/** Brings them up to date with rows that the application has replaced, too, at the cost of a comparison of all. */
export function followAll (indexed: IndexedRows): void {
  apply(indexed, fullDifferenceOf(indexed.rows, indexed.places))
}

function apply (indexed: IndexedRows, { start, after, gone, came }: Difference): void {
  const { places, indexes } = indexed
  // To build an index again costs less than to remove most of it place by place.
  if (gone.length > places.length / 2) indexes.clear()
  for (const index of indexes.values()) for (const place of gone) removePlace(index, place)
  places.length = start
  for (const place of after) places.push(place)
  const end = after.findLastIndex(place => place.number >= 0) + 1
  for (const place of after.slice(end)) place.number = indexed.next++
  settle(indexed, start, places.length)
  for (const index of indexes.values()) for (const place of came) addPlace(index, place)
}

/** Gives the places from `start` to before `end` numbers that fit. */
function settle (indexed: IndexedRows, start: number, end: number): void {
  renumber(indexed.places, start, end)
  indexed.next = Math.max(indexed.next, (indexed.places.at(-1)?.number ?? -1) + 1)
}

/** Whether the row of a place is still there. */
export function isHeld ({ rows, places }: IndexedRows, place: RowPlace): boolean {
  const position = positionOf(places, place)
  return position >= 0 && (isMap(rows) ? rows.get(place.key) : rows[position]) === place.row
}

/** The places of a row, found by the index that has the fewest to choose from. An array may hold a row twice. */
export function placesOf (indexed: IndexedRows, row: object): readonly RowPlace[] {
  let fewest: readonly RowPlace[] | undefined
  for (const { places, read } of indexed.indexes.values()) {
    const some = places.get(read(row))
    if (some !== undefined && some.length < (fewest?.length ?? Infinity)) fewest = some
  }
  const found = fewest?.filter(place => place.row === row && isHeld(indexed, place)) ?? []
  return found.length > 0 ? found : search(indexed, row)
}

/** The place of a row that is in no index, because its values are null or the application has changed them. */
function search (indexed: IndexedRows, row: object): readonly RowPlace[] {
  const { rows, places } = indexed
  const position = isMap(rows) ? places.findIndex(place => place.row === row) : rows.indexOf(row)
  if (position >= 0 && places[position]?.row !== row) followAll(indexed)
  const place = places[position]
  return place !== undefined && isHeld(indexed, place) ? [place] : []
}

/** Adds a row where the number of its place belongs; a Map takes it at the end, whatever the number. */
export function addRow (indexed: IndexedRows, place: RowPlace): void {
  const { rows, places, indexes } = indexed
  const position = isMap(rows) ? places.length : positionFrom(places, place.number)
  if (isMap(rows)) (rows as Map<unknown, object>).set(place.key, place.row)
  else (rows as object[]).splice(position, 0, place.row)
  places.splice(position, 0, place)
  settle(indexed, position, position + 1)
  for (const index of indexes.values()) addPlace(index, place)
}

/** Removes a row. Rows are declared readonly since reads leave them alone; those that clients write may be changed. */
export function removeRow ({ rows, places, indexes }: IndexedRows, place: RowPlace): void {
  const position = positionOf(places, place)
  for (const index of indexes.values()) removePlace(index, place)
  places.splice(position, 1)
  if (isMap(rows)) (rows as Map<unknown, object>).delete(place.key)
  else (rows as object[]).splice(position, 1)
}
