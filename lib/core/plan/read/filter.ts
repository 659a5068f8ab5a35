import { invalidFilter } from '../../errors/errors.ts'
import {
  type Collection, type DataField, type Field, isRelation, type ReadableField, type RelationField,
  type SubCollectionField
} from '../../model/model.ts'
import { type Operator, type Scalar, textOfDate, traitsOf } from '../../model/values.ts'
import type { ComparisonFilter, Filter, TextPlace, ValueText } from '../../request/request.ts'
import { followPath, followsNone, isOfElements, type Purpose } from '../field-path.ts'
import { isOfField, partsOf } from '../fold.ts'
import type { AggregateName, Listing, Predicate, Selection } from '../plan.ts'
import { all, always, any, compareList, compareValue } from '../predicates.ts'
import { unitNamed } from '../time-units.ts'
import { compareBucket } from './buckets.ts'
import { planRelated } from './related-functions.ts'

type Element = Extract<Filter, { kind: 'some' }>

/**
 * Returns the predicate of the filters, which must all hold (docs/http.md: Query strings). Throws invalid_filter for a
 * field that is unknown, unreadable or not filterable, and for a value that the field does not take.
 */
export function planFilters (filters: readonly Filter[], collection: Collection): Predicate {
  return all(filters.map(filter => planFilter(filter, collection)))
}

function planFilter (filter: Filter, collection: Collection): Predicate {
  switch (filter.kind) {
    case 'all': return all(filter.of.map(one => planFilter(one, collection)))
    case 'any': return any(filter.of.map(one => planFilter(one, collection)))
    case 'not': return { kind: 'not', of: planFilter(filter.of, collection) }
    case 'some':
    case 'compare': return planPath(filter, collection)
  }
}

/**
 * Follows the path. The comparison must hold for at least one element behind its relations. With filters in
 * parentheses, the last name is a relation too.
 */
function planPath (filter: ComparisonFilter | Element, collection: Collection): Predicate {
  const { steps, field, called } = followPath(filter.path, collection, filtering(filter))
  const where = filter.kind === 'some' ? planElement(filter, field) : planComparison(filter, field, called)
  return steps.reduceRight<Predicate>((where, field) => ({ kind: 'some', field, where }), where)
}

const filtering = ({ at }: ComparisonFilter | Element): Purpose => ({
  aim: 'to filter by',
  invalid: (message, suggestion) => invalidFilter(message, at, suggestion),
  check ({ name, filterable }) {
    if (!filterable) throw invalidFilter(`Items cannot be filtered by the field '${name}'.`, at)
  }
})

function planElement ({ of, at }: Element, field: ReadableField): Predicate {
  if (isRelation(field)) return { kind: 'some', field, where: planFilters([of], field.target) }
  const [name] = namesIn(of)
  const example = name === undefined ? '' : `, such as '${name}'`
  throw invalidFilter(`The field '${field.name}' is a scalar and has no fields of its own${example}.`, at)
}

/** Returns the names that a filter begins with. */
function namesIn (filter: Filter): readonly string[] {
  switch (filter.kind) {
    case 'compare':
    case 'some': return filter.path.slice(0, 1)
    case 'not': return namesIn(filter.of)
    default: return filter.of.flatMap(namesIn)
  }
}

function planComparison (filter: ComparisonFilter, field: ReadableField, called: readonly string[]): Predicate {
  const [next] = called
  const unit = next === undefined ? undefined : unitNamed(next)
  if (unit !== undefined) return compareBucket(filter, dataFieldOf(field, filter), unit)
  if (isOfElements(field, called)) return compareRelated(filter, field, called)
  if (next !== undefined) throw invalidFilter(followsNone(next, field.name), filter.at)
  return isRelation(field) ? compareRelation(filter, field) : compareField(filter, dataFieldOf(field, filter))
}

function dataFieldOf (field: ReadableField, filter: ComparisonFilter): DataField {
  if (isRelation(field)) throw invalidFilter(`The field '${field.name}' is not a scalar.`, filter.at)
  if (field.kind !== 'computed') return field
  throw invalidFilter(`Items cannot be filtered by the field '${field.name}', which is computed.`, filter.at)
}

