import { validation } from '../../errors/errors.ts'
import type { Violation } from '../../errors/violation.ts'
import type {
  Collection, InputField, ReadableField, StoredField, SubCollectionField, SubItemField
} from '../../model/model.ts'
import type { Scalar } from '../../model/values.ts'
import type { Amendment } from './amendment.ts'
import { findPathValue, type ParentValue } from './path-values.ts'

/** The members of one item in a body, checked against the model and converted (docs/http.md: Writing). */
export interface ItemBody {
  /** The JSON pointer of the item in the request's body; empty for the whole body. */
  readonly pointer: string
  /** The members to write, in the order of the body. */
  readonly assignments: readonly Assignment[]
  /** Members or values that cannot be written. Each must equal the value that the item has. */
  readonly confirmations: readonly Confirmation[]
  /** Every error that can be found without reading data. */
  readonly violations: readonly Violation[]
}

export type Assignment =
  /** `value`: in canonical form, or null. */
  | { readonly kind: 'value', readonly field: StoredField, readonly value: unknown, readonly pointer: string }
  /** A value that is made of the one that the item has, once that is locked (run/amend.ts). */
  | Amendment
  | { readonly kind: 'input', readonly field: InputField, readonly value: unknown, readonly pointer: string }
  /** `element`: null empties the relation. */
  | { readonly kind: 'item', readonly field: SubItemField, readonly element: Element | null, readonly pointer: string }
  | {
    readonly kind: 'list'
    readonly field: SubCollectionField
    readonly elements: readonly Element[]
    readonly pointer: string
  }

/** `message`: what is wrong with the member if the item has another value. */
export interface Confirmation {
  readonly field: ReadableField
  readonly value: unknown
  readonly pointer: string
  readonly message: string
}

/** An element of a relation in a body: an existing item to link, or a new item to create. */
export interface Element {
  readonly pointer: string
  /** The identifier by which the element may name an existing item; undefined if it has none. */
  readonly found: Named | undefined
  /** The element's members if the item exists: all of them are confirmations. */
  readonly linked: ItemBody
  /** The element's members if the item does not exist; undefined if the element must name one that does. */
  readonly created: ItemBody | undefined
}

/**
 * A key or another identifier of an item, with its values. A value is undefined if it is part of a key of several
 * fields and the parent gives it, or if an operation of the batch gives it that has not run yet.
 */
export interface Named {
  readonly fields: readonly StoredField[]
  readonly values: ReadonlyArray<Scalar | undefined>
}

/** Returns the first readable identifier that the object, together with its parent, has values for. */
export function findNamedIdentifier (
  value: Readonly<Record<string, unknown>>, { key, stored, unique }: Collection, parent: readonly ParentValue[]
): Named | undefined {
  const others = stored.filter(field => field.identifier && !(key.length === 1 && field === key[0]))
  for (const fields of [key, ...others.map(field => [field]), ...unique]) {
    const values = fields.map(field => takenFrom(value, field))
    const isGiven = (field: StoredField, index: number) =>
      values[index] !== undefined || findPathValue(field, parent) !== undefined
    if (values.some(one => one !== undefined) && fields.every(isGiven)) return { fields, values }
  }
  return undefined
}

/**
 * Returns the object's value of a field; undefined for a value of another type, and for an unreadable field. The fields
 * of a key and identifiers have scalars only (model/fields.ts).
 */
const takenFrom = (value: Readonly<Record<string, unknown>>, { readable, name, type }: StoredField) =>
  readable && Object.hasOwn(value, name) ? type.take(value[name]) as Scalar | undefined : undefined

/**
 * Returns the body. Throws its violations, unless there are members to confirm: these can be violations too, so the run
 * of the plan throws all of them together after it has read the item.
 */
export function checked (body: ItemBody): ItemBody {
  if (body.confirmations.length === 0) checkAll([body])
  return body
}

/** Throws the violations of all bodies. */
export function checkAll (bodies: ReadonlyArray<Pick<ItemBody, 'violations'>>): void {
  if (bodies.every(({ violations }) => violations.length === 0)) return
  throw validation(bodies.flatMap(body => body.violations))
}
