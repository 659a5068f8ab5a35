import type { Catalog, CatalogColumn, CatalogForeignKey, CatalogTable, TableKind, TypeFamily } from '../catalog.ts'
import { choicesIn } from '../choices.ts'
import { keyOfTable, type TableName } from '../table-name.ts'
import type { Connection } from './wire/connection.ts'

/** Reads the tables of these names from the catalog of PostgreSQL. A plain name is looked up as in a statement. */
export async function readTables (
  connection: Pick<Connection, 'query'>, names: readonly TableName[]
): Promise<Catalog> {
  const rows = await connection.query(tablesQuery, [JSON.stringify(names)])
  const tables = new Map<string, CatalogTable>()
  for (const row of rows) {
    const name = names[Number(row['place']) - 1]
    if (name !== undefined) tables.set(keyOfTable(name), readTable(row))
  }
  const others = names.every(name => tables.has(keyOfTable(name))) ? [] : await connection.query(namesQuery)
  return {
    find: name => tables.get(keyOfTable(name)),
    column: (table, name) => table.columns.find(column => column.name === name),
    others: others.map(row => ({
      schema: row['plain'] === true || row['plain'] === 't' ? undefined : String(row['schema']),
      name: String(row['name'])
    }))
  }
}

// The comment of a table, or of its column. The functions of PostgreSQL for it take four times as long.
const commentOf = (number: string) => `(select o.description from pg_description o
  where o.objoid = c.oid and o.classoid = 'pg_class'::regclass and o.objsubid = ${number})`

// The type under a column's type, where that is a domain, perhaps over a domain.
const baseType = `lateral (with recursive b(oid, base, modifier, required, has_default) as (
    select t.oid, t.typbasetype, case when t.typtype = 'd' then t.typtypmod else a.atttypmod end, t.typnotnull,
      t.typdefault is not null
    from pg_type t where t.oid = a.atttypid
    union all
    select t.oid, t.typbasetype, case when t.typtype = 'd' then t.typtypmod else b.modifier end,
      b.required or t.typnotnull, b.has_default or t.typdefault is not null
    from b join pg_type t on t.oid = b.base where b.base <> 0
  ) select * from b where b.base = 0)`

// A view may join tables, and then holds nulls in columns of a domain that is not null.
const isStored = "c.relkind not in ('v', 'm')"

// Rows that were there before do not fulfil a constraint that is not valid, and those of tables that inherit do not
// fulfil one of the table alone.
const holdsForAll = `k.convalidated and not (k.connoinherit and
  exists (select 1 from pg_inherits h where h.inhparent = k.conrelid))`

// The columns that are marked as not null, though some rows may hold null. An aggregate is computed once for a table.
const looseColumns = `lateral (select coalesce(array_agg(k.conkey[1]), '{}') as numbers from pg_constraint k
  where k.conrelid = c.oid and k.contype = 'n' and not (${holdsForAll}))`

// A constraint that says no more than that the column is not null.
const isChecked = `c.relchecks > 0 and exists (select 1 from pg_constraint k where k.conrelid = a.attrelid
  and k.contype = 'c' and ${holdsForAll} and k.conkey = array[a.attnum]
  and pg_get_expr(k.conbin, k.conrelid) = '(' || quote_ident(a.attname) || ' IS NOT NULL)')`

// A view of one table can be written without triggers, except for its columns that are expressions.
const isComputed = `c.relkind = 'v' and pg_relation_is_updatable(c.oid, true) & 12 <> 0
      and not pg_column_is_updatable(c.oid, a.attnum, true)
      and not exists (select 1 from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0)`

// Texts that are compared otherwise than by their bytes fulfil a check in other spellings than it lists.
const isExactText = `t.typname <> 'citext' and not exists (select 1 from pg_collation o
  where o.oid = a.attcollation and to_json(o)->>'collisdeterministic' = 'false')`

const columns = `(select coalesce(json_agg(json_build_object(
    'name', a.attname, 'type', format_type(b.oid, b.modifier), 'base', t.typname, 'class', t.typtype,
    'category', t.typcategory, 'required', (a.attnotnull and a.attnum <> all(loose.numbers))
      or (b.required and ${isStored}) or (${isChecked}),
    'default', pg_get_expr(d.adbin, d.adrelid), 'domainDefault', b.has_default, 'generated', a.attgenerated <> '',
    'computed', ${isComputed}, 'identity', a.attidentity, 'comment', ${commentOf('a.attnum')},
    'members', case when t.typtype = 'e'
      then (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.oid) end,
    'checks', case when c.relchecks > 0 and ${isExactText}
      then (select json_agg(pg_get_expr(k.conbin, k.conrelid)) from pg_constraint k
        where k.conrelid = a.attrelid and k.contype = 'c' and ${holdsForAll} and k.conkey = array[a.attnum]) end
  ) order by a.attnum), '[]')
  from pg_attribute a join ${baseType} as b on true join pg_type t on t.oid = b.oid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)::text`

/** Returns SQL for the JSON array of the names of a table's columns, in the order of their numbers. */
const namesOf = (table: string, numbers: string) => `(select coalesce(json_agg(a.attname order by u.place), '[]')
  from unnest(${numbers}) with ordinality as u(number, place)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = u.number)`

// An index that is partial, of expressions, or not built to its end proves nothing. Columns of `include` do not count.
const unique = `(select coalesce(json_agg(json_build_object(
    'primary', i.indisprimary, 'columns', ${namesOf('i.indrelid', '(i.indkey::int2[])[0:i.indnkeyatts - 1]')}
  )), '[]') from pg_index i
  where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null)::text`

