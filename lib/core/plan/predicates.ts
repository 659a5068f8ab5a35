import { type KeyValues, toKeyValues } from '../model/identifiers.ts'
import type { DataField, StoredField } from '../model/model.ts'
import { isExact, type Operator, traitsOf } from '../model/operators.ts'
import type { Scalar } from '../model/values.ts'
import { isOfField } from './fold.ts'
import type { Predicate } from './plan.ts'

/** The predicate that every item satisfies. Compared by identity. */
export const always: Predicate = { kind: 'all', of: [] }

/**
 * The scope of a collection whose database shows each caller its own rows: every item that is read satisfies it. It is
 * not `always`, so writes are checked as those of a scope. Compared by identity.
 */
export const policed: Predicate = { kind: 'all', of: [] }

/** The predicate that no item satisfies. Compared by identity. */
export const never: Predicate = { kind: 'any', of: [] }

export const equals = (field: DataField, value: Scalar | null): Predicate =>
  value === null ? { kind: 'is_null', field } : { kind: 'compare', field, operator: 'equals', value }

export const isNotNull = (field: DataField): Predicate => ({ kind: 'not', of: { kind: 'is_null', field } })

/** Returns the comparison of a field with one value. Null equals null, and is neither less nor greater than a value. */
export function compareValue (field: DataField, operator: Operator, value: Scalar | null): Predicate {
  if (value !== null) return { kind: 'compare', field, operator, value }
  const { takesNull, negated } = traitsOf(operator)
  if (!takesNull) return never
  return negated ? isNotNull(field) : equals(field, null)
}

export function compareList (field: DataField, operator: Operator, values: readonly (Scalar | null)[]): Predicate {
  const value = values.filter(one => one !== null)
  const compared: Predicate = { kind: 'compare', field, operator, value }
  if (value.length === values.length) return compared
  return traitsOf(operator).negated ? all([compared, isNotNull(field)]) : any([compared, equals(field, null)])
}

/** Returns the predicate that the fields of a key or of a foreign key have these values. */
export function equalsKey (key: readonly StoredField[], values: KeyValues): Predicate {
  const [field, other] = key
  if (field !== undefined && other === undefined) return equals(field, values[0] ?? null)
  return all(key.map((field, index) => equals(field, values[index] ?? null)))
}

/** Returns the values of a predicate that equalsKey() made of this key; undefined for any other predicate. */
export function keyValuesIn (where: Predicate, key: readonly StoredField[]): KeyValues | undefined {
  const terms = where.kind === 'all' && key.length > 1 ? where.of : [where]
  if (terms.length !== key.length) return undefined
  const values = key.map((field, index) => {
    const term = terms[index]
    return term?.kind === 'compare' && term.field === field && isEquality(term.operator) ? term.value : null
  })
  return toKeyValues(values)
}

const isEquality = (operator: Operator) => isExact(operator) && !traitsOf(operator).list

/** Returns the fields that a predicate compares; undefined if it asks for related items. */
export function fieldsIn (where: Predicate): readonly DataField[] | undefined {
  switch (where.kind) {
    case 'not': return fieldsIn(where.of)
    case 'all':
    case 'any': {
      const fields = where.of.map(fieldsIn)
      return fields.every(one => one !== undefined) ? fields.flat() : undefined
    }
    default: return isOfField(where) ? [where.field] : undefined
  }
}

/** Returns the predicate that both hold. `always` adds no node, and `policed` before another one adds none. */
export function both (first: Predicate, second: Predicate): Predicate {
  if (first === always || first === policed) return second
  if (second === always) return first
  return { kind: 'all', of: [first, second] }
}

/** Returns the predicate that all of them hold; `always` for an empty list. */
export function all (of: readonly Predicate[]): Predicate {
  const [only] = of
  if (only === undefined) return always
  return of.length === 1 ? only : { kind: 'all', of }
}

/** Returns the predicate that at least one of them holds. For an empty list it is false, but it is not `never`. */
export function any (of: readonly Predicate[]): Predicate {
  const [only] = of
  return only !== undefined && of.length === 1 ? only : { kind: 'any', of }
}
