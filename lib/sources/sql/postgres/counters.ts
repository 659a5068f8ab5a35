import type { Collection, StoredField } from '../../../model/model.ts'
import type { Change, ConstraintViolation } from '../../source.ts'
import { sourceOf, tableOf } from '../source.ts'
import type { Connection } from './connection.ts'
import { KeyTaken } from './faults.ts'

/**
 * Handles the violation of a generated key: somebody has chosen the key before its counter came to it. Moves the
 * counter past the taken keys and throws KeyTaken, because the same work may well succeed when it is done again. Any
 * other violation, and that of a key without a counter, has no effect.
 */
export async function healCounter (
  violation: ConstraintViolation, change: Change, connection: Connection, cause: unknown
): Promise<void> {
  const key = generatedKey(violation, change)
  if (key === undefined || change.kind !== 'insert') return
  const { collection } = change
  const column = sourceOf(collection).column(key.property)
  const [counter] = await connection.query(counterQuery, [quoteTable(collection), column])
  if (counter === undefined) return
  const { name, step } = counter
  if (Number(step) > 0) await connection.query(advanceQuery(quoteTable(collection), quote(column)), [name, step])
  throw new KeyTaken(cause)
}

/** Returns the field of the key that the database has generated, if the violation is that of the key alone. */
function generatedKey ({ by, fields }: ConstraintViolation, change: Change): StoredField | undefined {
  if (by !== 'unique' || change.kind !== 'insert') return undefined
  const { collection: { key }, values } = change
  if (fields.length !== key.length || fields.some(field => !key.includes(field))) return undefined
  return key.find(field => !values.has(field))
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

function quoteTable (collection: Collection): string {
  const { schema, name } = tableOf(collection)
  return schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`
}

/** Reads the sequence behind a column: of an identity or serial column, or of a default with `nextval()`. */
const counterQuery = `
select s.seqrelid::regclass::text as name, s.seqincrement::text as step
from pg_attribute a join pg_sequence s on s.seqrelid = coalesce(
  (select d.objid from pg_depend d where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
     and d.refobjid = a.attrelid and d.refobjsubid = a.attnum and d.deptype = 'i'),
  (select min(d.refobjid) from pg_attrdef x join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = x.oid
     where x.adrelid = a.attrelid and x.adnum = a.attnum and d.refclassid = 'pg_class'::regclass
     and d.refobjid in (select seqrelid from pg_sequence)))
where a.attrelid = $1::regclass and a.attname = $2`

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
