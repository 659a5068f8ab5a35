import { sql } from './load-kysely.ts'
import { DeclarationError } from '../../errors/errors.ts'
import type { Sql } from './statements/dialect.ts'

/** The name of a table or view. `schema`: undefined for the table that the database finds by the name alone. */
export interface TableName { readonly schema: string | undefined, readonly name: string }

/** Returns the name in a text such as `artists` or `music.artists`. Throws a DeclarationError for two dots. */
export function parseTableName (text: string): TableName {
  const [first = '', second, ...others] = text.split('.')
  if (others.length > 0) {
    const advice = 'a name that holds a dot is given as table({ schema, name })'
    throw new DeclarationError(`table('${text}'): expected a name, or a schema and a name; ${advice}`)
  }
  return second === undefined ? { schema: undefined, name: first } : { schema: first, name: second }
}

/** Returns the name of a column, a table or a schema as text of SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteTable = ({ schema, name }: TableName): string =>
  schema === undefined ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`

export const tableId = ({ schema, name }: TableName): Sql =>
  schema === undefined ? sql.id(name) : sql.id(schema, name)

/** Returns a text that differs for every two names. */
export const keyOfTable = ({ schema, name }: TableName): string =>
  schema === undefined ? name : JSON.stringify([schema, name])

/** Returns the name as people write it. */
export const showTable = ({ schema, name }: TableName): string => schema === undefined ? name : `${schema}.${name}`
