import { postgres } from '../../../core/sources/sql/postgres/postgres.ts'
import { readCatalog as readPostgres } from '../../../core/sources/sql/postgres/catalog.ts'
import { readCatalog as readSqlite } from '../../../core/sources/sql/sqlite/catalog.ts'
import { sqlite } from '../../../core/sources/sql/sqlite/sqlite.ts'
import { keyOfTable, quoteTable, type TableName } from '../../../core/sources/sql/table-name.ts'
import { guardSqlite } from '../open.ts'
import { explainConnection } from '../open-postgres.ts'
import type { Existing } from './diff.ts'

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Reads what a PostgreSQL database has of these tables. Nothing of the address is ever part of a message. */
export async function readPostgresTables (address: string, names: readonly TableName[]): Promise<Existing> {
  const db = postgres({ connectionString: address, readOnly: true, check: 'off' })
  const query = async (text: string, values: readonly unknown[] = []): Promise<Rows> =>
    (await db.pool.query<Rows[number]>(text, [...values])).rows
  try {
    const catalog = await readPostgres({ query }, names)
    const indexes = names.map(async name =>
      [keyOfTable(name), columnsIn(await query(postgresIndexes, [quoteTable(name)]))] as const)
    return { catalog, indexes: new Map(await Promise.all(indexes)) }
  } catch (error) {
    throw explainConnection(error)
  } finally {
    await db.close()
  }
}

const postgresIndexes = `select i.indexrelid::text as "index", a.attname as "column"
from pg_index i cross join unnest(i.indkey) with ordinality as k (number, place)
  left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
where i.indrelid = to_regclass($1) and i.indisvalid and i.indpred is null and k.place <= i.indnkeyatts
order by i.indexrelid, k.place`

/** Reads what a SQLite file has of these tables. */
export function readSqliteTables (file: string, names: readonly TableName[]): Existing {
  return guardSqlite(file, () => {
    const { driver, close } = sqlite(file, { readOnly: true, check: 'off', journal: 'keep' })
    try {
      const statement = driver.prepare(sqliteIndexes)
      const indexes = names.map(name => {
        const schema = name.schema ?? null
        return [keyOfTable(name), columnsIn(statement.all(name.name, schema, schema) as Rows)] as const
      })
      const catalog = readSqlite(driver, names)
      // It reads a table when it is first asked for it.
      for (const name of names) catalog.find(name)
      return { catalog, indexes: new Map(indexes) }
    } finally {
      close()
    }
  })
}

const sqliteIndexes = `select l.name as "index", x.name as "column"
from pragma_index_list(?, ?) as l, pragma_index_xinfo(l.name, ?) as x
where l.partial = 0 and x.key = 1 order by l.seq, x.seqno`

/** Returns the columns of each index, in their order; an expression is an empty name. */
function columnsIn (rows: Rows): ReadonlyArray<readonly string[]> {
  const indexes = new Map<unknown, string[]>()
  for (const row of rows) {
    const columns = indexes.get(row['index']) ?? []
    indexes.set(row['index'], columns)
    columns.push(String(row['column'] ?? ''))
  }
  return [...indexes.values()]
}
