import type { RequestStrategies } from '../../schemas/request-strategies.ts'
import type { Declared } from '../collection.ts'
import { DeclarationError } from '../errors.ts'
import type { PageLimits as Limits } from './model.ts'
import { compileKey, compileScalars, type Scalars } from './fields.ts'
import { compileIdentifiers, compileSpecials } from './identifiers.ts'
import { checkListed } from './listed.ts'
import type { Collection, Field, Model, StoredField, SubCollectionField, SubItemField } from './model.ts'
import { type Naming, toName } from './names.ts'
import { compileRelations } from './relations.ts'
import { compileSetters } from './setters.ts'
import { compileStrategies } from './strategies.ts'
import { compileValidate } from './validators.ts'
import { compileVersion } from './version.ts'

export interface CompileOptions {
  readonly naming: Naming
  readonly pages: Limits
  /** Of the whole API. Default: each strategy's own. */
  readonly requestStrategies?: RequestStrategies
  /** Names on the wire that a field may not have, each with the reason. */
  readonly reserved: ReadonlyMap<string, string>
  /**
   * The model of the declarations as they were written, where these lack flags that a caller is denied: what else would be a mistake is none, and its
   * validators do, since a body's members that may not be written never reach them.
   */
  readonly whole?: Model
}

/** A collection on its way: what relations of others may already refer to, and the maps that are still to be filled. */
export interface CollectionDraft {
  readonly declared: Declared
  readonly scalars: Scalars
  readonly collection: Collection
  readonly fields: Map<string, Field>
  readonly properties: Map<string, Field>
  readonly referrers: SubItemField[]
  readonly referring: Array<Collection['referring'][number]>
  readonly links: SubCollectionField[]
}

export type Drafts = ReadonlyMap<string, CollectionDraft>

/** Compiles the declarations. Throws a DeclarationError that names the collection and the field at fault. */
export function compileModel (declared: Readonly<Record<string, Declared>>, options: CompileOptions): Model {
  const drafts: Drafts = new Map(Object.entries(declared).map(([property, one]) => [property, draft(property, one, options)]))
  for (const one of drafts.values()) fill(one, drafts, options)
  const collections = new Map<string, Collection>()
  for (const { collection } of drafts.values()) {
    const other = collections.get(collection.name)
    if (other) throw new DeclarationError(`collections '${other.property}' and '${collection.property}' have the same name '${collection.name}' in URLs`)
    collections.set(collection.name, collection)
  }
  for (const collection of collections.values()) checkListed(collection)
  return Object.freeze({ collections })
}

function draft (property: string, declared: Declared, options: CompileOptions): CollectionDraft {
  const name = toName(options.naming, property)
  if (name === '' || name === '.' || name === '..') throw new DeclarationError(`collection '${property}': its name in a URL would be '${name}', which cannot be used in a URL`)
  const scalars = compileScalars(property, declared, options)
  const fields = new Map<string, Field>()
  const properties = new Map<string, Field>()
  const referrers: SubItemField[] = []
  const referring: CollectionDraft['referring'] = []
  const links: SubCollectionField[] = []
  const stored = [...scalars.values()].filter((field): field is StoredField => field.kind === 'stored')
  const collection = Object.freeze({
    name,
    property,
    fields,
    properties,
    key: compileKey(property, scalars),
    identifiers: compileIdentifiers(property, declared, scalars, options),
    specials: compileSpecials(property, declared),
    source: declared.source,
    pages: pageLimits(property, declared, options.pages),
    stored,
    ...compileVersion(property, stored, options.whole !== undefined),
    referrers,
    referring,
    links,
    strategies: compileStrategies(property, declared.requestStrategies, options.requestStrategies ?? {}, takesWrites(declared)),
    validate: options.whole?.collections.get(name)?.validate ?? compileValidate(property, stored),
    setters: compileSetters(property, declared, scalars, options.whole !== undefined),
    hooks: declared.hooks
  })
  return { declared, scalars, collection, fields, properties, referrers, referring, links }
}

const takesWrites = ({ schema }: Declared) => Object.values(schema.properties).some(property => property.writable === true)

function pageLimits (collection: string, { pages }: Declared, fallback: Limits): Limits {
  const maxSize = pages.maxSize ?? fallback.maxSize
  const defaultSize = pages.defaultSize ?? Math.min(fallback.defaultSize, maxSize)
  for (const [name, size] of Object.entries({ defaultSize, maxSize })) {
    if (!(size >= 1 && (Number.isSafeInteger(size) || size === Infinity))) throw new DeclarationError(`collection '${collection}': pages.${name} must be an integer of at least 1, or Infinity`)
  }
  if (defaultSize > maxSize) throw new DeclarationError(`collection '${collection}': pages.defaultSize must not be greater than pages.maxSize`)
  return { defaultSize, maxSize }
}

/** Puts the fields in their declared order, now that every collection that a relation may lead to is known. */
function fill (draft: CollectionDraft, drafts: Drafts, options: CompileOptions): void {
  const relations = compileRelations(draft, drafts, options)
  const names = [...Object.keys(draft.declared.schema.properties), ...Object.keys(draft.declared.computed)]
  for (const property of names) {
    const field = relations.get(property) ?? draft.scalars.get(property)
    if (field === undefined) continue
    const other = draft.fields.get(field.name)
    if (other) throw new DeclarationError(`collection '${draft.collection.property}': fields '${other.property}' and '${property}' have the same name '${field.name}' on the wire`)
    draft.fields.set(field.name, field)
    draft.properties.set(property, field)
    addReferrer(field, drafts)
  }
}

/** Tells the collections on both sides of a relation of it. */
function addReferrer (field: Field, drafts: Drafts): void {
  if (field.kind === 'sub-item') drafts.get(field.target.property)?.referrers.push(field)
  if (field.kind !== 'sub-collection') return
  if (field.link.kind === 'foreign-key') drafts.get(field.target.property)?.referring.push({ foreignKey: field.link.foreignKey, target: field.holder })
  if (field.link.kind !== 'join') return
  for (const side of new Set([field.holder, field.target])) drafts.get(side.property)?.links.push(field)
}
