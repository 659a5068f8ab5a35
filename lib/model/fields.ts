import type { TSchema } from '@sinclair/typebox'
import { type Declared, isOptional, isSubCollection, isSubItem } from '../collection.ts'
import { DeclarationError } from '../errors.ts'
import type { CompileOptions } from './compile.ts'
import type { ComputedField, ExpressionField, ScalarField, StoredField } from './model.ts'
import { toName } from './names.ts'
import { describeValues } from './values.ts'

/** The fields of a collection that are no relations, by property. */
export type Scalars = ReadonlyMap<string, ScalarField>

/** Compiles stored, expression and computed fields (docs/http.md: What an item shows). */
export function compileScalars (collection: string, declared: Declared, options: CompileOptions): Scalars {
  const scalars = new Map<string, ScalarField>()
  for (const [property, schema] of Object.entries(declared.schema.properties)) {
    if (isSubCollection(schema) || isSubItem(schema)) continue
    scalars.set(property, stored(collection, property, schema, scalars.size, options))
  }
  for (const [property, definition] of Object.entries(declared.computed)) {
    if (property in declared.schema.properties) throw new DeclarationError(`${placeOf(collection, property)}: is declared both in the schema and under 'computed'`)
    scalars.set(property, definition.kind === 'computed'
      ? computed(collection, property, definition, scalars, options)
      : expression(collection, property, definition, declared, scalars.size, options))
  }
  return scalars
}

/** The first field flagged `identifier`. */
export function compileKey (collection: string, scalars: Scalars): StoredField {
  for (const field of scalars.values()) {
    if (field.kind !== 'stored' || !field.identifier) continue
    if (field.nullable) throw new DeclarationError(`${placeOf(collection, field.property)}: is the collection's key (its first identifier), so it must be neither optional nor nullable`)
    return field
  }
  throw new DeclarationError(`collection '${collection}': no field is flagged 'identifier', and a collection needs one`)
}

/** What every kind of field has. Throws for flags that contradict each other and names that cannot be used. */
export function compileFlags (collection: string, property: string, schema: TSchema, name: string, index: number, { reserved }: CompileOptions) {
  const { readable = false, writable = false, hidden = false, listed = false, filterable = true, sortable = true } = schema
  const fail = (reason: string) => { throw new DeclarationError(`${placeOf(collection, property)}: ${reason}`) }
  if (hidden && !readable) fail("is flagged 'hidden' but not 'readable'; without 'readable' it is never shown")
  if (listed && !readable) fail("is flagged 'listed' but not 'readable'")
  if (listed && hidden) fail("is flagged both 'listed' and 'hidden'")
  const exposed = readable || writable
  if (exposed && !nameCharacters.test(name)) fail(`its name on the wire would be '${name}', which is not valid in a query string; use letters, digits, '_' and '-'`)
  const reason = reserved.get(name)
  if (exposed && reason !== undefined) fail(`its name on the wire would be '${name}', which is reserved: ${reason}`)
  return { name, label: `${JSON.stringify(name)}:`, property, index, schema, readable, writable, hidden, listed, filterable, sortable }
}

export const placeOf = (collection: string, property: string) => `collection '${collection}', field '${property}'`

const nameCharacters = /^[A-Za-z0-9_\u0080-\uFFFF-]+$/

function stored (collection: string, property: string, schema: TSchema, index: number, options: CompileOptions): StoredField {
  const flags = compileFlags(collection, property, schema, toName(options.naming, property), index, options)
  const described = describeValues(schema, isOptional(schema))
  if (described === undefined) throw new DeclarationError(`${placeOf(collection, property)}: ${unsupported(schema)}`)
  const identifier = schema.identifier === true
  if (identifier && described.type.operators.size === 0) throw new DeclarationError(`${placeOf(collection, property)}: is flagged 'identifier', but values of its type cannot be used in a URL`)
  return Object.freeze({ ...flags, kind: 'stored', identifier, ...described })
}

function computed (collection: string, property: string, definition: Extract<Declared['computed'][string], { kind: 'computed' }>, scalars: Scalars, options: CompileOptions): ComputedField {
  const from = (definition.from as readonly string[]).map(name => {
    const field = scalars.get(name)
    if (field?.kind !== 'stored') throw new DeclarationError(`${placeOf(collection, property)}: 'from' names '${name}', which is not a stored field`)
    return field
  })
  const flags = compileFlags(collection, property, definition.type, toName(options.naming, withoutGet(property)), scalars.size, options)
  refuseWritable(collection, property, flags)
  return Object.freeze({ ...flags, kind: 'computed', filterable: false, sortable: false, from, get: definition.get })
}

function expression (collection: string, property: string, definition: Extract<Declared['computed'][string], { kind: 'expression' }>, declared: Declared, index: number, options: CompileOptions): ExpressionField {
  const flags = compileFlags(collection, property, definition.type, toName(options.naming, withoutGet(property)), index, options)
  const described = describeValues(definition.type, isOptional(definition.type))
  if (described === undefined) throw new DeclarationError(`${placeOf(collection, property)}: ${unsupported(definition.type)}`)
  const dialect = declared.source.database.kind === 'memory' ? 'memory' : 'sql'
  if (definition[dialect] === undefined) throw new DeclarationError(`${placeOf(collection, property)}: the expression has no '${dialect}' part, which its source requires`)
  refuseWritable(collection, property, flags)
  return Object.freeze({ ...flags, kind: 'expression', ...described, expression: definition })
}

function refuseWritable (collection: string, property: string, { writable }: { readonly writable: boolean }): void {
  if (writable) throw new DeclarationError(`${placeOf(collection, property)}: is flagged 'writable', but a computed field cannot be written`)
}

const withoutGet = (property: string) => /^[Gg]et[A-Z]/.test(property) ? property.slice(3) : property

const unsupported = (schema: TSchema) => `JSON cannot represent the type '${String(schema['type'])}'; use another type, such as Type.String({ format: 'date-time' }) for a date and time`
