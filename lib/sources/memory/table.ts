import {
  addRow, follow, followAll, forget, type IndexedRows, indexOf, indexRows, isHeld, placesOf, removeRow
} from './indexed-rows.ts'
import { isMap, type RowPlace, type Rows } from './places.ts'
import { addPlace, highestIn, removePlace } from './value-index.ts'

export type { Rows } from './places.ts'

/** Undoes a change. Undos are called in the opposite order of the changes; a row that is gone by then stays away. */
export type Undo = () => void

/** Rows that are found by the value of a property. */
export interface Table {
  all (): Iterable<object>
  /** The rows whose property, read as this kind, has the value, which must not be null; in their order, by index. */
  find (property: string, value: unknown, kind?: string): readonly object[]
  /** The highest number that the property is, 0 where there is none above. */
  highest (property: string, kind?: string): number
  /** Adds a row at the end. `key` is its key in a Map, where it replaces the row that has the key. */
  insert (row: object, key: unknown): Undo
  /** Sets properties of a row in place; undefined deletes one. */
  update (row: object, values: Readonly<Record<string, unknown>>): Undo
  /** Removes a row. Undo puts it back where it was in an array, but at the end of a Map, which adds nowhere else. */
  remove (row: object): Undo
  /** Forgets the indexes. */
  refresh (): void
}

// Two sources over the same rows must see each other's changes.
const tables = new WeakMap<Rows, Table>()

/** The table of these rows. */
export function tableOf (rows: Rows): Table {
  const table = tables.get(rows) ?? makeTable(rows)
  tables.set(rows, table)
  return table
}

function makeTable (rows: Rows): Table {
  const indexed = indexRows(rows)
  return {
    // An array itself, since to copy a large one costs more than to look through it.
    all: () => isMap(rows) ? rows.values() : rows,
    find: (property, value, kind) => find(indexed, { property, value, kind }),
    highest: (property, kind) => highestIn(indexOf(indexed, property, kind)),
    insert: (row, key) => insert(indexed, row, key),
    update: (row, values) => update(indexed, row, values),
    remove: row => remove(indexed, row),
    refresh () { forget(indexed) }
  }
}

/** The arguments of Table.find(). */
interface Wanted {
  readonly property: string
  readonly value: unknown
  readonly kind: string | undefined
}

function find (indexed: IndexedRows, wanted: Wanted): readonly object[] {
  const places = currentPlaces(indexed, wanted) ?? repairedPlaces(indexed, wanted)
  return places.map(place => place.row)
}

/** The places that have the value; undefined where the application has replaced one of the rows or its value. */
function currentPlaces (indexed: IndexedRows, { property, value, kind }: Wanted): readonly RowPlace[] | undefined {
  const { places, read } = indexOf(indexed, property, kind)
  const found = places.get(value) ?? []
  return found.every(place => isHeld(indexed, place) && read(place.row) === value) ? found : undefined
}

/** The places that have the value once replaced rows are followed. Values changed in place are read again from all. */
function repairedPlaces (indexed: IndexedRows, wanted: Wanted): readonly RowPlace[] {
  followAll(indexed)
  const places = currentPlaces(indexed, wanted)
  if (places !== undefined) return places
  indexed.indexes.clear()
  return indexOf(indexed, wanted.property, wanted.kind).places.get(wanted.value) ?? []
}

function insert (indexed: IndexedRows, row: object, key: unknown): Undo {
  follow(indexed)
  const { rows } = indexed
  const replaced = isMap(rows) ? rows.get(key) : undefined
  const restore = replaced === undefined ? undefined : remove(indexed, replaced)
  const place = { row, key: isMap(rows) ? key : undefined, number: indexed.next }
  addRow(indexed, place)
  return () => {
    follow(indexed)
    const [held] = isHeld(indexed, place) ? [place] : placesOf(indexed, row)
    if (held !== undefined) removeRow(indexed, held)
    restore?.()
  }
}

function update (indexed: IndexedRows, row: object, values: Readonly<Record<string, unknown>>): Undo {
  const before = Object.fromEntries(Object.keys(values).map(property => [property, ownProperty(row, property)]))
  setProperties(indexed, row, values)
  return () => { setProperties(indexed, row, before) }
}

const ownProperty = (row: object, property: string): unknown =>
  Object.hasOwn(row, property) ? (row as Record<string, unknown>)[property] : undefined

function setProperties (indexed: IndexedRows, row: object, values: Readonly<Record<string, unknown>>): void {
  follow(indexed)
  const indexes = [...indexed.indexes.values()].filter(index => Object.hasOwn(values, index.property))
  const places = indexes.length === 0 ? [] : placesOf(indexed, row)
  for (const index of indexes) for (const place of places) removePlace(index, place)
  for (const [property, value] of Object.entries(values)) setProperty(row, property, value)
  for (const index of indexes) for (const place of places) addPlace(index, place)
}

function setProperty (row: object, property: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(row, property)
  else Object.assign(row, { [property]: value })
}

function remove (indexed: IndexedRows, row: object): Undo {
  follow(indexed)
  const [place] = placesOf(indexed, row)
  if (place === undefined) return () => {}
  removeRow(indexed, place)
  return () => {
    follow(indexed)
    // Where the application has set the key by now, its row stays, as it would had the application come last.
    const isTaken = isMap(indexed.rows) && indexed.rows.has(place.key)
    if (!isTaken) addRow(indexed, place)
  }
}
