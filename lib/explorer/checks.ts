import type { InputField, StoredField } from '../model/model.ts'
import { describeViolation } from '../model/violation-message.ts'
import type { ValueKind } from '../model/values.ts'
import { fieldSchema } from '../openapi/values.ts'
import { memoize } from '../scheduling/memoize.ts'

/**
 * A check of a text that is typed for a field, and the API's message for one that does not pass it. `form` is a regular
 * expression with the flag `u`; a check without one asks for JSON. The script of the pages does the same for all.
 */
export interface Check {
  readonly message: string
  readonly form?: string
  readonly least?: number
  readonly most?: number
}

/** Returns the checks of a field's text, the first of which gives the message. All texts that the API takes pass. */
export const checksOf = memoize((field: StoredField | InputField): readonly Check[] => {
  const { type: { kind, expected }, nullable } = field
  const message = `must be ${expected}${nullable ? ' or null' : ''}`
  if (kind === 'json') return [{ message: 'must be JSON' }]
  const schema = fieldSchema(field, 'body')
  const form = forms[kind]
  return [...form === undefined ? [] : [{ message, form }], ...lengths(schema), ...limits(schema), ...pattern(schema)]
})

const forms: Readonly<Partial<Record<ValueKind, string>>> = {
  integer: '^(?:0|-?[1-9]\\d{0,18})$',
  int64: '^(?:0|-?[1-9]\\d{0,18})$',
  number: '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$',
  decimal: '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$'
}

type Schema = Readonly<Record<string, unknown>>

function lengths ({ minLength, maxLength }: Schema): Check[] {
  const check = (keyword: string, limit: unknown, form: string) =>
    typeof limit === 'number' ? [{ message: describe(keyword, { limit }), form }] : []
  return [
    ...check('minLength', minLength, `^[^]{${String(minLength)},}$`),
    ...check('maxLength', maxLength, `^[^]{0,${String(maxLength)}}$`)
  ]
}

function limits ({ minimum, maximum }: Schema): Check[] {
  const check = (keyword: 'minimum' | 'maximum', limit: unknown, bound: 'least' | 'most') => {
    // The bounds of all integers are in the message of the type.
    if (typeof limit !== 'number' || Math.abs(limit) === Number.MAX_SAFE_INTEGER) return []
    return [{ message: describe(keyword, { limit }), [bound]: limit }]
  }
  return [...check('minimum', minimum, 'least'), ...check('maximum', maximum, 'most')]
}

function pattern ({ type, format, pattern }: Schema): Check[] {
  const isText = format === undefined && [type].flat().includes('string')
  if (!isText || typeof pattern !== 'string') return []
  return [{ message: describe('pattern', { pattern }), form: pattern }]
}

const describe = (keyword: string, params: Readonly<Record<string, unknown>>) => describeViolation({ keyword, params })
