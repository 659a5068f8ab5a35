import { DeclarationError } from '../../../errors/errors.ts'
import { quoteName } from '../table-name.ts'
import type { SqliteDriver } from './driver.ts'

/**
 * Attaches to a connection the database that another connection has attached under a name, unless it is attached there
 * already. Throws a DeclarationError if there is no such database, and for one without a file, which only one
 * connection can have.
 */
export function attachLike (main: SqliteDriver, reader: SqliteDriver | undefined, schema: string): void {
  const file = fileOf(main, schema)
  const place = `table({ schema: '${schema}' })`
  if (file === undefined) throw new DeclarationError(`${place}: there is no such database; attach it before`)
  if (reader === undefined || fileOf(reader, schema) !== undefined) return
  if (file === '') {
    const reason = 'is in memory, where the connection for reads cannot reach it'
    throw new DeclarationError(`${place}: the attached database ${reason}; attach a file`)
  }
  attach(reader, { schema, file })
}

/** A database of a connection besides its main one, and its file. */
export interface Attached { readonly schema: string, readonly file: string }

export function attach (driver: SqliteDriver, { schema, file }: Attached): void {
  driver.prepare(`attach ? as ${quoteName(schema)}`).run(file)
}

export function attachedFiles (driver: SqliteDriver): readonly Attached[] {
  const names = "name not in ('main', 'temp') and file <> ''"
  return driver.prepare(`select name as schema, file from pragma_database_list where ${names}`).all().map(row => {
    const { schema, file } = row as Attached
    return { schema, file }
  })
}

/** Returns the file of a database of a connection; an empty string for one in memory, undefined for an unknown one. */
function fileOf (driver: SqliteDriver, schema: string): string | undefined {
  const [row] = driver.prepare('select file from pragma_database_list where name = ? collate nocase').all(schema)
  if (typeof row !== 'object' || row === null || !('file' in row)) return schema === 'temp' ? '' : undefined
  return String(row.file ?? '')
}
