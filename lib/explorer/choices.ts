import type { InputField, ScalarField } from '../model/model.ts'
import { fieldSchema } from '../openapi/values.ts'
import { memoize } from '../scheduling/memoize.ts'

/** Returns the values that a field can have, if they are few. */
export const choicesOf = memoize((field: ScalarField | InputField): readonly string[] | undefined => {
  if (field.kind !== 'computed' && field.type.kind === 'boolean') return ['true', 'false']
  const { enum: choices } = fieldSchema(field, 'body')
  return Array.isArray(choices) ? choices.filter(choice => choice !== null).map(String) : undefined
})
