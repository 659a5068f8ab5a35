import type { TSchema } from '@sinclair/typebox'
import { isObject } from '../errors/is-object.ts'

interface Schema { readonly [keyword: string]: unknown }

/** The schemas that references mean in a part of a schema. */
type Scope = ReadonlyMap<string, Target>

interface Target { readonly schema: Schema, readonly scope: Scope }

/**
 * Returns a schema that can stand in any other: what it refers to is in its own `$defs`, and no part has an `$id`. A
 * schema with neither is returned as it is; references to what is not known are left.
 *
 * An `$id` means the nearest schema around that has it, then any other: TypeBox writes the `$id` of a recursive type
 * into the options that it is given, and so into all other types that are given the same options.
 *
 * @param root the schema that the schema is a part of, whose definitions it refers to. Default: itself.
 */
export function closedSchema<S extends TSchema> (schema: S, root: Schema = schema): S {
  if (!refers(schema)) return schema
  const definitions = new Map<Schema, { readonly name: string, body: Schema }>()
  const around = outermost(root, partsOf(schema))
  const target = referredBy(schema, within(schema, around))
  // The type of a field is told without following references.
  const { $ref, ...flags } = schema as Schema
  const body = target === undefined ? close(schema, around) : { ...close(target.schema, target.scope), ...flags }
  const $defs = Object.fromEntries([...definitions.values()].map(({ name, body }) => [name, body]))
  const top = { ...flags, ...target === undefined && $ref !== undefined && { $ref }, ...body }
  return { ...withoutNames(top), ...definitions.size > 0 && { $defs } } as unknown as S

  function close (part: Schema, scope: Scope): Schema {
    const inner = within(part, scope)
    const target = referredBy(part, inner)
    const named = target === undefined ? part : { ...part, $ref: `#/$defs/${define(target)}` }
    return mapParts(withoutNames(named), one => close(one, inner))
  }

  function define ({ schema, scope }: Target): string {
    const known = definitions.get(schema)
    if (known !== undefined) return known.name
    const definition = { name: String(definitions.size), body: {} }
    // The definition is there before its body is closed, because the body may refer to it.
    definitions.set(schema, definition)
    definition.body = close(schema, scope)
    return definition.name
  }
}

/** Most schemas refer to nothing, and an API may have ten thousand: this takes 0.2 us for each. */
const refers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null &&
  ('$ref' in value || '$id' in value || Object.values(value).some(refers))

function outermost (root: Schema, parts: readonly Schema[]): Scope {
  const scope = new Map<string, Target>()
  for (const schema of parts.toReversed()) {
    if (typeof schema['$id'] === 'string') scope.set(schema['$id'], { schema, scope })
  }
  return within(root, scope.set('#', { schema: root, scope }))
}

const containers = ['$defs', 'definitions'] as const

/** Returns the scope inside of a schema, which knows the schema's own names. */
function within (schema: Schema, around: Scope): Scope {
  const scope = new Map(around)
  if (typeof schema['$id'] === 'string') scope.set(schema['$id'], { schema, scope: around })
  for (const container of containers) {
    for (const [name, one] of Object.entries(schema[container] ?? {})) {
      for (const reference of [name, `#/${container}/${name}`]) scope.set(reference, { schema: one as Schema, scope })
    }
  }
  return scope
}

const referredBy = ({ $ref }: Schema, scope: Scope): Target | undefined =>
  typeof $ref === 'string' ? scope.get($ref) : undefined

const withoutNames = ({ $id: _, $defs: __, definitions: ___, ...schema }: Schema): Schema => schema

/** Returns the schema and all its parts. */
function partsOf (schema: Schema): readonly Schema[] {
  const parts: Schema[] = [schema]
  mapParts(schema, part => {
    parts.push(...partsOf(part))
    return part
  })
  return parts
}

/** Keywords whose members have names of their own, and keywords whose values are no schemas. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', ...containers])
const values: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'link'])

function mapParts (schema: Schema, map: (part: Schema) => Schema): Schema {
  const mapped = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(mapped) : isObject(value) ? map(value) : value
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => {
    if (values.has(keyword)) return [keyword, value]
    if (!maps.has(keyword) || !isObject(value)) return [keyword, mapped(value)]
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one)]))]
  }))
}
