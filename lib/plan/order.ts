import type { DataField } from '../model/model.ts'
import { integerType, isExact, type Operator, type Scalar, type ValueType } from '../model/values.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Count, Extreme, ItemValue, Listing, Order, Predicate, ReadPlanOf, SubItemStep } from './plan.ts'
import { all, always, isNotNull } from './predicates.ts'

/** Returns true if two values are of the same field, or count the same relation, of the same item. */
export function isSameValue (one: ItemValue, other: ItemValue): boolean {
  const { path = [] } = other
  return one.field === other.field && relatedName(one) === relatedName(other) &&
    (one.path?.length ?? 0) === path.length &&
    path.every(({ field }, index) => one.path?.[index]?.field === field)
}

/** Returns the fields of the item itself that an order has. */
export const ownFields = (order: Order): readonly DataField[] =>
  order.flatMap(({ path, field }) => path === undefined && field !== undefined ? [field] : [])

/** Returns the terms of an order that have a path. */
const termsWithPath = (order: Order): Order => order.filter(({ path }) => path !== undefined)

/** Returns the terms with a path whose values the rows of a listing must hold. */
export const carriedTerms = ({ listing, extra }: Pick<ReadPlanOf<'list'>, 'listing' | 'extra'>): Order =>
  extra.length === 0 ? [] : termsWithPath(listing.order)

/** Returns the counts of an order that the items show too. */
export const countsShown = ({ order, select }: Pick<Listing, 'order' | 'select'>): Order =>
  order.filter(({ path, related }) => path?.length === 0 && !isExtreme(related) &&
    select.some(({ kind, field }) => kind === 'count' && field === related?.field))

/** Returns the fields of which terms are, in whatever collection. */
export const fieldsOf = (terms: Order): readonly DataField[] =>
  terms.flatMap(({ field, related }) => field ?? (isExtreme(related) ? related.of : []))

/** Returns the type of a value. */
export const typeOf = ({ field, related }: ItemValue): ValueType =>
  field?.type ?? (isExtreme(related) ? related.of.type : integerType)

/** Returns true for the least or greatest value of a relation, as opposed to a count. */
export const isExtreme = (related: Count | Extreme | undefined): related is Extreme =>
  related !== undefined && 'of' in related

/** The order of elements of which the first has an extreme value. */
export const extremeOrder = ({ field: { target }, of, greatest }: Extreme): Order =>
  [{ field: of, descending: greatest }, ...target.key.map(field => ({ field, descending: false }))]

function relatedName ({ related }: ItemValue): string | undefined {
  if (!isExtreme(related)) return related && `${related.field.name}.count()`
  return `${related.field.name}.${related.of.name}.${related.greatest ? 'max' : 'min'}()`
}

/** Returns the name of a value on the wire. */
export function valueName (value: ItemValue): string {
  const { path = [], field } = value
  return [...path.map(step => step.field.name), field?.name ?? relatedName(value)].join('.')
}

/** Returns the name under which a row holds a value. No property has the name of one with a path. */
export function rowName (value: ItemValue): string {
  const { path, field } = value
  if (path === undefined && field !== undefined) return field.property
  return [...path?.map(step => step.field.property) ?? [], field?.property ?? `${relatedName(value)}`, ''].join('\0')
}

/**
 * The name under which a row holds the position of a value, if the value as shown does not tell where the row is in the
 * order: because it is rounded, or written in another form. No property has this name.
 */
export const positionName = (value: ItemValue): string => value.path === undefined && value.field !== undefined
  ? ownPositionName(value.field)
  : `${rowName(value)}\0position`

const ownPositionName = memoize(({ property }: DataField) => `${property}\0position`)

/** Whether a value may be null. A sub-item may be missing, or hidden, and so may be all items of a relation. */
export const isNullable = ({ path = [], field, related }: ItemValue): boolean =>
  path.length > 0 || field?.nullable === true || isExtreme(related)

/** Returns the predicate that compares a value. `stored`: see Predicate. */
export function compareItem (value: ItemValue, operator: Operator, operand: Scalar, stored: boolean): Predicate {
  const { path, field, related } = value
  const comparedTo = (of: DataField, operator: Operator): Predicate =>
    ({ kind: 'compare', field: of, operator, value: operand, ...stored && { stored } })
  if (field !== undefined) return reaching(path, comparedTo(field, operator))
  if (!isExtreme(related)) return reaching(path, { kind: 'count', ...related, operator, value: operand })
  const { of, greatest } = related
  const some = (operator: Operator): Predicate =>
    ({ kind: 'some', field: related.field, where: comparedTo(of, operator) })
  // No element is nearer to the end.
  const none = (operator: Operator): Predicate => ({ kind: 'not', of: some(operator) })
  const outward: Operator = greatest ? 'greater' : 'less'
  if (operator === outward) return reaching(path, some(outward))
  const isExactly = isExact(operator)
  const beyond = isExactly ? outward : greatest ? 'at_least' : 'at_most'
  const known = isExactly ? some(operator) : hasValue({ path: [], related })
  return reaching(path, all([known, none(beyond)]))
}

/** Returns the predicate that the item at the end of a path satisfies another one. */
const reaching = (path: readonly SubItemStep[] | undefined, predicate: Predicate): Predicate => path === undefined
  ? predicate
  : path.reduceRight<Predicate>((where, { field }) => ({ kind: 'some', field, where }), predicate)

/** Returns the predicate that a value is not null. */
export function hasValue ({ path, field, related }: ItemValue): Predicate {
  if (field !== undefined) return reaching(path, isNotNull(field))
  if (!isExtreme(related)) return reaching(path, always)
  return reaching(path, { kind: 'some', field: related.field, where: isNotNull(related.of) })
}

/** Returns the predicate that a value is null. */
export const hasNoValue = (value: ItemValue): Predicate => value.path === undefined && value.field !== undefined
  ? { kind: 'is_null', field: value.field }
  : { kind: 'not', of: hasValue(value) }
