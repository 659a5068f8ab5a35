import type { Collection, DataField } from '../../model/model.ts'
import { isExact } from '../../model/values.ts'
import type { Predicate } from '../../plan/plan.ts'
import { keyValuesIn } from '../../plan/predicates.ts'
import { tableOf } from './relations.ts'
import type { Table } from './table.ts'
import { columnOf, columnsOf, toIndexed } from './values.ts'

/**
 * Returns rows that include all matches of the predicate: those that an index finds by the value of an identifier, or
 * all rows.
 */
export function candidateRows (collection: Collection, where: Predicate): Iterable<object> {
  const table = tableOf(collection)
  return indexed(where, collection, table) ?? table.all()
}

/** Returns the rows that equal the value of an identifier, by its index; undefined for any other predicate. */
export function matchesByIndex (collection: Collection, where: Predicate): readonly object[] | undefined {
  if (where.kind !== 'compare' || !isExact(where.operator) || !isIndexed(where.field)) return undefined
  const { field, value } = where
  return typeof value === 'object' ? undefined : tableOf(collection).findBy(columnOf(field), value)
}

/** Rows, each once. */
type Rows = readonly object[] | ReadonlySet<object>

/** Returns the rows that an index finds; undefined if other rows may match too. */
function indexed (where: Predicate, collection: Collection, table: Table): Rows | undefined {
  if (where.kind === 'compare') return indexedCompare(where, table)
  if (where.kind === 'any') return indexedAny(where.of, collection, table)
  if (where.kind !== 'all') return undefined
  const key = keyValuesIn(where, collection.key)
  if (key !== undefined) return table.findBy(columnsOf(collection.key), toIndexed(key))
  for (const one of where.of) {
    const rows = indexed(one, collection, table)
    if (rows !== undefined) return rows
  }
  return undefined
}

function indexedAny (
  of: readonly Predicate[], collection: Collection, table: Table
): Rows | undefined {
  const union = new Set<object>()
  for (const one of of) {
    const rows = indexed(one, collection, table)
    if (rows === undefined) return undefined
    for (const row of rows) union.add(row)
  }
  return union
}

type Comparison = Extract<Predicate, { kind: 'compare' }>

function indexedCompare ({ field, operator, value }: Comparison, table: Table): Rows | undefined {
  if (!isIndexed(field) || !isExact(operator)) return undefined
  if (typeof value !== 'object') return table.findBy(columnOf(field), value)
  return new Set(value.flatMap(one => table.findBy(columnOf(field), one)))
}

// An index for every filtered field would cost more memory than it is worth.
const isIndexed = (field: DataField) => field.kind === 'stored' && field.identifier
