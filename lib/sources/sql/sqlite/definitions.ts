import { quoteName } from '../table-name.ts'
import type { SqliteDriver } from './driver.ts'

/** The statements that created the tables of a schema, by their names, and the folded names of those with triggers. */
interface Definitions { readonly tables: ReadonlyMap<string, string>, readonly triggered: ReadonlySet<string> }

export type ReadDefinitions = (schema: string) => Definitions

/** Returns a function that reads each schema once: no index finds a table by its name. */
export function makeReadDefinitions (driver: Pick<SqliteDriver, 'prepare'>): ReadDefinitions {
  const schemas = new Map<string, Definitions>()
  return schema => {
    const known = schemas.get(schema) ?? readDefinitions(driver, schema)
    schemas.set(schema, known)
    return known
  }
}

function readDefinitions (driver: Pick<SqliteDriver, 'prepare'>, schema: string): Definitions {
  const text = `select type, name, tbl_name as changed, sql from ${quoteName(schema)}.sqlite_schema
    where type in ('table', 'trigger')`
  const rows = driver.prepare(text).all() as ReadonlyArray<Record<'type' | 'name' | 'changed' | 'sql', string>>
  return {
    tables: new Map(rows.filter(({ type }) => type === 'table').map(({ name, sql }) => [name, sql])),
    triggered: new Set(rows.filter(({ type }) => type === 'trigger').map(({ changed }) => fold(changed)))
  }
}

/** Returns a name as SQLite compares it: without the case of ASCII letters. */
export const fold = (name: string): string => name.replaceAll(/[A-Z]/g, letter => letter.toLowerCase())
