import type { ErrorObject } from 'ajv'
import type { Violation } from '../errors/violation.ts'

/**
 * Returns the violations of a JSON Schema, of which Ajv has all errors with their schemas. A value that has none of the
 * forms which it may have is told once what it lacks.
 */
export function violationsOf (errors: readonly ErrorObject[]): readonly Violation[] {
  const told: Told[] = []
  for (const error of errors) {
    const { keyword, schemaPath: at, instancePath: pointer } = error
    const forms = keyword === 'anyOf' ? formsBefore(error, told) : []
    const own = { at, pointer, message: describeViolation(error), error }
    // One by one: a call takes no millions of arguments.
    for (const one of forms.length > 0 ? expectedBy(forms, error) : [own]) told.push(one)
  }
  return told.map(({ pointer, message }) => ({ pointer, message }))
}

/** A violation, and the place of what it violates in the schema. */
interface Told {
  readonly at: string
  readonly pointer: string
  readonly message: string
  /** Undefined if it speaks of several forms. */
  readonly error?: ErrorObject
}

type Form = readonly Told[]

/** Takes out the violations of each form, which stand before the error that no form was right. */
function formsBefore ({ schemaPath, schema, instancePath }: ErrorObject, told: Told[]): readonly Form[] {
  const place = schemaPath.slice(0, -'anyOf'.length)
  const isBeside = ({ at }: Told) => at.startsWith(place) && at !== schemaPath && !at.startsWith(`${schemaPath}/`)
  const isOfForm = (one: Told) => isAt(one.pointer, instancePath) && !isBeside(one)
  const first = told.findLastIndex(one => !isOfForm(one)) + 1
  const references = (schema as ReadonlyArray<{ readonly $ref?: string }>).flatMap(({ $ref = [] }) => $ref)
  // The errors of a form that is a reference have the place of what it refers to.
  const formOf = ({ at }: Told) => at.startsWith(`${schemaPath}/`)
    ? at.slice(schemaPath.length + 1).split('/', 1).join()
    : references.find(reference => at.startsWith(`${reference}/`))
  const forms = new Map<string | undefined, Told[]>()
  for (const one of told.splice(first)) {
    const form = formOf(one)
    if (forms.get(form)?.push(one) === undefined) forms.set(form, [one])
  }
  return [...forms.values()]
}

const isAt = (pointer: string, place: string) => pointer === place || pointer.startsWith(`${place}/`)

/** Returns what a value must be that has none of the forms: by the form that was meant, where one alone can be. */
function expectedBy (forms: readonly Form[], { schemaPath, instancePath }: ErrorObject): readonly Told[] {
  const paramsOf = (form: Form, keyword: string) =>
    form.find(({ error, pointer }) => error?.keyword === keyword && pointer === instancePath)?.error?.params
  const isNull = (form: Form) => paramsOf(form, 'type')?.['type'] === 'null'
  const orNull = forms.some(isNull) ? ', or null' : ''
  const expected = (message: string) => [{ at: schemaPath, pointer: instancePath, message }]
  const others = forms.filter(form => !isNull(form))
  const literals = others.flatMap(form => paramsOf(form, 'const') ?? [])
  if (others.length === 0) return expected('must be null')
  if (literals.length === others.length) {
    const values = literals.map(one => JSON.stringify(one['allowedValue'])).join(', ')
    return expected(`must be one of ${values}${orNull.replace(',', '')}`)
  }
  const ofType = others.filter(form => paramsOf(form, 'type') === undefined)
  if (ofType.length === 0) {
    const types = new Set(others.map(form => String(paramsOf(form, 'type')?.['type'])))
    return expected(describeType([...types, ...orNull === '' ? [] : ['null']]))
  }
  // Of objects that a literal tells apart, the one that has it.
  const likely = ofType.filter(form => form.every(({ error }) => error?.keyword !== 'const'))
  const [meant = [], ...more] = likely.length === 0 ? ofType : likely
  const toldOf = (one: Told) => one.pointer === instancePath
    ? one.message
    : `'${one.pointer.slice(instancePath.length + 1)}' ${one.message}`
  if (more.length > 0) {
    const lacks = [meant, ...more].map(([one]) => one === undefined ? '' : toldOf(one)).join('; or ')
    return expected(`must have one of the allowed forms${orNull}: ${lacks}`)
  }
  return meant.map(one =>
    ({ ...one, at: schemaPath, message: one.pointer === instancePath ? one.message + orNull : one.message }))
}

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
  type: ({ type }) => describeType([type].flat()),
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
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  anyOf: () => 'must have one of the allowed forms'
}

const describeType = (types: readonly unknown[]) =>
  `must be ${types.map(name => typeNames[String(name)] ?? String(name)).join(' or ')}`

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object'
}

const count = (limit: unknown, noun: string) => `${String(limit)} ${noun}${limit === 1 ? '' : 's'}`
