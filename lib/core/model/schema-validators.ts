import type { TSchema } from '@sinclair/typebox'
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { flagNames, wordNames } from '../../../schemas/flags.ts'
import { DeclarationError } from '../errors/errors.ts'
import type { Violation } from '../errors/violation.ts'
import { memoizeRecent } from '../scheduling/memoize.ts'
import { type FieldHolder, numberFault, numberKeyword, type NumberLimits, takenSchema } from './column-limits.ts'
import { makeAjvWithFormats } from './formats.ts'
import type { InputField, StoredField } from './model.ts'
import { isMultipleOf } from './numbers.ts'
import { violationsOf } from './schema-violations.ts'
import { formatTypes } from './values.ts'

/** Returns all violations by these values, which are given by their names on the wire. */
export type Validate = (values: Readonly<Record<string, unknown>>) => readonly Violation[]

/** Strict: it does not coerce values, fill in defaults or remove members. It is independent of the host's Ajv. */
function makeValidatorAjv (ownProperties: boolean): Ajv {
  const ajv = makeAjvWithFormats({
    allErrors: true, verbose: true, strictTypes: false, strictTuples: false, strictRequired: false, ownProperties
  })
  ajv.addVocabulary([...flagNames, ...wordNames])
  for (const [format, type] of Object.entries(formatTypes)) {
    ajv.addFormat(format, { validate: (text: string) => type.take(text) !== undefined })
  }
  // Ajv divides doubles, and so refuses 19.99 as a multiple of 0.01.
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', schemaType: 'number', compile: checkMultiple })
  ajv.addKeyword({ keyword: numberKeyword, type: ['number', 'string'], schemaType: 'object', compile: checkNumber })
  return ajv
}

/** A check of a value, whose errors Ajv reads from the function. */
interface Check<Value> { (value: Value): boolean, errors?: Array<Partial<ErrorObject>> }

function checkNumber (limits: NumberLimits): Check<number | string> {
  const check: Check<number | string> = value => {
    const message = numberFault(value, limits)
    check.errors = message === undefined ? [] : [{ keyword: numberKeyword, message, params: {} }]
    return message === undefined
  }
  return check
}

function checkMultiple (multipleOf: number): Check<number> {
  const check: Check<number> = value => {
    const isValid = isMultipleOf(value, multipleOf)
    check.errors = isValid ? [] : [{ keyword: 'multipleOf', params: { multipleOf } }]
    return isValid
  }
  return check
}

const made = new Map<boolean, Ajv>()

/**
 * Compiles a schema, given as JSON. It takes half a millisecond, and the fields of an application that are any text or
 * any number have one schema. Every object has a member `constructor`, but not of its own. To ask each member whether
 * it is an object's own takes time, so that only schemas with such names do it.
 */
const compile = memoizeRecent(text => {
  const ownProperties = inherited.test(text)
  const ajv = made.get(ownProperties) ?? makeValidatorAjv(ownProperties)
  made.set(ownProperties, ajv)
  const schema = JSON.parse(text) as object
  const validate = ajv.compile(schema)
  // Ajv would keep for ever what it has compiled.
  ajv.removeSchema(schema)
  return validate
}, { most: 1_000, characters: 1_000_000 })

const inherited = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})"`)

/**
 * Returns the validator of the writable fields (docs/http.md: Writing), which is compiled for the first write, and
 * again when more is known of the columns. Throws a DeclarationError for a schema that Ajv cannot compile.
 */
export function compileValidate (
  collection: string, fields: ReadonlyArray<StoredField | InputField>, holder: FieldHolder
): Validate {
  const writable = fields.filter(field => field.writable)
  // Ajv need not be loaded where nothing can be written.
  if (writable.length === 0) return () => []
  for (const { property, schema } of writable) {
    check(`collection '${collection}', field '${property}'`, meaningOf(schema))
  }
  let made: { readonly known: object | undefined, readonly validate: ValidateFunction } | undefined
  return values => {
    const known = holder.source.known?.()
    if (made === undefined || made.known !== known) made = { known, validate: compileMembers(writable, holder) }
    return made.validate(values) ? [] : violationsOf(made.validate.errors ?? [])
  }
}

const ignored: ReadonlySet<string> = new Set([...flagNames, ...wordNames, 'title', 'description'])

/** Returns what a field's schema says of its values. */
const meaningOf = (schema: TSchema) =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !ignored.has(name))) as TSchema

/** Has Ajv compile the schema of a field. */
function check (place: string, schema: TSchema): void {
  try {
    compile(JSON.stringify(schema))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DeclarationError(`${place}: the schema cannot be compiled: ${reason}`)
  }
}

function compileMembers (
  fields: ReadonlyArray<StoredField | InputField>, holder: FieldHolder
): ValidateFunction {
  const members = fields.map((field, index) =>
    [field.name, definedBelow(meaningOf(takenSchema(field, holder)), `#/$defs/${index}`)] as const)
  const properties = Object.fromEntries(members)
  const $defs = Object.fromEntries(members.map(([, { $defs = {} }], index) => [index, { $defs }]))
  return compile(JSON.stringify({ type: 'object', properties, $defs }))
}

/** Returns a field's schema whose references lead to its definitions at a place of the schema of all. */
function definedBelow (schema: TSchema, place: string): TSchema {
  if (!('$defs' in schema)) return schema
  const text = JSON.stringify(schema)
  return JSON.parse(text.replaceAll('"$ref":"#/$defs/', `"$ref":"${place}/$defs/`)) as TSchema
}
