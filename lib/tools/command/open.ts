import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { orNearest } from '../../core/errors/suggest.ts'
import { openSqlite, quoteName, type SessionSettings, type SqliteTables } from '../../core/sources/sql/tables.ts'
import { type DataTable, readDataFile } from './data-tables.ts'
import type { TableDatabase } from './scaffold/declare.ts'
import type { Omission, SeenTables } from './scaffold/tables.ts'
import { CommandError, type makeProgress } from './terminal.ts'

/** A database that the command has opened. */
export interface OpenedDatabase {
  readonly kind: 'sqlite' | 'postgres'
  /** The path of a SQLite file. */
  readonly file?: string
  /** Its name for people, without anything secret. */
  readonly label: string
  readonly db: TableDatabase & { close (): void | Promise<void> }
  /** Reads the catalogue. `isWanted`: whether a table is asked for. */
  read (isWanted: (name: string) => boolean): Promise<SeenTables>
}

export interface OpenOptions {
  readonly write: boolean
  readonly session: SessionSettings | undefined
  readonly schemas: readonly string[]
  /** The seconds in which all rows of SQLite are looked at. */
  readonly look: number
  readonly progress: ReturnType<typeof makeProgress>
  /** Loads what serves, while a server is connected to and reads its catalogue; undefined if nothing will be served. */
  readonly loadServing: (() => Promise<void>) | undefined
}

/** In milliseconds: how long a statement may take before its request is 503. */
export const statementTimeout = 10_000

/** Returns true for the address of a PostgreSQL database. */
export const isPostgres = (target: string): boolean => /^postgres(?:ql)?:\/\//i.test(target)

/** Opens what the user names. Throws a CommandError that says what is wrong with it. */
export async function openDatabase (target: string, options: OpenOptions): Promise<OpenedDatabase> {
  if (isPostgres(target)) {
    const { openServer } = await import('./open-postgres.ts')
    return openServer(target, options)
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(target) ?? []
  if (scheme !== undefined) {
    const advice = 'name a SQLite file, a folder or postgres://…'
    throw new CommandError(`an address that begins with ${scheme}:// is not supported; ${advice}`)
  }
  if (!existsSync(target)) throw missingFile(target)
  const isFolder = statSync(target).isDirectory()
  if (isFolder || dataFiles.has(extname(target).toLowerCase())) {
    return openDataFiles(target, isFolder, options)
  }
  return openFile(target, options)
}

/** The endings of files that hold rows. */
const dataFiles: ReadonlySet<string> = new Set(['.csv', '.tsv', '.json', '.ndjson', '.jsonl'])

function missingFile (target: string): CommandError {
  const folder = dirname(target)
  const others = existsSync(folder) ? readdirSync(folder) : []
  return new CommandError(`there is no file or folder '${target}'${orNearest(basename(target), others)}`)
}

/** Throws a CommandError for what is no SQLite database. */
export function checkFile (file: string): void {
  if (!existsSync(file)) throw missingFile(file)
  checkHeader(file)
}

async function openFile (file: string, { write, look, progress }: OpenOptions): Promise<OpenedDatabase> {
  checkHeader(file)
  const { readSqlite } = await import('./scaffold/read-sqlite.ts')
  const opened = guardSqlite(file, () => openSqlite(file, { readOnly: !write, statementTimeout }))
  return {
    kind: 'sqlite',
    label: basename(file),
    file,
    db: opened.db,
    read: async isWanted => guardSqlite(file, () => readSqlite(opened, isWanted, { look, tell: progress.tell }))
  }
}

/** The first bytes of a file tell if it is a SQLite file at all. An empty file is an empty database. */
function checkHeader (file: string): void {
  const magic = 'SQLite format 3\0'
  const header = Buffer.alloc(magic.length)
  let length: number
  try {
    const descriptor = openSync(file, 'r')
    length = readSync(descriptor, header, 0, header.length, 0)
    closeSync(descriptor)
  } catch (error) {
    throw new CommandError(`the file '${file}' cannot be read (${codeOf(error)})`, { cause: error })
  }
  if (length === 0 || header.toString('latin1') === magic) return
  const advice = 'name one, a folder of CSV, NDJSON or JSON files, or postgres://…'
  throw new CommandError(`'${file}' is not a SQLite database; ${advice}`)
}

/** The code of an error of the system or of a driver. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'no code'

/** Turns the errors of opening and reading a file into those of this command. */
export function guardSqlite<T> (file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (message.includes('cannot be loaded')) throw missingDriver(error)
    if (/not a database|malformed/.test(message)) {
      throw new CommandError(`'${file}' is not a SQLite database, or is damaged (${message})`, { cause: error })
    }
    if (/locked|busy/.test(message)) {
      throw new CommandError(`'${file}' is locked by another process; end that, or try again`, { cause: error })
    }
    throw new CommandError(`'${file}' cannot be opened: ${message}`, { cause: error })
  }
}

