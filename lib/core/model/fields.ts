import type { TSchema } from '@sinclair/typebox'
import { types } from 'node:util'
import type { Declared } from '../declare/collection.ts'
import { closedSchema } from '../declare/closed-schema.ts'
import { isOptional, relationOf } from '../declare/relations.ts'
import { DeclarationError, describeValue } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import type { CompileOptions } from './compile.ts'
import type { ComputedField, ExpressionField, ScalarField, StoredField } from './model.ts'
import { toName } from './names.ts'
import { describeValues } from './values.ts'

/** The fields of a collection that are not relations, by property. */
export type Scalars = ReadonlyMap<string, ScalarField>

/** A field to compile: `collection` and `property` are the application's names, `name` is the name on the wire. */
export interface FieldDraft {
  readonly collection: string
  readonly property: string
  readonly name: string
  readonly schema: TSchema
  readonly index: number
}

/**
 * Compiles stored, expression and computed fields (docs/http.md: What an item shows). Throws a DeclarationError for a
 * field that cannot be served as declared.
 */
export function compileScalars (collection: string, declared: Declared, options: CompileOptions): Scalars {
  const scalars = new Map<string, ScalarField>()
  for (const [property, given] of Object.entries(declared.schema.properties)) {
    if (relationOf(given) !== undefined) continue
    const schema = closedSchema(given)
    const name = nameOf(property, property, options)
    const draft = { collection, property, name, schema, index: scalars.size }
    scalars.set(property, compileStored(draft, declared, options))
  }
  for (const [property, definition] of Object.entries(declared.computed)) {
    if (property in declared.schema.properties) {
      const place = placeOf(collection, property)
      throw new DeclarationError(`${place}: is declared both in the schema and under 'computed'`)
    }
    const name = nameOf(property, withoutGet(property), options)
    const draft = { collection, property, name, schema: closedSchema(definition.type), index: scalars.size }
    scalars.set(property, definition.kind === 'computed'
      ? compileComputed(draft, definition, scalars, options)
      : compileExpression(draft, definition, { declared, scalars }, options))
  }
  return scalars
}

/** Returns the name on the wire, or that of the declaration for own code. */
export const nameOf = (property: string, named: string, { naming, own }: CompileOptions): string =>
  own === undefined ? toName(naming, named) : property

/**
 * Returns the fields of the declared key; without one, the first field flagged `identifier`. Throws a DeclarationError
 * if there is none, and for a field that cannot be part of a key.
 */
export function compileKey (collection: string, { key }: Declared, scalars: Scalars): readonly StoredField[] {
  return key === undefined ? [firstIdentifier(collection, scalars)] : declaredKey(collection, key, scalars)
}

function declaredKey (collection: string, key: readonly string[], scalars: Scalars): readonly StoredField[] {
  if (key.length === 0) {
    throw new DeclarationError(`collection '${collection}': 'key' must be a list of one or more fields`)
  }
  return key.map((property, index) => {
    const fail = (reason: string): never => {
      throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`)
    }
    const field = namedIn('key', property, scalars, fail)
    if (key.indexOf(property) < index) fail("is named twice in 'key'")
    if (field.nullable) fail("is part of the collection's key, so it must be neither optional nor nullable")
    if (field.type.operators.size === 0) fail("is part of the collection's key, but JSON cannot be used in a URL")
    return field
  })
}

function namedIn (
  member: 'key' | 'unique', property: string, scalars: Scalars, fail: (reason: string) => never
): StoredField {
  const field = scalars.get(property)
  if (field?.kind === 'stored') return field
  const advice = orNearest(property, storedNames(scalars))
  return fail(`is named in '${member}', but is not a stored field of the collection${advice}`)
}

/**
 * Returns the declared lists of fields that are unique together. Throws a DeclarationError for a list of one field, and
 * for a field that has no values to compare.
 */
export function compileUnique (
  collection: string, { unique }: Declared, scalars: Scalars
): ReadonlyArray<readonly StoredField[]> {
  if (!unique.every(list => list.length > 1 && new Set(list).size === list.length)) {
    throw new DeclarationError(`collection '${collection}': 'unique' must be a list of lists of two or more fields`)
  }
  return unique.map(properties => properties.map((property: string) => {
    const fail = (reason: string): never => {
      throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`)
    }
    const field = namedIn('unique', property, scalars, fail)
    if (field.type.operators.size === 0) fail("is named in 'unique', but JSON is not compared")
    return field
  }))
}

