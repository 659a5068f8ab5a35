import type { TSchema } from '@sinclair/typebox'
import { closedSchema } from '../declare/closed-schema.ts'
import type { Declared } from '../declare/collection.ts'
import { isOptional } from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import type { CompileOptions } from './compile.ts'
import { compileFlags, describeField, type FieldDraft, nameOf, placeOf, type Scalars, storedNames } from './fields.ts'
import type { Collection, InputField } from './model.ts'
import { referringFields } from './relations.ts'

/**
 * Compiles the inputs of a collection, by property (docs/writing.md: Inputs). Throws a DeclarationError for the name of
 * another field, and for a schema whose values JSON cannot represent.
 */
export function compileInputs (
  collection: string, declared: Declared, options: CompileOptions
): ReadonlyMap<string, InputField> {
  return new Map(Object.entries(declared.inputs).map(([property, { type, set }]) => {
    refuseTaken(collection, property, declared)
    // An input is there to be written; a caller who may not write it has a model without the flag.
    const schema = { ...closedSchema(type), writable: type.writable ?? true } as TSchema
    // No statement names an input, so it needs no index.
    const draft: FieldDraft = { collection, property, name: nameOf(property, property, options), schema, index: -1 }
    const flags = compileFlags(draft, options, true)
    const described = describeField(draft, false)
    return [property, Object.freeze({
      ...flags,
      ...described,
      kind: 'input',
      // The application may write what an input fills.
      demanded: flags.demanded && options.own !== 'open',
      readable: false,
      filterable: false,
      sortable: false,
      aggregatable: false,
      optional: isOptional(schema),
      // What is called has the item and the value that the declaration was typed by.
      set: set as InputField['set']
    } satisfies InputField)]
  }))
}

function refuseTaken (collection: string, property: string, { schema, computed }: Declared): void {
  const other = property in schema.properties ? 'in the schema' : property in computed ? "under 'computed'" : undefined
  if (other === undefined) return
  throw new DeclarationError(`${placeOf(collection, property)}: is declared both ${other} and under 'inputs'`)
}

/** Returns the setters by property. Throws a DeclarationError for a setter of a field that is not stored. */
export function compileSetters (collection: string, { setters }: Declared, scalars: Scalars): Collection['setters'] {
  for (const property of Object.keys(setters)) {
    if (scalars.get(property)?.kind === 'stored') continue
    const advice = orNearest(property, storedNames(scalars))
    throw new DeclarationError(`${placeOf(collection, property)}: has a setter, but is not a stored field${advice}`)
  }
  return new Map(Object.entries(setters).filter(([, setter]) => setter !== undefined))
}

/**
 * Throws a DeclarationError for a setter that no client can cause to run: its field is neither writable nor the foreign
 * key of a relation.
 */
export function checkSetters ({ setters, properties, referring, property: name }: Collection): void {
  const fields = [...properties.values()]
  for (const property of setters.keys()) {
    const field = properties.get(property)
    const foreignKeys = [...referring, ...fields.filter(one => one.kind === 'sub-item')]
    const isLinked = foreignKeys.some(one => referringFields(one).some(part => part === field))
    if (field?.writable === true || isLinked) continue
    const advice = 'flag it, or remove the setter'
    throw new DeclarationError(`${placeOf(name, property)}: has a setter, but is not flagged 'writable'; ${advice}`)
  }
}
