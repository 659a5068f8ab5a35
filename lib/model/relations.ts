import { isSubCollection, isSubItem, type TSubCollection, type TSubItem } from '../collection.ts'
import { DeclarationError } from '../errors.ts'
import type { CompileOptions, CollectionDraft, Drafts } from './compile.ts'
import { compileFlags, placeOf } from './fields.ts'
import type { Link, RelationField, StoredField } from './model.ts'
import { toName } from './names.ts'

/** Compiles sub-items and sub-collections, by property. Throws a DeclarationError for an unknown target or foreign key. */
export function compileRelations (draft: CollectionDraft, drafts: Drafts, options: CompileOptions): ReadonlyMap<string, RelationField> {
  const relations = new Map<string, RelationField>()
  for (const [property, schema] of Object.entries(draft.declared.schema.properties)) {
    const index = draft.scalars.size + relations.size
    if (isSubItem(schema)) relations.set(property, subItem(draft, property, schema, index, drafts, options))
    if (isSubCollection(schema)) relations.set(property, subCollection(draft, property, schema, index, drafts, options))
  }
  return relations
}

function subItem (draft: CollectionDraft, property: string, schema: TSubItem, index: number, drafts: Drafts, options: CompileOptions): RelationField {
  const collection = draft.collection.property
  const target = findTarget(draft, property, schema.target, drafts)
  return Object.freeze({
    ...compileFlags(collection, property, schema, toName(options.naming, property), index, options),
    kind: 'sub-item',
    sortable: false,
    holder: draft.collection,
    target: target.collection,
    foreignKey: findForeignKey(collection, property, schema.link.foreignKey, draft)
  })
}

function subCollection (draft: CollectionDraft, property: string, schema: TSubCollection, index: number, drafts: Drafts, options: CompileOptions): RelationField {
  const collection = draft.collection.property
  const target = findTarget(draft, property, schema.target, drafts)
  return Object.freeze({
    ...compileFlags(collection, property, schema, toName(options.naming, property), index, options),
    kind: 'sub-collection',
    sortable: false,
    holder: draft.collection,
    target: target.collection,
    link: compileLink(collection, property, schema, draft, target)
  })
}

function compileLink (collection: string, property: string, { link }: TSubCollection, draft: CollectionDraft, target: CollectionDraft): Link {
  if (link.through === undefined) return { kind: 'foreign-key', foreignKey: findForeignKey(collection, property, link.foreignKey, target) }
  const { joinNames } = draft.collection.source
  if (joinNames && !joinNames.has(link.through)) throw new DeclarationError(`${placeOf(collection, property)}: its join table '${link.through}' is not among the joins given to its source`)
  return { kind: 'join', through: link.through, foreignKey: link.foreignKey, otherKey: link.otherKey }
}

function findTarget (draft: CollectionDraft, property: string, name: string, drafts: Drafts): CollectionDraft {
  const place = placeOf(draft.collection.property, property)
  const target = drafts.get(name)
  if (target === undefined) throw new DeclarationError(`${place}: its target '${name}' is not a registered collection`)
  if (target.collection.source.database !== draft.collection.source.database) throw new DeclarationError(`${place}: its target '${name}' is in another database; a relation cannot cross databases`)
  return target
}

function findForeignKey (collection: string, property: string, name: string, holder: CollectionDraft): StoredField {
  const field = holder.scalars.get(name)
  if (field?.kind === 'stored') return field
  throw new DeclarationError(`${placeOf(collection, property)}: its foreign key '${name}' is not a stored field of '${holder.collection.property}'`)
}
