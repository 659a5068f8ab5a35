import type { Components } from './components.ts'
import type { Schema } from './objects.ts'
import { isObject } from '../errors/is-object.ts'

/**
 * Returns a closed schema (lib/declare/closed-schema.ts) whose `$defs` are components: a schema that refers to itself
 * can be described in no other way. `finish` cleans a component.
 */
export function liftReferences (
  { $defs, ...schema }: Schema, components: Components, finish: (schema: Schema) => Schema
): Schema {
  if (!isObject($defs)) return schema
  const definitions = new Map(Object.entries($defs).filter((entry): entry is [string, Schema] => isObject(entry[1])))
  const all = JSON.stringify([...definitions].map(([name, definition]) => [name, finish(definition)]))
  const names = new Map([...definitions].map(([name, definition]) => [JSON.stringify(finish(definition)), name]))
  return rewrite(schema) as Schema

  function rewrite (value: unknown): unknown {
    if (Array.isArray(value)) return value.map(rewrite)
    if (!isObject(value)) return value
    const { $ref, ...rest } = value
    const name = typeof $ref === 'string' ? $ref.replace('#/$defs/', '') : names.get(JSON.stringify(finish(value)))
    const definition = definitions.get(name ?? '')
    if (name === undefined || definition === undefined) return members(value)
    const target = components.lifted(`${name} ${all}`, () => finish(members(definition)))
    // Annotations stand beside a reference.
    return $ref === undefined ? target : { ...members(rest), ...target }
  }

  function members (schema: Schema): Schema {
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => {
      // The names of members are no keywords.
      return [keyword, keyword === 'properties' && isObject(value) ? members(value) : rewrite(value)]
    }))
  }
}
