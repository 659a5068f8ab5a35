import type { TypeDesign } from './design.ts'
import type { Column, Table } from './tables.ts'

/** The columns that identify the rows; `rowNumber` where those are none of the table's own. */
export type Key =
  | { readonly key: readonly string[], readonly rowNumber: undefined }
  | { readonly key: readonly [], readonly rowNumber: 'rowid' }

/**
 * Returns the key of a table: the one that the user names, else the primary key, else the smallest unique one without
 * nulls, else the number of the row on SQLite. Returns the reason where there is none.
 */
export function chooseKey (
  table: Table, readable: ReadonlyMap<Column, TypeDesign>, named: readonly string[] | undefined
): Key | { readonly reason: string } {
  if (named !== undefined) return { key: named, rowNumber: undefined }
  const columnOf = (name: string) => table.columns.find(column => column.name === name)
  const isUsable = (name: string) => {
    const column = columnOf(name)
    const type = column && readable.get(column)
    return type !== undefined && type.kind !== 'json' && type.kind !== 'list'
  }
  const isKey = (names: readonly string[]) =>
    names.length > 0 && names.every(isUsable) && !isBroken(table, names)
  const isFilled = (names: readonly string[]) => names.every(name => columnOf(name)?.nullable === false)
  if (isKey(table.primaryKey) && isFilled(table.primaryKey)) return { key: table.primaryKey, rowNumber: undefined }
  const [unique] = table.unique
    .filter(names => isKey(names) && (isFilled(names) || table.kind === 'materialized view'))
    .toSorted((one, other) => one.length - other.length)
  if (unique !== undefined) return { key: unique, rowNumber: undefined }
  if (table.hasRowNumber) return { key: [], rowNumber: 'rowid' }
  return { reason: reasonOf(table) }
}

const isBroken = ({ brokenKeys = [] }: Table, names: readonly string[]) =>
  brokenKeys.some(broken => broken.join('\0') === names.join('\0'))

function reasonOf ({ kind, name, columns, primaryKey, brokenKeys: [broken] = [] }: Table): string {
  if (broken !== undefined) return `its key (${broken.join(', ')}) is null in some rows, or the same in several`
  if (primaryKey.length > 0) {
    const holdsNull = columns.some(({ name, nullable }) => nullable && primaryKey.includes(name))
    return `its key (${primaryKey.join(', ')}) ${holdsNull ? 'holds null' : 'is not shown'}`
  }
  const [column] = columns
  const found = kind === 'table' ? 'has no key' : `is a ${kind}, which has no key`
  const flag = `--key ${shellWord(`${name}=${column?.name ?? 'column'}`)}`
  return `${found}; name a column whose values are unique, such as ${flag}`
}

/** Quotes a word for a shell where that is necessary. */
export const shellWord = (text: string) => /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
