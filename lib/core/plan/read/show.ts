import type { GroupColumn, Row, Selection, Shown } from '../plan.ts'

// What clients see of rows (docs/http.md: What an item shows).

type Item = Readonly<Record<string, unknown>>

/** Returns the value of a field of a row, at every depth of an item. A member that is undefined is left out. */
type ShowValue = (row: Row, shown: Extract<Shown, { kind: 'value' }>) => unknown

/** Converts a row to the item that a client sees: its selected members, by their names on the wire. */
export function showItem (row: Row, select: Selection, valueOf: ShowValue = showValue): Item {
  const item: Record<string, unknown> = {}
  for (const shown of select) {
    const value = showField(row, shown, valueOf)
    if (value !== undefined) item[shown.name] = value
  }
  return item
}

/** Returns the value of one member of an item. An absent value is null. */
export function showField (row: Row, shown: Shown, valueOf: ShowValue = showValue): unknown {
  switch (shown.kind) {
    case 'value': return valueOf(row, shown)
    case 'item': return showNested(row[shown.field.property], shown.select, valueOf)
    case 'related': return showGroup(row[shown.field.property] as Row, shown.values)
    case 'list': {
      const elements = row[shown.field.property] as readonly Row[]
      return elements.map(element => showItem(element, shown.listing.select, valueOf))
    }
  }
}

const showValue: ShowValue = (row, { field }) =>
  (field.kind === 'computed' ? field.get(row) : row[field.property]) ?? null

const showNested = (row: unknown, select: Selection, valueOf: ShowValue) =>
  row === null || row === undefined ? null : showItem(row as Row, select, valueOf)

/** Returns the members of a group. A sub-item all of whose values are null is null. */
export function showGroup (row: Row, shown: readonly GroupColumn[]): Item {
  const group: Record<string, unknown> = {}
  for (const column of shown) {
    const path = memberPath(column)
    let members = group
    for (const name of path.slice(0, -1)) {
      // Not what the object inherits: a field may be called `constructor`.
      if (!Object.hasOwn(members, name)) members[name] = {}
      members = members[name] as Record<string, unknown>
    }
    members[path.at(-1) ?? ''] = valueOf(row, column)
  }
  for (const path of subItemsOf(shown)) nullIfEmpty(group, path)
  return group
}

/** Returns the paths of the sub-items by whose values items are grouped, the deepest first. */
function subItemsOf (shown: readonly GroupColumn[]): ReadonlyArray<readonly string[]> {
  const paths = shown.flatMap(one => isShared(one) ? [one.of?.path ?? []] : [])
    .flatMap(path => path.map((_, index) => path.slice(0, index + 1).map(({ field }) => field.name)))
  return paths.toSorted((one, other) => other.length - one.length)
}

function nullIfEmpty (group: Record<string, unknown>, path: readonly string[]): void {
  let holder: Record<string, unknown> | null = group
  for (const name of path.slice(0, -1)) holder = (holder?.[name] ?? null) as Record<string, unknown> | null
  const [name = ''] = path.slice(-1)
  const members = holder?.[name]
  if (typeof members !== 'object' || members === null) return
  if (holder !== null && Object.values(members).every(value => value === null)) holder[name] = null
}

/** Returns the value of a column as it is shown. Means, and sums of numbers, are the digits of a double. */
export function valueOf (row: Row, { field, call, of }: GroupColumn): unknown {
  const value = row[field.property] ?? null
  if (value === null || (call !== 'sum' && call !== 'avg')) return value
  const number = Number(value)
  if (call === 'avg' || of?.field.type.kind === 'number') return Number.isFinite(number) ? number + 0 : String(number)
  // As text unless a double is the exact sum.
  return of?.field.type.kind === 'integer' && String(number) === value && Number.isSafeInteger(number) ? number : value
}

/** Returns true for a value that the items of a group share as it is. */
export const isShared = (column: GroupColumn) => column.call === undefined && column.unit === undefined

/** Returns the names of the members that lead to a column's value. */
export const memberPath = ({ field: { name } }: GroupColumn): readonly string[] => name.replace('()', '').split('.')
