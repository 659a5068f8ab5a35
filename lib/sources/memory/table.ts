import { propertyReader, type Reader } from './values.ts'

/** What memory() takes: an array, or a Map whose values are the items. */
export type Rows = readonly object[] | ReadonlyMap<unknown, object>

/** Takes back what was done. To be called in the opposite order of what was done. */
export type Undo = () => void

/** Objects that can be found by the value of a property. */
export interface Table {
  all (): Iterable<object>
  /** The objects whose property, of this kind of value, has the value, which must not be null; in constant time. */
  find (property: string, value: unknown, kind?: string): readonly object[]
  /** The highest number that the property is, 0 where there is none above. */
  highest (property: string, kind?: string): number
  /** `key` is where a Map keeps it. */
  insert (row: object, key: unknown): Undo
  /** Sets properties of an object in place; undefined removes one. */
  update (row: object, values: Readonly<Record<string, unknown>>): Undo
  remove (row: object): Undo
  refresh (): void
}

/** An object, and where in the rows it was when the index was built. */
interface Entry { readonly row: object, readonly at: unknown }

/** `size` and `last` are how it is seen that rows came or went. */
interface Index {
  readonly property: string
  readonly read: Reader
  size: number
  last: object | undefined
  /** Of the values that are numbers, not below 0; nothing where it must be looked up. */
  highest: number | undefined
  readonly entries: Map<unknown, Entry[]>
}

// Two sources over the same rows must see each other's changes.
const tables = new WeakMap<Rows, Table>()

/** The table of these rows. */
export function tableOf (rows: Rows): Table {
  const table = tables.get(rows) ?? makeTable(rows)
  tables.set(rows, table)
  return table
}

/**
 * Indexes are built when they are first needed, and again when they are seen to be out of date: the rows are the application's, to change as it likes.
 * What is changed here keeps them up to date.
 */
function makeTable (rows: Rows): Table {
  const indexes = new Map<string, Index>()
  const isUpToDate = (index: Index) => index.size === sizeOf(rows) && index.last === lastOf(rows)

  const indexOf = (property: string, kind: string | undefined): Index => {
    // One property may be read as a date by one collection and as a moment by another.
    const name = `${kind ?? ''} ${property}`
    const known = indexes.get(name)
    if (known !== undefined && isUpToDate(known)) return known
    const built = buildIndex(rows, property, kind)
    indexes.set(name, built)
    return built
  }

  const change = (row: object, values: Readonly<Record<string, unknown>>) => {
    const known = [...indexes.values()].filter(index => Object.hasOwn(values, index.property)).map(index => ({ index, entry: takeEntry(index, row) }))
    for (const [property, value] of Object.entries(values)) setValue(row, property, value)
    for (const { index, entry } of known) if (entry !== undefined) addEntry(index, entry)
  }

  return {
    // An array itself, since to copy a large one costs more than to look through it.
    all: () => isMap(rows) ? rows.values() : rows,
    find (property, value, kind) {
      const { read, entries: all } = indexOf(property, kind)
      const entries = all.get(value) ?? []
      if (entries.every(entry => isCurrent(entry, rows, value, read))) return entries.map(entry => entry.row)
      indexes.clear()
      return (indexOf(property, kind).entries.get(value) ?? []).map(entry => entry.row)
    },
    highest: (property, kind) => highestIn(indexOf(property, kind)),
    insert (row, key) {
      const current = [...indexes.values()].filter(isUpToDate)
      const at = add(rows, row, key)
      for (const index of current) {
        addEntry(index, { row, at })
        Object.assign(index, { size: sizeOf(rows), last: lastOf(rows) })
      }
      return () => {
        remove(rows, row)
        indexes.clear()
      }
    },
    update (row, values) {
      const before = Object.fromEntries(Object.keys(values).map(property => [property, Object.hasOwn(row, property) ? (row as Record<string, unknown>)[property] : undefined]))
      change(row, values)
      return () => { change(row, before) }
    },
    remove (row) {
      const restore = remove(rows, row)
      indexes.clear()
      return () => {
        restore()
        indexes.clear()
      }
    },
    refresh () { indexes.clear() }
  }
}

const sizeOf = (rows: Rows) => isMap(rows) ? rows.size : rows.length

/** The last of an array, which changes when one row goes and another comes. A Map does not give its last without reading all. */
const lastOf = (rows: Rows) => isMap(rows) ? undefined : rows.at(-1)

const isMap = (rows: Rows): rows is ReadonlyMap<unknown, object> => rows instanceof Map

function buildIndex (rows: Rows, property: string, kind: string | undefined): Index {
  const index = { property, read: propertyReader(property, kind), size: sizeOf(rows), last: lastOf(rows), highest: 0 as number | undefined, entries: new Map<unknown, Entry[]>() }
  for (const [at, row] of rows.entries()) addEntry(index, { row, at })
  return index
}

function addEntry (index: Index, entry: Entry): void {
  const { entries, read } = index
  const value = read(entry.row)
  if (typeof value === 'number' && index.highest !== undefined && value > index.highest) index.highest = value
  const others = entries.get(value)
  if (others === undefined) entries.set(value, [entry])
  else others.push(entry)
}

function highestIn (index: Index): number {
  if (index.highest === undefined) {
    index.highest = 0
    for (const [value, { length }] of index.entries) if (typeof value === 'number' && length > 0 && value > index.highest) index.highest = value
  }
  return index.highest
}

function takeEntry (index: Index, row: object): Entry | undefined {
  const value = index.read(row)
  const others = index.entries.get(value) ?? []
  if (value === index.highest) index.highest = undefined
  const at = others.findIndex(entry => entry.row === row)
  return at < 0 ? undefined : others.splice(at, 1)[0]
}

function isCurrent ({ row, at }: Entry, rows: Rows, value: unknown, read: Reader): boolean {
  const now = isMap(rows) ? rows.get(at) : rows[at as number]
  return now === row && read(row) === value
}

function setValue (row: object, property: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(row, property)
  else Object.assign(row, { [property]: value })
}

/** Rows are declared readonly because reading leaves them alone; an application whose clients write hands over what may change. */
function add (rows: Rows, row: object, key: unknown): unknown {
  if (!isMap(rows)) return (rows as object[]).push(row) - 1
  ;(rows as Map<unknown, object>).set(key, row)
  return key
}

function remove (rows: Rows, row: object): Undo {
  if (!isMap(rows)) {
    const at = rows.indexOf(row)
    if (at < 0) throw new TypeError('a row is removed once')
    ;(rows as object[]).splice(at, 1)
    return () => { (rows as object[]).splice(at, 0, row) }
  }
  const [key] = [...rows].find(([, one]) => one === row) ?? []
  ;(rows as Map<unknown, object>).delete(key)
  return () => { (rows as Map<unknown, object>).set(key, row) }
}