/** Compares what a function makes of the elements of a relation. Whether there are any is asked directly. */
function compareRelated (filter: ComparisonFilter, field: SubCollectionField, names: readonly string[]): Predicate {
  const related = planRelated(field, names, (message, suggestion) => invalidFilter(message, filter.at, suggestion))
  const having = compareColumn(filter, related.value.field)
  // Without a value, the list compares nothing.
  if (filter.values.length === 0) return having
  const exists: Predicate = { kind: 'some', field, where: always }
  const isWithZero = related.value.of === undefined && having.kind === 'compare' && having.value === 0
  const isThere = isWithZero ? besideZero[having.operator] : undefined
  if (isThere !== undefined) return isThere ? exists : { kind: 'not', of: exists }
  const { call, of } = related.value
  if (of !== undefined && of.path === undefined && having.kind === 'compare' && deciding[having.operator] === call) {
    return { kind: 'some', field, where: { ...having, field: of.field } }
  }
  return { kind: 'related', ...related, having }
}

/** The extremes for which one element that satisfies an operator is enough. */
const deciding: Readonly<Partial<Record<Operator, AggregateName>>> = {
  greater: 'max', at_least: 'max', less: 'min', at_most: 'min'
}

/** Returns the comparison of what a function makes, with each value of a list: it has no other form than that. */
export const compareColumn = (filter: ComparisonFilter, field: DataField): Predicate =>
  withoutLists(compareField(filter, field))

function withoutLists (predicate: Predicate): Predicate {
  if (predicate.kind === 'all' || predicate.kind === 'any') {
    return { kind: predicate.kind, of: predicate.of.map(withoutLists) }
  }
  if (predicate.kind !== 'compare' || typeof predicate.value !== 'object') return predicate
  const { field, operator, value } = predicate
  const found = any(value.map(one => compareValue(field, 'equals', one)))
  return traitsOf(operator).negated ? { kind: 'not', of: found } : found
}

/** What the comparison of a count with 0 says: that there are elements, or none. */
const besideZero: Readonly<Partial<Record<Operator, boolean>>> = { greater: true, not_equals: true, equals: false }

/** Returns true for a readable field that a filter may compare with a value. */
export const takesFilters = (field: Field): field is DataField => isCompared(field) && field.type.operators.size > 0

/** Returns true for a readable field of JSON of which filters may ask whether it has a value. */
export const takesNull = (field: Field): boolean =>
  isCompared(field) && field.type.kind === 'json' && field.nullable

const isCompared = (field: Field): field is DataField => field.readable && field.filterable &&
  (field.kind === 'stored' || field.kind === 'expression')

/** A sub-item can be compared with null only: `artist=null`, `artist!=null`. A sub-collection cannot be compared. */
function compareRelation (filter: ComparisonFilter, field: RelationField): Predicate {
  const exists: Predicate = { kind: 'some', field, where: always }
  const { values: [value], at } = filter
  if (field.kind === 'sub-item' && value !== undefined && isNull(value)) {
    const { takesNull, list, negated } = traitsOf(filter.operator)
    if (takesNull && !list) return negated ? exists : { kind: 'not', of: exists }
  }
  const { key, stored } = field.target
  const known = [...key, ...stored].find(one => one.readable && one.filterable)
  const example = known === undefined ? '' : `, as in '${field.name}.${known.name}'`
  throw invalidFilter(`The field '${field.name}' is not a scalar; compare one of its fields${example}.`, at)
}

/** Returns the comparison of a field. Throws invalid_filter for an operator or a value that it does not take. */
function compareField (filter: ComparisonFilter, field: DataField): Predicate {
  const { operator } = filter
  if (field.type.kind === 'json') return compareJson(filter, field)
  const values = parseOperands(filter, field)
  return traitsOf(operator).list
    ? compareList(field, operator, values)
    : compareValue(field, operator, values[0] ?? null)
}

/** An array, or other JSON, can be compared with null only. */
function compareJson (filter: ComparisonFilter, field: DataField): Predicate {
  const { operator, values: [value], at } = filter
  const { takesNull, list } = traitsOf(operator)
  if (takesNull && !list && value !== undefined && isNull(value)) return compareValue(field, operator, null)
  const reason = `'${field.name}' holds JSON, which is compared with null alone: whether it has a value.`
  throw invalidFilter(`The field ${reason}${adviceOnName(filter)}`, at)
}

