import type { ErrorObject } from 'ajv'

type Describe = (params: Readonly<Record<string, unknown>>) => string

/** The message for a violation of a JSON Schema, such as `must have at least 1 character`: what the value must be. */
export function describeViolation (
  { keyword, params, message = 'is not valid' }: Pick<ErrorObject, 'keyword' | 'params' | 'message'>
): string {
  const describe = Object.hasOwn(messages, keyword) ? messages[keyword] : undefined
  return describe === undefined ? message : describe(params as Readonly<Record<string, unknown>>)
}

/** Ajv's own messages serve for all other keywords. */
const messages: Readonly<Record<string, Describe>> = {
  type: ({ type }) => `must be ${[type].flat().map(name => typeNames[String(name)] ?? String(name)).join(' or ')}`,
  minLength: ({ limit }) => `must have at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${count(limit, 'member')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'member')}`,
  uniqueItems: () => 'must not hold the same item twice',
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  exclusiveMinimum: ({ limit }) => `must be greater than ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${String(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  pattern: ({ pattern }) => `must match the pattern ${String(pattern)}`,
  format: ({ format }) => `must have the format '${String(format)}'`,
  required: ({ missingProperty }) => `must have the member '${String(missingProperty)}'`,
  additionalProperties: ({ additionalProperty }) => `must not have the member '${String(additionalProperty)}'`,
  anyOf: () => 'must have one of the allowed forms'
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object'
}

const count = (limit: unknown, noun: string) => `${String(limit)} ${noun}${limit === 1 ? '' : 's'}`
