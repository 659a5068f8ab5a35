import { tick } from './clock.ts'
import {
  addRow, dropUnfinished, follow, followAll, forget, type IndexedRows, indexOf, indexRows, isHeld, placesOf, removeRow
} from './indexed-rows.ts'
import { isMap, type RowPlace, type Rows } from './places.ts'
import { leaving, resumed } from './suspension.ts'
import { addPlace, highestIn, placesAt, removePlace, type ValueIndex } from './value-index.ts'
import type { Column } from './values.ts'

export type { Rows } from './places.ts'

/** Undoes a change. Undos run in the opposite order of the changes. A row that was removed meanwhile stays removed. */
export type Undo = () => void

/** Rows that can be found by the values of their properties. */
export interface Table {
  all (): Iterable<object>
  /** Returns the rows with the value, which is not null, in their order. `kind` decides how values are compared. */
  find (property: string, value: unknown, kind?: string): readonly object[]
  /** Returns the rows whose columns have the value that toIndexed() returns, which must not be null, in their order. */
  findBy (columns: readonly Column[], value: unknown): readonly object[]
  /** As findBy(), for values that many rows have. Can be suspended between them. */
  findMany (columns: readonly Column[], value: unknown): readonly object[]
  /** Returns the highest number of the property; 0 if none is above 0. */
  highest (property: string, kind?: string): number | bigint
  /** Adds a row at the end. `key` is its key in a Map, and replaces the row with that key. */
  insert (row: object, key: unknown): Undo
  /** Sets properties of a row in place; undefined deletes a property. */
  update (row: object, values: Readonly<Record<string, unknown>>): Undo
  /** Removes a row. Undo puts it back at its position in an array, but at the end of a Map, which adds nowhere else. */
  remove (row: object): Undo
  /** Drops the indexes. */
  refresh (): void
}

// Two sources over the same rows share a table, so each sees the changes of the other.
const tables = new WeakMap<Rows, Table>()

/** Returns the table of the rows. */
export function tableOf (rows: Rows): Table {
  const table = tables.get(rows) ?? makeTable(rows)
  tables.set(rows, table)
  return table
}

function makeTable (rows: Rows): Table {
  const indexed = indexRows(rows)
  return {
    // An array is returned itself, because a copy of a large one costs more than a pass over it.
    all: () => isMap(rows) ? rows.values() : rows,
    find: (property, value, kind) => find(indexed, [{ property, kind }], value),
    findBy: (columns, value) => find(indexed, columns, value),
    findMany: (columns, value) => findMany(indexed, columns, value),
    highest: (property, kind) => highestIn(indexOf(indexed, [{ property, kind }])),
    insert: (row, key) => insert(indexed, row, key),
    update: (row, values) => update(indexed, row, values),
    remove: row => remove(indexed, row),
    refresh () { forget(indexed) }
  }
}

function find (indexed: IndexedRows, columns: readonly Column[], value: unknown): readonly object[] {
  const index = indexOf(indexed, columns)
  const wanted = index.toComparable?.(value) ?? value
  const rows = currentRows(indexed, index, wanted)
  return rows ?? repairedRows(indexed, columns, wanted)
}

/** Returns the rows with the value; undefined if the application has replaced one of the rows or its value. */
function currentRows (indexed: IndexedRows, index: ValueIndex, value: unknown): readonly object[] | undefined {
  const rows: object[] = []
  for (const place of placesAt(index, value)) {
    if (!isCurrent(indexed, index, place, value)) return undefined
    rows.push(place.row)
  }
  return rows
}

const isCurrent = (indexed: IndexedRows, index: ValueIndex, place: RowPlace, value: unknown) =>
  isHeld(indexed, place) && index.read(place.row) === value

/** `found`: the places with the value, undefined before the index is built. `rows`: the rows of the first of them. */
interface Finding { readonly found: readonly RowPlace[] | undefined, readonly rows: object[] }

function findMany (indexed: IndexedRows, columns: readonly Column[], value: unknown): readonly object[] {
  let { found, rows } = resumed<Finding>() ?? { found: undefined, rows: [] }
  try {
    const index = indexOf(indexed, columns)
    const wanted = index.toComparable?.(value) ?? value
    found ??= placesAt(index, wanted)
    while (rows.length < found.length) {
      tick()
      const place = found[rows.length] as RowPlace
      if (!isCurrent(indexed, index, place, wanted)) return repairedRows(indexed, columns, wanted)
      rows.push(place.row)
    }
    return rows
  } catch (error) {
    // The list is that of the index, which a change by the application changes.
    throw leaving(error, { found: found?.slice(), rows })
  }
}

/** Returns the rows with the value after an update for replaced rows, or after a new index for changed values. */
function repairedRows (indexed: IndexedRows, columns: readonly Column[], value: unknown): readonly object[] {
  followAll(indexed)
  const rows = currentRows(indexed, indexOf(indexed, columns), value)
  if (rows !== undefined) return rows
  indexed.indexes.clear()
  return placesAt(indexOf(indexed, columns), value).map(place => place.row)
}

function insert (indexed: IndexedRows, row: object, key: unknown): Undo {
  follow(indexed)
  const { rows } = indexed
  const place = { row, key: isMap(rows) ? freeKey(rows, key) : undefined, number: indexed.next }
  addRow(indexed, place)
  return () => {
    follow(indexed)
    const [held] = isHeld(indexed, place) ? [place] : placesOf(indexed, row)
    if (held !== undefined) removeRow(indexed, held)
  }
}

/** Returns the key under which a new row is put in a Map. The application may have put another row under it. */
const freeKey = (rows: ReadonlyMap<unknown, object>, key: unknown) => rows.has(key) ? Symbol(String(key)) : key

function update (indexed: IndexedRows, row: object, values: Readonly<Record<string, unknown>>): Undo {
  const before: Record<string, unknown> = {}
  for (const property of Object.keys(values)) before[property] = ownProperty(row, property)
  setProperties(indexed, row, values)
  return () => { setProperties(indexed, row, before) }
}

const ownProperty = (row: object, property: string): unknown =>
  Object.hasOwn(row, property) ? (row as Record<string, unknown>)[property] : undefined

function setProperties (indexed: IndexedRows, row: object, values: Readonly<Record<string, unknown>>): void {
  follow(indexed)
  dropUnfinished(indexed)
  const isChanged = ({ property }: Column) => Object.hasOwn(values, property)
  const indexes = [...indexed.indexes.values()].filter(({ columns }) => columns.some(isChanged))
  const places = indexes.length === 0 ? [] : placesOf(indexed, row)
  for (const index of indexes) for (const place of places) removePlace(index, place)
  for (const property of Object.keys(values)) setProperty(row, property, values[property])
  for (const index of indexes) for (const place of places) addPlace(index, place)
}

function setProperty (row: object, property: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(row, property)
  else (row as Record<string, unknown>)[property] = value
}

function remove (indexed: IndexedRows, row: object): Undo {
  follow(indexed)
  const [place] = placesOf(indexed, row)
  if (place === undefined) return () => {}
  removeRow(indexed, place)
  return () => {
    follow(indexed)
    // If the application has set the key meanwhile, its row stays: the later change wins.
    const isTaken = isMap(indexed.rows) && indexed.rows.has(place.key)
    if (!isTaken) addRow(indexed, place)
  }
}
