import type { Match, ItemValues } from '../declare/collection.ts'
import type { Condition, ConditionNode, Where } from '../declare/conditions.ts'
import type { Collection, RelationField, StoredField } from '../model/model.ts'
import { type Scalar, traitsOf } from '../model/values.ts'
import type { Predicate } from '../plan/plan.ts'
import { all, any, compareList, compareValue, equals, always, never } from '../plan/predicates.ts'

type CompareOperator = Extract<ConditionNode, { kind: 'compare' }>['operator']

const condition = (of: ConditionNode): Condition => ({ kind: 'condition', of })

const compare = (operator: CompareOperator) => (property: string, value: unknown) =>
  condition({ kind: 'compare', property, operator, value })

/** The functions by which scopes build conditions. Properties and values are checked by planScope. */
export const conditionBuilder: Where<ItemValues> = {
  equals: compare('equals'),
  oneOf: compare('in'),
  less: compare('less'),
  atMost: compare('at_most'),
  greater: compare('greater'),
  atLeast: compare('at_least'),
  some: (relation, build) => condition({ kind: 'some', relation, where: build(conditionBuilder) }),
  all: (...of) => condition({ kind: 'all', of }),
  any: (...of) => condition({ kind: 'any', of }),
  not: of => condition({ kind: 'not', of }),
  visible: () => condition({ kind: 'visible' })
}

/** A scope that cannot be planned, whoever the caller is: it names an unknown property, or depends on itself. */
export class WrongScope extends TypeError {}

/** Returns the predicate of the items of a collection that exist for the caller. */
export type VisibleIn = (collection: Collection) => Predicate

/**
 * Converts the result of a scope to a predicate. Throws WrongScope, and a TypeError for a result that is no
 * condition, and for a value that the field does not take: an undefined value must never mean "any value".
 */
export function planScope (
  result: Match<ItemValues> | Condition | boolean, collection: Collection, visibleIn: VisibleIn
): Predicate {
  if (typeof result === 'boolean') return result ? always : never
  if (typeof result !== 'object' || result === null) {
    throw fault(collection, `returned ${String(result)}; return an object of values, a condition, true or false`)
  }
  if (isCondition(result)) return planCondition(result, collection, visibleIn)
  const terms = Object.entries(result).map(([property, value]) =>
    equals(fieldOf(property, collection), valueOf(property, value, collection)))
  if (terms.length === 0) throw fault(collection, 'returned an object without values; return true for all items')
  return all(terms)
}

const isCondition = (result: object): result is Condition =>
  'kind' in result && result.kind === 'condition' && 'of' in result

function planCondition ({ of: node }: Condition, collection: Collection, visibleIn: VisibleIn): Predicate {
  switch (node.kind) {
    case 'all': return all(node.of.map(one => planCondition(one, collection, visibleIn)))
    case 'any': return any(node.of.map(one => planCondition(one, collection, visibleIn)))
    case 'not': return { kind: 'not', of: planCondition(node.of, collection, visibleIn) }
    case 'some': {
      const field = relationOf(node.relation, collection)
      return { kind: 'some', field, where: planCondition(node.where, field.target, visibleIn) }
    }
    case 'visible': return visibleIn(collection)
    case 'compare': return planComparison(node, collection)
  }
}

function planComparison (
  { property, operator, value }: Extract<ConditionNode, { kind: 'compare' }>, collection: Collection
): Predicate {
  const field = fieldOf(property, collection)
  if (!traitsOf(operator).list) return compareValue(field, operator, valueOf(property, value, collection))
  if (!Array.isArray(value)) throw fault(collection, `compares '${property}' with a value that is not an array`)
  return compareList(field, operator, value.map((one: unknown) => valueOf(property, one, collection)))
}

function fieldOf (property: string, collection: Collection): StoredField {
  const field = collection.properties.get(property)
  if (field?.kind !== 'stored') throw unknown(collection, `names '${property}', which is not a stored field`)
  return field
}

function relationOf (property: string, collection: Collection): RelationField {
  const field = collection.properties.get(property)
  if (field?.kind === 'sub-item' || field?.kind === 'sub-collection') return field
  throw unknown(collection, `names '${property}', which is not a relation`)
}

function valueOf (property: string, value: unknown, collection: Collection): Scalar | null {
  if (value === null) return null
  const { type } = fieldOf(property, collection)
  const taken = type.take(value)
  if (taken === undefined || type.kind === 'json') {
    const found = value === undefined ? 'undefined' : `a value of type '${typeof value}'`
    throw fault(collection, `uses ${found} for '${property}', which takes ${type.expected}`)
  }
  // The values of every type but `json` are scalars.
  return taken as Scalar
}

const fault = ({ property }: Collection, reason: string) =>
  new TypeError(`collection '${property}': its scope ${reason}`)

const unknown = ({ property }: Collection, reason: string) =>
  new WrongScope(`collection '${property}': its scope ${reason}`)

export const dependsOnItself = ({ property }: Collection) =>
  new WrongScope(`collection '${property}': its scope asks with 'visible' for its own result`)
