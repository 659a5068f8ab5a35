import { memoize } from '../../memoize.ts'
import { tickShared } from './clock.ts'
import { type Difference, differenceOf, fullDifferenceOf, isChanged, isExtended } from './difference.ts'
import { isMap, type RowPlace, positionFrom, positionOf, renumber, type Rows } from './places.ts'
import { addPlace, makeIndex, placesAt, removePlace, type ValueIndex } from './value-index.ts'
import type { Column } from './values.ts'

/**
 * The application's rows with their places and indexes. The functions of this file change all three together; follow()
 * finds the changes that the application has made to the rows.
 */
export interface IndexedRows {
  readonly rows: Rows
  readonly places: RowPlace[]
  readonly indexes: Map<string, ValueIndex>
  /** Indexes of the first places. The read that began them is suspended, or was ended. */
  readonly unfinished: Map<string, UnfinishedIndex>
  /** The entries of a Map that have no place yet, while its places are made; otherwise undefined. */
  entries: Iterator<readonly [unknown, object]> | undefined
  /** The number of the next place at the end: higher than every number before, so a removed place keeps its rank. */
  next: number
}

interface UnfinishedIndex { readonly index: ValueIndex, count: number }

export const indexRows = (rows: Rows): IndexedRows =>
  ({ rows, places: [], indexes: new Map(), unfinished: new Map(), entries: undefined, next: 0 })

/** Drops the places and the indexes. */
export function forget (indexed: IndexedRows): void {
  indexed.places.length = 0
  indexed.indexes.clear()
  dropUnfinished(indexed)
  indexed.entries = undefined
  indexed.next = 0
}

/**
 * Drops the unfinished indexes. A Map that is cleared gets a new table, also if it is empty, and the old one keeps it
 * alive until a full garbage collection.
 */
export function dropUnfinished ({ unfinished }: IndexedRows): void {
  if (unfinished.size > 0) unfinished.clear()
}

/** Returns the index of columns. The first call builds it. Can be suspended; the next call goes on. */
export function indexOf (indexed: IndexedRows, columns: readonly Column[]): ValueIndex {
  follow(indexed)
  const name = nameOf(columns)
  const cached = indexed.indexes.get(name)
  if (cached !== undefined) return cached
  const built = finish(indexed, name, columns)
  indexed.indexes.set(name, built)
  indexed.unfinished.delete(name)
  return built
}

function finish ({ places, unfinished }: IndexedRows, name: string, columns: readonly Column[]): ValueIndex {
  const building = unfinished.get(name) ?? { index: makeIndex(columns), count: 0 }
  unfinished.set(name, building)
  for (; building.count < places.length; building.count++) {
    tickShared()
    addPlace(building.index, places[building.count] as RowPlace)
  }
  return building.index
}

const nameOf = memoize((columns: readonly Column[]): string => {
  const [{ property, kind } = noColumn] = columns
  // One property may be read as a date by one collection and as a moment by another.
  return columns.length === 1 ? `${kind ?? ''} ${property}` : JSON.stringify(columns)
})

const noColumn: Column = { property: '' }

/**
 * Updates places and indexes for rows that the application has added or removed. Can be suspended; the next call goes
 * on.
 */
export function follow (indexed: IndexedRows): void {
  const { rows, places } = indexed
  if (indexed.entries === undefined && !isChanged(rows, places)) return
  if (isMap(rows) && (indexed.entries !== undefined || places.length === 0)) enter(indexed, rows)
  if (!isChanged(rows, places)) return
  if (!isMap(rows) && isExtended(rows, places)) append(indexed, rows)
  else apply(indexed, differenceOf(rows, places))
}

/** Adds the places of all entries of a Map. If one is removed meanwhile, there are more places than entries then. */
function enter (indexed: IndexedRows, rows: ReadonlyMap<unknown, object>): void {
  const entries = indexed.entries ??= rows.entries()
  for (;;) {
    tickShared()
    const { done, value } = entries.next()
    if (done === true) break
    const [key, row] = value
    addLast(indexed, row, key)
  }
  indexed.entries = undefined
}

