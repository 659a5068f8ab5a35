import { DeclarationError } from '../../errors/errors.ts'
import { memoize } from '../../scheduling/memoize.ts'
import { type RowProperty, comparedKey, valuesReader } from './values.ts'

/** The argument of memory(): an array of items, or a Map whose values are the items. */
export type MemoryRows = readonly object[] | ReadonlyMap<unknown, object>

/** Undoes a change. Undos run in the opposite order of the changes. A row that was removed meanwhile stays removed. */
export type Undo = () => void

/** Finds the rows with these values, as they are shown. Nulls find no rows. */
type Find = (values: readonly unknown[]) => readonly object[]

/** A row, and its position in the array or its key in the Map. */
interface Place { readonly row: object, at: unknown }

/** The places of rows by the values of columns, as keyOf() returns them. Nulls are not indexed. */
interface Index {
  readonly columns: readonly RowProperty[]
  readonly read: (row: object) => unknown
  readonly places: Map<unknown, Place[]>
  /** The highest number among the keys; undefined until highest() asks for it. */
  highest: number | bigint | undefined
}

/**
 * Returns the table of the rows. Two sources over the same rows share it, so each sees the changes of the other. Throws
 * a DeclarationError for too many rows.
 */
export const tableOver = memoize((rows: MemoryRows) => new MemoryTable(rows))

/**
 * Rows of the application, and indexes of them. Lists are read from the rows themselves. The indexes follow the changes
 * that are made here. They are built again if the application has changed the number of rows, the last row of an
 * array, or a row that they find; refresh() tells them of any other change.
 */
export class MemoryTable {
  readonly #rows: MemoryRows
  readonly #indexes = new Map<string, Index>()
  /** One place for each row, in their order. */
  #places: Place[] = []

  constructor (rows: MemoryRows) {
    checkSize(sizeOf(rows))
    this.#rows = rows
  }