export const storedNames = (scalars: Scalars): readonly string[] =>
  [...scalars].filter(([, one]) => one.kind === 'stored').map(([name]) => name)

function firstIdentifier (collection: string, scalars: Scalars): StoredField {
  for (const field of scalars.values()) {
    if (field.kind !== 'stored' || !field.identifier) continue
    if (!field.nullable) return field
    const reason = "is the collection's key (its first identifier), so it must be neither optional nor nullable"
    throw new DeclarationError(`${placeOf(collection, field.property)}: ${reason}`)
  }
  const reason = "no field is flagged 'identifier', and 'key' names none; a collection needs one or the other"
  throw new DeclarationError(`collection '${collection}': ${reason}`)
}

/**
 * Returns the members that every kind of field has. Throws a DeclarationError for flags that contradict each other and
 * for a name that cannot be used on the wire.
 */
export function compileFlags (draft: FieldDraft, { reserved, own }: CompileOptions, mayWrite: boolean) {
  const { collection, property, name, schema, index } = draft
  const { readable = false, writable = false, hidden = false, listed = false } = schema
  const { filterable = true, sortable = true, aggregatable = true } = schema
  const fail = (reason: string) => { throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`) }
  if (hidden && !readable) fail("is flagged 'hidden' but not 'readable'; without 'readable' it is never shown")
  if (listed && !readable) fail("is flagged 'listed' but not 'readable'")
  if (listed && hidden) fail("is flagged both 'listed' and 'hidden'")
  if (own === undefined && (readable || writable)) checkName(name, reserved, fail)
  const isOpen = own === 'open'
  return {
    name,
    label: `${JSON.stringify(name)}:`,
    property,
    index,
    schema,
    demanded: writable,
    readable: isOpen || readable,
    writable: isOpen ? mayWrite : writable,
    hidden: !isOpen && hidden,
    listed: own === undefined && listed,
    filterable: isOpen || filterable,
    sortable: isOpen || sortable,
    aggregatable: isOpen || aggregatable
  }
}

export const placeOf = (collection: string, property: string) => `collection '${collection}', field '${property}'`

export const placeOfExpression = (collection: string, property: string) =>
  `collection '${collection}', computed.${property}`

function checkName (name: string, reserved: CompileOptions['reserved'], fail: (reason: string) => void): void {
  const would = `its name on the wire would be '${name}', which`
  if (!nameCharacters.test(name)) {
    fail(`${would} is not valid in a query string; use letters, digits, '_' and '-'`)
  }
  if (name.startsWith('-')) fail(`${would} begins with '-', which means descending in a sort`)
  const reason = name === '__proto__' ? 'it has a special meaning in JavaScript' : reserved.get(name)
  if (reason !== undefined) fail(`${would} is reserved: ${reason}`)
}

const nameCharacters = /^[A-Za-z0-9_\u0080-\uFFFF-]+$/

/** A key of one field is an identifier, whether it is flagged so or not. */
const isOnlyKey = ({ property }: FieldDraft, { key }: Declared) => key?.length === 1 && key[0] === property

function compileStored (draft: FieldDraft, declared: Declared, options: CompileOptions): StoredField {
  const flags = compileFlags(draft, options, draft.schema.version !== true)
  // Not the mark of Type.Optional, which differs between the versions of TypeBox.
  const required: readonly string[] = declared.schema.required ?? []
  const described = describeField(draft, !required.includes(draft.property))
  const identifier = draft.schema.identifier === true || isOnlyKey(draft, declared)
  const flag = identifier ? 'identifier' : 'indexed'
  if ((identifier || draft.schema.indexed === true) && described.type.operators.size === 0) {
    const use = identifier ? 'cannot be used in a URL' : 'are not compared'
    const reason = `is flagged '${flag}', but values of its type ${use}`
    throw new DeclarationError(`${placeOf(draft.collection, draft.property)}: ${reason}`)
  }
  refuseDefault(draft, described)
  // New members stand first: V8 takes 10 us to add them to a copy, and an API may have ten thousand fields.
  return Object.freeze({ kind: 'stored', identifier, ...described, ...flags })
}

/** A default that its field does not take would fail each creation. */
function refuseDefault (
  { collection, property, schema }: FieldDraft, { type }: ReturnType<typeof describeField>
): void {
  const value: unknown = schema['default']
  if (value === undefined || value === null || value instanceof Date || type.take(value) !== undefined) return
  if (typeof value === 'string' && type.parse(value) === value) return
  const reason = `its default must be ${type.expected}; found ${describeValue(value)}`
  throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`)
}

