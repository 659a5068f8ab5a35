import type { RowChange } from '../../../declare/source.ts'
import type { TableWrites } from '../table-writes.ts'
import { isServed, keysOf, place } from './catalog.ts'

type CatalogRow = Readonly<Record<string, unknown>>

// Bits of tgtype. A trigger for each row, before or instead of a change, decides by its result if the change is made.
const bits = { row: 1, before: 2, insert: 4, delete: 8, update: 16, insteadOf: 64 } as const

/** Returns SQL that is true if a function of PL/pgSQL surely returns a row: each of its results is `new`, or `old`. */
const returnsOnly = (row: 'new' | 'old') =>
  `(l.lanname = 'plpgsql' and regexp_replace(p.prosrc, 'return\\s+${row}\\M', '', 'gi') !~* '\\mreturn\\M')`

// A trigger that always returns the row takes the place of no change. For a deletion that row is `old`.
const replacing = `g.tgtype::int & case when g.tgtype::int & ${bits.insteadOf} <> 0 then -1 else
  case when ${returnsOnly('new')} then ~${bits.insert | bits.update} else -1 end &
  case when ${returnsOnly('old')} then ~${bits.delete} else -1 end end`

const replaced = `(select bit_or(${replacing}) from pg_trigger g
    join pg_proc p on p.oid = g.tgfoid join pg_language l on l.oid = p.prolang
  where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D'
    and g.tgtype::int & ${bits.row} <> 0 and g.tgtype::int & ${bits.before | bits.insteadOf} <> 0)`

const generated = `(select json_agg(a.attname) from pg_attribute a
  where a.attrelid = c.oid and a.attgenerated <> '' and not a.attisdropped)::text`

/**
 * Reads the tables and views whose writes are special, in the schemas of the search path and in those that the
 * parameter lists as JSON: the changes that they take and that their triggers may replace, and their generated columns.
 */
export const writesQuery = `
select * from (
  select n.nspname as "schema", ${place} as place, c.relname as "table", c.relkind::text as kind,
    case when c.relkind in ('v', 'm', 'f') then pg_relation_is_updatable(c.oid, true) end as updatable,
    case when c.relhastriggers then ${replaced} end as replaced, ${generated} as generated
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${isServed} and c.relkind in ('r', 'p', 'v', 'm', 'f')
) as t where updatable is not null or replaced is not null or generated is not null`

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

function toWrites ({ kind, updatable, replaced, generated }: CatalogRow): TableWrites {
  const takes = updatable === null ? -1 : Number(updatable)
  const mask = Number(replaced ?? 0)
  return {
    refused: changesOf(updatableBits, bit => (takes & bit) === 0),
    replaced: changesOf(changeBits, bit => (mask & bit) !== 0),
    // json_agg() made this JSON of names.
    generated: new Set(typeof generated === 'string' ? JSON.parse(generated) as string[] : []),
    hasInsteadOf: kind === 'v' && mask !== 0
  }
}
