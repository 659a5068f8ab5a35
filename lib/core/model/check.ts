import type { TSchema } from '@sinclair/typebox'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { SchemaOf } from '../declare/shapes.ts'
import { DeclarationError, describeValue } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { didYouMean, orNearest, suggest } from '../errors/suggest.ts'
import { sharedAjv } from './formats.ts'
import { describeViolation } from './schema-violations.ts'

/**
 * Returns a check of what the application passes in: options, or a declaration. Each member is compiled at its first
 * use: an application gives few of them, and compiling all takes 40 ms. The check throws a DeclarationError for the
 * first violation. `place` turns the path of the invalid value, such as `pages.maxSize`, into the beginning of the
 * message; the empty path is the whole. The schema may say what messages do: its `title` is a unit, `expected` what a
 * value must be, and `noun` what a member of it is.
 */
export function compileCheck<T extends object> (whole: SchemaOf<T>): (data: unknown, place: Place) => void {
  const { properties, required = [], additionalProperties, expected }: SchemaOf<Record<string, unknown>> = whole
  const form = expected === undefined ? 'must be an object' : `expected ${String(expected)}`
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (name: string, schema: TSchema) => {
    const validate = compiled.get(name) ?? sharedAjv().compile(schema)
    compiled.set(name, validate)
    return validate
  }
  return (data, place) => {
    if (!isObject(data)) {
      throw new DeclarationError(`${place('')}: ${form}; found ${describeValue(data)}`)
    }
    for (const [name, value] of Object.entries(data)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (schema === undefined && additionalProperties !== true) throw unknownMember(name, '', whole, place)
      if (schema === undefined || value === undefined) continue
      const validate = validatorOf(name, schema)
      if (!validate(value)) throw violation(validate.errors ?? [], path => place(joined(name, path)))
    }
    for (const name of required) {
      if (data[name] === undefined) throw undefinedMember(name, properties[name], place)
    }
  }
}

type Place = (path: string) => string

const joined = (path: string, more: string) => path === '' || more === '' ? path + more : `${path}.${more}`

function unknownMember (name: string, path: string, { properties, noun }: TSchema, place: Place): DeclarationError {
  const known = Object.keys(properties as object)
  if (noun === undefined) {
    return new DeclarationError(`${place(joined(path, name))}: there is no such option${orNearest(name, known)}`)
  }
  const near = suggest(name, known)
  const list = near === undefined ? ` Use one of ${known.join(', ')}.` : didYouMean(near)
  return new DeclarationError(`${place(path)}: '${name}' is not ${String(noun)}.${list}`)
}

/** The error for a member that is missing in a closed object: another name may be meant for it. */
function missingMember (error: ErrorObject, place: Place): DeclarationError {
  const { properties } = schemaOf(error) as SchemaOf<Record<string, unknown>>
  const other = Object.keys(error.data as object).find(name => !Object.hasOwn(properties, name))
  if (other !== undefined) return unknownMember(other, pathOf(error), schemaOf(error), place)
  const name = String(error.params['missingProperty'])
  return undefinedMember(joined(pathOf(error), name), properties[name], place)
}

const undefinedMember = (path: string, schema: TSchema | undefined, place: Place) =>
  new DeclarationError(`${place(path)}: expected ${String(schema?.['expected'] ?? 'a value')}; found undefined`)

/** The error for the violation that lies deepest: of a choice of forms, it is the form that was meant. */
function violation (errors: readonly ErrorObject[], place: Place): DeclarationError {
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties')
  if (unknown !== undefined) {
    return unknownMember(String(unknown.params['additionalProperty']), pathOf(unknown), schemaOf(unknown), place)
  }
  const [deepest] = errors.toSorted((one, other) => other.instancePath.length - one.instancePath.length)
  if (deepest === undefined) return new DeclarationError(`${place('')}: is not valid`)
  if (deepest.keyword === 'required' && schemaOf(deepest)['additionalProperties'] === false) {
    return missingMember(deepest, place)
  }
  const same = errors.filter(error => error.instancePath === deepest.instancePath)
  const { title } = schemaOf(deepest)
  const found = `found ${describeValue(deepest.data)}`
  const unit = title === undefined ? '' : `, in ${title}`
  return new DeclarationError(`${place(pathOf(deepest))}: ${expectedBy(same)}${unit}; ${found}`)
}

/** The schema that an error is of; errors of sharedAjv() have it. */
const schemaOf = ({ parentSchema = {} }: ErrorObject) => parentSchema as TSchema

const pathOf = ({ instancePath }: ErrorObject) =>
  instancePath.slice(1).split('/').map(name => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')

/** Returns the end of a message: what the value must be, in the words of its schema, or of the last choice of forms. */
function expectedBy (errors: readonly ErrorObject[]): string {
  const { expected } = schemaOf(errors.at(-1) as ErrorObject)
  if (expected !== undefined) return `expected ${String(expected)}`
  const same = errors.filter(error => !isImplied(error))
  const choices = same.filter(({ params }) => 'allowedValue' in params)
    .map(({ params }) => JSON.stringify(params['allowedValue']))
  const others = same.filter(({ params }) => !('allowedValue' in params)).map(describeViolation)
  if (others.length === 0) return `must be one of ${choices.join(', ')}`
  return `must be ${[...choices, ...others.map(text => text.replace('must be ', ''))].join(' or ')}`
    .replace(/^must be (must|has|have)/, '$1')
}

/** The form of a literal has a type, too. */
const isImplied = ({ keyword, parentSchema }: ErrorObject) =>
  keyword === 'anyOf' || (keyword === 'type' && parentSchema !== undefined && 'const' in parentSchema)