const missingDriver = (cause: unknown) => new CommandError(
  'SQLite needs Node.js 22.16 or later, or a driver: ' +
  'npx -p @photostructure/sqlite@1 -p fastify-data-api fastify-data-api …',
  { cause }
)

/** Returns a SQLite database that the command has filled itself. `omissions`: what it could not fill. */
async function openFilled (
  opened: SqliteTables,
  { label, omissions }: { readonly label: string, readonly omissions: readonly Omission[] },
  { look, progress }: OpenOptions
): Promise<OpenedDatabase> {
  const { readSqlite } = await import('./scaffold/read-sqlite.ts')
  return {
    kind: 'sqlite',
    label,
    db: opened.db,
    async read (isWanted) {
      const found = readSqlite(opened, isWanted, { look, tell: progress.tell })
      return { ...found, omissions: [...omissions.filter(({ place }) => isWanted(place)), ...found.omissions] }
    }
  }
}

/** Opens a folder of data files, or one such file, as a database in memory. The files are never written. */
async function openDataFiles (
  target: string, isFolder: boolean, options: OpenOptions
): Promise<OpenedDatabase> {
  const { write, progress } = options
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
  const opened = guardSqlite(target, () => openSqlite(undefined, { readOnly: !write, statementTimeout }))
  fill(opened, tables, name => { progress.tell(`loading ${name}`) })
  return openFilled(opened, { label: basename(resolve(target)), omissions }, options)
}

const isDataFile = (name: string) => dataFiles.has(extname(name).toLowerCase()) && !name.startsWith('.')

function checkNames (tables: readonly DataTable[]): void {
  const known = new Map<string, DataTable>()
  for (const table of tables) {
    const { name, file } = table
    const other = known.get(name.toLowerCase())
    if (other !== undefined) {
      const place = other.file === file ? `in ${file}` : `from ${other.file} and ${file}`
      throw new CommandError(`two tables are named '${other.name}' and '${name}', ${place}; rename one`)
    }
    known.set(name.toLowerCase(), table)
  }
}

function fill (opened: SqliteTables, tables: readonly DataTable[], tell: (name: string) => void): void {
  opened.fill(() => {
    for (const table of tables) {
      tell(table.name)
      opened.db.driver.exec(creation(table))
      const names = table.columns.map(one => quoteName(one.name)).join(', ')
      const values = table.columns.map(() => '?').join(', ')
      opened.runEach(`insert into ${quoteName(table.name)} (${names}) values (${values})`, table.rows)
    }
  })
}

/** A table whose rows have no key of their own gets their number as one. */
function creation (table: DataTable): string {
  const { name, columns } = table
  const key = keyOf(table)
  const parts = columns.map(column =>
    `${quoteName(column.name)} ${column.type}${column.name === key ? ' primary key not null' : ''}`)
  const number = key === undefined ? [`${quoteName(numberName(columns))} integer primary key`] : []
  return `create table ${quoteName(name)} (${[...number, ...parts].join(', ')})`
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
