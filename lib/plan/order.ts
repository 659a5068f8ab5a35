import type { DataField } from '../model/model.ts'
import { integerType, type Operator, type Scalar, type ValueType } from '../model/values.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { ItemValue, Order, Predicate, ReadPlanOf, SubItemStep } from './plan.ts'
import { always, isNotNull } from './predicates.ts'

/** Returns true if two values are of the same field, or count the same relation, of the same item. */
export function isSameValue (one: ItemValue, other: ItemValue): boolean {
  const { path = [] } = other
  return one.field === other.field && one.count?.field === other.count?.field &&
    (one.path?.length ?? 0) === path.length &&
    path.every(({ field }, index) => one.path?.[index]?.field === field)
}

/** Returns the fields of the item itself that an order has. */
export const ownFields = (order: Order): readonly DataField[] =>
  order.flatMap(({ path, field }) => path === undefined && field !== undefined ? [field] : [])

/** Returns the terms of an order that have a path. */
export const termsWithPath = (order: Order): Order => order.filter(({ path }) => path !== undefined)

/** Returns the terms with a path whose values the rows of a listing must hold. */
export const carriedTerms = ({ listing, extra }: Pick<ReadPlanOf<'list'>, 'listing' | 'extra'>): Order =>
  extra.length === 0 ? [] : termsWithPath(listing.order)

/** Returns the type of a value. */
export const typeOf = ({ field }: ItemValue): ValueType => field?.type ?? integerType

/** Returns the name of a value on the wire. */
export const valueName = ({ path = [], field, count }: ItemValue): string =>
  [...path.map(step => step.field.name), field?.name ?? `${count?.field.name}.count()`].join('.')

/** Returns the name under which a row holds a value. No property has the name of one with a path. */
export const rowName = ({ path, field, count }: ItemValue): string => path === undefined && field !== undefined
  ? field.property
  : [...path?.map(step => step.field.property) ?? [], field?.property ?? `${count?.field.property}\0count`].join('\0')

/**
 * The name under which a row holds the position of a value, if the value as shown does not tell where the row is in the
 * order: because it is rounded, or written in another form. No property has this name.
 */
export const positionName = (value: ItemValue): string => value.path === undefined && value.field !== undefined
  ? ownPositionName(value.field)
  : `${rowName(value)}\0position`

const ownPositionName = memoize(({ property }: DataField) => `${property}\0position`)

/** Whether a value may be null. A sub-item may be missing, or hidden. */
export const isNullable = ({ path = [], field }: ItemValue): boolean => path.length > 0 || field?.nullable === true

/** Returns the predicate that compares a value. `stored`: see Predicate. */
export function compareItem (value: ItemValue, operator: Operator, operand: Scalar, stored: boolean): Predicate {
  const { path, field, count } = value
  return reaching(path, field === undefined
    ? { kind: 'count', ...count, operator, value: operand }
    : { kind: 'compare', field, operator, value: operand, ...stored && { stored } })
}

/** Returns the predicate that the item at the end of a path satisfies another one. */
const reaching = (path: readonly SubItemStep[] | undefined, predicate: Predicate): Predicate => path === undefined
  ? predicate
  : path.reduceRight<Predicate>((where, { field }) => ({ kind: 'some', field, where }), predicate)

/** Returns the predicate that a value is not null. */
export const hasValue = ({ path, field }: ItemValue): Predicate =>
  reaching(path, field === undefined ? always : isNotNull(field))

/** Returns the predicate that a value is null. */
export const hasNoValue = (value: ItemValue): Predicate => value.path === undefined && value.field !== undefined
  ? { kind: 'is_null', field: value.field }
  : { kind: 'not', of: hasValue(value) }
