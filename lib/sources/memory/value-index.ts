import { type RowPlace, positionFrom } from './places.ts'
import { makeUppermost, type Uppermost } from './uppermost.ts'
import { type Column, columnsReader, type Reader } from './values.ts'

/** The places of rows by the value of their columns, in the order of the rows. Null values are not indexed. */
export interface ValueIndex {
  readonly columns: readonly Column[]
  readonly read: Reader
  readonly places: Map<unknown, RowPlace[]>
  /** Undefined until highestIn() asks for it. */
  uppermost: Uppermost | undefined
}

/** Builds an index of columns. */
export function buildIndex (places: readonly RowPlace[], columns: readonly Column[]): ValueIndex {
  const index: ValueIndex = { columns, read: columnsReader(columns), places: new Map(), uppermost: undefined }
  for (const place of places) addPlace(index, place)
  return index
}

/** Adds a place under the current value of its row. */
export function addPlace (index: ValueIndex, place: RowPlace): void {
  const value = index.read(place.row)
  if (value === null) return
  const others = index.places.get(value)
  if (others === undefined) {
    index.places.set(value, [place])
    if (typeof value === 'number') index.uppermost?.add(value)
    return
  }
  const position = positionFrom(others, place.number)
  if (position === others.length) others.push(place)
  else if (others[position] !== place) others.splice(position, 0, place)
}

/** Removes a place from the current value of its row. Must be called before a write changes that value. */
export function removePlace (index: ValueIndex, place: RowPlace): void {
  const value = index.read(place.row)
  const others = index.places.get(value)
  if (others === undefined) return
  const position = positionFrom(others, place.number)
  if (others[position] !== place) return
  if (others.length > 1) others.splice(position, 1)
  else {
    index.places.delete(value)
    if (typeof value === 'number') index.uppermost?.remove(value)
  }
}

/** Returns the highest number among the values; 0 if none is above 0. */
export function highestIn (index: ValueIndex): number {
  index.uppermost ??= makeUppermost(index.places)
  return index.uppermost.highest()
}
