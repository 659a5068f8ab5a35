import type { Tables } from '../statements/builder.ts'

/** The columns of constraints and unique indexes, by name. */
export type Constraints = ReadonlyMap<string, readonly string[]>

/** What is asked of the database once, before the first statement. */
export interface Catalog extends Tables { readonly constraints: Constraints }

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

// The tables that a plain name means: those of the first schema of the search path that has one.
export const columnsQuery = `
select distinct on (c.relname, a.attnum) c.relname as "table", a.attname as "column",
  format_type(case when t.typtype = 'd' then t.typbasetype else a.atttypid end, case when t.typtype = 'd' then t.typtypmod else a.atttypmod end) as type
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace join pg_type t on t.oid = a.atttypid
where n.nspname = any(current_schemas(false)) and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
order by c.relname, a.attnum, array_position(current_schemas(false), n.nspname)`

export const constraintsQuery = `
select c.conname as name, array_to_json(array(select a.attname::text from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any(c.conkey)))::text as columns,
  case when c.condeferrable and c.contype in ('u', 'p', 'x') then (select r.relname from pg_class r where r.oid = c.conrelid) end as deferrable
from pg_constraint c join pg_namespace n on n.oid = c.connamespace where n.nspname = any(current_schemas(false)) and c.conrelid <> 0
union all
select i.relname, array_to_json(array(select a.attname::text from pg_attribute a where a.attrelid = x.indrelid and a.attnum = any(x.indkey::int2[])))::text, null
from pg_index x join pg_class i on i.oid = x.indexrelid join pg_namespace n on n.oid = i.relnamespace where x.indisunique and n.nspname = any(current_schemas(false))`

export function readCatalog ({ columns, constraints }: { readonly columns: Rows, readonly constraints: Rows }): Catalog {
  const types = new Map<string, Map<string, string>>()
  for (const row of columns) {
    const table = String(row['table'])
    types.set(table, (types.get(table) ?? new Map<string, string>()).set(String(row['column']), String(row['type'])))
  }
  const deferrable = new Set(constraints.flatMap(row => typeof row['deferrable'] === 'string' ? [row['deferrable']] : []))
  // What array_to_json() has made of names.
  return { types, deferrable, constraints: new Map(constraints.map(row => [String(row['name']), JSON.parse(String(row['columns'])) as string[]])) }
}
