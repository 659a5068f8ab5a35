import { orNearest } from '../../core/errors/suggest.ts'
import type { SessionSettings } from '../../core/sources/sql/tables.ts'
import { isPostgres, openDatabase, type OpenedDatabase } from './open.ts'
import type { Flag, Flags } from './flags.ts'
import type { Design } from './scaffold/design.ts'
import { type DesignOptions, makeDesign } from './scaffold/make-design.ts'
import type { SeenTable, SeenTables } from './scaffold/tables.ts'
import { CommandError, makeProgress, type Terminal } from './terminal.ts'

/** The flags that say what of a database is meant. */
export const preparingFlags: Readonly<Record<string, Flag>> = {
  tables: 'list', schema: 'list', key: 'list', show: 'list', look: 'text'
}

interface Preparing {
  readonly write: boolean
  /** The role and settings under which PostgreSQL answers all requests. Default: the connection's own role. */
  readonly session?: SessionSettings | undefined
  /** Loads what serves, while the database is read. Default: nothing will be served. */
  readonly loadServing?: () => Promise<void>
}

/** Opens the database that the first argument names, and designs what is served of it. */
export async function prepare (
  flags: Flags, { write, session, loadServing }: Preparing, terminal: Terminal
): Promise<{ readonly database: OpenedDatabase, readonly design: Design }> {
  const [target] = flags.given
  if (target === undefined) {
    const advice = 'write npx fastify-data-api <file, folder or postgres://…>, or --help'
    throw new CommandError(`which database? ${advice}`, { exitCode: 2 })
  }
  const progress = makeProgress(terminal)
  const schemas = flags.list('schema').flatMap(list => list.split(',')).filter(name => name !== '')
  const selection = parseSelection(flags.list('tables'))
  if (schemas.length > 0 && !isPostgres(target)) {
    throw new CommandError('--schema: only a PostgreSQL database has schemas to choose from', { exitCode: 2 })
  }
  if (session !== undefined && !isPostgres(target)) {
    throw new CommandError('--role, --claims: only a PostgreSQL database has roles', { exitCode: 2 })
  }
  const look = parseLook(flags.text('look'), target)
  const opening = { write, session, schemas: schemas.length > 0 ? schemas : ['public'], look, progress, loadServing }
  const database = await openDatabase(target, opening)
  try {
    const tables = await database.read(selection.isWanted)
    selection.check(tables)
    const keys = parseKeys(flags.list('key'), tables)
    const shown = parseShown(flags.list('show'), tables)
    const design = makeDesign(tables, { ...keys, shown, write })
    if (design.collections.length === 0) throw nothingToServe(design)
    return { database, design }
  } catch (error) {
    await database.db.close()
    throw error
  } finally {
    progress.end()
  }
}

/** Parses the value of `--look`, in seconds. */
function parseLook (text: string | undefined, target: string): number {
  if (text === undefined) return defaultLook
  if (isPostgres(target)) throw new CommandError('--look: the types of PostgreSQL are no guesses', { exitCode: 2 })
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text)
  throw new CommandError(`--look: expected seconds, such as 60; found '${text}'`, { exitCode: 2 })
}

const defaultLook = 10

function nothingToServe ({ omissions }: Design): CommandError {
  const [first, ...others] = omissions
  if (first === undefined) return new CommandError('the database has no tables; create one, or name another database')
  const more = others.length === 0 ? '' : `; and ${others.length} more`
  return new CommandError(`no table can be served: ${first.place} ${first.reason}${more}`)
}

/** The tables that `--tables` names, such as `album*,artist`. */
interface Selection {
  isWanted (name: string): boolean
  /** Throws a CommandError for a name that no table has. */
  check (tables: SeenTables): void
}

/** Parses the values of `--tables`; without any, all tables are wanted. */
function parseSelection (lists: readonly string[]): Selection {
  const patterns = lists.flatMap(list => list.split(',')).map(text => text.trim()).filter(text => text !== '')
  const tests = patterns.map(text => ({ text, test: patternOf(text) }))
  const seen = new Set<string>()
  return {
    isWanted (name) {
      seen.add(name)
      return tests.length === 0 || tests.some(({ test }) => test.test(name))
    },
    check () {
      for (const { text, test } of tests) {
        if ([...seen].some(name => test.test(name))) continue
        throw unknownName('--tables', text, seen, 'table or view')
      }
    }
  }
}

function patternOf (text: string): RegExp {
  const parts = text.split('*').map(part => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'su')
}

/**
 * Parses `--key view=one,two`, and `--key '*=id'`, which is meant for tables without a key. Throws a CommandError for a
 * table or column that does not exist.
 */
function parseKeys (given: readonly string[], { tables }: SeenTables): Pick<DesignOptions, 'keys' | 'spareKeys'> {
  const [keys, spareKeys] = [new Map<string, readonly string[]>(), new Map<string, readonly string[]>()]
  for (const text of given) {
    const at = text.indexOf('=')
    if (at < 1) throw new CommandError(`--key ${text}: expected view=column`, { exitCode: 2 })
    const name = text.slice(0, at)
    const columns = text.slice(at + 1).split(',').map(part => part.trim())
    const pattern = patternOf(name)
    const meant = tables.filter(one => pattern.test(one.name))
    if (meant.length === 0) throw unknownName('--key', name, tables.map(one => one.name), 'table or view')
    const found = meant.filter(one => columns.every(column => columnNames(one).includes(column)))
    if (found.length === 0) throw unknownColumns(name, columns, meant.flatMap(columnNames))
    const named = name.includes('*') ? spareKeys : keys
    for (const one of found) named.set(one.name, named.get(one.name) ?? columns)
  }
  return { keys, spareKeys }
}

const columnNames = ({ columns }: SeenTable) => columns.map(({ name }) => name)

function unknownColumns (table: string, columns: readonly string[], known: readonly string[]): CommandError {
  const unknown = columns.find(column => !known.includes(column))
  return unknown === undefined
    ? new CommandError(`--key ${table}: no table or view has all of the columns ${columns.join(', ')}`)
    : unknownName(`--key ${table}`, unknown, known, 'column')
}

/** Parses `--show table.column`. Throws a CommandError for a column that does not exist. */
function parseShown (given: readonly string[], { tables }: SeenTables): ReadonlySet<string> {
  const known = new Set(tables.flatMap(({ name, columns }) => columns.map(column => `${name}.${column.name}`)))
  const places = given.flatMap(text => text.split(',')).map(text => text.trim())
  for (const place of places) if (!known.has(place)) throw unknownColumn(place, known)
  return new Set(places)
}

function unknownColumn (place: string, known: ReadonlySet<string>): CommandError {
  const ofThisName = [...known].find(one => one.toLowerCase().endsWith(`.${place.toLowerCase()}`))
  if (ofThisName === undefined) return unknownName('--show', place, known, 'column')
  return new CommandError(`--show: write table.column for '${place}', such as '${ofThisName}'`)
}

const unknownName = (flag: string, name: string, known: Iterable<string>, what: string) =>
  new CommandError(`${flag}: there is no ${what} '${name}'${orNearest(name, known)}`)