  /** Returns all rows. Throws a DeclarationError if they are too many. */
  all (): readonly object[] {
    checkSize(sizeOf(this.#rows))
    return isMap(this.#rows) ? [...this.#rows.values()] : this.#rows
  }

  finder (columns: readonly RowProperty[]): Find {
    const name = JSON.stringify(columns)
    return values => {
      const key = comparedKey(columns, values)
      if (key === null) return []
      const { places, read } = this.#indexOf(name, columns)
      const found = places.get(key) ?? []
      if (found.every(place => this.#isCurrent(place) && read(place.row) === key)) return found.map(({ row }) => row)
      this.refresh()
      return (this.#indexOf(name, columns).places.get(key) ?? []).map(({ row }) => row)
    }
  }

  /** Returns the highest number of the column; 0 if none is above 0. */
  highest (column: RowProperty): number | bigint {
    const index = this.#indexOf(JSON.stringify([column]), [column])
    index.highest ??= highestOf(index.places.keys())
    return index.highest
  }

  /** Adds a row at the end. `key`: its key in a Map. */
  insert (row: object, key: unknown): Undo {
    this.#follow()
    checkSize(this.#places.length + 1)
    this.#add({ row, at: isMap(this.#rows) && this.#rows.has(key) ? Symbol(String(key)) : key }, this.#places.length)
    return () => { this.#take(row) }
  }

  /** Sets properties of a row in place; undefined deletes a property. */
  update (row: object, values: Readonly<Record<string, unknown>>): Undo {
    const before = Object.fromEntries(Object.keys(values).map(property => [property, ownProperty(row, property)]))
    this.#set(row, values)
    return () => { this.#set(row, before) }
  }

  /** Removes a row. Undo puts it back at its position in an array, but at the end of a Map, which adds nowhere else. */
  remove (row: object): Undo {
    const taken = this.#take(row)
    if (taken === undefined) return () => {}
    return () => {
      this.#follow()
      // If the application has set the key meanwhile, its row stays: the later change wins.
      if (isMap(this.#rows) && this.#rows.has(taken.place.at)) return
      const { length } = this.#places
      this.#add(taken.place, isMap(this.#rows) ? length : Math.min(taken.position, length))
    }
  }

  /** Builds the indexes again when they are next needed. */
  refresh (): void {
    const entries = isMap(this.#rows) ? this.#rows.entries() : this.#rows.entries()
    checkSize(sizeOf(this.#rows))
    this.#indexes.clear()
    this.#places = Array.from(entries, ([at, row]) => ({ row, at }))
  }

  /** Finds out if the application has added or removed rows. The last row of a Map cannot be reached at once. */
  #follow (): void {
    const isSame = sizeOf(this.#rows) === this.#places.length &&
      (isMap(this.#rows) || this.#rows.at(-1) === this.#places.at(-1)?.row)
    if (!isSame) this.refresh()
  }

  /** Returns true if the row is still where it was when the indexes were built. */
  #isCurrent ({ row, at }: Place): boolean {
    return (isMap(this.#rows) ? this.#rows.get(at) : this.#rows[at as number]) === row
  }

  #indexOf (name: string, columns: readonly RowProperty[]): Index {
    this.#follow()
    const index = this.#indexes.get(name) ?? makeIndex(columns, this.#places)
    this.#indexes.set(name, index)
    return index
  }

  #add (place: Place, position: number): void {
    if (isMap(this.#rows)) (this.#rows as Map<unknown, object>).set(place.at, place.row)
    else (this.#rows as object[]).splice(position, 0, place.row)
    this.#places.splice(position, 0, place)
    this.#renumber(position)
    for (const index of this.#indexes.values()) addPlace(index, place)
  }

  /** Removes a row, and returns its place and position; undefined if the application has removed it already. */
  #take (row: object): { readonly place: Place, readonly position: number } | undefined {
    this.#follow()
    let position = this.#positionOf(row)
    if (position < 0) {
      this.refresh()
      position = this.#positionOf(row)
    }
    const place = this.#places[position]
    if (place === undefined) return undefined
    for (const index of this.#indexes.values()) removePlace(index, place)
    if (isMap(this.#rows)) (this.#rows as Map<unknown, object>).delete(place.at)
    else (this.#rows as object[]).splice(position, 1)
    this.#places.splice(position, 1)
    this.#renumber(position)
    return { place, position }
  }

  /** Returns the position of a row; -1 if it is not known to be there. */
  #positionOf (row: object): number {
    return this.#places.findLastIndex(place => place.row === row && this.#isCurrent(place))
  }

  #renumber (start: number): void {
    if (isMap(this.#rows)) return
    for (const [offset, place] of this.#places.slice(start).entries()) place.at = start + offset
  }

  #set (row: object, values: Readonly<Record<string, unknown>>): void {
    this.#follow()
    const changed = [...this.#indexes.values()]
      .filter(({ columns }) => columns.some(({ property }) => Object.hasOwn(values, property)))
    const places = changed.length === 0 ? [] : this.#places.filter(place => place.row === row)
    for (const index of changed) for (const place of places) removePlace(index, place)
    for (const [property, value] of Object.entries(values)) setProperty(row, property, value)
    for (const index of changed) for (const place of places) addPlace(index, place)
  }
}

const isMap = (rows: MemoryRows): rows is ReadonlyMap<unknown, object> => rows instanceof Map

const sizeOf = (rows: MemoryRows) => isMap(rows) ? rows.size : rows.length

const mostRows = 200_000

function checkSize (size: number): void {
  if (size <= mostRows) return
  throw new DeclarationError(
    `memory(rows): expected at most ${mostRows} rows; found ${size}. Put them into a table of sqlite(':memory:').`
  )
}

function makeIndex (columns: readonly RowProperty[], places: readonly Place[]): Index {
  const readValues = valuesReader(columns)
  const read = (row: object) => comparedKey(columns, readValues(row))
  const index: Index = { columns, read, places: new Map(), highest: undefined }
  for (const place of places) addPlace(index, place)
  return index
}

/** Adds a place under the current value of its row. */
function addPlace (index: Index, place: Place): void {
  const key = index.read(place.row)
  if (key === null) return
  const others = index.places.get(key)
  if (others === undefined) index.places.set(key, [place])
  else others.push(place)
  if (index.highest !== undefined && isNumber(key) && key > index.highest) index.highest = key
}

/** Removes a place from the current value of its row, which a write is about to change. */
function removePlace (index: Index, place: Place): void {
  const key = index.read(place.row)
  const others = index.places.get(key)?.filter(other => other !== place) ?? []
  if (others.length > 0) index.places.set(key, others)
  else index.places.delete(key)
  if (key === index.highest) index.highest = undefined
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

function highestOf (keys: Iterable<unknown>): number | bigint {
  let highest: number | bigint = 0
  for (const key of keys) if (isNumber(key) && key > highest) highest = key
  return highest
}

const ownProperty = (row: object, property: string): unknown =>
  Object.hasOwn(row, property) ? (row as Record<string, unknown>)[property] : undefined

function setProperty (row: object, property: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(row, property)
  else (row as Record<string, unknown>)[property] = value
}