// A key of periods refers to rows whose periods contain its own, which no comparison of values tells. PostgreSQL keeps
// a copy of a key for each partition that it refers to.
const isRelation = `not exists (select 1 from pg_index i where i.indexrelid = k.conindid and i.indisexclusion)
  and not exists (select 1 from pg_constraint o where o.oid = k.conparentid and o.conrelid = k.conrelid)`

const foreignKeys = `(select coalesce(json_agg(json_build_object(
    'columns', ${namesOf('k.conrelid', 'k.conkey')}, 'schema', rn.nspname, 'table', r.relname,
    'targetColumns', ${namesOf('k.confrelid', 'k.confkey')}
  )), '[]') from pg_constraint k join pg_class r on r.oid = k.confrelid join pg_namespace rn on rn.oid = r.relnamespace
  where k.conrelid = c.oid and k.contype = 'f' and ${isRelation})::text`

// Bits of tgtype: for each row, before, on insert.
const fillsRows = `exists (select 1 from pg_trigger g
  where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype & 7 = 7)`

const kinds = "('r', 'p', 'v', 'm', 'f')"

const tablesQuery = `
select w.place::int as place, n.nspname as "schema", c.relname as name, c.relkind::text as kind,
  ${commentOf('0')} as comment, ${columns} as columns, ${unique} as "unique",
  ${foreignKeys} as foreign_keys, ${fillsRows} as fills_rows,
  c.relkind = 'r' and exists (select 1 from pg_inherits h where h.inhparent = c.oid) as is_inherited
from json_array_elements($1::text::json) with ordinality as w(name, place)
  join pg_class c on c.oid = to_regclass(coalesce(quote_ident(w.name->>'schema') || '.', '') ||
    quote_ident(w.name->>'name')) and c.relkind in ${kinds}
  join pg_namespace n on n.oid = c.relnamespace cross join ${looseColumns} as loose`

const namesQuery = `
select n.nspname as "schema", c.relname as name, n.nspname = any(current_schemas(false)) as plain
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ${kinds} and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' limit 5000`

type Row = Readonly<Record<string, unknown>>

const tableKinds: Readonly<Record<string, TableKind>> = { v: 'view', m: 'materialized view', f: 'foreign table' }

const isTrue = (value: unknown) => value === true || value === 't'

/** Parses JSON that a query above made, in the form that the query gives it. */
const parsed = <T>(value: unknown): T => JSON.parse(String(value)) as T

function readTable (row: Row): CatalogTable {
  const indexes = parsed<Array<{ readonly primary: boolean, readonly columns: readonly string[] }>>(row['unique'])
  return {
    schema: String(row['schema']),
    name: String(row['name']),
    kind: tableKinds[String(row['kind'])] ?? 'table',
    comment: textOf(row['comment']),
    columns: parsed<readonly ColumnJson[]>(row['columns']).map(readColumn),
    primaryKey: indexes.find(({ primary }) => primary)?.columns ?? [],
    unique: indexes.map(index => index.columns),
    foreignKeys: parsed<readonly ForeignKeyJson[]>(row['foreign_keys']).map(readForeignKey),
    fillsRows: isTrue(row['fills_rows']),
    isInherited: isTrue(row['is_inherited'])
  }
}

const textOf = (value: unknown) => typeof value === 'string' ? value : undefined

interface ForeignKeyJson {
  readonly columns: readonly string[]
  readonly schema: string
  readonly table: string
  readonly targetColumns: readonly string[]
}

const readForeignKey = ({ columns, schema, table, targetColumns }: ForeignKeyJson): CatalogForeignKey =>
  ({ columns, target: { schema, name: table }, targetColumns })

interface ColumnJson {
  readonly name: string
  readonly type: string
  readonly base: string
  readonly class: string
  readonly category: string
  readonly required: boolean
  readonly default: string | null
  readonly domainDefault: boolean
  readonly generated: boolean
  readonly computed: boolean
  readonly identity: string
  readonly members: readonly string[] | null
  readonly checks: readonly string[] | null
  readonly comment: string | null
}

function readColumn (column: ColumnJson): CatalogColumn {
  const { name, type, required, generated, computed, identity, members, checks, comment } = column
  return {
    name,
    type,
    family: familyOf(column),
    nullable: !required,
    filled: column.default !== null || column.domainDefault || generated || identity !== '',
    default: generated ? undefined : column.default ?? undefined,
    generated,
    computed,
    identity: identity === 'a' ? 'always' : identity === 'd' ? 'by default' : undefined,
    members: members ?? undefined,
    choices: checks?.map(text => choicesIn(text, name)).find(choices => choices !== undefined),
    collation: undefined,
    comment: comment ?? undefined
  }
}

const families: Readonly<Record<string, TypeFamily>> = {
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  numeric: 'decimal',
  float4: 'float',
  float8: 'float',
  money: 'money',
  bool: 'boolean',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  name: 'text',
  char: 'text',
  citext: 'text',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  time: 'time',
  timetz: 'time',
  interval: 'interval',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  bytea: 'bytes'
}

function familyOf ({ base, class: kind, category }: ColumnJson): TypeFamily {
  if (kind === 'e') return 'enum'
  return category === 'A' ? 'array' : families[base] ?? 'other'
}
