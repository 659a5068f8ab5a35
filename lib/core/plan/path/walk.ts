import { after } from '../../scheduling/after.ts'
import type { Context } from '../../declare/collection.ts'
import { collectionNotFound, fieldNotFound, identifierNotFound } from '../../errors/errors.ts'
import { suggest } from '../../errors/suggest.ts'
import { memoize } from '../../scheduling/memoize.ts'
import type { KeyValues } from '../../model/identifiers.ts'
import type { Collection, DataField, InputField, Model, ScalarField } from '../../model/model.ts'
import { type Alternative, findIdentifier, type Identified, identify, identifyBy } from './identify.ts'
import { pathValuesOf } from '../write/path-values.ts'
import type { Origin, PathValue, Predicate, Step } from '../plan.ts'
import { always, both, equals, equalsKey, never } from '../predicates.ts'
import { findExposed, findReadable, readableNames } from '../field-path.ts'

/** A step and the path segment that it was made of, for messages and links. */
export interface Walked {
  readonly step: Step
  readonly segment: string
  /** The number of path segments up to this step, its own included. */
  readonly length: number
  /** The identifiers that the segment may match. Empty if there is only one. */
  readonly alternatives: readonly Alternative[]
  /** See Identified. */
  readonly advice?: string | undefined
}

interface Base { readonly walked: readonly Walked[] }

/** The resource that a path leads to (docs/http.md: URLs). */
export type Resource =
  /** `batch`: true if it takes batches. */
  | { readonly kind: 'directory', readonly batch: boolean }
  | Base & {
    readonly kind: 'collection'
    readonly from: Origin
    /** The predicate of the groups in the path, such as `by_outcome/ongoing`; `always` without groups. */
    readonly where: Predicate
    /** The values of these groups, which a new item gets; undefined if a new item cannot get one of them. */
    readonly pathValues: readonly PathValue[] | undefined
  }
  | Base & {
    readonly kind: 'dictionary'
    readonly from: Origin
    readonly where: Predicate
    /** The field, or the fields of the key. */
    readonly by: readonly DataField[]
  }
  | Base & {
    readonly kind: 'item'
    readonly collection: Collection
    /** True if a special identifier names the item. */
    readonly special: boolean
    /** True for a sub-item, which may be null. */
    readonly nullable: boolean
    /** The values that an item created at this path gets from it; undefined if none can be created here. */
    readonly pathValues: readonly PathValue[] | undefined
  }
  | Base & { readonly kind: 'scalar', readonly collection: Collection, readonly field: ScalarField | InputField }

type ResourceKind = Resource['kind']

export type ResourceOf<K extends ResourceKind> = Extract<Resource, { readonly kind: K }>

/** The part of a collection that a path leads to. */
export type CollectionPart = Pick<ResourceOf<'collection'>, 'from' | 'where' | 'walked'>

/** Returns the collection of the items that a resource is about; undefined for the directory. */
export function collectionAt (resource: Resource): Collection | undefined {
  if (resource.kind === 'directory') return undefined
  return 'from' in resource ? resource.from.collection : resource.collection
}

type CollectionResource = ResourceOf<'collection'>
type ItemResource = ResourceOf<'item'>

interface Path {
  readonly segments: readonly string[]
  /** The parts of each segment between its commas, such as the values of a key. */
  readonly parts: ReadonlyArray<readonly string[]>
  /** The prefix of the segments that name a dictionary, such as `by_`. */
  readonly dictionaryPrefix: string
  /** True if the last segment may name a field that is writable but not readable. */
  readonly writing: boolean
  /** True if the root takes batches. Default false. */
  readonly batch?: boolean
}

/**
 * Follows the segments of a path through the model, without reading data. Returns a promise only if a lookup or a
 * special identifier of the application must be asked. Throws collection_not_found, field_not_found or
 * identifier_not_found.
 */
