import type { TObject, TSchema } from '@sinclair/typebox'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { DeclarationError, describeValue } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import { sharedAjv } from './formats.ts'
import { describeViolation } from './validators.ts'

/**
 * Returns a check of options that the application passes in. Each option is compiled at its first use: an application
 * gives few of them, and compiling all takes 40 ms. The check throws a DeclarationError for the first violation.
 * `place` turns the path of the invalid value, such as `pages.maxSize`, into the beginning of the message; `others` are
 * options that are checked elsewhere, which may be meant too. The title of an option's schema is its unit.
 */
export function compileCheck (
  { properties }: TObject, others: readonly string[] = []
): (data: unknown, place: (path: string) => string) => void {
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (name: string, schema: TSchema) => {
    const validate = compiled.get(name) ?? sharedAjv().compile(schema)
    compiled.set(name, validate)
    return validate
  }
  return (data, place) => {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      throw new DeclarationError(`${place('').replace(/\.$/, '')}: must be an object; found ${describeValue(data)}`)
    }
    for (const [name, value] of Object.entries(data) as Array<[string, unknown]>) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (schema === undefined) throw noSuchOption(place(name), name, [...Object.keys(properties), ...others])
      if (value === undefined) continue
      const validate = validatorOf(name, schema)
      if (!validate(value)) throw violation(validate.errors ?? [], schema, path => place(`${name}${path}`))
    }
  }
}

const noSuchOption = (place: string, name: string, known: readonly string[]) =>
  new DeclarationError(`${place}: there is no such option${orNearest(name, known)}`)

/** The error for the violation that lies deepest: of a choice of forms, it is the form that was meant. */
function violation (
  errors: readonly ErrorObject[], schema: TSchema, place: (path: string) => string
): DeclarationError {
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties')
  if (unknown !== undefined) {
    const name = String(unknown.params['additionalProperty'])
    const path = pathOf(unknown)
    return noSuchOption(place(`${path}.${name}`), name, path === '' ? Object.keys(membersOf(schema)) : [])
  }
  const [deepest] = errors.toSorted((one, other) => other.instancePath.length - one.instancePath.length)
  if (deepest === undefined) return new DeclarationError(`${place('')}: is not valid`)
  const same = errors.filter(error => error.instancePath === deepest.instancePath && !isImplied(error))
  const found = `found ${describeValue(deepest.data)}`
  const unit = schema.title === undefined ? '' : `, in ${schema.title}`
  return new DeclarationError(`${place(pathOf(deepest))}: ${expected(same)}${unit}; ${found}`)
}

/** The form of a literal has a type, too. */
const isImplied = ({ keyword, parentSchema }: ErrorObject) =>
  keyword === 'anyOf' || (keyword === 'type' && parentSchema !== undefined && 'const' in parentSchema)

const pathOf = ({ instancePath }: ErrorObject) => instancePath.replaceAll('/', '.')

/** Returns the options that a schema, or one of its forms, has. */
const membersOf = ({ properties, anyOf = [] }: TSchema): object =>
  Object.assign({}, properties, ...(anyOf as readonly TSchema[]).map(membersOf)) as object

/** Returns the end of a message: what the value must be. */
function expected (errors: readonly ErrorObject[]): string {
  const choices = errors.filter(({ params }) => 'allowedValue' in params)
    .map(({ params }) => JSON.stringify(params['allowedValue']))
  const others = errors.filter(({ params }) => !('allowedValue' in params)).map(describeViolation)
  if (others.length === 0) return `must be one of ${choices.join(', ')}`
  return `must be ${[...choices, ...others.map(text => text.replace('must be ', ''))].join(' or ')}`
    .replace(/^must be (must|has|have)/, '$1')
}
