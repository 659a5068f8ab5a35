import { type CatalogTable, type PostgresTables, quoteName, quoteTable } from '../../../core/sources/sql/tables.ts'
import { beginningsQuery, columnsOfHashes } from './secrets.ts'
import { isKeyless, likelyKeys, proposeKey } from './propose-key.ts'
import type { SeenColumn, Omission, SeenTable, SeenTables } from './tables.ts'

const forbidden = `(select coalesce(json_agg(a.attname), '[]') from pg_attribute a
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and not has_column_privilege(c.oid, a.attnum, 'select'))::text`

const listQuery = `
select n.nspname as "schema", c.relname as name, to_regclass(quote_ident(c.relname)) = c.oid as plain,
  has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select') as allowed,
  c.relispopulated as populated, ${forbidden} as forbidden
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in (select json_array_elements_text($1::text::json)) and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and not c.relispartition
  and not exists (select 1 from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
order by array_position(array(select json_array_elements_text($1::text::json)), n.nspname::text), c.relname`

const schemasQuery = `
select distinct n.nspname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1`

/** Returns the names of the schemas that have tables. */
export const readSchemas = async (reader: PostgresTables): Promise<readonly string[]> =>
  (await reader.query(schemasQuery)).map(row => String(row['name']))

/**
 * Reads the tables of schemas of a PostgreSQL database: without partitions, which their table shows, and without those
 * of extensions.
 */
export async function readPostgres (
  reader: PostgresTables, schemas: readonly string[], isWanted: (name: string) => boolean
): Promise<SeenTables> {
  const rows = await reader.query(listQuery, [JSON.stringify(schemas)])
  const omissions: Omission[] = []
  const wanted = rows.filter(row => {
    const place = String(row['name'])
    if (!isWanted(place)) return false
    const reason = row['allowed'] !== true
      ? 'the role may not select from it'
      : row['populated'] === true ? undefined : 'holds nothing yet: refresh materialized view'
    if (reason !== undefined) omissions.push({ place, reason })
    return reason === undefined
  })
  const names = wanted.map(row => ({ schema: String(row['schema']), name: String(row['name']) }))
  const catalog = await reader.describe(names)
  const tables = wanted.flatMap((row, index) => {
    const name = names[index]
    const table = name && catalog.find(name)
    return table === undefined ? [] : [complete(row, table)]
  })
  const looked = await Promise.all(tables.map(async table =>
    withProposedKey(reader, await withHashes(reader, await withBrokenKeys(reader, table)))))
  return { kind: 'postgres', tables: looked.map(withFineKeys), omissions }
}

/** Looks at the rows where a unique index does not say that they are identified by it. */
async function withBrokenKeys (reader: PostgresTables, table: SeenTable): Promise<SeenTable> {
  // Materialized views have nulls in unique indexes. A unique index does not hold for the tables that inherit.
  if (table.kind !== 'materialized view' && !table.isInherited) return table
  const hidden = new Set(table.columns.filter(column => column.isForbidden === true).map(({ name }) => name))
  const keys = table.unique.filter(names => !names.some(name => hidden.has(name)))
  const broken = await Promise.all(keys.map(names => isBroken(reader, table, names)))
  return { ...table, brokenKeys: keys.filter((_, index) => broken[index]) }
}

// One row is proof enough, and none among many is no proof anyway.
const sample = 10_000

async function isBroken (
  reader: PostgresTables, table: CatalogTable, key: readonly string[]
): Promise<boolean> {
  const columns = key.map(quoteName).join(', ')
  const rows = await reader.query(`
    select count(distinct row(${columns})) filter (where row(${columns}) is not null) < count(*) as broken
    from (select ${columns} from ${quoteTable(table)} limit ${sample}) as rows`)
  return rows[0]?.['broken'] === true
}

/** Looks for hashes of passwords in a table. A view may take long to read. */
async function withHashes (reader: PostgresTables, table: SeenTable): Promise<SeenTable> {
  const texts = table.columns.filter(({ family, isForbidden }) => family === 'text' && isForbidden !== true)
  if (table.kind !== 'table' || texts.length === 0) return table
  const query = beginningsQuery(quoteTable(table), texts)
  const hashes = columnsOfHashes(query, await reader.query(query.text))
  return { ...table, columns: table.columns.map(column => ({ ...column, holdsHash: hashes.has(column.name) })) }
}

/** Looks for columns that may be the key of a table without one. A view may take long to read. */
async function withProposedKey (reader: PostgresTables, table: SeenTable): Promise<SeenTable> {
  const likely = likelyKeys(table.columns)
  if (table.kind === 'view' || !isKeyless(table) || likely.length === 0) return table
  const query = beginningsQuery(quoteTable(table), likely)
  return { ...table, proposedKey: proposeKey(query, await reader.query(query.text)) }
}

/** Marks the timestamps of keys and foreign keys, in which microseconds matter. */
function withFineKeys (table: SeenTable): SeenTable {
  const inKeys = new Set([...table.unique, ...table.foreignKeys.map(({ columns }) => columns)].flat())
  const isFine = ({ name, family, type }: SeenColumn) =>
    family === 'timestamp' && !/^timestamp\([0-3]\)/.test(type) && inKeys.has(name)
  return { ...table, columns: table.columns.map(column => isFine(column) ? { ...column, isFine: true } : column) }
}

/** Returns a table with the columns that the role may not select. */
function complete (row: Readonly<Record<string, unknown>>, table: CatalogTable): SeenTable {
  // JSON that the query made.
  const hidden = new Set(JSON.parse(String(row['forbidden'])) as string[])
  const columns = hidden.size === 0
    ? table.columns
    : table.columns.map(column => ({ ...column, isForbidden: hidden.has(column.name) }))
  return { ...table, columns, isPlain: row['plain'] === true, hasRowNumber: false }
}