/** Returns the values with which a field is compared. Throws as compareField() does. */
export function parseOperands (filter: ComparisonFilter, field: DataField): ReadonlyArray<Scalar | null> {
  const { operator, at } = filter
  const { operators, expected } = field.type
  if (!operators.has(operator)) {
    const spelled = operator.replaceAll('_', ' ')
    const reason = `cannot be used with the field '${field.name}', which takes ${expected}.`
    throw invalidFilter(`The operator '${spelled}' ${reason}${adviceOnName(filter)}`, at)
  }
  return filter.values.map(value => convert(value, field, filter))
}

function convert (value: ValueText, field: DataField, filter: ComparisonFilter): Scalar | null {
  const { operator } = filter
  if (field.nullable && isNull(value) && traitsOf(operator).takesNull) return null
  const scalar = value.given === undefined ? field.type.parse(value.text) : takeGiven(value.given.value, field)
  if (scalar !== undefined) return scalar
  const found = `The field '${field.name}' takes ${field.type.expected}, not '${value.text}'.`
  throw invalidFilter(`${found}${adviceOn(value.text, operator)}${adviceOnName(filter)}`, value.at)
}

/** Returns advice for a value that was probably meant as the list or the group of filters that it looks like. */
function adviceOn (text: string, operator: Operator): string {
  if (traitsOf(operator).list && text.startsWith('(')) return ' Outside of a group, a list has no parentheses.'
  if (/:\d\d(?:\.\d+)? \d\d(?::?\d\d)?$/.test(text)) return " In a URL, '+' is a space; write '%2B'."
  return text.includes('|') ? " Filters with '|' between them need parentheses around them." : ''
}

/** Returns the spelling of the parameter that was probably meant by a name which is a field's here. */
const adviceOnName = ({ instead, path: [name = ''] }: ComparisonFilter): string =>
  instead === undefined ? '' : ` '${name}' is a field here; the parameter is '${instead}'.`

/** Returns the canonical form of a value that own code has given; undefined for a value of another type. */
function takeGiven (value: unknown, { type }: DataField): Scalar | undefined {
  if (typeof value === 'bigint') return type.parse(String(value))
  // The fields that can be compared have scalars only.
  return type.take(value instanceof Date ? textOfDate(value, type) : value) as Scalar | undefined
}

const isNull = ({ given, quoted, text }: ValueText) =>
  given === undefined ? !quoted && text === 'null' : given.value === null

/**
 * Throws invalid_filter if the filters of a listing and of those nested in it cost more than the limit. The cost is the
 * number of comparisons for one item: a search in a text counts twice, one that ignores case four times, and every
 * relation to many on the way ten times; each sub-item on the way to a field of the order counts as one comparison
 * (docs/limits.md: Cost of a filter). `at` is the place of a filter or selection; undefined for a query that has
 * neither.
 */
export function checkFilterCost (
  listing: Omit<Listing, 'range'>, limit: number, at: TextPlace | undefined
): void {
  if (at === undefined) return
  const cost = costOfListing(listing)
  if (cost <= limit) return
  const reason = 'Compare fewer fields, or fields of fewer relations.'
  throw invalidFilter(`The filters cost ${cost} comparisons for an item; the limit 'cost' is ${limit}. ${reason}`, at)
}

const costOfListing = ({ where, order, select }: Omit<Listing, 'range'>): number =>
  costOf(where) + costOfSelection(select) +
    order.reduce((cost, { path = [], related }) => cost + path.length + (related === undefined ? 0 : fanOut), 0)

function costOfSelection (select: Selection): number {
  let cost = 0
  for (const shown of select) {
    if (shown.kind === 'item') cost += costOfSelection(shown.select)
    if (shown.kind === 'list') cost += fanOut * costOfListing(shown.listing)
    if (shown.kind === 'related') cost += fanOut * shown.values.length
  }
  return cost
}

function costOf (predicate: Predicate): number {
  if (isOfField(predicate)) return predicate.kind === 'compare' ? costOfCompare(predicate) : 1
  const inside = partsOf(predicate).reduce((cost, one) => cost + costOf(one), 0)
  if (!('where' in predicate)) return inside
  return Math.max(1, inside) * (predicate.field.kind === 'sub-collection' ? fanOut : 1)
}

// The elements that a relation to many is taken to have.
const fanOut = 10

function costOfCompare ({ operator, value }: Extract<Predicate, { kind: 'compare' }>): number {
  const { family, ignoresCase } = traitsOf(operator)
  if (ignoresCase) return 4
  if (family === 'text') return 2
  // A list is looked up, but it must be sent and sorted.
  return Array.isArray(value) ? 1 + Math.floor(value.length / 100) : 1
}
