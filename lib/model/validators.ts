import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject } from 'ajv'
import addFormatsModule from 'ajv-formats'
import { flagNames } from '../../schemas/flags.ts'
import { DeclarationError } from '../errors.ts'
import { formatTypes } from './values.ts'
import { describeViolation } from './violation-message.ts'
import type { StoredField } from './model.ts'

// ajv-formats is CommonJS with a default export of its own; under nodenext its types name the module.
const addFormats = addFormatsModule.default

/** What is wrong with a body, and where: a JSON pointer (RFC 6901) in the names on the wire. */
export interface Violation { readonly pointer: string, readonly message: string }

/** All that is wrong with these values, given by their names on the wire. */
export type Validate = (values: Readonly<Record<string, unknown>>) => readonly Violation[]

/** Strict: nothing is coerced, filled in or dropped. The host's own Ajv has no part in it. */
const ajv = addFormats(new Ajv({ allErrors: true, strictTypes: false, strictTuples: false, strictRequired: false }))
ajv.addVocabulary([...flagNames])
// A body takes what a filter takes.
for (const [format, type] of Object.entries(formatTypes)) ajv.addFormat(format, { validate: (text: string) => type.parse(text) !== undefined })

/** Compiles one check of the writable fields' schemas (docs/http.md: Writing). Throws a DeclarationError for a schema that cannot be checked. */
export function compileValidate (collection: string, fields: readonly StoredField[]): Validate {
  const properties = Object.fromEntries(fields.filter(field => field.writable).map(({ name, schema }) => [name, schema]))
  const validate = compile(collection, { type: 'object', properties } as unknown as TSchema)
  return values => validate(values) ? [] : (validate.errors ?? []).map(describe)
}

function compile (collection: string, schema: TSchema) {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new DeclarationError(`collection '${collection}': the schema of a writable field cannot be compiled: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const describe = (error: ErrorObject): Violation => ({ pointer: error.instancePath, message: describeViolation(error) })
