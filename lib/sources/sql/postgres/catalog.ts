import { keyOfTable } from '../table-name.ts'

/** What tells which fields a refusal of the server is about. */
export interface Constraints {
  /** The columns of each constraint and unique index, by the key of its table and by its name. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>
  /** The name of the partitioned table, by the key of each partition. */
  readonly partitions: ReadonlyMap<string, string>
}

/** The facts that the database is asked for once, before the first statement. */
export interface Catalog {
  /** The types of the columns of each table, by its key (keyOfTable). */
  readonly types: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** The keys of the tables with a deferrable unique constraint. */
  readonly deferrable: ReadonlySet<string>
  readonly constraints: Constraints
}

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** SQL that is true for a schema of the search path, and for one that the parameter lists as JSON. */
export const isServed = '(n.nspname = any(current_schemas(false)) or ' +
  'n.nspname in (select json_array_elements_text($1::text::json)))'
/** SQL for the place of a schema in the search path. */
export const place = 'array_position(current_schemas(false), n.nspname)'

/** Returns SQL for the type under a domain, which may be over another domain. */
const typeUnder = (domain: string) => `(with recursive b(base, modifier) as (
    select ${domain}.typbasetype, ${domain}.typtypmod
    union all select d.typbasetype, d.typtypmod from b join pg_type d on d.oid = b.base and d.typtype = 'd')
  select format_type(b.base, b.modifier) from b join pg_type u on u.oid = b.base and u.typtype <> 'd')`
const columnJoins = 'join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace ' +
  'join pg_type t on t.oid = a.atttypid ' +
  "left join pg_type e on e.oid = t.typelem and e.typtype = 'd'"

/**
 * Reads the type of every column, in the schemas of the search path and in those that the parameter lists as JSON.
 * `place`: the schema's place in the search path, or null. A plain table name means the table in the first of them.
 */
export const columnsQuery = `
select n.nspname as "schema", ${place} as place, c.relname as "table", a.attname as "column",
  case when t.typtype = 'd' then ${typeUnder('t')} when e.oid is not null then ${typeUnder('e')} || '[]'
    else format_type(a.atttypid, a.atttypmod) end as type
from pg_attribute a ${columnJoins}
where ${isServed} and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped`

/** Returns SQL for the names of a table's columns, as the text of a JSON array. */
const columnNames = (table: string, numbers: string) => 'array_to_json(array(select a.attname::text ' +
  `from pg_attribute a where a.attrelid = ${table} and a.attnum = any(${numbers})))::text`

const indexJoins = `join pg_class i on i.oid = x.indexrelid join pg_class r on r.oid = x.indrelid
  join pg_namespace n on n.oid = i.relnamespace`

/** Reads every constraint and unique index. `deferrable`: 1 for a deferrable unique or exclusion constraint. */
export const constraintsQuery = `
select n.nspname as "schema", ${place} as place, r.relname as "table", c.conname as name,
  ${columnNames('c.conrelid', 'c.conkey')} as columns,
  (c.condeferrable and c.contype in ('u', 'p', 'x'))::int as deferrable
from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_namespace n on n.oid = c.connamespace
where ${isServed}
union all
select n.nspname, ${place}, r.relname, i.relname, ${columnNames('x.indrelid', 'x.indkey::int2[]')}, 0
from pg_index x ${indexJoins} where x.indisunique and ${isServed}`

/** Reads every partition, by which the server names a table in its errors. */
export const partitionsQuery = `
select o.nspname as "schema", p.relname as "partition", c.relname as "table"
from pg_class p join pg_namespace o on o.oid = p.relnamespace
  join pg_class c on c.oid = pg_partition_root(p.oid) join pg_namespace n on n.oid = c.relnamespace
where p.relispartition and p.relkind in ('r', 'p', 'f') and ${isServed}`

/** Returns the catalog from the rows of the three queries. */
export function readCatalog (
  { columns, constraints, partitions }: Readonly<Record<'columns' | 'constraints' | 'partitions', Rows>>
): Catalog {
  const types = new Map<string, Map<string, string>>()
  for (const row of columns.toSorted(bySearchPath)) {
    for (const table of keysOf(row, row['table'])) {
      const known = types.get(table) ?? new Map<string, string>()
      // The table of an earlier schema hides the later ones.
      if (!known.has(String(row['column']))) known.set(String(row['column']), String(row['type']))
      types.set(table, known)
    }
  }
  const deferrable = new Set(constraints.filter(row => Number(row['deferrable']) === 1)
    .flatMap(row => keysOf(row, row['table'])))
  return {
    types,
    deferrable,
    constraints: {
      columns: columnsOfConstraints(constraints),
      partitions: new Map(partitions.map(row => {
        const partition = { schema: String(row['schema']), name: String(row['partition']) }
        return [keyOfTable(partition), String(row['table'])]
      }))
    }
  }
}

function columnsOfConstraints (constraints: Rows): Constraints['columns'] {
  const columns = new Map<string, Map<string, readonly string[]>>()
  for (const row of constraints.toSorted(bySearchPath)) {
    for (const table of keysOf(row, row['table'])) {
      const known = columns.get(table) ?? new Map<string, readonly string[]>()
      const name = String(row['name'])
      // array_to_json() made this JSON of names.
      if (!known.has(name)) known.set(name, JSON.parse(String(row['columns'])) as string[])
      columns.set(table, known)
    }
  }
  return columns
}

type CatalogRow = Rows[number]

/** Returns the keys of a table: with its schema and, for a schema of the search path, the plain name. */
export function keysOf (row: CatalogRow, table: unknown): readonly string[] {
  const name = String(table)
  const key = keyOfTable({ schema: String(row['schema']), name })
  return row['place'] === null ? [key] : [key, name]
}

const bySearchPath = (one: CatalogRow, other: CatalogRow) => Number(one['place']) - Number(other['place'])
