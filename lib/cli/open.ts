import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, extname } from 'node:path'
import type { TableDatabase } from './scaffold/declare.ts'
import type { Omission, Tables } from './scaffold/tables.ts'
import type { SessionSettings } from '../sources/sql/postgres/request-session.ts'
import type { SqliteDatabase } from '../sources/sql/sqlite/sqlite.ts'
import { CommandError, type makeProgress } from './terminal.ts'
import { orNearest } from '../errors/suggest.ts'

/** A database that the command has opened. */
export interface OpenedDatabase {
  readonly kind: 'sqlite' | 'postgres'
  /** The path of a SQLite file. */
  readonly file?: string
  /** Its name for people, without anything secret. */
  readonly label: string
  readonly db: TableDatabase & { close (): void | Promise<void> }
  /** Reads the catalogue. `isWanted`: whether a table is asked for. */
  read (isWanted: (name: string) => boolean): Promise<Tables>
}

export interface OpenOptions {
  readonly write: boolean
  readonly session: SessionSettings | undefined
  readonly schemas: readonly string[]
  readonly progress: ReturnType<typeof makeProgress>
  /** Loads what serves, while a server is connected to and reads its catalogue; undefined if nothing will be served. */
  readonly loadServing: (() => void) | undefined
}

/** In milliseconds: how long a statement may take before its request is 503. */
export const statementTimeout = 10_000

/** Returns true for the address of a PostgreSQL database. */
export const isPostgres = (target: string): boolean => /^postgres(?:ql)?:\/\//i.test(target)

/** Opens what the user names. Throws a CommandError that says what is wrong with it. */
export async function openDatabase (target: string, options: OpenOptions): Promise<OpenedDatabase> {
  if (isPostgres(target)) {
    const { openPostgres } = await import('./open-postgres.ts')
    return openPostgres(target, options)
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(target) ?? []
  if (scheme !== undefined) {
    const advice = 'name a SQLite file, a folder or postgres://…'
    throw new CommandError(`an address that begins with ${scheme}:// is not supported; ${advice}`)
  }
  if (!existsSync(target)) throw missingFile(target)
  const isFolder = statSync(target).isDirectory()
  if (isFolder || dataFiles.has(extname(target).toLowerCase())) {
    const { openDataFiles } = await import('./open-files.ts')
    return openDataFiles(target, isFolder, options)
  }
  return openSqlite(target, options)
}

/** The endings of files that hold rows. */
export const dataFiles: ReadonlySet<string> = new Set(['.csv', '.tsv', '.json', '.ndjson', '.jsonl'])

function missingFile (target: string): CommandError {
  const folder = dirname(target)
  const others = existsSync(folder) ? readdirSync(folder) : []
  return new CommandError(`there is no file or folder '${target}'${orNearest(basename(target), others)}`)
}

async function openSqlite (file: string, { write, progress }: OpenOptions): Promise<OpenedDatabase> {
  checkHeader(file)
  const { sqlite } = await import('../sources/sql/sqlite/sqlite.ts')
  const { readSqlite } = await import('./scaffold/read-sqlite.ts')
  // Another journal mode would stay after the end, with files beside this one.
  const options = { readOnly: !write, check: 'off', journal: 'keep', statementTimeout } as const
  const db = guardSqlite(file, () => sqlite(file, options))
  return {
    kind: 'sqlite',
    label: basename(file),
    file,
    db,
    read: async isWanted => guardSqlite(file, () => readSqlite(db.driver, isWanted, progress.tell))
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
  'SQLite needs Node.js 22.13 or later, or a driver: ' +
  'npx -p @photostructure/sqlite@1 -p fastify-data-api fastify-data-api …',
  { cause }
)

/** Returns a SQLite database that the command has filled itself. `omissions`: what it could not fill. */
export async function openFilled (
  db: SqliteDatabase,
  { label, omissions }: { readonly label: string, readonly omissions: readonly Omission[] },
  progress: OpenOptions['progress']
): Promise<OpenedDatabase> {
  const { readSqlite } = await import('./scaffold/read-sqlite.ts')
  return {
    kind: 'sqlite',
    label,
    db,
    async read (isWanted) {
      const found = readSqlite(db.driver, isWanted, progress.tell)
      return { ...found, omissions: [...omissions.filter(({ place }) => isWanted(place)), ...found.omissions] }
    }
  }
}