export function walk (path: Path, model: Model, context: Context): Resource | Promise<Resource> {
  const [name] = path.segments
  if (name === undefined) return { kind: 'directory', batch: path.batch === true }
  if (path.segments.includes('')) throw identifierNotFound('')
  const collection = model.collections.get(name)
  if (collection === undefined) throw collectionNotFound(name, suggest(name, model.collections.keys()))
  const from = { collection, via: undefined }
  return follow({ kind: 'collection', from, where: always, pathValues: [], walked: [] }, 1, path, context)
}

/**
 * Follows the segments of a path in a batch, the first of which names an item of an earlier operation. Its key is not
 * known yet: see `startingAt`.
 */
export function walkFrom (collection: Collection, path: Path, context: Context): Resource | Promise<Resource> {
  const [segment = ''] = path.segments
  if (path.segments.includes('')) throw identifierNotFound('')
  const step = { collection, via: undefined, where: never }
  const walked = [{ step, segment, length: 1, alternatives: [] }]
  const item = { kind: 'item', collection, special: false, nullable: false, pathValues: undefined, walked } as const
  return follow(item, 1, path, context)
}

/** Returns the resource of such a path, once the key of its first item is known. */
export function startingAt<R extends Resource> (key: KeyValues, resource: R): R {
  if (resource.kind === 'directory') return resource
  const walked = resource.walked.map((one, index) => {
    const { step } = one
    return index === 0 ? { ...one, step: { ...step, where: equalsKey(step.collection.key, key) } } : one
  })
  return { ...resource, walked }
}

function follow (from: Resource, start: number, path: Path, context: Context): Resource | Promise<Resource> {
  let resource = from
  let index = start
  while (index < path.segments.length) {
    const advanced = advance(resource, path, index, context)
    if (advanced instanceof Promise) return advanced.then(({ to, used }) => follow(to, index + used, path, context))
    resource = advanced.to
    index += advanced.used
  }
  return resource
}

/** The next resource on the path, and the number of segments that lead to it. */
interface Advanced { readonly to: Resource, readonly used: 1 | 2 }

function advance (resource: Resource, path: Path, index: number, context: Context): Advanced | Promise<Advanced> {
  const segment = path.segments[index] ?? ''
  if (resource.kind === 'collection') {
    return enterDictionary(resource, path, index, context) ?? enterItem(resource, path, index, context)
  }
  if (resource.kind === 'item') return { to: enterField(resource, path, index), used: 1 }
  throw fieldNotFound(segment, undefined)
}

/**
 * Enters `by_<field>`, or `by_<field>/<value>` if a value follows. Returns undefined if the segment names no such
 * dictionary, and so is an identifier.
 */
function enterDictionary (
  resource: CollectionResource, { segments, parts, dictionaryPrefix }: Path, index: number, context: Context
): Advanced | Promise<Advanced> | undefined {
  const segment = segments[index] ?? ''
  if (!segment.startsWith(dictionaryPrefix)) return undefined
  const name = segment.slice(dictionaryPrefix.length)
  const { collection } = resource.from
  const value = segments[index + 1]
  const identifier = findIdentifier(collection, name)
  if (identifier !== undefined && value !== undefined) {
    const identified = identifyBy(identifier, { text: value, parts: parts[index + 1] ?? [] }, collection, context)
    return after(identified, one => ({ to: itemOf(resource, one, value, index + 1), used: 2 }))
  }
  if (identifier?.kind === 'key') return { to: dictionaryOf(resource, identifier.fields), used: 1 }
  const field = findReadable(collection, name)
  if (field === undefined || field.kind === 'sub-item' || field.kind === 'sub-collection') return undefined
  if (field.kind === 'computed' || !field.filterable || field.type.kind === 'json') {
    throw fieldNotFound(segment, undefined)
  }
  if (value === undefined) return { to: dictionaryOf(resource, aloneOf(field)), used: 1 }
  return { to: groupOf(resource, field, value), used: 2 }
}

