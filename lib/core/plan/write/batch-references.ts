import type { Violation } from '../../errors/violation.ts'
import type { KeyValues } from '../../model/identifiers.ts'
import type { Collection, StoredField } from '../../model/model.ts'
import { referencesOf } from '../../model/relations.ts'
import type { Scalar } from '../../model/values.ts'
import { nameInBody } from '../../request/batch.ts'
import type { Element } from './item-body.ts'

/** The items of the earlier operations of a batch, which its bodies may name (docs/http.md: Batches). */
export interface References { find (name: string): Referred | undefined }

/** The item of an operation. `key`: undefined as long as the operation has not run. */
export interface Referred { readonly collection: Collection, readonly key: KeyValues | undefined }

/** Returns the element that an operation's name makes; undefined for any other value, and outside of a batch. */
export function referredElement (
  value: unknown, target: Collection, pointer: string, references: References | undefined
): { readonly element: Element, readonly faults: readonly Violation[] } | undefined {
  const name = references && nameInBody(value)
  if (name === undefined) return undefined
  const referred = references?.find(name)
  const fault = faultOf(name, referred, target)
  const values = target.key.map((_, index) => referred?.key?.[index] as Scalar | undefined)
  const linked = { pointer, assignments: [], confirmations: [], violations: [] }
  return {
    element: { pointer, found: { fields: target.key, values }, linked, created: undefined },
    faults: fault === undefined ? [] : [{ pointer, message: fault }]
  }
}

/** The value of a field, undefined as long as it is not known, or what is wrong. */
interface ReferredValue { readonly value?: unknown, readonly fault?: string }

/**
 * Returns the value that an operation's name gives to a field of a foreign key; undefined for any other field or value,
 * and outside of a batch.
 */
export function referredValue (
  value: unknown, field: StoredField, collection: Collection, references: References | undefined
): ReferredValue | undefined {
  const name = references && nameInBody(value)
  const keys = name === undefined ? [] : referencesOf(collection).filter(one => one.foreignKey.includes(field))
  const [first] = keys
  if (name === undefined || first === undefined) return undefined
  const referred = references?.find(name)
  const { foreignKey, target } = keys.find(one => one.target.property === referred?.collection.property) ?? first
  const fault = faultOf(name, referred, target)
  return fault === undefined ? { value: referred?.key?.[foreignKey.indexOf(field)] } : { fault }
}

function faultOf (name: string, referred: Referred | undefined, target: Collection): string | undefined {
  if (referred === undefined) return noOperation(name)
  const { collection } = referred
  if (collection.property === target.property) return undefined
  return `'${name}' is an item of '${collection.name}'; expected one of '${target.name}'`
}

/** The message for a name that no earlier operation has. */
export const noOperation = (name: string) => `there is no earlier operation '${name}'`
