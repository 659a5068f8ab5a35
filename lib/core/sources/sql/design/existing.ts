import type { Catalog } from '../catalog.ts'
import { readCatalog as readPostgres } from '../postgres/catalog.ts'
import { readCatalog as readSqlite } from '../sqlite/catalog.ts'
import type { SqliteDriver } from '../sqlite/driver.ts'
import { keyOfTable, quoteTable, type TableName } from '../table-name.ts'

type Columns = readonly string[]

/** What a database has of the tables that the declarations mean. `indexes`: the columns of each, by keyOfTable. */
export interface Existing { readonly catalog: Catalog, readonly indexes: ReadonlyMap<string, readonly Columns[]> }

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

export type SendQuery = (text: string, values?: readonly unknown[]) => Promise<Rows>

export async function readFromPostgres (query: SendQuery, names: readonly TableName[]): Promise<Existing> {
  const catalog = await readPostgres({ query }, names)
  const indexes = names.map(async name =>
    [keyOfTable(name), columnsIn(await query(postgresIndexes, [quoteTable(name)]))] as const)
  return { catalog, indexes: new Map(await Promise.all(indexes)) }
}

const postgresIndexes = `select i.indexrelid::text as "index", a.attname as "column"
from pg_index i cross join unnest(i.indkey) with ordinality as k (number, place)
  left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
where i.indrelid = to_regclass($1) and i.indisvalid and i.indpred is null and k.place <= i.indnkeyatts
order by i.indexrelid, k.place`

export function readFromSqlite (driver: SqliteDriver, names: readonly TableName[]): Existing {
  const statement = driver.prepare(sqliteIndexes)
  const indexes = names.map(name => {
    const schema = name.schema ?? null
    return [keyOfTable(name), columnsIn(statement.all(name.name, schema, schema) as Rows)] as const
  })
  const catalog = readSqlite(driver, names)
  // It reads a table when it is first asked for it.
  for (const name of names) catalog.find(name)
  return { catalog, indexes: new Map(indexes) }
}

const sqliteIndexes = `select l.name as "index", x.name as "column"
from pragma_index_list(?, ?) as l, pragma_index_xinfo(l.name, ?) as x
where l.partial = 0 and x.key = 1 order by l.seq, x.seqno`

/** Returns the columns of each index, in their order; an expression is an empty name. */
function columnsIn (rows: Rows): readonly Columns[] {
  const indexes = new Map<unknown, string[]>()
  for (const row of rows) {
    const columns = indexes.get(row['index']) ?? []
    indexes.set(row['index'], columns)
    columns.push(String(row['column'] ?? ''))
  }
  return [...indexes.values()]
}
