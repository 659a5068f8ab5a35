import { words } from '../model/names.ts'
import type { DataTable } from './data-tables.ts'

/** The tables that columns refer to: by the name of the table, then of the column. */
export type References = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Returns the column that identifies the rows of a file: `id`, or one named after the file, or the first one, if each
 * row has a value of its own there.
 */
export function keyOf (table: DataTable): string | undefined {
  const { name, columns } = table
  const own = new Set(['id', ...singulars(name).map(one => `${one} id`)])
  const named = columns.find(column => own.has(words(column.name).join(' ')))
  return [named, columns[0]].find(column => column !== undefined && isKey(table, column.name))?.name
}

function isKey (table: DataTable, name: string): boolean {
  const index = table.columns.findIndex(column => column.name === name)
  const type = table.columns[index]?.type
  if (type === 'JSON' || type === 'BOOLEAN' || type === 'REAL') return false
  const seen = new Set<unknown>()
  for (const row of table.rows) {
    const value = row[index] ?? null
    if (value === null || seen.has(value)) return false
    seen.add(value)
  }
  return true
}

/**
 * Returns the columns that refer to the key of another file: they are named after it (`artist_id`, `artistId` for
 * `artists.csv`), and all their values are keys there.
 */
export function findReferences (
  tables: readonly DataTable[], keys: ReadonlyMap<DataTable, string | undefined>
): References {
  const targets = new Map(tables.flatMap(table => singulars(table.name).map(one => [one, table] as const)))
  const valuesOf = memoizeKeys(keys)
  return new Map(tables.map(table => [table.name, new Map(table.columns.flatMap((column, index) => {
    const parts = words(column.name)
    const target = parts.at(-1) === 'id' ? targets.get(parts.slice(0, -1).join(' ')) : undefined
    if (target === undefined || keys.get(table) === column.name) return []
    const known = valuesOf(target)
    const values = table.rows.map(row => row[index] ?? null).filter(value => value !== null)
    const refers = known.size > 0 && values.length > 0 && values.every(value => known.has(value))
    return refers ? [[column.name, target.name] as const] : []
  }))]))
}

function memoizeKeys (keys: ReadonlyMap<DataTable, string | undefined>): (table: DataTable) => ReadonlySet<unknown> {
  const known = new Map<DataTable, ReadonlySet<unknown>>()
  return table => {
    const index = table.columns.findIndex(({ name }) => name === keys.get(table))
    const values = known.get(table) ?? new Set(index < 0 ? [] : table.rows.map(row => row[index]))
    known.set(table, values)
    return values
  }
}

const irregulars: ReadonlyMap<string, string> = new Map([['people', 'person'], ['children', 'child']])

/** Returns the singulars that an English plural may have, and the name itself: `categories` -> `category`. */
function singulars (name: string): readonly string[] {
  const whole = words(name).join(' ')
  const irregular = irregulars.get(words(name).at(-1) ?? '')
  return [
    whole,
    ...irregular === undefined ? [] : [[...words(name).slice(0, -1), irregular].join(' ')],
    ...whole.endsWith('ies') ? [`${whole.slice(0, -3)}y`] : [],
    ...whole.endsWith('es') ? [whole.slice(0, -2)] : [],
    ...whole.endsWith('s') ? [whole.slice(0, -1)] : []
  ]
}
