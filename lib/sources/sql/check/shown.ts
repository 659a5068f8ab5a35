import { DataApiError } from '../../../errors.ts'
import type { StoredField } from '../../../model/model.ts'
import { sql } from '../load-kysely.ts'
import { tableOf } from '../source.ts'
import type { Dialect, Sql } from '../statements/dialect.ts'
import { makeCompiler } from '../statements/statements.ts'
import type { Served } from './compare.ts'
import type { CatalogColumn } from '../catalog.ts'

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The parts of a database that give the values of its tables as clients see them. */
export interface ShownReader {
  readonly dialect: Dialect
  query (text: string): Promise<Rows> | Rows
  /** Returns the name of a column's type, as statements take it. */
  typeOf (served: Served, column: CatalogColumn): string
}

/** The values of fields as clients see them: a list for each row. */
export type ShownRows = ReadonlyArray<readonly unknown[]>

/** Reads the values of fields, whose columns exist, in the first rows of a table. */
export async function readShown (
  fields: readonly StoredField[], served: Served, reader: ShownReader, limit: number
): Promise<ShownRows> {
  const { dialect, typeOf } = reader
  const columns = fields.flatMap(field => {
    const column = served.columns.get(field)
    if (column === undefined) return []
    return [{ name: column.name, type: { kind: field.type.kind, type: typeOf(served, column) } }]
  })
  const values = columns.map(({ name, type }) => dialect.fetch(sql.id(name), type))
  const decoders = columns.map(({ type }) => dialect.decoder(type))
  const rows = await select(values, served, reader, limit)
  return rows.map(row => decoders.map((decode, index) => decode(row[index])))
}

/** Returns for each of some conditions whether one of the first rows of a table has it. */
export async function readFlags (
  conditions: ReadonlyArray<Sql | undefined>, served: Served, reader: ShownReader, limit: number
): Promise<readonly boolean[]> {
  if (conditions.every(condition => condition === undefined)) return []
  const flags = conditions.map(condition => sql`case when ${condition ?? sql`1 = 0`} then 1 else 0 end`)
  const rows = await select(flags, served, reader, limit)
  return conditions.map((_, index) => rows.some(row => Number(row[index]) === 1))
}

async function select (
  values: readonly Sql[], { collection }: Served, { dialect, query }: ShownReader, limit: number
): Promise<ShownRows> {
  const { schema, name } = tableOf(collection)
  const table = schema === undefined ? sql.id(name) : sql.id(schema, name)
  const named = values.map((value, index) => sql`${value} as ${sql.id(`v${index}`)}`)
  const statement = sql`select ${sql.join(named)} from ${table} limit ${sql.lit(limit)}`
  try {
    const rows = await query(statement.compile(makeCompiler(dialect)).sql)
    return rows.map(row => values.map((_, index) => row[`v${index}`]))
  } catch (error) {
    if (error instanceof DataApiError && error.code === 'unavailable') throw error
    // The role may lack the right to read some column. Requests for it tell that better.
    return []
  }
}
