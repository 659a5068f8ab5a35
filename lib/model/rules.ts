import type { TSchema } from '@sinclair/typebox'
import { type Declared, isSubCollection, isSubItem } from '../collection.ts'
import { DeclarationError } from '../errors.ts'

/** What a caller may not do, by the application's names of collections and fields. */
export interface Denials {
  /** Collections that are read under no name, but for their identifiers in paths. */
  readonly collections: ReadonlySet<string>
  /** As `collection.field`. */
  readonly read: ReadonlySet<string>
  readonly write: ReadonlySet<string>
}

/**
 * For each collection those whose rules and scopes can have a part in a request for it: itself and all that relations lead to or from, however far. What refers
 * to an item is held to that item's scope also where only the item's collection knows of the relation.
 */
export function connectedCollections (declared: Readonly<Record<string, Declared>>): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map(Object.keys(declared).map(name => [name, new Set<string>()]))
  for (const [name, one] of Object.entries(declared)) {
    for (const target of targetsOf(one)) {
      neighbours.get(name)?.add(target)
      neighbours.get(target)?.add(name)
    }
  }
  const reaches = new Map<string, readonly string[]>()
  for (const name of neighbours.keys()) {
    if (reaches.has(name)) continue
    const reached = new Set([name])
    for (const one of reached) for (const neighbour of neighbours.get(one) ?? []) reached.add(neighbour)
    for (const one of reached) reaches.set(one, [...reached])
  }
  return reaches
}

const targetsOf = ({ schema }: Declared) => Object.values(schema.properties).flatMap(schema => isSubCollection(schema) || isSubItem(schema) ? [schema.target] : [])

export const isGuarded = ({ scope, rules }: Declared) => scope !== undefined || Object.keys(rules).length > 0

/** Throws a DeclarationError for a rule of a field that there is not, and for what is no function. */
export function checkRules (declared: Readonly<Record<string, Declared>>): void {
  for (const [collection, { schema, computed, scope, rules: { fields = {}, ...operations } }] of Object.entries(declared)) {
    const isRule = (rule: unknown) => rule === undefined || typeof rule === 'function'
    if (!isRule(scope)) throw new DeclarationError(`collection '${collection}', scope: expected a function`)
    for (const [operation, rule] of Object.entries(operations)) {
      if (!['read', 'create', 'update', 'delete'].includes(operation)) throw new DeclarationError(`collection '${collection}', rules.${operation}: there is no such rule; use 'read', 'create', 'update', 'delete' or 'fields'`)
      if (!isRule(rule)) throw new DeclarationError(`collection '${collection}', rules.${operation}: expected a function`)
    }
    for (const [field, { read, write, ...others } = {}] of Object.entries(fields)) {
      const place = `collection '${collection}', rules.fields.${field}`
      if (!(Object.hasOwn(schema.properties, field) || Object.hasOwn(computed, field))) throw new DeclarationError(`${place}: there is no such field`)
      if (Object.keys(others).length > 0 || !isRule(read) || !isRule(write)) throw new DeclarationError(`${place}: expected an object that holds only the functions 'read' and 'write'`)
    }
  }
}

/** The declarations as they would be if what is denied had not been flagged: compiled, they are the API as this caller knows it. */
export function withoutDenied (declared: Readonly<Record<string, Declared>>, denials: Denials): Readonly<Record<string, Declared>> {
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, withoutFlags(name, one, denials)]))
}

function withoutFlags (collection: string, declared: Declared, { collections, read, write }: Denials): Declared {
  const denied = (property: string, schema: TSchema): TSchema => {
    const leadsNowhere = (isSubCollection(schema) || isSubItem(schema)) && collections.has(schema.target)
    const unread = read.has(`${collection}.${property}`) || leadsNowhere || (collections.has(collection) && schema['identifier'] !== true)
    const unwritten = write.has(`${collection}.${property}`) || (leadsNowhere && schema['writable'] === true)
    if (!unread && !unwritten) return schema
    return { ...schema, ...unread && { readable: false, hidden: false, listed: false }, ...unwritten && { writable: false } }
  }
  const properties = Object.fromEntries(Object.entries(declared.schema.properties).map(([property, schema]) => [property, denied(property, schema)]))
  const computed = Object.fromEntries(Object.entries(declared.computed).map(([property, one]) => [property, { ...one, type: denied(property, one.type) }]))
  return { ...declared, schema: { ...declared.schema, properties }, computed }
}
