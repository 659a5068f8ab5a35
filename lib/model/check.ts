import type { TSchema } from '@sinclair/typebox'
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { DeclarationError } from '../errors.ts'
import { makeAjv } from './load-ajv.ts'
import { describeViolation } from './violation-message.ts'

/**
 * Returns a check of data that the application passes in, which is compiled at its first use. The check throws a
 * DeclarationError for the first violation. `place` turns the path of the invalid value, such as `pages.maxSize`, into
 * the beginning of the message.
 */
export function compileCheck (schema: TSchema): (data: unknown, place: (path: string) => string) => void {
  let validate: ValidateFunction | undefined
  return (data, place) => {
    validate ??= checkingAjv().compile(schema)
    if (!validate(data)) throw violation(validate.errors ?? [], place)
  }
}

let madeAjv: Ajv | undefined

function checkingAjv (): Ajv {
  // With strictNumbers, Ajv would refuse Infinity, which means that there is no limit. The schemas are the plugin's own
  // and tested, so Ajv need not check them: that would take 60 ms.
  madeAjv ??= makeAjv({ strictNumbers: false, meta: false, validateSchema: false })
  return madeAjv
}

function violation (errors: readonly ErrorObject[], place: (path: string) => string): DeclarationError {
  const [error] = errors
  const path = (error?.instancePath ?? '').slice(1).replaceAll('/', '.')
  const extra: unknown = error?.params['additionalProperty']
  if (typeof extra === 'string') {
    return new DeclarationError(`${place(path === '' ? extra : `${path}.${extra}`)}: there is no such option`)
  }
  const allowed = errors.flatMap(({ params }) => 'allowedValue' in params ? [params['allowedValue'] as unknown] : [])
  const choices = allowed.map(value => JSON.stringify(value))
  const described = error === undefined ? 'is not valid' : describeViolation(error)
  const reason = choices.length > 0 ? `must be one of ${choices.join(', ')}` : described
  return new DeclarationError(`${place(path)}: ${reason}`)
}
