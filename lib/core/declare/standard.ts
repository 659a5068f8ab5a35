import type { TObject, TOptional, TSchema, TUnsafe } from '@sinclair/typebox'
import { DeclarationError } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { closedSchema } from './closed-schema.ts'
import type { TSubCollection, TSubItem } from './relations.ts'

/** A schema of any library that speaks Standard JSON Schema 1.1, such as a `z.object()` of zod. */
export interface StandardSchema<O = unknown> {
  readonly '~standard': {
    readonly vendor: string
    readonly types?: { readonly output: O } | undefined
    readonly jsonSchema: Readonly<Record<'input' | 'output', (options: { target: 'draft-07' }) => JsonSchema>>
  }
}

type JsonSchema = Record<string, unknown>

/** The relations of a collection, by property. */
export type RelationProperties = Readonly<Record<string, TSubItem | TSubCollection>>

/** A schema of TypeBox for items of the type `I`, with relations. */
export type ObjectOf<I, R> = TObject<{
  -readonly [K in keyof I]-?: object extends Pick<I, K> ? TOptional<TUnsafe<Exclude<I[K], undefined>>> : TUnsafe<I[K]>
} & R>

/**
 * Returns the schema of a collection made from that of another library, whose JSON Schema holds the flags, such as
 * `z.string().meta({ readable: true })` (docs/declaring.md: Other schema libraries). `relations`: the sub-items and
 * sub-collections. Throws a DeclarationError for a schema that changes values, such as a transform.
 */
export function standard<O, const R extends RelationProperties = Record<never, never>> (
  schema: StandardSchema<O>, { relations }: { readonly relations?: R } = {}
): ObjectOf<O, R> {
  const { vendor } = schema['~standard']
  const output = jsonSchemaOf(schema, 'output')
  if (JSON.stringify(comparable(jsonSchemaOf(schema, 'input'))) !== JSON.stringify(comparable(output))) {
    throw new DeclarationError(`a schema of ${vendor} changes values: what it takes and what it returns differ`)
  }
  const { $schema: _, properties, ...rest } = output
  if (rest['type'] !== 'object' || !isObject(properties)) {
    throw new DeclarationError(`a schema of ${vendor} must be an object with properties`)
  }
  const closed = Object.entries(properties as Record<string, TSchema>)
    .map(([name, property]) => [name, closedSchema(property, output)])
  return { ...rest, properties: { ...Object.fromEntries(closed), ...relations } } as unknown as ObjectOf<O, R>
}

function jsonSchemaOf ({ '~standard': { vendor, jsonSchema } }: StandardSchema, form: 'input' | 'output'): JsonSchema {
  try {
    return jsonSchema[form]({ target: 'draft-07' })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DeclarationError(`a schema of ${vendor} has no JSON Schema: ${reason}`, { cause })
  }
}

/** Defaults and unknown members may differ: a value that is given stays as it is. */
function comparable (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value)
    .filter(([keyword]) => keyword !== 'required' && keyword !== 'additionalProperties')
    .map(([keyword, one]) => [keyword, comparable(one)]))
}
