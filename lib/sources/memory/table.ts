import { ownValue } from './values.ts'

/** What memory() takes: an array, or a Map whose values are the items. */
export type Rows = readonly object[] | ReadonlyMap<unknown, object>

/** Objects that can be found by the value of a property. */
export interface Table {
  all (): Iterable<object>
  /** The objects whose property, of this kind of value, has the value, which must not be null; in constant time. */
  find (property: string, value: unknown, kind?: string): readonly object[]
  refresh (): void
}

/** An object, and where in the rows it was when the index was built. */
interface Entry { readonly row: object, readonly at: unknown }

/** `size` and `last` are how it is seen that rows came or went. */
interface Index { readonly size: number, readonly last: object | undefined, readonly entries: ReadonlyMap<unknown, readonly Entry[]> }

/** Indexes are built when they are first needed, and again when they are seen to be out of date: the rows are the application's, to change as it likes. */
export function makeTable (rows: Rows): Table {
  const indexes = new Map<string, Index>()

  const indexOf = (property: string, kind: string | undefined): Index => {
    // One property may be read as a date by one collection and as a moment by another.
    const name = `${kind ?? ''} ${property}`
    const known = indexes.get(name)
    if (known !== undefined && known.size === sizeOf(rows) && known.last === lastOf(rows)) return known
    const built = buildIndex(rows, property, kind)
    indexes.set(name, built)
    return built
  }

  return {
    all: () => rows.values(),
    find (property, value, kind) {
      const entries = indexOf(property, kind).entries.get(value) ?? []
      if (entries.every(entry => isCurrent(entry, rows, value, property, kind))) return entries.map(entry => entry.row)
      indexes.clear()
      return (indexOf(property, kind).entries.get(value) ?? []).map(entry => entry.row)
    },
    refresh () { indexes.clear() }
  }
}

const sizeOf = (rows: Rows) => isMap(rows) ? rows.size : rows.length

/** The last of an array, which changes when one row goes and another comes. A Map does not give its last without reading all. */
const lastOf = (rows: Rows) => isMap(rows) ? undefined : rows.at(-1)

const isMap = (rows: Rows): rows is ReadonlyMap<unknown, object> => rows instanceof Map

function buildIndex (rows: Rows, property: string, kind: string | undefined): Index {
  const entries = new Map<unknown, Entry[]>()
  for (const [at, row] of rows.entries()) {
    const value = ownValue(row, property, kind)
    const others = entries.get(value)
    if (others === undefined) entries.set(value, [{ row, at }])
    else others.push({ row, at })
  }
  return { size: sizeOf(rows), last: lastOf(rows), entries }
}

function isCurrent ({ row, at }: Entry, rows: Rows, value: unknown, property: string, kind: string | undefined): boolean {
  const now = isMap(rows) ? rows.get(at) : rows[at as number]
  return now === row && ownValue(row, property, kind) === value
}
