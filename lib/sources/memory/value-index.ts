import { type RowPlace, positionFrom } from './places.ts'
import { makeUppermost, type Uppermost } from './uppermost.ts'
import { comparableOf, type ToComparable } from './comparable.ts'
import { type Column, columnsReader, type Reader } from './values.ts'

/** The places of rows by the value of their columns, in the order of the rows. Null values are not indexed. */
export interface ValueIndex {
  readonly columns: readonly Column[]
  /** Makes the value comparable; undefined if it is compared as it is shown. */
  readonly toComparable: ToComparable | undefined
  /** Reads the value as it is compared. */
  readonly read: Reader
  readonly places: Map<unknown, Places>
  /** Undefined until highestIn() asks for it. */
  uppermost: Uppermost | undefined
  /** True if the values include, or included, integers that a double cannot hold. */
  hasLarge: boolean
}

/** The places of a value. Of an identifier it is one; a list of one place would take 56 bytes more. */
type Places = RowPlace | RowPlace[]

/** Returns the places of a value, in the order of the rows. */
export function placesAt ({ places }: ValueIndex, value: unknown): readonly RowPlace[] {
  const found = places.get(value)
  if (found === undefined) return none
  return Array.isArray(found) ? found : [found]
}

const none: readonly RowPlace[] = []

/** Makes an index of columns, without places. */
export function makeIndex (columns: readonly Column[]): ValueIndex {
  const shown = columnsReader(columns)
  const toComparable = comparableOfColumns(columns)
  const read: Reader = toComparable === undefined ? shown : row => toComparable(shown(row))
  return { columns, toComparable, read, places: new Map(), uppermost: undefined, hasLarge: false }
}

/** Returns the function that makes the indexed value comparable; undefined if it is compared as it is shown. */
function comparableOfColumns (columns: readonly Column[]): ToComparable | undefined {
  const [only, ...others] = columns
  if (others.length === 0) return comparableOf(only?.kind)
  const each = columns.map(({ kind }) => hasOneText.has(kind) ? undefined : comparableOf(kind))
  if (each.every(one => one === undefined)) return undefined
  return indexed => {
    if (typeof indexed !== 'string') return indexed
    const values = JSON.parse(indexed) as readonly unknown[]
    return JSON.stringify(values.map((value, column) => String(each[column]?.(value) ?? value)))
  }
}

// In a key of several columns: what is equal is shown alike.
const hasOneText: ReadonlySet<string | undefined> = new Set(['integer', 'number'])

/** Adds a place under the current value of its row. */
export function addPlace (index: ValueIndex, place: RowPlace): void {
  const value = index.read(place.row)
  if (value === null) return
  const others = index.places.get(value)
  if (others === undefined) {
    index.places.set(value, place)
    if (typeof value === 'number') index.uppermost?.add(value)
    else if (typeof value === 'bigint') index.hasLarge = true
  } else if (Array.isArray(others)) {
    const position = positionFrom(others, place.number)
    if (position === others.length && position < fewest) index.places.set(value, [...others, place])
    else if (position === others.length) others.push(place)
    else if (others[position] !== place) others.splice(position, 0, place)
  } else if (others !== place) {
    index.places.set(value, others.number < place.number ? [others, place] : [place, others])
  }
}

// A list that is pushed to keeps room for sixteen more places. Shorter ones, as most are, are copied instead.
const fewest = 8

/** Removes a place from the current value of its row. Must be called before a write changes that value. */
export function removePlace (index: ValueIndex, place: RowPlace): void {
  const value = index.read(place.row)
  const others = index.places.get(value)
  if (others === undefined) return
  if (Array.isArray(others) && others.length > 1) {
    const position = positionFrom(others, place.number)
    if (others[position] === place) others.splice(position, 1)
  } else if (placesAt(index, value)[0] === place) {
    index.places.delete(value)
    if (typeof value === 'number') index.uppermost?.remove(value)
  }
}

/** Returns the highest number among the values; 0 if none is above 0. */
export function highestIn (index: ValueIndex): number | bigint {
  index.uppermost ??= makeUppermost(index.places)
  return index.hasLarge ? highestLarge(index.places.keys(), index.uppermost.highest()) : index.uppermost.highest()
}

function highestLarge (values: Iterable<unknown>, lowest: number): number | bigint {
  let highest: number | bigint = lowest
  for (const value of values) if (typeof value === 'bigint' && value > highest) highest = value
  return highest
}
