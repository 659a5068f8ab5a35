import { didYouMean, invalidFilter } from '../errors.ts'
import type { Collection, DataField, Field, RelationField } from '../model/model.ts'
import type { Operator, Scalar } from '../model/values.ts'
import type { Filter, ValueText } from '../request/request.ts'
import type { Predicate } from './plan.ts'
import { all, any, always } from './predicates.ts'
import { suggest } from './suggest.ts'
import { findReadable, readableNames } from './visible.ts'

type Comparison = Extract<Filter, { kind: 'compare' }>

/** What the filters mean: every field known, filterable and readable, every value converted (docs/http.md: Query strings). Throws invalid_filter. */
export function planFilters (filters: readonly Filter[], collection: Collection): Predicate {
  return all(filters.map(filter => planFilter(filter, collection)))
}

function planFilter (filter: Filter, collection: Collection): Predicate {
  switch (filter.kind) {
    case 'all': return all(filter.of.map(one => planFilter(one, collection)))
    case 'any': return any(filter.of.map(one => planFilter(one, collection)))
    case 'not': return { kind: 'not', of: planFilter(filter.of, collection) }
    case 'compare': return follow(filter, 0, collection)
  }
}

/** Walks the dotted path: each name but the last is a relation, and the comparison holds for some element at its end. */
function follow (filter: Comparison, depth: number, collection: Collection): Predicate {
  const name = filter.path[depth] ?? ''
  const field = findReadable(collection, name)
  if (field === undefined) throw unknown(filter, name, collection)
  if (!field.filterable) throw invalidFilter(`Items cannot be filtered by the field '${name}'.`, filter.at)
  const last = depth === filter.path.length - 1
  if (isRelation(field)) return last ? compareRelation(filter, field) : { kind: 'some', field, where: follow(filter, depth + 1, field.target) }
  if (!last) throw invalidFilter(`The field '${name}' is a scalar and has no fields of its own.`, filter.at)
  if (field.kind === 'computed') throw invalidFilter(`Items cannot be filtered by the field '${name}', which is computed.`, filter.at)
  return compare(filter, field)
}

const isRelation = (field: Field): field is RelationField => field.kind === 'sub-item' || field.kind === 'sub-collection'

function unknown (filter: Comparison, name: string, collection: Collection) {
  const suggestion = suggest(name, readableNames(collection))
  return invalidFilter(`There is no field '${name}' to filter by.${didYouMean(suggestion)}`, filter.at, suggestion)
}

/** A sub-item can be asked for being there or not: `artist=null`, `artist!=null`. */
function compareRelation (filter: Comparison, field: RelationField): Predicate {
  const there: Predicate = { kind: 'some', field, where: always }
  const [value] = filter.values
  if (field.kind === 'sub-item' && value !== undefined && isNull(value)) {
    if (filter.operator === 'equals') return { kind: 'not', of: there }
    if (filter.operator === 'not_equals') return there
  }
  throw invalidFilter(`The field '${field.name}' is not a scalar; compare one of its fields, as in '${field.name}.${field.target.key.name}'.`, filter.at)
}

function compare (filter: Comparison, field: DataField): Predicate {
  const { operator, at } = filter
  const { operators, expected } = field.type
  if (!operators.has(operator)) throw invalidFilter(`The operator '${operator.replaceAll('_', ' ')}' cannot be used with the field '${field.name}', which takes ${expected}.`, at)
  const values = filter.values.map(value => convert(value, field, operator))
  if (operator === 'in' || operator === 'not_in') return { kind: 'compare', field, operator, value: values }
  const [value] = values
  return { kind: 'compare', field, operator, value: value ?? null }
}

const takesNull: ReadonlySet<Operator> = new Set(['equals', 'not_equals', 'in', 'not_in'])

function convert (value: ValueText, field: DataField, operator: Operator): Scalar | null {
  if (field.nullable && isNull(value) && takesNull.has(operator)) return null
  const scalar = field.type.parse(value.text)
  if (scalar === undefined) throw invalidFilter(`The field '${field.name}' takes ${field.type.expected}, not '${value.text}'.`, value.at)
  return scalar
}

const isNull = (value: ValueText) => !value.quoted && value.text === 'null'
