import type { DataField } from '../model/model.ts'
import type { Operator, Scalar, ValueType } from '../model/values.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { FunctionColumn, ItemValue, Listing, Order, Predicate, ReadPlanOf, Related, SubItemStep } from './plan.ts'
import { always, isNotNull } from './predicates.ts'

/** Returns true if two values are of the same field or function, of the same item. */
export function isSameValue (one: ItemValue, other: ItemValue): boolean {
  const { path = [] } = other
  return one.field === other.field && (one.path?.length ?? 0) === path.length &&
    nameOf(one) === nameOf(other) &&
    path.every(({ field }, index) => one.path?.[index]?.field === field)
}

/** Returns the fields of the item itself that an order has. */
export const ownFields = (order: Order): readonly DataField[] =>
  order.flatMap(({ path, field }) => path === undefined && field !== undefined ? [field] : [])

const termsWithPath = (order: Order): Order => order.filter(({ path }) => path !== undefined)

/** Returns the terms with a path whose values the rows of a listing must hold. */
export const carriedTerms = ({ listing, extra }: Pick<ReadPlanOf<'list'>, 'listing' | 'extra'>): Order =>
  extra.length === 0 ? [] : termsWithPath(listing.order)

/** Returns the terms of functions that the items show too. */
export const functionsShown = ({ order, select }: Pick<Listing, 'order' | 'select'>): Order =>
  order.filter(({ path, related }) => path?.length === 0 && related !== undefined && select.some(shown =>
    shown.kind === 'related' && shown.values.some(value => relatedName({ ...shown, value }) === relatedName(related))))

/** Returns the fields of which terms are, in whatever collection. */
export const fieldsOf = (terms: Order): readonly DataField[] => terms.map(fieldOf)

const fieldOf = ({ field, related }: ItemValue): DataField => related === undefined ? field : related.value.field

export const typeOfValue = (value: ItemValue): ValueType => fieldOf(value).type

/** Returns the name of what a function makes of elements: `moons.radius.max()`. */
export const relatedName = ({ field, value }: Related): string => `${field.name}.${value.field.name}`

const nameOf = ({ field, related }: ItemValue): string => related === undefined ? field.name : relatedName(related)

/** Returns the name of a value on the wire. */
export const valueName = (value: ItemValue): string =>
  [...value.path?.map(step => step.field.name) ?? [], nameOf(value)].join('.')

/** Returns the name under which a row holds a value. No property has the name of one with a path. */
export function rowName (value: ItemValue): string {
  const { path = [], field, related } = value
  if (related === undefined && value.path === undefined) return field.property
  return [...path.map(step => step.field.property), field?.property ?? nameOf(value), ''].join('\0')
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
export const isNullable = (value: ItemValue): boolean =>
  (value.path !== undefined && value.path.length > 0) || fieldOf(value).nullable

/** Returns the predicate that compares a value. `stored`: see Predicate. Counts, sums, means are as shown. */
export function compareItem (value: ItemValue, operator: Operator, operand: Scalar, stored: boolean): Predicate {
  const isStored = stored && (value.related === undefined || isExtreme(value.related.value))
  return holding(value, { kind: 'compare', field: fieldOf(value), operator, value: operand, ...isStored && { stored } })
}

/** Returns true for the least or greatest of some values, which is one of them. */
export const isExtreme = ({ call }: FunctionColumn): boolean => call === 'min' || call === 'max'

/** Returns the predicate that a value satisfies another one, which compares its field. */
const holding = ({ path, related }: ItemValue, predicate: Predicate): Predicate =>
  reaching(path, related === undefined ? predicate : { kind: 'related', ...related, having: predicate })

/** Returns the predicate that the item at the end of a path satisfies another one. */
const reaching = (path: readonly SubItemStep[] | undefined, predicate: Predicate): Predicate => path === undefined
  ? predicate
  : path.reduceRight<Predicate>((where, { field }) => ({ kind: 'some', field, where }), predicate)

/** Returns the predicate that a value is not null. */
export const hasValue = (value: ItemValue): Predicate => value.related !== undefined && !fieldOf(value).nullable
  ? reaching(value.path, always)
  : holding(value, isNotNull(fieldOf(value)))

/** Returns the predicate that a value is null. */
export const hasNoValue = (value: ItemValue): Predicate => value.path === undefined && value.field !== undefined
  ? { kind: 'is_null', field: value.field }
  : { kind: 'not', of: hasValue(value) }
