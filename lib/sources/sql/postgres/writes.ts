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

// A view without a check for all of its conditions takes rows that it does not show.
const isUnchecked = "c.relkind = 'v' and coalesce(not c.reloptions @> '{check_option=cascaded}', true)"
const isDeleted = `exists (select 1 from pg_trigger g join pg_proc p on p.oid = g.tgfoid
  where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D' and p.prosrc ~* '\\mdelete\\M'
    and g.tgtype::int & ${bits.insert} <> 0 and g.tgtype::int & ${bits.before | bits.insteadOf} = 0)`
const vanishing = `(${isUnchecked} or (c.relhastriggers and ${isDeleted}))::int`

// A rule of a table that makes other changes instead, or none.
const bitOfRule = `case r.ev_type when '2' then ${bits.update} when '3' then ${bits.insert} else ${bits.delete} end`
const ruled = `(select bit_or(${bitOfRule}) from pg_rewrite r
  where r.ev_class = c.oid and r.is_instead and r.ev_type <> '1')::int`

// A unique index of a table does not hold for the tables that inherit from it, and a view has none.
const repeatable = `(c.relkind in ('v', 'm', 'f') or
  (c.relkind = 'r' and c.relhassubclass and exists (select 1 from pg_inherits h where h.inhparent = c.oid)))::int`

const generated = `(select json_agg(a.attname) from pg_attribute a
  where a.attrelid = c.oid and a.attgenerated <> '' and not a.attisdropped)::text`

/**
 * Reads the tables and views whose writes are special, in the schemas of the search path and in those that the
 * parameter lists as JSON: the changes that they take and that their triggers may replace, whether a new row may
 * vanish, whether several rows may have one key, and their generated columns.
 */
export const writesQuery = `
select * from (
  select n.nspname as "schema", ${place} as place, c.relname as "table", c.relkind::text as kind,
    case when c.relkind in ('v', 'm', 'f') then pg_relation_is_updatable(c.oid, true) end as updatable,
    case when c.relhastriggers then ${replaced} end as replaced, ${vanishing} as vanishing,
    case when c.relhasrules and c.relkind in ('r', 'p') then ${ruled} end as ruled, ${generated} as generated,
    ${repeatable} as repeatable
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${isServed} and c.relkind in ('r', 'p', 'v', 'm', 'f')
) as t where updatable is not null or replaced is not null or generated is not null or ruled is not null
  or vanishing = 1 or repeatable = 1`

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

function toWrites ({ kind, updatable, replaced, ruled, vanishing, repeatable, generated }: CatalogRow): TableWrites {
  const takes = updatable === null ? -1 : Number(updatable)
  const rules = Number(ruled ?? 0)
  const mask = Number(replaced ?? 0) | rules
  const refused = changesOf(updatableBits, bit => (takes & bit) === 0)
  // No rule of a table can return the key of a new row.
  if ((rules & bits.insert) !== 0) refused.add('insert')
  return {
    refused,
    replaced: changesOf(changeBits, bit => (mask & bit) !== 0),
    mayVanish: Number(vanishing) === 1,
    // json_agg() made this JSON of names.
    generated: new Set(typeof generated === 'string' ? JSON.parse(generated) as string[] : []),
    hasInsteadOf: kind === 'v' && mask !== 0,
    mayRepeatKeys: Number(repeatable) === 1
  }
}
