import type { Collection, DataField } from '../../model/model.ts'
import { isExact } from '../../model/values.ts'
import type { Predicate } from '../../plan/plan.ts'
import { tableOf } from './relations.ts'
import type { Table } from './table.ts'

/** Rows among which are all that the predicate can hold for: found by index where an identifier's value is asked for, else every row. */
export function candidateRows (collection: Collection, where: Predicate): Iterable<object> {
  const table = tableOf(collection)
  return indexed(where, table) ?? table.all()
}

/** The rows that an index gives, each once, or nothing where the predicate leaves others possible. */
function indexed (where: Predicate, table: Table): ReadonlySet<object> | undefined {
  if (where.kind === 'compare') return indexedCompare(where, table)
  if (where.kind === 'any') return indexedAny(where.of, table)
  if (where.kind !== 'all') return undefined
  for (const one of where.of) {
    const rows = indexed(one, table)
    if (rows !== undefined) return rows
  }
  return undefined
}

function indexedAny (of: readonly Predicate[], table: Table): ReadonlySet<object> | undefined {
  const union = new Set<object>()
  for (const one of of) {
    const rows = indexed(one, table)
    if (rows === undefined) return undefined
    for (const row of rows) union.add(row)
  }
  return union
}

function indexedCompare ({ field, operator, value }: Extract<Predicate, { kind: 'compare' }>, table: Table): ReadonlySet<object> | undefined {
  if (!isIndexed(field) || !isExact(operator)) return undefined
  const values = Array.isArray(value) ? value : [value]
  if (values.includes(null)) return undefined
  return new Set(values.flatMap(one => table.find(field.property, one, field.type.kind)))
}

// An index for every field that somebody filters by would cost more memory than it is worth.
const isIndexed = (field: DataField) => field.kind === 'stored' && field.identifier
