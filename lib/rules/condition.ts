import type { Condition, ConditionNode, Match, Values, Where } from '../collection.ts'
import type { Collection, RelationField, StoredField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { Predicate } from '../plan/plan.ts'
import { all, any, equals, always, never } from '../plan/predicates.ts'

const condition = (of: ConditionNode): Condition => ({ kind: 'condition', of })
const compare = (operator: Extract<ConditionNode, { kind: 'compare' }>['operator']) => (property: string, value: unknown) => condition({ kind: 'compare', property, operator, value })

/** What scopes build conditions with. The types of properties and values are the declaration's business. */
export const conditionBuilder: Where<Values> = {
  equals: compare('equals'),
  oneOf: compare('in'),
  less: compare('less'),
  atMost: compare('at_most'),
  greater: compare('greater'),
  atLeast: compare('at_least'),
  some: (relation, build) => condition({ kind: 'some', relation, where: build(conditionBuilder) }),
  all: (...of) => condition({ kind: 'all', of }),
  any: (...of) => condition({ kind: 'any', of }),
  not: of => condition({ kind: 'not', of })
}

/** What a scope gave, as a predicate. Throws a TypeError for what is none, such as an undefined value, which must never mean "any". */
export function planScope (given: Match<Values> | Condition | boolean, collection: Collection): Predicate {
  if (typeof given === 'boolean') return given ? always : never
  if (typeof given !== 'object' || given === null) throw fault(collection, `returned ${String(given)}; return an object of values, a condition, true or false`)
  if (isCondition(given)) return planCondition(given, collection)
  const terms = Object.entries(given).map(([property, value]) => equals(fieldOf(property, collection), valueOf(property, value, collection)))
  if (terms.length === 0) throw fault(collection, 'returned an object without values; return true for all items')
  return all(terms)
}

const isCondition = (given: object): given is Condition => 'kind' in given && given.kind === 'condition' && 'of' in given

function planCondition ({ of: node }: Condition, collection: Collection): Predicate {
  switch (node.kind) {
    case 'all': return all(node.of.map(one => planCondition(one, collection)))
    case 'any': return any(node.of.map(one => planCondition(one, collection)))
    case 'not': return { kind: 'not', of: planCondition(node.of, collection) }
    case 'some': {
      const field = relationOf(node.relation, collection)
      return { kind: 'some', field, where: planCondition(node.where, field.target) }
    }
    case 'compare': {
      const field = fieldOf(node.property, collection)
      if (node.operator !== 'in') return { kind: 'compare', field, operator: node.operator, value: valueOf(node.property, node.value, collection) }
      if (!Array.isArray(node.value)) throw fault(collection, `compares '${node.property}' with a value that is not an array`)
      return { kind: 'compare', field, operator: 'in', value: node.value.map((value: unknown) => valueOf(node.property, value, collection)) }
    }
  }
}

function fieldOf (property: string, collection: Collection): StoredField {
  const field = collection.properties.get(property)
  if (field?.kind !== 'stored') throw fault(collection, `names '${property}', which is not a stored field`)
  return field
}

function relationOf (property: string, collection: Collection): RelationField {
  const field = collection.properties.get(property)
  if (field?.kind !== 'sub-item' && field?.kind !== 'sub-collection') throw fault(collection, `names '${property}', which is not a relation`)
  return field
}

function valueOf (property: string, value: unknown, collection: Collection): Scalar | null {
  if (value === null) return null
  const { type } = fieldOf(property, collection)
  const taken = type.take(value)
  if (taken === undefined || type.kind === 'json') throw fault(collection, `uses ${value === undefined ? 'undefined' : `a value of type '${typeof value}'`} for '${property}', which takes ${type.expected}`)
  // A type that is not JSON takes scalars only.
  return taken as Scalar
}

const fault = ({ property }: Collection, what: string) => new TypeError(`collection '${property}': its scope ${what}`)