type Definition<Kind> = Extract<Declared['computed'][string], { kind: Kind }>

function compileComputed (
  draft: FieldDraft, definition: Definition<'computed'>, scalars: Scalars, options: CompileOptions
): ComputedField {
  const from = (definition.from as readonly string[]).map(property => {
    const field = scalars.get(property)
    if (field?.kind === 'stored') return field
    const reason = `'from' names '${property}', which is not a stored field${orNearest(property, storedNames(scalars))}`
    throw new DeclarationError(`${placeOf(draft.collection, draft.property)}: ${reason}`)
  })
  if (types.isAsyncFunction(definition.get)) {
    const reason = "'get' is asynchronous, and its promise is no value; compute it from the fields in 'from', or let " +
      'the database compute it: expression()'
    throw new DeclarationError(`${placeOf(draft.collection, draft.property)}: ${reason}`)
  }
  const flags = compileFlags(draft, options, false)
  refuseWritable(draft, flags)
  return Object.freeze({ ...flags, kind: 'computed', filterable: false, sortable: false, from, get: definition.get })
}

function compileExpression (
  draft: FieldDraft, definition: Definition<'expression'>,
  { declared, scalars }: { readonly declared: Declared, readonly scalars: Scalars }, options: CompileOptions
): ExpressionField {
  const { collection, property, schema } = draft
  const flags = compileFlags(draft, options, false)
  const { type, nullable } = describeField(draft, isOptional(schema))
  if (nullable && definition.nullable === false) {
    throw new DeclarationError(`${placeOf(collection, property)}: says 'nullable: false', but its type takes null`)
  }
  const dialect = declared.source.database.kind === 'memory' ? 'memory' : 'sql'
  if (definition[dialect] === undefined) {
    const reason = `the expression has no '${dialect}' part, which its source requires; add it to expression()`
    throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`)
  }
  refuseWritable(draft, flags)
  declared.source.checkSql?.(placeOfExpression(collection, property), definition)
  const { from } = definition
  return Object.freeze({
    ...flags,
    kind: 'expression',
    type,
    nullable: definition.nullable ?? true,
    collection,
    key: compileKey(collection, declared, scalars),
    expression: definition,
    // What a table is called among changes is known when the database was looked at.
    ...from && { reads: () => [undefined, ...from].map(table => declared.source.tableKey?.(table)) }
  })
}

/** Returns the type of a field's values. Throws a DeclarationError for values that JSON cannot represent. */
export function describeField ({ collection, property, schema }: FieldDraft, optional: boolean) {
  const described = describeValues(schema, optional)
  if (described !== undefined) return described
  const advice = "use another type, such as Type.String({ format: 'date-time' }) for a date and time"
  const reason = `JSON cannot represent the type '${String(schema['type'])}'; ${advice}`
  throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`)
}

function refuseWritable ({ collection, property }: FieldDraft, { writable }: { readonly writable: boolean }): void {
  if (!writable) return
  const reason = "is flagged 'writable', but a computed field cannot be written"
  throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`)
}

/** Returns the property without its leading `get`, which the name of a computed field omits. */
const withoutGet = (property: string) => /^[Gg]et[A-Z]/.test(property) ? property.slice(3) : property
