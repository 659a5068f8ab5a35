import { after } from '../after.ts'
import type { Context } from '../collection.ts'
import { collectionNotFound, fieldNotFound, identifierNotFound } from '../errors.ts'
import type { Collection, DataField, Model, ScalarField } from '../model/model.ts'
import { type Alternative, findIdentifier, identify, identifyBy, type Identified } from './identify.ts'
import type { Preset, Origin, Predicate, Step } from './plan.ts'
import { both, equals, always, never } from './predicates.ts'
import { suggest } from './suggest.ts'
import { findExposed, findReadable, readableNames } from './visible.ts'

/** A step with the segment that it came from, for what a client is told of it. */
export interface Walked {
  readonly step: Step
  readonly segment: string
  /** How many segments of the path lead up to and including this step. */
  readonly length: number
  readonly alternatives: readonly Alternative[]
}

interface Base { readonly walked: readonly Walked[] }

/** Where a path leads (docs/http.md: URLs). */
export type Resource =
  | { readonly kind: 'directory' }
  /**
   * `where`: what the groups passed on the way leave of it. `given`: their values, which a new item
   * gets; undefined where none can have them.
   */
  | Base & { readonly kind: 'collection', readonly from: Origin, readonly where: Predicate, readonly given: readonly Preset[] | undefined }
  | Base & { readonly kind: 'dictionary', readonly from: Origin, readonly where: Predicate, readonly by: DataField }
  /**
   * `special`: named by a special identifier, not by its own. `nullable`: a sub-item, which may be null. `given`: what an item created here gets
   * from the path; undefined where none can be.
   */
  | Base & { readonly kind: 'item', readonly collection: Collection, readonly special: boolean, readonly nullable: boolean, readonly given: readonly Preset[] | undefined }
  | Base & { readonly kind: 'scalar', readonly collection: Collection, readonly field: ScalarField }

export type ResourceKind = Resource['kind']

type CollectionResource = Extract<Resource, { kind: 'collection' }>
type ItemResource = Extract<Resource, { kind: 'item' }>

/** A path on its way: the segments, and the prefix of those that are dictionaries. */
interface WalkedPath {
  readonly segments: readonly string[]
  readonly dictionaryPrefix: string
  /** Whether the last segment may name a field that can be written but not read. */
  readonly writing: boolean
}

/** Follows the segments through the model, without looking at data. Throws collection_not_found, field_not_found or identifier_not_found. */
export function walk (path: WalkedPath, model: Model, context: Context): Resource | Promise<Resource> {
  const [name] = path.segments
  if (name === undefined) return { kind: 'directory' }
  if (path.segments.includes('')) throw identifierNotFound('')
  const collection = model.collections.get(name)
  if (collection === undefined) throw collectionNotFound(name, suggest(name, model.collections.keys()))
  return follow({ kind: 'collection', from: { collection, via: undefined }, where: always, given: [], walked: [] }, 1, path, context)
}

/** Waits only where a lookup or special identifier of the application does. */
function follow (from: Resource, start: number, path: WalkedPath, context: Context): Resource | Promise<Resource> {
  let resource = from
  let at = start
  while (at < path.segments.length) {
    const advanced = advance(resource, path, at, context)
    if (advanced instanceof Promise) return advanced.then(({ to, used }) => follow(to, at + used, path, context))
    resource = advanced.to
    at += advanced.used
  }
  return resource
}

interface Advanced { readonly to: Resource, readonly used: 1 | 2 }

function advance (resource: Resource, path: WalkedPath, at: number, context: Context): Advanced | Promise<Advanced> {
  const segment = path.segments[at] ?? ''
  if (resource.kind === 'collection') return intoDictionary(resource, path, at, context) ?? intoItem(resource, segment, at, context)
  if (resource.kind === 'item') return { to: intoField(resource, path, at), used: 1 }
  throw fieldNotFound(segment, undefined)
}

/** `by_<field>`, with the value that may follow it. Nothing where the segment is an ordinary identifier. */
function intoDictionary (resource: CollectionResource, { segments, dictionaryPrefix }: WalkedPath, at: number, context: Context): Advanced | Promise<Advanced> | undefined {
  const segment = segments[at] ?? ''
  if (!segment.startsWith(dictionaryPrefix)) return undefined
  const name = segment.slice(dictionaryPrefix.length)
  const { collection } = resource.from
  const value = segments[at + 1]
  const identifier = findIdentifier(collection, name)
  if (identifier !== undefined && value !== undefined) return onto(resource, identifyBy(identifier, value, collection, context), value, at + 1, 2)
  const field = findReadable(collection, name)
  if (field === undefined || field.kind === 'sub-item' || field.kind === 'sub-collection') return undefined
  if (field.kind === 'computed' || !field.filterable || field.type.kind === 'json') throw fieldNotFound(segment, undefined)
  if (value === undefined) return { to: { ...resource, kind: 'dictionary', by: field }, used: 1 }
  const scalar = field.type.parse(value)
  const member = scalar === undefined ? never : equals(field, scalar)
  const given = field.kind === 'stored' && field.writable && scalar !== undefined ? resource.given && [...resource.given, { field, value: scalar }] : undefined
  return { to: { ...resource, where: both(resource.where, member), given }, used: 2 }
}

const intoItem = (resource: CollectionResource, segment: string, at: number, context: Context) =>
  onto(resource, identify(segment, resource.from.collection, context), segment, at, 1)

function onto (resource: CollectionResource, identified: Identified | Promise<Identified>, segment: string, at: number, used: Advanced['used']): Advanced | Promise<Advanced> {
  return after(identified, one => ({ to: stepOnto(resource, one, segment, at), used }))
}

function stepOnto ({ from, where, given, walked }: CollectionResource, identified: Identified, segment: string, at: number): ItemResource {
  const { collection, via } = from
  const step = { collection, via, where: both(where, identified.where) }
  const alternatives = identified.alternatives.map(one => ({ ...one, where: both(where, one.where) }))
  return { kind: 'item', collection, special: identified.special, nullable: false, given: given && identified.given && [...given, identified.given], walked: [...walked, { step, segment, length: at + 1, alternatives }] }
}

/** A value that may be written but not read. What such a relation leads to would be told by writing it. */
function findWritten (collection: Collection, name: string): ScalarField | undefined {
  const field = findExposed(collection, name)
  return field?.kind === 'sub-item' || field?.kind === 'sub-collection' ? undefined : field
}

function intoField ({ collection, walked }: ItemResource, { segments, writing }: WalkedPath, at: number): Resource {
  const segment = segments[at] ?? ''
  const field = findReadable(collection, segment) ?? (writing && at === segments.length - 1 ? findWritten(collection, segment) : undefined)
  if (field === undefined) throw fieldNotFound(segment, suggest(segment, readableNames(collection)))
  switch (field.kind) {
    case 'sub-collection':
      return { kind: 'collection', from: { collection: field.target, via: field }, where: always, given: [], walked }
    case 'sub-item': {
      const step = { collection: field.target, via: field, where: always }
      return { kind: 'item', collection: field.target, special: false, nullable: true, given: undefined, walked: [...walked, { step, segment, length: at + 1, alternatives: [] }] }
    }
    default:
      return { kind: 'scalar', collection, field, walked }
  }
}
