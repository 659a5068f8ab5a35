import type { TObject, TSchema } from '@sinclair/typebox'
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { DeclarationError, describeValue } from '../errors.ts'
import { makeAjv } from './load-ajv.ts'
import { orNearest } from './nearest.ts'
import { describeViolation } from './violation-message.ts'

/**
 * Returns a check of options that the application passes in. Each option is compiled at its first use: an application
 * gives few of them, and compiling all takes 40 ms. The check throws a DeclarationError for the first violation.
 * `place` turns the path of the invalid value, such as `pages.maxSize`, into the beginning of the message.
 */
export function compileCheck ({ properties }: TObject): (data: unknown, place: (path: string) => string) => void {
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (name: string, schema: TSchema) => {
    const validate = compiled.get(name) ?? checkingAjv().compile(schema)
    compiled.set(name, validate)
    return validate
  }
  return (data, place) => {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      throw new DeclarationError(`${place('').replace(/\.$/, '')}: must be an object; found ${describeValue(data)}`)
    }
    for (const [name, value] of Object.entries(data) as Array<[string, unknown]>) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (schema === undefined) throw noSuchOption(place(name), name, properties)
      if (value === undefined) continue
      const validate = validatorOf(name, schema)
      if (!validate(value)) throw violation(validate.errors ?? [], schema, path => place(`${name}${path}`))
    }
  }
}

let madeAjv: Ajv | undefined

function checkingAjv (): Ajv {
  // With strictNumbers, Ajv would refuse Infinity, which means that there is no limit. The schemas are the plugin's own
  // and tested, so Ajv need not check them: that would take 60 ms.
  madeAjv ??= makeAjv({ strictNumbers: false, meta: false, validateSchema: false })
  return madeAjv
}

const noSuchOption = (place: string, name: string, known: object) =>
  new DeclarationError(`${place}: there is no such option${orNearest(name, Object.keys(known))}`)

function violation (
  errors: readonly ErrorObject[], { properties = {} }: TSchema, place: (path: string) => string
): DeclarationError {
  const [error] = errors
  const path = (error?.instancePath ?? '').replaceAll('/', '.')
  const extra: unknown = error?.params['additionalProperty']
  if (typeof extra === 'string') {
    return noSuchOption(place(`${path}.${extra}`), extra, path === '' ? properties as object : {})
  }
  const allowed = errors.flatMap(({ params }) => 'allowedValue' in params ? [params['allowedValue'] as unknown] : [])
  const choices = allowed.map(value => JSON.stringify(value))
  const described = error === undefined ? 'is not valid' : describeViolation(error)
  const reason = choices.length > 0 ? `must be one of ${choices.join(', ')}` : described
  return new DeclarationError(`${place(path)}: ${reason}`)
}
