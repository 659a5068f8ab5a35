import { readdirSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { openDriver, type SqliteDriver } from '../sources/sql/sqlite/driver.ts'
import { sqlite } from '../sources/sql/sqlite/sqlite.ts'
import { type DataTable, readDataFile } from './data-tables.ts'
import { dataFiles, guardSqlite, type OpenedDatabase, openFilled, type OpenOptions, statementTimeout } from './open.ts'
import { CommandError } from './terminal.ts'

/** Opens a folder of data files, or one such file, as a database in memory. The files are never written. */
export async function openDataFiles (
  target: string, isFolder: boolean, { write, progress }: OpenOptions
): Promise<OpenedDatabase> {
  const files = isFolder
    ? readdirSync(target).filter(isDataFile).toSorted()
    : ['']
  if (files.length === 0) throw new CommandError(`'${target}' has no files that end with ${[...dataFiles].join(', ')}`)
  const read = files.flatMap(file => {
    progress.tell(`reading ${file === '' ? target : file}`)
    return readDataFile(file === '' ? target : join(target, file))
  })
  const tables = read.filter(({ columns }) => columns.length > 0)
  const omissions = read.filter(table => !tables.includes(table))
    .map(({ name }) => ({ place: name, reason: 'holds no rows' }))
  checkNames(tables)
  const driver = guardSqlite(target, () => openDriver(':memory:', undefined))
  fill(driver, tables, name => { progress.tell(`loading ${name}`) })
  const db = sqlite('', { driver, readOnly: !write, check: 'off', statementTimeout })
  return openFilled(db, { label: basename(resolve(target)), omissions }, progress)
}

const isDataFile = (name: string) => dataFiles.has(extname(name).toLowerCase()) && !name.startsWith('.')

function checkNames (tables: readonly DataTable[]): void {
  const known = new Map<string, string>()
  for (const { name } of tables) {
    const other = known.get(name.toLowerCase())
    if (other !== undefined) throw new CommandError(`two tables are named '${other}' and '${name}'; rename one`)
    known.set(name.toLowerCase(), name)
  }
}

function fill (driver: SqliteDriver, tables: readonly DataTable[], tell: (name: string) => void): void {
  driver.exec('begin')
  for (const table of tables) {
    tell(table.name)
    driver.exec(creation(table))
    const names = table.columns.map(one => quote(one.name)).join(', ')
    const values = table.columns.map(() => '?').join(', ')
    const insert = driver.prepare(`insert into ${quote(table.name)} (${names}) values (${values})`)
    for (const row of table.rows) insert.run(...row)
  }
  driver.exec('commit')
}

const quote = (name: string) => `"${name.replaceAll('"', '""').replaceAll('\0', '')}"`

/** A table whose rows have no key of their own gets their number as one. */
function creation (table: DataTable): string {
  const { name, columns } = table
  const key = keyOf(table)
  const parts = columns.map(column =>
    `${quote(column.name)} ${column.type}${column.name === key ? ' primary key not null' : ''}`)
  const number = key === undefined ? [`${quote(numberName(columns))} integer primary key`] : []
  return `create table ${quote(name)} (${[...number, ...parts].join(', ')})`
}

/** Returns the column that identifies the rows of a file: `id` or the first one, if its values are unique. */
function keyOf (table: DataTable): string | undefined {
  const { columns } = table
  const id = columns.find(({ name }) => name.toLowerCase() === 'id')
  return [id, columns[0]].find(column => column !== undefined && isKey(table, column.name))?.name
}

function isKey ({ columns, rows }: DataTable, name: string): boolean {
  const index = columns.findIndex(column => column.name === name)
  if (!['INTEGER', 'TEXT'].includes(columns[index]?.type ?? '')) return false
  const values = rows.map(row => row[index] ?? null)
  return !values.includes(null) && new Set(values).size === values.length
}

function numberName (columns: DataTable['columns']): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  return ['id', 'row', 'row_number'].find(name => !taken.has(name)) ?? 'row_number_of_file'
}
