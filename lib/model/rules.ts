import type { TSchema } from '@sinclair/typebox'
import { type Declared, isSubCollection, isSubItem } from '../collection.ts'
import { DeclarationError } from '../errors.ts'

/** The permissions that a caller lacks, by the application's names of collections and fields. */
export interface Denials {
  /** The collections whose items the caller may not read. Their identifiers remain, because paths need them. */
  readonly collections: ReadonlySet<string>
  /** The fields that the caller may not read, each as `collection.field`. */
  readonly read: ReadonlySet<string>
  /** The fields that the caller may not write, each as `collection.field`. */
  readonly write: ReadonlySet<string>
}

/**
 * Returns for each collection all collections that relations connect it with, over any number of steps and itself
 * included: their rules and scopes can affect a request for it. Relations count in both directions, because an item
 * that refers to another must respect the other's scope even if only the other's collection declares the relation.
 */
export function connectedCollections (
  declared: Readonly<Record<string, Declared>>
): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map(Object.keys(declared).map(name => [name, new Set<string>()]))
  for (const [name, one] of Object.entries(declared)) {
    for (const target of targetsOf(one)) {
      neighbours.get(name)?.add(target)
      neighbours.get(target)?.add(name)
    }
  }
  const connected = new Map<string, readonly string[]>()
  for (const name of neighbours.keys()) {
    if (connected.has(name)) continue
    const component = new Set([name])
    // A loop over a set also visits the members that are added during the loop.
    for (const one of component) for (const neighbour of neighbours.get(one) ?? []) component.add(neighbour)
    for (const one of component) connected.set(one, [...component])
  }
  return connected
}

function targetsOf ({ schema }: Declared): readonly string[] {
  const schemas = Object.values(schema.properties)
  return schemas.flatMap(schema => isSubCollection(schema) || isSubItem(schema) ? [schema.target] : [])
}

/** Returns true if a collection has a scope or any rule. */
export const isGuarded = ({ scope, rules }: Declared) => scope !== undefined || Object.keys(rules).length > 0

/** Throws a DeclarationError for a rule of an unknown operation or field, and for one that is not a function. */
export function checkRules (declared: Readonly<Record<string, Declared>>): void {
  for (const [collection, one] of Object.entries(declared)) {
    const { scope, rules: { fields = {}, ...operations } } = one
    if (!isRule(scope)) throw new DeclarationError(`collection '${collection}', scope: expected a function`)
    for (const [operation, rule] of Object.entries(operations)) {
      const place = `collection '${collection}', rules.${operation}`
      const isOperation = ['read', 'create', 'update', 'delete'].includes(operation)
      if (!isOperation) throw new DeclarationError(`${place}: there is no such rule`)
      if (!isRule(rule)) throw new DeclarationError(`${place}: expected a function`)
    }
    for (const [field, { read, write, ...others } = {}] of Object.entries(fields)) {
      const place = `collection '${collection}', rules.fields.${field}`
      const isField = Object.hasOwn(one.schema.properties, field) || Object.hasOwn(one.computed, field)
      if (!isField) throw new DeclarationError(`${place}: there is no such field`)
      if (Object.keys(others).length > 0 || !isRule(read) || !isRule(write)) {
        throw new DeclarationError(`${place}: expected functions 'read' and 'write'`)
      }
    }
  }
}

const isRule = (rule: unknown) => rule === undefined || typeof rule === 'function'

/** Returns the declarations without the denied flags. Compiled, they are the API as this caller sees it. */
export function withoutDenied (
  declared: Readonly<Record<string, Declared>>, denials: Denials
): Readonly<Record<string, Declared>> {
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, withoutFlags(name, one, denials)]))
}

function withoutFlags (collection: string, declared: Declared, { collections, read, write }: Denials): Declared {
  const limit = (property: string, schema: TSchema): TSchema => {
    const toDenied = (isSubCollection(schema) || isSubItem(schema)) && collections.has(schema.target)
    const inDenied = collections.has(collection) && schema['identifier'] !== true
    const unread = read.has(`${collection}.${property}`) || toDenied || inDenied
    const unwritten = write.has(`${collection}.${property}`) || (toDenied && schema['writable'] === true)
    if (!unread && !unwritten) return schema
    return {
      ...schema,
      ...unread && { readable: false, hidden: false, listed: false },
      ...unwritten && { writable: false }
    }
  }
  const schemas = Object.entries(declared.schema.properties)
  const properties = Object.fromEntries(schemas.map(([property, schema]) => [property, limit(property, schema)]))
  const definitions = Object.entries(declared.computed)
  const computed = Object.fromEntries(
    definitions.map(([property, one]) => [property, { ...one, type: limit(property, one.type) }])
  )
  return { ...declared, schema: { ...declared.schema, properties }, computed }
}
