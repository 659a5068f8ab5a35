import type { TSchema } from '@sinclair/typebox'
import type { Declared } from '../declare/collection.ts'
import { closedSchema } from '../declare/closed-schema.ts'
import { isOptional } from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import type { CompileOptions } from './compile.ts'
import { compileFlags, describe, type FieldDraft, nameOf, placeOf } from './fields.ts'
import type { InputField } from './model.ts'

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
    const described = describe(draft, false)
    return [property, Object.freeze({
      ...flags,
      ...described,
      kind: 'input',
      // The application may write what an input fills.
      demanded: flags.demanded && options.own !== 'open',
      readable: false,
      filterable: false,
      sortable: false,
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