const dictionaryOf = ({ from, where, walked }: CollectionResource, by: readonly DataField[]): Resource =>
  ({ kind: 'dictionary', from, where, by, walked })

/** Plans are cached for each list of fields. */
const aloneOf = memoize((field: DataField): readonly DataField[] => [field])

/** The items of a collection that have this value. A new item among them gets the value if the field is writable. */
function groupOf (resource: CollectionResource, field: DataField, value: string): CollectionResource {
  const scalar = field.type.parse(value)
  const member = scalar === undefined ? never : equals(field, scalar)
  const isGiven = field.kind === 'stored' && field.writable && scalar !== undefined
  const own = isGiven ? pathValuesOf([field], [scalar]) : undefined
  return { ...resource, where: both(resource.where, member), pathValues: joinPathValues(resource.pathValues, own) }
}

/**
 * Joins the values that two parts of a path give to a new item. Returns undefined if they contradict each other, as in
 * `by_outcome/ongoing/by_outcome/over`: an item created there would not be found there.
 */
export function joinPathValues (
  pathValues: readonly PathValue[] | undefined, own: readonly PathValue[] | undefined
): readonly PathValue[] | undefined {
  if (pathValues === undefined || own === undefined) return undefined
  if (pathValues.length === 0) return own
  const isGiven = ({ field }: PathValue) => pathValues.some(one => one.field === field)
  const isContradicted = (one: PathValue) =>
    pathValues.some(({ field, value }) => field === one.field && value !== one.value)
  return own.some(isContradicted) ? undefined : [...pathValues, ...own.filter(one => !isGiven(one))]
}

function enterItem (
  resource: CollectionResource, { segments, parts }: Path, index: number, context: Context
): Advanced | Promise<Advanced> {
  const segment = segments[index] ?? ''
  const identified = identify({ text: segment, parts: parts[index] ?? [] }, resource.from.collection, context)
  return after(identified, one => ({ to: itemOf(resource, one, segment, index), used: 1 }))
}

export function itemOf (
  { from, where, pathValues, walked }: CollectionResource, identified: Identified, segment: string, index: number
): ItemResource {
  const { collection, via } = from
  const { special, pathValues: own, advice } = identified
  const step = { collection, via, where: both(where, identified.where) }
  const alternatives = where === always
    ? identified.alternatives
    : identified.alternatives.map(one => ({ identifier: one.identifier, where: both(where, one.where) }))
  const last = { step, segment, length: index + 1, alternatives, advice }
  return {
    kind: 'item',
    collection,
    special,
    nullable: false,
    pathValues: joinPathValues(pathValues, own),
    walked: walked.length === 0 ? [last] : [...walked, last]
  }
}

function enterField ({ collection, walked }: ItemResource, { segments, writing }: Path, index: number): Resource {
  const segment = segments[index] ?? ''
  const isLast = index === segments.length - 1
  const field = findReadable(collection, segment) ?? (writing && isLast ? findWritable(collection, segment) : undefined)
  if (field === undefined) throw fieldNotFound(segment, suggest(segment, readableNames(collection)))
  switch (field.kind) {
    case 'sub-collection':
      return {
        kind: 'collection',
        from: { collection: field.target, via: field },
        where: always,
        pathValues: [],
        walked
      }
    case 'sub-item': {
      const step = { collection: field.target, via: field, where: always }
      const next = { step, segment, length: index + 1, alternatives: [] }
      return {
        kind: 'item',
        collection: field.target,
        special: false,
        nullable: true,
        pathValues: undefined,
        walked: [...walked, next]
      }
    }
    default:
      return { kind: 'scalar', collection, field, walked }
  }
}

/** Finds a scalar that is writable but not readable. A write through such a relation would reveal what it leads to. */
function findWritable (collection: Collection, name: string): ScalarField | InputField | undefined {
  const field = findExposed(collection, name)
  return field?.kind === 'sub-item' || field?.kind === 'sub-collection' ? undefined : field
}
