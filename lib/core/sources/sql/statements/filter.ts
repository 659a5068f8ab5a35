import { sql } from '../load-kysely.ts'
import { isExact } from '../../../model/values.ts'
import type { Predicate } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import { buildIsNotNull, conditionOf } from './conditions.ts'
import type { Sql } from './dialect.ts'
import { buildRelated, comparing } from './function-columns.ts'
import { related, relatedToAny, withConstants } from './join-conditions.ts'
import { column, table, tableRef, type TableRef } from './table.ts'

/**
 * Builds a predicate as a condition for `where`. The condition may be null if the predicate is false, which `where`,
 * `and` and `or` treat alike. Only `not` makes its operand two-valued, so that an index can serve plain comparisons.
 */
export function buildFilter (predicate: Predicate, ref: TableRef, builder: Builder): Sql {
  switch (predicate.kind) {
    case 'all': return join(predicate.of, ref, builder, sql` and `, sql`1 = 1`)
    case 'any': return join(predicate.of, ref, builder, sql` or `, sql`1 = 0`)
    case 'not':
      if (predicate.of.kind === 'is_null') return buildIsNotNull(predicate.of, ref, builder)
      // Not `is not true`: SQLite takes that word for a column that is called so.
      return sql`not coalesce(${buildFilter(predicate.of, ref, builder)}, 1 = 0)`
    case 'some': return buildSome(predicate, ref, builder)
    case 'related': return buildRelated(predicate, [predicate.value], ref, builder, columns => {
      const values = comparing(columns, ref, builder)
      return buildFilter(predicate.having, values.ref, values.builder)
    })
    default: return conditionOf(predicate).build(predicate, ref, builder)
  }
}

function join (predicates: readonly Predicate[], ref: TableRef, builder: Builder, separator: Sql, empty: Sql): Sql {
  if (predicates.length === 0) return empty
  return sql`(${sql.join(predicates.map(one => buildFilter(one, ref, builder)), separator)})`
}

function buildSome ({ field, where }: Extract<Predicate, { kind: 'some' }>, ref: TableRef, builder: Builder): Sql {
  const target = tableRef(field.target, builder.alias())
  if (isSelective(where)) {
    const found = buildFilter(where, target, builder)
    const condition = field.kind === 'sub-item' ? found : withConstants(found, field, one => column(target, one))
    const { dialect } = builder
    return relatedToAny(field, ref, target, key => {
      return sql`select ${key} from ${table(target)} where ${dialect.clocked(condition)}`
    }, dialect)
  }
  const relation = related(field, target, parentField => column(ref, parentField), builder.dialect)
  const conditions = builder.dialect.clocked(sql`${relation} and ${buildFilter(where, target, builder)}`)
  // The limit changes SQLite's plan alone: 3.51 to 3.53.0 turn a plain exists into a join, and then skip too few rows
  // at an offset.
  return sql`exists (select 1 from ${table(target)} where ${conditions} limit 1)`
}

/**
 * Whether a condition names its elements by an identifier, so that few elements satisfy it. The statement then looks up
 * these elements first, and an index on the foreign key leads back to the items. Otherwise it looks for an element of
 * each item in turn, and stops when the page is full.
 */
function isSelective (where: Predicate): boolean {
  switch (where.kind) {
    case 'compare': return namesByIdentifier(where)
    case 'some': return isSelective(where.where)
    case 'all': return where.of.some(isSelective)
    default: return false
  }
}

function namesByIdentifier ({ field, operator }: Extract<Predicate, { kind: 'compare' }>): boolean {
  return field.kind === 'stored' && field.identifier && isExact(operator)
}
