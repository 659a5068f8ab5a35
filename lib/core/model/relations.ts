import {
  type Constants, type ForeignKey, isSubCollection, isSubItem, type TSubCollection, type TSubItem
} from '../declare/relations.ts'
import { DeclarationError, describeValue } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import type { CollectionDraft, CompileOptions, Drafts } from './compile.ts'
import { type KeyValues, toKeyValues } from './identifiers.ts'
import { compileFlags, nameOf, placeOf, storedNames } from './fields.ts'
import type { Collection, Constant, Field, Link, CollectionReference, RelationField, StoredField } from './model.ts'
import type { ValueType } from './values.ts'

/**
 * Compiles sub-items and sub-collections, by property. Throws a DeclarationError for an unknown target, foreign key or
 * join table, and for a target in another database.
 */
export function compileRelations (
  draft: CollectionDraft, drafts: Drafts, options: CompileOptions
): ReadonlyMap<string, RelationField> {
  const relations = new Map<string, RelationField>()
  const { collection: holder, declared, scalars } = draft
  for (const [property, schema] of Object.entries(declared.schema.properties)) {
    if (!isSubItem(schema) && !isSubCollection(schema)) continue
    const place = placeOf(holder.property, property)
    const target = findTarget(draft, place, schema.target, drafts)
    const name = nameOf(property, property, options)
    const index = scalars.size + relations.size
    const flags = compileFlags({ collection: holder.property, property, name, schema, index }, options, true)
    const constants = constantsOf(place, schema, isSubItem(schema) ? draft : target)
    // Own code is shown a relation if it selects it.
    const hidden = flags.hidden || options.own !== undefined
    const base = { holder, target: target.collection, ...flags, hidden, creates: createsIn(schema), constants }
    relations.set(property, isSubItem(schema)
      ? Object.freeze({ kind: 'sub-item', foreignKey: findForeignKey(place, schema.link, draft, target), ...base })
      : Object.freeze({ kind: 'sub-collection', link: compileLink(place, schema, draft, target), ...base }))
  }
  return relations
}

/** An element of a list by a foreign key belongs to its parent alone. */
const createsIn = (schema: TSubItem | TSubCollection) =>
  schema.link.creates === true || (isSubCollection(schema) && schema.link.through === undefined)

function compileLink (place: string, { link }: TSubCollection, draft: CollectionDraft, target: CollectionDraft): Link {
  const { through, foreignKey, otherKey } = link
  if (through === undefined) return { kind: 'foreign-key', foreignKey: findForeignKey(place, link, target, draft) }
  const { joinNames } = draft.collection.source
  if (joinNames && !joinNames.has(through)) {
    const found = `its join table '${through}' is not among the joins given to its source`
    const member = /^[\w$]+$/.test(through) ? through : `'${through}'`
    const advice = orNearest(through, [...joinNames]) || `; write memory(rows, { joins: { ${member}: [] } })`
    throw new DeclarationError(`${place}: ${found}${advice}`)
  }
  return {
    kind: 'join',
    through,
    foreignKey: namesOf(`${place}: its foreign key`, foreignKey, draft),
    otherKey: namesOf(`${place}: its other key`, otherKey, target)
  }
}

/** Returns the values that `where` gives to fields of the collection that holds the foreign key. */
function constantsOf (
  place: string, { link }: TSubItem | TSubCollection, holder: CollectionDraft
): readonly Constant[] {
  const { where = {}, through }: { readonly where?: Constants | undefined, readonly through?: unknown } =
    { through: undefined, ...link }
  return Object.entries(where).map(([name, given]) => {
    if (through !== undefined) {
      const advice = `declare '${String(through)}' as a collection`
      throw new DeclarationError(`${place}: 'where' is not for join tables; ${advice}`)
    }
    const field = holder.scalars.get(name)
    if (field?.kind !== 'stored') {
      const found = `its 'where' names '${name}', which is not a stored field of '${holder.collection.property}'`
      throw new DeclarationError(`${place}: ${found}${orNearest(name, storedNames(holder.scalars))}`)
    }
    const value: unknown = constantKinds.has(field.type.kind) ? field.type.take(given) : undefined
    if (value !== undefined) return { field, value: value as Constant['value'] }
    const expected = constantKinds.has(field.type.kind)
      ? `takes ${field.type.expected}`
      : 'is neither a text, an integer nor a boolean'
    throw new DeclarationError(`${place}: its 'where' has ${describeValue(given)} for '${name}', which ${expected}`)
  })
}

/** The kinds of values that every source compares as they are. */
const constantKinds: ReadonlySet<string> = new Set(['string', 'integer', 'boolean'])

