import type { Change, ConstraintViolation } from '../../source.ts'
import { sourceOf, tableOf } from '../source.ts'
import { quoteTable } from '../table-name.ts'
import type { Connection } from './connection.ts'
import { constraintOf, KeyTaken } from './faults.ts'

/**
 * Handles the violation of a generated key: somebody has chosen the key before its counter came to it. Moves the
 * counter past the taken keys and throws KeyTaken, because the same work may well succeed when it is done again. Any
 * other violation, and that of a key without a counter, has no effect. The error names the table that holds the rows:
 * of a view this is another one, and of a partitioned table a partition.
 */
export async function healCounter (
  violation: ConstraintViolation, change: Change, connection: Connection, cause: unknown
): Promise<void> {
  if (violation.by !== 'unique' || change.kind !== 'insert') return
  const { collection } = change
  const { schema, table, constraint } = constraintOf(cause)
  const isOfKey = isWholeKey(violation, change)
  for (const field of collection.key.filter(one => !change.values.has(one))) {
    const column = sourceOf(collection).column(field.property)
    const place = [quoteTable(tableOf(collection)), column, String(isOfKey), schema, table, constraint]
    const [counter] = await connection.query(counterQuery, place)
    if (counter === undefined) continue
    const { name, step, items, key } = counter
    if (Number(step) > 0) await connection.query(advanceQuery(String(items), String(key)), [name, step])
    throw new KeyTaken(cause)
  }
}

/** Returns true if the violation is known to be that of the key alone. */
const isWholeKey = ({ fields }: ConstraintViolation, { collection: { key } }: Insert) =>
  fields.length === key.length && fields.every(field => key.includes(field))

type Insert = Extract<Change, { kind: 'insert' }>

/** What the rule of a view says about its column: the table and the number of the column that it shows. */
const shownColumn = (number: string) => `regexp_matches(r.ev_action::text, ':resno ' || ${number} ||
  ' :resname .+? :ressortgroupref [0-9]+ :resorigtbl ([0-9]+) :resorigcol ([0-9]+) :resjunk', 'g')`

/** True if a unique index of a column is the one that the error names: of the table itself, or of a partition. */
const isViolated = (relation: string, column: string) => `exists (select 1 from pg_index x
  join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute k on k.attrelid = c.oid and k.attnum = any(x.indkey)
  where n.nspname = $4::text and c.relname = $5::text and i.relname = $6::text and k.attname = ${column}
    and (c.oid = ${relation} or pg_partition_root(c.oid) = ${relation}))`

/**
 * Reads the sequence behind a column: of an identity or serial column, or of a default with `nextval()`. The parameters
 * are a table or view, its column, `true` if the column is known to be the one with the taken value, and the schema,
 * the table and the index that the error names. `origins`: the column itself, and those that it shows.
 */
const counterQuery = `
with recursive origins as (
  select $1::regclass::oid as relation, $2::name as name
  union
  select b.attrelid, b.attname from origins o
    join pg_attribute a on a.attrelid = o.relation and a.attname = o.name
    join pg_rewrite r on r.ev_class = o.relation and r.ev_type = '1'
    cross join lateral ${shownColumn('a.attnum')} as shown(place)
    join pg_attribute b on b.attrelid = shown.place[1]::oid and b.attnum = shown.place[2]::int2
), taken as (
  select relation, name from origins
  where ($3::text = 'true' and relation = $1::regclass) or ${isViolated('relation', 'name')}
  limit 1
), holders as (
  select relation, name from origins union select pg_partition_root(relation), name from origins
)
select s.seqrelid::regclass::text as name, s.seqincrement::text as step, t.relation::regclass::text as items,
  quote_ident(t.name::text) as key
from taken t cross join holders h join pg_attribute a on a.attrelid = h.relation and a.attname = h.name
join pg_sequence s on s.seqrelid = coalesce(
  (select d.objid from pg_depend d where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
     and d.refobjid = a.attrelid and d.refobjsubid = a.attnum and d.deptype = 'i'),
  (select min(d.refobjid) from pg_attrdef x join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = x.oid
     where x.adrelid = a.attrelid and x.adnum = a.attnum and d.refclassid = 'pg_class'::regclass
     and d.refobjid in (select seqrelid from pg_sequence)))
limit 1`

/**
 * Moves a counter to the end of the gapless run of taken keys that it is in; the parameters are its name and its step.
 * It goes no further: the highest key that a client may choose must not use up all others. It is never set back, not
 * even by requests that do this at the same time. The inner query steps from key to key along the index.
 */
function advanceQuery (items: string, key: string): string {
  const follows = `(select 1 from ${items} as f where f.${key} = t.${key} + $2::bigint)`
  const isTaken = `exists (select 1 from ${items} as f where f.${key} = n)`
  return `
with now as materialized (select nextval($1::regclass) as n)
select count(nextval($1::regclass)) from now, generate_series(1, least(${mostKeys}, coalesce((
  select (t.${key} - n) / $2::bigint from ${items} as t
  where ${isTaken} and t.${key} >= n and ${follows} is null order by t.${key} limit 1), 0)))`
}

/** The most keys that one try moves past: a third of a second. */
const mostKeys = 1_000_000
