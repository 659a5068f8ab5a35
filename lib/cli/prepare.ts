import type { Design } from './scaffold/design.ts'
import { makeDesign } from './scaffold/make-design.ts'
import { compileSyntax, reservedNames, withoutAliases } from '../request/syntax.ts'
import { isPostgres, openDatabase, type OpenedDatabase } from './open.ts'
import type { Flag, Flags } from './run.ts'
import { parseKeys, parseSelection, parseShown } from './selection.ts'
import { CommandError, makeProgress, type Terminal } from './terminal.ts'

/** The flags that say what of a database is meant. */
export const preparingFlags: Readonly<Record<string, Flag>> = {
  tables: 'list', schema: 'list', key: 'list', show: 'list'
}

export interface Preparing {
  readonly write: boolean
  /** Loads what serves, while the database is read. Default: nothing will be served. */
  readonly loadServing?: () => void
}

/** Opens the database that the first argument names, and designs what is served of it. */
export async function prepare (
  flags: Flags, { write, loadServing }: Preparing, terminal: Terminal
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
  const opening = { write, schemas: schemas.length > 0 ? schemas : ['public'], progress, loadServing }
  const database = await openDatabase(target, opening)
  try {
    const tables = await database.read(selection.isWanted)
    selection.check(tables)
    const keys = parseKeys(flags.list('key'), tables)
    const shown = parseShown(flags.list('show'), tables)
    const design = makeDesign(tables, { keys, shown, write, reserved })
    if (design.collections.length === 0) throw nothingToServe(design)
    return { database, design }
  } catch (error) {
    await database.db.close()
    throw error
  } finally {
    progress.end()
  }
}

const syntax = compileSyntax({})
const needed = withoutAliases(syntax, new Set(syntax.parameters.keys()))
// Other names of a parameter, such as `order`, yield to fields; but `limit` stands in the URLs that are printed.
const reserved: ReadonlySet<string> = new Set([...reservedNames(needed).keys(), 'limit'])

function nothingToServe ({ omissions }: Design): CommandError {
  const [first, ...others] = omissions
  if (first === undefined) return new CommandError('the database has no tables; create one, or name another database')
  const more = others.length === 0 ? '' : `; and ${others.length} more`
  return new CommandError(`no table can be served: ${first.place} ${first.reason}${more}`)
}