function findTarget (draft: CollectionDraft, place: string, name: string, drafts: Drafts): CollectionDraft {
  const target = drafts.get(name)
  if (target === undefined) {
    const advice = orNearest(name, [...drafts.keys()])
    throw new DeclarationError(`${place}: its target '${name}' is not a registered collection${advice}`)
  }
  if (target.collection.source.database === draft.collection.source.database) return target
  const reason = 'is in another database; a relation cannot cross databases'
  throw new DeclarationError(`${place}: its target '${name}' ${reason}`)
}

/** Returns the stored fields of `holder` that hold the key of `target`. */
function findForeignKey (
  place: string, { foreignKey }: { readonly foreignKey: ForeignKey }, holder: CollectionDraft, target: CollectionDraft
): readonly StoredField[] {
  return namesOf(`${place}: its foreign key`, foreignKey, target).map(name => {
    const field = holder.scalars.get(name)
    if (field?.kind === 'stored') return field
    const found = `its foreign key '${name}' is not a stored field of '${holder.collection.property}'`
    throw new DeclarationError(`${place}: ${found}${orNearest(name, storedNames(holder.scalars))}`)
  })
}

/** Returns the properties that hold the key of a collection: one for each of its fields. */
function namesOf (place: string, given: ForeignKey, { collection: { property, key } }: CollectionDraft) {
  const names = typeof given === 'string' ? [given] : [...given]
  if (new Set(names).size < names.length) throw new DeclarationError(`${place} names a field twice`)
  if (names.length === key.length) return names
  const fields = key.map(field => `'${field.property}'`).join(', ')
  const counts = `has ${countOf(names.length)}, but the key of '${property}' has ${countOf(key.length)} (${fields})`
  throw new DeclarationError(`${place} ${counts}`)
}

const countOf = (count: number) => `${count} field${count === 1 ? '' : 's'}`

/** Throws a DeclarationError for a foreign key whose values can equal no key of the collection that it refers to. */
export function checkForeignKeys (collection: Collection): void {
  for (const field of collection.properties.values()) {
    const place = placeOf(collection.property, field.property)
    if (field.kind === 'sub-item') checkTypes(place, field.foreignKey, field.target.key)
    if (field.kind === 'sub-collection' && field.link.kind === 'foreign-key') {
      checkTypes(place, field.link.foreignKey, field.holder.key)
    }
  }
}

function checkTypes (place: string, foreignKey: readonly StoredField[], keys: readonly StoredField[]): void {
  for (const [index, field] of foreignKey.entries()) {
    const target = keys[index]
    if (target === undefined || !areForeign(field.type, target.type)) continue
    const found = `its foreign key '${field.property}' is ${field.type.expected}`
    const expected = `the key '${target.property}', to which it refers, is ${target.type.expected}`
    throw new DeclarationError(`${place}: ${found}, but ${expected}; declare both with one type`)
  }
}

/** The type in JavaScript of the values of a kind. Kinds that are not listed hold values of several. */
const classes: Readonly<Record<string, 'number' | 'text' | 'boolean' | undefined>> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  string: 'text',
  uuid: 'text',
  date: 'text',
  'date-time': 'text',
  time: 'text'
}

function areForeign (one: ValueType, other: ValueType): boolean {
  const [first, second] = [classes[one.kind], classes[other.kind]]
  return first !== undefined && second !== undefined && first !== second
}

/** Returns the foreign keys of a collection, also those that only the other collection declares. */
export const referencesOf = ({ fields, referring }: Collection): readonly CollectionReference[] =>
  [...[...fields.values()].flatMap(referenceOf), ...referring]

const referenceOf = (field: Field): readonly CollectionReference[] =>
  field.kind === 'sub-item' ? [field] : []

/** Returns true if an item of a collection may refer to another one of it. */
export const refersToItself = (collection: Collection): boolean =>
  referencesOf(collection).some(({ target }) => target === collection)

/** Returns the fields of which it depends to which item a foreign key refers. */
export const referringFields = ({ foreignKey, constants }: CollectionReference): readonly StoredField[] =>
  [...foreignKey, ...constants.map(({ field }) => field)]

/** Returns the key of the item to which an item with these values refers; undefined if it refers to none. */
export const referredKey = (
  reference: CollectionReference, valueOf: (field: StoredField) => unknown
): KeyValues | undefined =>
  hasConstants(reference, valueOf) ? toKeyValues(reference.foreignKey.map(valueOf)) : undefined

/** Returns true if an item with these values has the constants with which a foreign key refers to its target. */
export const hasConstants = (
  { constants }: Pick<CollectionReference, 'constants'>, valueOf: (field: StoredField) => unknown
): boolean => constants.every(({ field, value }) => valueOf(field) === value)

/** Returns the names by which clients know a stored field: its own, or those of the sub-items that it refers to. */
export function wireNames (field: StoredField, { fields }: Collection): readonly string[] {
  const exposed = [...fields.values()].filter(one => one.readable || one.writable)
  if (exposed.includes(field)) return [field.name]
  return exposed.filter(one => one.kind === 'sub-item' && one.foreignKey.includes(field)).map(one => one.name)
}
