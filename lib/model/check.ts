import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { DeclarationError } from '../errors.ts'
import { describeViolation } from './violation-message.ts'

// strictNumbers would refuse Infinity, which is no limit.
const ajv = new Ajv({ strictNumbers: false })

/** A check of data that the application gives. It throws a DeclarationError that begins with the place of what is wrong, made from its path, as in `pages.maxSize`. */
export function compileCheck (schema: TSchema): (data: unknown, place: (path: string) => string) => void {
  const validate = ajv.compile(schema)
  return (data, place) => {
    if (validate(data)) return
    const errors = validate.errors ?? []
    const [error] = errors
    const path = (error?.instancePath ?? '').slice(1).replaceAll('/', '.')
    const extra: unknown = error?.params['additionalProperty']
    if (typeof extra === 'string') throw new DeclarationError(`${place(path === '' ? extra : `${path}.${extra}`)}: there is no such option`)
    const choices = errors.flatMap(({ params }) => 'allowedValue' in params ? [JSON.stringify(params['allowedValue'])] : [])
    throw new DeclarationError(`${place(path)}: ${choices.length > 0 ? `must be one of ${choices.join(', ')}` : error === undefined ? 'is not valid' : describeViolation(error)}`)
  }
}
