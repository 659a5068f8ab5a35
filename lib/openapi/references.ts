import type { Components } from './components.ts'
import type { Schema } from './objects.ts'

/**
 * Returns a schema whose references by `$id` and `$defs` lead to components: a schema that refers to itself can be
 * described in no other way. `finish` cleans a component.
 */
export function liftReferences (
  schema: Schema, components: Components, finish: (schema: Schema) => Schema
): Schema {
  const definitions = new Map<string, Schema>()
  collect(schema, definitions)
  if (definitions.size === 0) return schema
  return rewrite(schema) as Schema

  function rewrite (value: unknown): unknown {
    if (Array.isArray(value)) return value.map(rewrite)
    if (!isSchema(value)) return value
    const { $id, $ref, $defs: _, ...rest } = value
    const target = typeof $ref === 'string' ? definitions.get(withoutHash($ref)) : undefined
    if (target !== undefined) return { ...members(rest), ...refer(target) }
    return typeof $id === 'string' ? refer(value) : { ...members(rest), ...$ref !== undefined && { $ref } }
  }

  function refer (definition: Schema): Schema {
    const { $id: _, ...rest } = definition
    return components.lifted(JSON.stringify(finish(definition)), () => finish(rewrite(rest) as Schema))
  }

  function members (schema: Schema): Schema {
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => {
      // The names of members are no keywords.
      return [keyword, keyword === 'properties' && isSchema(value) ? members(value) : rewrite(value)]
    }))
  }
}

/** `#/$defs/Node` is `Node`. */
const withoutHash = ($ref: string) => $ref.replace(/^#(?:\/\$defs\/)?/, '')

function collect (value: unknown, definitions: Map<string, Schema>): void {
  if (Array.isArray(value)) for (const one of value) collect(one, definitions)
  if (!isSchema(value)) return
  if (typeof value['$id'] === 'string') definitions.set(value['$id'], value)
  if (isSchema(value['$defs'])) {
    for (const [name, one] of Object.entries(value['$defs'])) if (isSchema(one)) definitions.set(name, one)
  }
  for (const one of Object.values(value)) collect(one, definitions)
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
