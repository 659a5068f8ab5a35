import { invalidFilter } from '../../errors/errors.ts'
import type { DataField } from '../../model/model.ts'
import { type Operator, type Scalar, traitsOf } from '../../model/values.ts'
import type { Predicate } from '../plan.ts'
import { all, any, compareValue, never } from '../predicates.ts'
import type { ComparisonFilter } from '../../request/request.ts'
import { isInUnit, nextStart, startOf, type TimeUnit, unitsOf, unitType } from '../time-units.ts'
import { parseOperands } from './filter.ts'

/**
 * Returns the comparison of the unit of time that a day or timestamp is in, as one of the field with the beginning and
 * the end of units, which an index serves. Throws invalid_filter.
 */
export function compareBucket (filter: ComparisonFilter, field: DataField, unit: TimeUnit): Predicate {
  const { operator, at } = filter
  const { expected } = field.type
  if (!unitsOf(field.type).includes(unit)) {
    throw invalidFilter(`'${unit}()' cannot be used with the field '${field.name}', which takes ${expected}.`, at)
  }
  const bucket = { ...field, name: `${field.name}.${unit}()`, type: unitType(unit) }
  const values = parseOperands(filter, bucket)
  const { list, negated } = traitsOf(operator)
  if (!list) return compareUnit(field, operator, values[0] ?? null, unit)
  const found = any(values.map(value => compareUnit(field, 'equals', value, unit)))
  return negated ? { kind: 'not', of: found } : found
}

interface Bounds {
  /** True if the value is the beginning of a unit. */
  readonly exact: boolean
  /** Before and from the beginning of the value's unit. */
  readonly before: Predicate
  readonly from: Predicate
  /** Within and after the end of the value's unit. */
  readonly until: Predicate
  readonly after: Predicate
}

function compareUnit (field: DataField, operator: Operator, value: Scalar | null, unit: TimeUnit): Predicate {
  const compare = comparisons[operator]
  if (value === null || compare === undefined) return compareValue(field, operator, value)
  const text = String(value)
  const start = startOf(text, unit)
  if (!isInUnit(text)) return compareValue(field, operator, value)
  const inField = (one: string) => field.type.kind === 'date-time' && one.length === 10 ? `${one}T00:00:00.000Z` : one
  const bounded = (operator: Operator, one: string) => compareValue(field, operator, inField(one))
  const next = nextStart(start, unit)
  const last = field.type.kind === 'date-time' ? '9999-12-31T23:59:59.999Z' : '9999-12-31'
  return compare({
    exact: start === text,
    before: bounded('less', start),
    from: bounded('at_least', start),
    until: next === undefined ? bounded('at_most', last) : bounded('less', next),
    after: next === undefined ? bounded('greater', last) : bounded('at_least', next)
  })
}

const within = ({ exact, from, until }: Bounds): Predicate => exact ? all([from, until]) : never

const comparisons: Readonly<Partial<Record<Operator, (bounds: Bounds) => Predicate>>> = {
  equals: within,
  not_equals: bounds => ({ kind: 'not', of: within(bounds) }),
  greater: ({ after }) => after,
  at_least: ({ exact, from, after }) => exact ? from : after,
  less: ({ exact, before, until }) => exact ? before : until,
  at_most: ({ until }) => until
}
