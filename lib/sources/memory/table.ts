import { DeclarationError } from '../../errors/errors.ts'
import { memoize } from '../../scheduling/memoize.ts'
import { type Column, keyOf, valuesReader } from './values.ts'

/** The argument of memory(): an array of items. */
export type Rows = readonly object[]

/** Undoes a change. Undos run in the opposite order of the changes. A row that was removed meanwhile stays removed. */
export type Undo = () => void

/** Finds the rows with these values, as they are shown. Nulls find no rows. */
type Find = (values: readonly unknown[]) => readonly object[]

/** A row, and its position in the array. */
interface Place { readonly row: object, at: number }

/** The places of rows by the values of columns, as keyOf() returns them. Nulls are not indexed. */
interface Index {
  readonly columns: readonly Column[]
  readonly read: (row: object) => unknown
  readonly places: Map<unknown, Place[]>
  /** The highest number among the keys; undefined until highest() asks for it. */
  highest: number | bigint | undefined
}

/**
 * Returns the table of the rows. Two sources over the same rows share it, so each sees the changes of the other. Throws
 * a DeclarationError for too many rows.
 */
export const tableOver = memoize((rows: Rows) => new Table(rows))

/**
 * Rows of the application, and indexes of them. Lists are read from the rows themselves. The indexes follow the changes
 * that are made here. They are built again if the application has changed the number of rows, the last row of an
 * array, or a row that they find; refresh() tells them of any other change.
 */
export class Table {
  readonly #rows: Rows
  readonly #indexes = new Map<string, Index>()
  /** One place for each row, in their order. */
  #places: Place[] = []

  constructor (rows: Rows) {
    checkSize(rows.length)
    this.#rows = rows
  }

  /** Returns all rows. Throws a DeclarationError if they are too many. */
  all (): readonly object[] {
    checkSize(this.#rows.length)
    return this.#rows
  }

  /** Returns a function that finds rows by the values of columns. */
  finder (columns: readonly Column[]): Find {
    const name = JSON.stringify(columns)
    return values => {
      const key = keyOf(columns, values)
      if (key === null) return []
      const { places, read } = this.#indexOf(name, columns)
      const found = places.get(key) ?? []
      if (found.every(place => this.#isCurrent(place) && read(place.row) === key)) return found.map(({ row }) => row)
      this.refresh()
      return (this.#indexOf(name, columns).places.get(key) ?? []).map(({ row }) => row)
    }
  }

  /** Returns the highest number of the column; 0 if none is above 0. */
  highest (column: Column): number | bigint {
    const index = this.#indexOf(JSON.stringify([column]), [column])
    index.highest ??= highestOf(index.places.keys())
    return index.highest
  }

  /** Adds a row at the end. */
  insert (row: object): Undo {
    this.#follow()
    checkSize(this.#places.length + 1)
    this.#add(row, this.#places.length)
    return () => { this.#take(row) }
  }

  /** Sets properties of a row in place; undefined deletes a property. */
  update (row: object, values: Readonly<Record<string, unknown>>): Undo {
    const before = Object.fromEntries(Object.keys(values).map(property => [property, ownProperty(row, property)]))
    this.#set(row, values)
    return () => { this.#set(row, before) }
  }

  /** Removes a row. Undo puts it back at its position. */
  remove (row: object): Undo {
    const position = this.#take(row)
    return () => {
      this.#follow()
      if (position >= 0) this.#add(row, Math.min(position, this.#places.length))
    }
  }

  /** Builds the indexes again when they are next needed. */
  refresh (): void {
    checkSize(this.#rows.length)
    this.#indexes.clear()
    this.#places = this.#rows.map((row, at) => ({ row, at }))
  }

  /** Finds out if the application has added or removed rows. */
  #follow (): void {
    if (this.#rows.length !== this.#places.length || this.#rows.at(-1) !== this.#places.at(-1)?.row) this.refresh()
  }

  /** Returns true if the row is still where it was when the indexes were built. */
  #isCurrent ({ row, at }: Place): boolean {
    return this.#rows[at] === row
  }

  #indexOf (name: string, columns: readonly Column[]): Index {
    this.#follow()
    const index = this.#indexes.get(name) ?? makeIndex(columns, this.#places)
    this.#indexes.set(name, index)
    return index
  }

  #add (row: object, position: number): void {
    const place = { row, at: position };
    (this.#rows as object[]).splice(position, 0, row)
    this.#places.splice(position, 0, place)
    this.#renumber(position)
    for (const index of this.#indexes.values()) addPlace(index, place)
  }

  /** Removes a row, and returns its position; -1 if the application has removed it already. */
  #take (row: object): number {
    this.#follow()
    if (this.#positionOf(row) < 0) this.refresh()
    const position = this.#positionOf(row)
    const place = this.#places[position]
    if (place === undefined) return -1
    for (const index of this.#indexes.values()) removePlace(index, place);
    (this.#rows as object[]).splice(position, 1)
    this.#places.splice(position, 1)
    this.#renumber(position)
    return position
  }

  /** Returns the position of a row; -1 if it is not known to be there. */
  #positionOf (row: object): number {
    return this.#places.findLastIndex(place => place.row === row && this.#isCurrent(place))
  }

  /** Corrects the positions from one on. */
  #renumber (start: number): void {
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

const mostRows = 200_000

function checkSize (size: number): void {
  if (size <= mostRows) return
  throw new DeclarationError(
    `memory(rows): expected at most ${mostRows} rows; found ${size}. Put them into a table of sqlite(':memory:').`
  )
}

function makeIndex (columns: readonly Column[], places: readonly Place[]): Index {
  const readValues = valuesReader(columns)
  const read = (row: object) => keyOf(columns, readValues(row))
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
