import type { TSchema } from '@sinclair/typebox'
import type { Declared } from '../declare/collection.ts'
import { isSubCollection, isSubItem, relationOf } from '../declare/relations.ts'
import { databaseOf } from '../sources/source.ts'

/** The declarations of all collections, by property. */
export type Declarations = Readonly<Record<string, Declared>>

/** The collections and fields that a caller may not read or write, by the application's names. */
export interface Denials {
  /** Collections that the caller may not read. Their identifiers remain: a POST tells that of its new item. */
  readonly collections: ReadonlySet<string>
  /** Fields that the caller may not read, as `collection.field`. */
  readonly read: ReadonlySet<string>
  /** Fields that the caller may not write, as `collection.field`. */
  readonly write: ReadonlySet<string>
}

/**
 * Returns for each collection all collections that relations connect with it, in either direction and however far,
 * itself included. A request for a collection can be affected by the rules and scopes of these collections and no
 * others. Direction does not matter: a reference to an item is checked against the item's scope even if only the
 * collection of that item declares the relation. Connected collections share one list.
 */
export function connectedCollections (declared: Declarations): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map(Object.keys(declared).map(name => [name, new Set<string>()]))
  for (const [name, one] of Object.entries(declared)) {
    for (const target of targetsOf(one)) {
      neighbours.get(name)?.add(target)
      neighbours.get(target)?.add(name)
    }
  }
  const connections = new Map<string, readonly string[]>()
  for (const name of neighbours.keys()) {
    if (connections.has(name)) continue
    const connected = new Set([name])
    // The iteration includes the elements that are added meanwhile.
    for (const one of connected) for (const neighbour of neighbours.get(one) ?? []) connected.add(neighbour)
    const all = [...connected]
    for (const one of all) connections.set(one, all)
  }
  return connections
}

const targetsOf = ({ schema }: Declared) =>
  Object.values(schema.properties).flatMap(field => relationOf(field)?.target ?? [])

/** Returns true if the collection has rules or a scope, or if its database shows each caller its own rows. */
export const isGuarded = (declared: Declared) => isPersonal(declared) || Object.values(declared.rules).includes(false)

/** Returns true if callers may differ in what they may do to the collection. */
export const isPersonal = (declared: Declared) => declared.scope !== undefined || isPoliced(declared) ||
  Object.values(declared.rules).some(rule => typeof rule === 'function' || typeof rule === 'object')

/** Returns true if the database of the collection has a session for each request, whose policies decide. */
export const isPoliced = (declared: Pick<Declared, 'source'>) => databaseOf(declared).inSessionOf !== undefined

/**
 * Returns the declarations without the flags of what is denied: a model compiled of them is the API as the caller knows
 * it.
 */
export function withoutDenied (declared: Declarations, denials: Denials): Declarations {
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, withoutFlags(name, one, denials)]))
}

function withoutFlags (collection: string, declared: Declared, denials: Denials): Declared {
  const properties = Object.fromEntries(Object.entries(declared.schema.properties).map(([property, schema]) =>
    [property, withoutFieldFlags({ collection, property, schema, isKey: isKey(property, declared) }, denials)]))
  const computed = Object.fromEntries(Object.entries(declared.computed).map(([property, one]) =>
    [property, { ...one, type: withoutFieldFlags({ collection, property, schema: one.type, isKey: false }, denials) }]))
  const inputs = Object.fromEntries(Object.entries(declared.inputs).map(([property, one]) =>
    [property, { ...one, type: withoutFieldFlags({ collection, property, schema: one.type, isKey: false }, denials) }]))
  return { ...declared, schema: { ...declared.schema, properties }, computed, inputs }
}

const isKey = (property: string, { key }: Declared) => key?.includes(property) === true

/** `isKey`: the field is part of a declared key. */
interface DeclaredField {
  readonly collection: string
  readonly property: string
  readonly schema: TSchema
  readonly isKey: boolean
}

/**
 * Returns the schema of a field without `readable` if the caller may not read the field, its collection (identifiers
 * excepted) or the target of the relation; without `writable` if it may not write the field or read the target, and of
 * the relation to many of a collection that it may not read.
 */
function withoutFieldFlags (
  { collection, property, schema, isKey }: DeclaredField, { collections, read, write }: Denials
): TSchema {
  const isTargetDenied = collections.has(relationOf(schema)?.target ?? '')
  const isCollectionDenied = collections.has(collection) && !isKey && schema['identifier'] !== true
  const unreadable = read.has(`${collection}.${property}`) || isTargetDenied || isCollectionDenied
  // A new item of such a collection links no others: the links of a list are told from both sides, or from none.
  const isUnlinked = isTargetDenied || (collections.has(collection) && isSubCollection(schema))
  const unwritable = write.has(`${collection}.${property}`) || (isUnlinked && schema['writable'] === true)
  if (!unreadable && !unwritable) return schema
  return {
    ...schema,
    ...unreadable && { readable: false, hidden: false, listed: false },
    ...unwritable && { writable: false }
  }
}

/** The names, each `collection.property`, by which a client can write the same thing as by the key of the map. */
export type LinkedNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Returns for each relation, and for each foreign key of one, all names by which clients write the same link, its own
 * included (docs/http.md: Rules):
 *
 *     foreign key   its own name, the sub-items made of it, the sub-collections of its parents
 *     join table    the sub-collections on either side
 *
 * A write rule of one of these names is a rule of them all.
 */
export function linkedNames (declared: Declarations): LinkedNames {
  const links = new Map<string, Set<string>>()
  const keys = new Map<string, Set<string>>()
  const databases = [...new Set(Object.values(declared).map(({ source }) => source.database))]
  for (const [collection, { schema, source }] of Object.entries(declared)) {
    for (const [property, field] of Object.entries(schema.properties)) {
      if (!isSubItem(field) && !isSubCollection(field)) continue
      const name = `${collection}.${property}`
      const { through, otherKey, foreignKey, where = {} } = { through: undefined, otherKey: undefined, ...field.link }
      if (through !== undefined) {
        const table = `${databases.indexOf(source.database)} ${through}`
        addTo(links, `join ${table} ${[foreignKey, otherKey].sort().join()}`, name)
        continue
      }
      const child = isSubItem(field) ? collection : field.target
      const constants = JSON.stringify(Object.entries(where).sort())
      addTo(links, `key ${child} ${foreignKey} ${constants}`, name)
      for (const column of [foreignKey, Object.keys(where)].flat()) addTo(keys, name, `${child}.${column}`)
    }
  }
  return neighbours(links, keys)
}

function addTo (sets: Map<string, Set<string>>, key: string, name: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(name))
}

/** Joins the names of each link with those of its columns. Relations that share one column of two stay apart. */
function neighbours (
  links: ReadonlyMap<string, ReadonlySet<string>>, keys: ReadonlyMap<string, ReadonlySet<string>>
): LinkedNames {
  const linked = new Map<string, Set<string>>()
  for (const relations of links.values()) {
    const columns = [...relations].flatMap(name => [...keys.get(name) ?? []])
    for (const relation of relations) {
      for (const name of [...relations, ...columns]) addTo(linked, relation, name)
      for (const column of columns) addTo(linked, column, relation)
    }
    for (const column of columns) addTo(linked, column, column)
  }
  return linked
}
