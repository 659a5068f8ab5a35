import type { RowChange } from '../../../declare/source.ts'
import type { TableWrites } from '../table-writes.ts'
import { isServed, keysOf, place } from './catalog.ts'

type CatalogRow = Readonly<Record<string, unknown>>

// Bits of tgtype.
const bits = { insert: 4, delete: 8, update: 16, insteadOf: 64 } as const

// Tables have no triggers of this kind.
const replaced = `(select bit_or(g.tgtype::int) from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal
  and g.tgenabled <> 'D' and g.tgtype::int & ${bits.insteadOf} <> 0)`

// A unique index of a table does not hold for the tables that inherit from it, and a view has none.
const repeatable = `(c.relkind in ('v', 'm', 'f') or
  (c.relkind = 'r' and c.relhassubclass and exists (select 1 from pg_inherits h where h.inhparent = c.oid)))::int`

const generated = `(select json_agg(a.attname) from pg_attribute a
  where a.attrelid = c.oid and a.attgenerated <> '' and not a.attisdropped)::text`

/**
 * Reads the tables and views whose writes are special, in the schemas of the search path and in those that the
 * parameter lists as JSON: the changes that they take and that their triggers make, whether several rows may have one
 * key, and their generated columns.
 */
export const writesQuery = `
select * from (
  select n.nspname as "schema", ${place} as place, c.relname as "table",
    case when c.relkind in ('v', 'm', 'f') then pg_relation_is_updatable(c.oid, true) end as updatable,
    case when c.relkind = 'v' then ${replaced} end as replaced, ${generated} as generated, ${repeatable} as repeatable
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${isServed} and c.relkind in ('r', 'p', 'v', 'm', 'f')
) as t where updatable is not null or generated is not null or repeatable = 1`

/** Returns the writes of tables by their keys, from the rows of the query. */
export function readWrites (rows: readonly CatalogRow[]): ReadonlyMap<string, TableWrites> {
  const writes = new Map<string, TableWrites>()
  const byPlace = rows.toSorted((one, other) => Number(one['place']) - Number(other['place']))
  for (const row of byPlace) {
    for (const key of keysOf(row, row['table'])) if (!writes.has(key)) writes.set(key, toWrites(row))
  }
  return writes
}

const changeBits: Readonly<Record<RowChange, number>> =
  { insert: bits.insert, update: bits.update, delete: bits.delete }
// The bits of pg_relation_is_updatable() are the numbers of commands.
const updatableBits: Readonly<Record<RowChange, number>> = { insert: 8, update: 4, delete: 16 }

const changesOf = (table: Readonly<Record<RowChange, number>>, test: (bit: number) => boolean) =>
  new Set((Object.keys(table) as RowChange[]).filter(change => test(table[change])))

function toWrites ({ updatable, replaced, repeatable, generated }: CatalogRow): TableWrites {
  const takes = updatable === null ? -1 : Number(updatable)
  const mask = Number(replaced ?? 0)
  return {
    refused: changesOf(updatableBits, bit => (takes & bit) === 0),
    replaced: changesOf(changeBits, bit => (mask & bit) !== 0),
    // json_agg() made this JSON of names.
    generated: new Set(typeof generated === 'string' ? JSON.parse(generated) as string[] : []),
    hasInsteadOf: mask !== 0,
    mayRepeatKeys: Number(repeatable) === 1
  }
}
