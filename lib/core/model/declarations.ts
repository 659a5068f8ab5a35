import { type FieldFlags, flagNames } from '../../../schemas/flags.ts'
import type { Declared, Input } from '../declare/collection.ts'
import { isSubCollection, isSubItem, type TSubCollection, type TSubItem } from '../declare/relations.ts'
import { behaviour, collectionWords, fieldOptions, relationOptions } from '../declare/shapes.ts'
import { DeclarationError, describeValue } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { didYouMean, suggest } from '../errors/suggest.ts'
import { memoizeRecent } from '../scheduling/memoize.ts'
import { compileCheck } from './check.ts'
import { placeOf } from './fields.ts'

const checkBehaviour = compileCheck(behaviour)
const checkRelation = compileCheck(relationOptions)
const checkField = compileCheck(fieldOptions)
const checkCollection = compileCheck(collectionWords)

/**
 * Checks what TypeScript cannot: values that are no collections, and names that are misspelt, which would otherwise be
 * open silently. Throws a DeclarationError that names the collection and what was probably meant.
 */
export function checkDeclarations (collections: Readonly<Record<string, unknown>>): void {
  for (const [name, declared] of Object.entries(collections)) {
    const place = `collection '${name}'`
    if (!isDeclared(declared)) throw new DeclarationError(`${place}: ${explainUndeclared(declared)}`)
    checkSchema(place, declared.schema)
    checkCollection(declared.schema, within(place))
    checkBehaviour(declared.given, within(place))
    checkSource(place, declared.source)
    checkFields(name, declared)
  }
}

const isDeclared = (value: unknown): value is Declared => isObject(value) && isObject(value['given'])

function explainUndeclared (value: unknown): string {
  const expected = 'expected the result of collection(schema, behaviour)'
  if (isObject(value) && 'type' in value) return `${expected}; found a schema. Write collection(schema, { source })`
  return `${expected}; found ${describeValue(value)}`
}

function checkSchema (place: string, schema: unknown): void {
  const isSchema = isObject(schema) && schema['type'] === 'object' && isObject(schema['properties'])
  if (isSchema) return
  const composed = isObject(schema) && Array.isArray(schema['allOf'])
  const advice = composed
    ? '; use Type.Composite in place of Type.Intersect'
    : isObject(schema) && '~standard' in schema ? ', or that of standard(schema) for a schema of another library' : ''
  throw new DeclarationError(`${place}: its schema must be a Type.Object({ ... })${advice}`)
}

/** Returns the place of a path of names in messages. */
const within = (place: string) => (path: string) => path === '' ? place : `${place}, ${path}`

function checkSource (place: string, source: unknown): void {
  const isDatabase = isObject(source) && typeof source['table'] === 'function'
  const isSource = isObject(source) && isObject(source['database']) && typeof source['database']['kind'] === 'string'
  if (isSource && !isDatabase) return
  const advice = isDatabase
    ? "it is a database; write db.table('name')"
    : source === undefined
      ? "it is missing; write memory(rows), or db.table('name')"
      : Array.isArray(source) || source instanceof Map
        ? 'it holds rows; write memory(rows)'
        : `expected memory(rows) or db.table('name'); found ${describeValue(source)}`
  throw new DeclarationError(`${place}, source: ${advice}`)
}

function checkFields (collection: string, { schema, computed, inputs }: Declared): void {
  for (const [property, field] of Object.entries(schema.properties)) {
    const place = placeOf(collection, property)
    if (!isObject(field)) throw new DeclarationError(`${place}: expected a schema; found ${describeValue(field)}`)
    if ('$ref' in field && !('$defs' in field)) {
      throw new DeclarationError(`${place}: its schema refers to '${String(field['$ref'])}'; write the schema itself`)
    }
    if (isSubItem(field) || isSubCollection(field)) {
      checkRelation(field.link, within(place))
      checkFlags(place, field.link)
      checkCreates(place, field)
    } else {
      checkFlags(place, field)
    }
  }
  for (const [property, { type }] of Object.entries(computed)) {
    const place = placeOf(collection, property)
    checkFlags(place, type)
    for (const flag of ['identifier', 'version'] as const) {
      if (type[flag] === true) throw new DeclarationError(`${place}: is computed, and so cannot be flagged '${flag}'`)
    }
  }
  for (const [property, one] of Object.entries(inputs)) checkInput(placeOf(collection, property), one)
}

/** Throws a DeclarationError for a `creates` without effect. */
function checkCreates (place: string, relation: TSubItem | TSubCollection): void {
  if (relation.link.creates === undefined || isSubItem(relation) || relation.link.through !== undefined) return
  const reason = 'is for sub-items and join tables; elements of a list by a foreign key are always created'
  throw new DeclarationError(`${place}: 'creates' ${reason}`)
}

/** Throws a DeclarationError for an input that is more than a member of bodies. */
function checkInput (place: string, { type }: Input): void {
  checkFlags(place, type)
  for (const flag of flagNames) {
    if (flag === 'writable' ? type[flag] !== false : type[flag] === undefined) continue
    const reason = flag === 'writable' ? 'is an input, and so is always writable' : 'is an input, which no item has'
    throw new DeclarationError(`${place}: ${reason}; remove the flag '${flag}'`)
  }
  if (type['default'] === undefined) return
  const advice = "make its type optional, and set what is missing in the hook 'creating'"
  throw new DeclarationError(`${place}: is an input, which has no default; ${advice}`)
}

/** Throws a DeclarationError for a flag that is misspelt, is no boolean, or is without effect. */
function checkFlags (place: string, options: object): void {
  checkField(options, within(place))
  for (const name of Object.keys(options)) {
    const near = Object.hasOwn(fieldOptions.properties, name) ? '' : nearestFlag(name)
    if (near !== '') throw new DeclarationError(`${place}: '${name}' is not a flag.${didYouMean(near)}`)
  }
  const flags = options as FieldFlags
  for (const flag of ['filterable', 'sortable', 'aggregatable'] as const) {
    if (flags[flag] !== true || flags.readable === true) continue
    throw new DeclarationError(`${place}: is flagged '${flag}' but not 'readable'`)
  }
}

// All types of a large declaration have the same few options, such as `type` and `format`. Empty for none.
const nearestFlag = memoizeRecent(name => suggest(name, flagNames, 2) ?? '', { most: 200, longest: 50 })