/** Adds the places of the rows at the end. */
function append (indexed: IndexedRows, rows: readonly object[]): void {
  const { places } = indexed
  while (places.length < rows.length) {
    tickShared()
    addLast(indexed, rows[places.length] as object, undefined)
  }
}

function addLast (indexed: IndexedRows, row: object, key: unknown): void {
  const place = { row, key, number: indexed.next++ }
  indexed.places.push(place)
  for (const index of indexed.indexes.values()) addPlace(index, place)
}

/** Updates places and indexes also for rows that the application has replaced. Compares all rows. */
export function followAll (indexed: IndexedRows): void {
  apply(indexed, fullDifferenceOf(indexed.rows, indexed.places))
}

function apply (indexed: IndexedRows, { start, after, removed, added }: Difference): void {
  const { places, indexes } = indexed
  dropUnfinished(indexed)
  // To build an index again costs less than to remove most of it place by place.
  if (removed.length > places.length / 2) indexes.clear()
  for (const index of indexes.values()) for (const place of removed) removePlace(index, place)
  places.length = start
  for (const place of after) places.push(place)
  const end = after.findLastIndex(place => place.number >= 0) + 1
  for (const place of after.slice(end)) place.number = indexed.next++
  settle(indexed, start, places.length)
  for (const index of indexes.values()) for (const place of added) addPlace(index, place)
}

/** Renumbers the places from `start` to before `end`, which are new. */
function settle (indexed: IndexedRows, start: number, end: number): void {
  renumber(indexed.places, start, end)
  indexed.next = Math.max(indexed.next, (indexed.places.at(-1)?.number ?? -1) + 1)
}

/** Returns true if the row is still at its place. */
export function isHeld ({ rows, places }: IndexedRows, place: RowPlace): boolean {
  const position = positionOf(places, place)
  return position >= 0 && (isMap(rows) ? rows.get(place.key) : rows[position]) === place.row
}

/** Returns the places of a row, by the index with the fewest candidates. An array may hold a row twice. */
export function placesOf (indexed: IndexedRows, row: object): readonly RowPlace[] {
  let fewest: readonly RowPlace[] | undefined
  for (const index of indexed.indexes.values()) {
    const some = placesAt(index, index.read(row))
    if (some.length > 0 && some.length < (fewest?.length ?? Infinity)) fewest = some
  }
  const found = fewest?.filter(place => place.row === row && isHeld(indexed, place)) ?? []
  return found.length > 0 ? found : search(indexed, row)
}

/** Returns the place of a row that no index holds, because its values are null or were changed by the application. */
function search (indexed: IndexedRows, row: object): readonly RowPlace[] {
  const { rows, places } = indexed
  const position = isMap(rows) ? places.findIndex(place => place.row === row) : rows.indexOf(row)
  if (position >= 0 && places[position]?.row !== row) followAll(indexed)
  const place = places[position]
  return place !== undefined && isHeld(indexed, place) ? [place] : []
}

/** Adds a row at the position of its place's number; in a Map always at the end. */
export function addRow (indexed: IndexedRows, place: RowPlace): void {
  const { rows, places, indexes } = indexed
  dropUnfinished(indexed)
  const position = isMap(rows) ? places.length : positionFrom(places, place.number)
  if (isMap(rows)) (rows as Map<unknown, object>).set(place.key, place.row)
  else insertAt(rows as object[], position, place.row)
  insertAt(places, position, place)
  settle(indexed, position, position + 1)
  for (const index of indexes.values()) addPlace(index, place)
}

/** Inserts an element. Most are added at the end, where splice() takes twice as long as push(). */
function insertAt<T> (list: T[], position: number, element: T): void {
  if (position === list.length) list.push(element)
  else list.splice(position, 0, element)
}

/** Removes a row. `Rows` is readonly for collections that are only read; a collection with writes may be changed. */
export function removeRow (indexed: IndexedRows, place: RowPlace): void {
  const { rows, places, indexes } = indexed
  dropUnfinished(indexed)
  const position = positionOf(places, place)
  for (const index of indexes.values()) removePlace(index, place)
  places.splice(position, 1)
  if (isMap(rows)) (rows as Map<unknown, object>).delete(place.key)
  else (rows as object[]).splice(position, 1)
}
