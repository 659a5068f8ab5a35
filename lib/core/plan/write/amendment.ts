import { describeValue, validation } from '../../errors/errors.ts'
import { isObject } from '../../errors/is-object.ts'
import { formatTypes } from '../../model/formats.ts'
import type { Field, InputField, StoredField } from '../../model/model.ts'
import type { BodyLimits } from '../../request/body.ts'
import { describeElements, integerType, numberType, type ValueKind, type ValueType } from '../../model/values.ts'

/** A change that makes the new value of a field of the one that it has (docs/http.md: Changes of a value, Merging). */
export interface Amendment {
  readonly kind: 'amendment'
  readonly way: Way | 'merge'
  readonly operand: unknown
  readonly field: StoredField
  readonly pointer: string
  /** The limits of the value that a merge makes. */
  readonly limits?: MergeLimits
}

/** Those of bodies: a value that is merged could be sent in one. */
export type MergeLimits = Pick<BodyLimits, 'depth' | 'bytes'>

type Way = 'add' | 'append' | 'remove'

const addends: Partial<Record<ValueKind, ValueType>> = {
  integer: integerType, number: numberType, int64: formatTypes.int64, decimal: formatTypes.decimal
}

/** Returns the ways in which a value of the field can be changed by itself. */
export function amendmentsOf (field: Field | InputField): readonly Way[] {
  if (field.kind !== 'stored' || !field.readable) return none
  if (addends[field.type.kind] !== undefined) return adding
  const elements = field.type.kind === 'json' ? describeElements(field.schema)?.type.kind : undefined
  return elements === undefined || elements === 'json' ? none : listing
}

/** Returns true for a field of JSON into whose value a patch may be merged, as its client may read it. */
export const isMergeable = (field: Field | InputField): boolean =>
  field.kind === 'stored' && field.readable && field.type.kind === 'json'

const none: readonly Way[] = []
const adding: readonly Way[] = ['add']
const listing: readonly Way[] = ['append', 'remove']

/** Plans the body of a POST to a value. Throws validation. */
export function planAmendment (field: Field | InputField, body: unknown): Amendment {
  const ways = amendmentsOf(field)
  const [[name, operand] = [], other] = isObject(body) ? Object.entries(body) : []
  const way = ways.find(one => one === name)
  if (field.kind !== 'stored' || way === undefined || other !== undefined) {
    const forms = ways.map(one => `{"${one}":...}`).join(' or ')
    throw validation([{ pointer: '', message: `must be ${forms}; found ${describeValue(body)}` }])
  }
  const pointer = `/${way}`
  const amendment = { kind: 'amendment', way, field, pointer } as const
  const type = addends[field.type.kind]
  if (way !== 'add' || type === undefined) return { ...amendment, operand }
  const taken = type.take(operand)
  if (taken !== undefined) return { ...amendment, operand: taken }
  throw validation([{ pointer, message: `must be ${type.expected}; found ${describeValue(operand)}` }])
}
