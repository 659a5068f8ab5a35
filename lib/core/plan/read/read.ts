import { type Collection, type DataField, isReadable, type ScalarField } from '../../model/model.ts'
import { memoize, memoizeThree } from '../../scheduling/memoize.ts'
import type { Query } from '../../request/request.ts'
import { checkFilterCost, planFilters } from './filter.ts'
import { planAggregate } from './aggregate.ts'
import { makesGroups } from './group-columns.ts'
import { afterPage, batchSizeOf, checkAnswerLimit } from './page.ts'
import { type Paging, type PagingOptions, planPaging } from './link-style.ts'
import { ownFields } from '../order.ts'
import type { GroupColumn, ReadPlanOf, Selection } from '../plan.ts'
import { always, both, isNotNull } from '../predicates.ts'
import { planSelection } from './select.ts'
import { planSort, reverse } from './sort.ts'
import { type Projection, variantOf } from '../tag.ts'
import { refuse } from './unusable.ts'
import type { CollectionPart, Resource, ResourceOf, Walked } from '../path/walk.ts'

interface Base { readonly walked: readonly Walked[] }

/** A read that is ready to run, with all that its answer is made of. */
export type Read =
  | { readonly kind: 'directory' }
  | Base & {
    readonly kind: 'item'
    /** Its selection may hold more than `projection`. */
    readonly plan: ReadPlanOf<'item'>
    readonly projection: Projection
    readonly collection: Collection
    /** True if a special identifier names the item. */
    readonly special: boolean
    /** True for a sub-item, which may be null. */
    readonly nullable: boolean
  }
  | Base & {
    readonly kind: 'scalar'
    readonly plan: ReadPlanOf<'item'>
    readonly projection: Projection
    readonly collection: Collection
  }
  | Base & {
    readonly kind: 'list'
    readonly plan: ReadPlanOf<'list'>
    readonly paging: Paging
    /** The most items in a batch of a stream. */
    readonly batchSize: number
  }
  /** An object with one member for each item, named by its identifier `by`: a field, or the fields of its key. */
  | Base & {
    readonly kind: 'dictionary'
    readonly plan: ReadPlanOf<'list'>
    readonly paging: Paging
    readonly by: readonly DataField[]
  }
  /** An object with one member for each value of `by`: the array of the items that have this value. */
  | Base & {
    readonly kind: 'groups'
    readonly plan: ReadPlanOf<'groups'>
    readonly paging: Paging
    readonly by: DataField
  }
  /** Values of groups: an array of groups or, with `name`, an object with one member for each group. */
  | Base & {
    readonly kind: 'aggregate'
    readonly plan: ReadPlanOf<'aggregate'>
    readonly paging: Paging
    /** The values that the answer shows. */
    readonly show: readonly GroupColumn[]
    readonly name: GroupColumn | undefined
  }

/** A read of data. The directory is answered from the model. */
export type DataRead = Exclude<Read, { kind: 'directory' }>

/** The options of reads. Plans are cached for each of these objects, so each must be made once and then kept. */
export interface ReadOptions extends PagingOptions {
  /** True if a request without page parameters reads the whole collection, as a stream does. */
  readonly whole: boolean
  /** The most items in one answer. */
  readonly mostItems: number
  /** The most that the filters may cost. */
  readonly mostCost: number
  /** The most items in one batch of a stream, nested items included. */
  readonly batchItems: number
  /** The most characters of an answer, or of a batch of a stream. */
  readonly length: number
  /** The most groups that a read may make. */
  readonly mostGroups: number
}

/**
 * Plans a read of the resource with this query. `count`: true if the client asks for an exact count. Throws
 * invalid_filter, invalid_sort, invalid_fields or invalid_page.
 */
export function planRead (resource: Resource, query: Query, count: boolean, options: ReadOptions): Read {
  switch (resource.kind) {
    case 'directory':
      refuse(query, ['filter', 'sort', 'fields', 'page'], 'the directory')
      return { kind: 'directory' }
    case 'item': return planItem(resource, query, options)
    case 'scalar': return planScalar(resource, query, options)
    case 'collection': return makesGroups(query.fields, resource.from.collection)
      ? planAggregate({ ...resource, by: undefined }, query, count, options)
      : planList(resource, query, count, options)
    case 'dictionary': {
      const [by, other] = resource.by
      if (by === undefined || other !== undefined || isIdentifier(by)) {
        return planDictionary(resource, query, count, options)
      }
      return makesGroups(query.fields, resource.from.collection)
        ? planAggregate({ ...resource, by }, query, count, options)
        : planGroups(resource, by, query, count, options)
    }
  }
}

const isIdentifier = (field: DataField) => field.kind === 'stored' && field.identifier

export const stepsOf = (walked: readonly Walked[]) => walked.map(one => one.step)

function planItem (
  { collection, walked, special, nullable }: ResourceOf<'item'>, query: Query, options: ReadOptions
): Read {
  refuse(query, ['filter', 'sort', 'page'], 'a single item')
  const projection = planProjection(query, collection, options)
  // The answer to a special identifier names the item's own URL, which is made of its key.
  const select = special ? withFields(projection.select, collection.key) : projection.select
  const plan = { kind: 'item', steps: stepsOf(walked), select, longest: options.length } as const
  return { kind: 'item', plan, projection, collection, special, nullable, walked }
}

/** Throws invalid_fields. */
export const planProjection = (query: Query, collection: Collection, options: ReadOptions): Projection =>
  query.fields === undefined ? fullProjection(collection) : queriedProjection(options, query, collection)

const fullProjection = memoize((collection: Collection): Projection => {
  const show = planSelection(undefined, collection, 'full')
  return projectionOf(show, variantOf(show, show.map(one => one.name), collection), collection)
})

const queriedProjection = memoizeThree(({ mostItems, mostCost }: ReadOptions, query: Query, collection: Collection) => {
  const show = planSelection(query.fields, collection, 'full')
  checkAnswerLimit(show, 1, mostItems, query.at.fields)
  checkFilterCost({ where: always, order: [], select: show }, mostCost, query.at.fields)
  return projectionOf(show, undefined, collection)
})

export const planFieldProjection = (field: ScalarField, collection: Collection): Projection =>
  fieldProjections(collection)(field)

const fieldProjections = memoize((collection: Collection) => memoize((field: ScalarField): Projection => {
  const show: Selection = [{ kind: 'value', name: field.name, field }]
  return projectionOf(show, variantOf(show, field.name, collection), collection)
}))

function projectionOf (show: Selection, variant: string | undefined, { versionFields }: Collection): Projection {
  const select = Object.freeze(withFields(show, versionFields))
  const versionAt = versionFields.map(field => select.findIndex(shown => shown.field === field))
  return { show, select, variant, versionAt }
}

function withFields (select: Selection, fields: readonly DataField[]): Selection {
  const missing = fields.filter(field => !select.some(shown => shown.field === field))
  return [...select, ...missing.map(field => ({ kind: 'value', name: field.name, field } as const))]
}

function planScalar ({ field, collection, walked }: ResourceOf<'scalar'>, query: Query, { length }: ReadOptions): Read {
  refuse(query, ['filter', 'sort', 'fields', 'page'], 'a single value')
  if (!isReadable(field)) throw new TypeError('the path of a read leads to no field that is not readable')
  const projection = planFieldProjection(field, collection)
  const plan = { kind: 'item', steps: stepsOf(walked), select: projection.select, longest: length } as const
  return { kind: 'scalar', plan, projection, collection, walked }
}

type ListRead = Extract<Read, { kind: 'list' }>

function planList (resource: ResourceOf<'collection'>, query: Query, count: boolean, options: ReadOptions): ListRead {
  const { from, where, walked } = resource
  const whole = cachedWhole(options, query, from.collection)
  return where === always && walked.length === 0 && !count ? whole : placed(whole, resource, count)
}

/** The listing of a whole collection: one frozen plan for all requests with the same query. */
const cachedWhole = memoizeThree((options: ReadOptions, query: Query, collection: Collection) =>
  planWhole(query, collection, options))

function planWhole (query: Query, collection: Collection, options: ReadOptions): ListRead {
  const paging = planPaging(query, planSort(query.sort ?? [], collection), collection, options)
  const { page } = paging
  const listing = {
    where: planFilters(query.filters, collection),
    order: paging.reversed ? reverse(paging.order) : paging.order,
    range: { offset: page.offset, limit: page.size },
    select: planSelection(query.fields, collection, 'listed')
  }
  // A stream never holds the whole listing in memory, so only the items nested in one of its items count.
  const items = options.whole || page.size === Infinity ? 1 : page.size
  const most = options.whole ? Math.ceil(options.mostItems / streamShare) : options.mostItems
  checkAnswerLimit(listing.select, items, most, query.at.fields)
  checkFilterCost(listing, options.mostCost, query.at.filter ?? query.at.fields)
  const plan: ReadPlanOf<'list'> = {
    kind: 'list',
    steps: [],
    from: { collection, via: undefined },
    listing,
    cursorBound: afterPage(page, paging.order, true),
    extra: paging.style === 'keyset' ? ownFields(paging.order) : [],
    count: false,
    longest: options.length
  }
  const batchSize = batchSizeOf(listing.select, options.batchItems)
  return { kind: 'list', plan: Object.freeze(plan), paging, batchSize, walked: [] }
}

// A batch of a stream holds one item at least, as objects, which take several times the memory of an answer's text.
const streamShare = 20

/** Returns the listing of a whole collection restricted to the part that a path leads to. */
function placed (
  { kind, plan, paging, batchSize }: ListRead, { from, where, walked }: CollectionPart, count: boolean
): ListRead {
  const { order, range, select, where: asked } = plan.listing
  const { cursorBound, extra, longest = Infinity } = plan
  const listing = { where: both(where, asked), order, range, select }
  const placedPlan = { kind, steps: stepsOf(walked), from, listing, cursorBound, extra, count, longest }
  return { kind, plan: placedPlan, paging, batchSize, walked }
}

/** Plans a dictionary by an identifier: a listing of the items that have one, in its order unless the client sorts. */
function planDictionary (
  { by, from, where, walked }: ResourceOf<'dictionary'>, query: Query, count: boolean, options: ReadOptions
): Read {
  const { list, present } = cachedDictionary(options, query, from.collection)(by)
  const { plan, paging } = placed(list, { from, where: both(where, present), walked }, count)
  return { kind: 'dictionary', plan, paging, by, walked }
}

/** The listing of a whole collection as a dictionary, and the predicate of the items that have a name in it. */
const cachedDictionary = memoizeThree((options: ReadOptions, query: Query, collection: Collection) => {
  return memoize((by: readonly DataField[]) => {
    const sort = query.sort ??
      by.map(({ name }) => ({ path: [name], descending: false, at: { parameter: 'sort', position: 1 } }))
    const { plan, ...list } = planWhole({ ...query, sort }, collection, options)
    const extra = [...new Set([...plan.extra, ...by])]
    return { list: { ...list, plan: { ...plan, extra } }, present: by.map(hasValue).reduce(both, always) }
  })
})

const hasValue = (field: DataField) => field.nullable ? isNotNull(field) : always

/**
 * Plans groups by a field. Groups are ordered by their value; a sort orders the items within each group. If the first
 * term of the sort is the field of the groups, its direction is also the direction of the groups.
 */
function planGroups (
  resource: ResourceOf<'dictionary'>, by: DataField, query: Query, count: boolean, options: ReadOptions
): Read {
  const { from, where, walked } = resource
  const { collection } = from
  const order = planSort(query.sort ?? [], collection)
  const [first] = order
  const descending = first?.field === by && first.path === undefined && first.descending
  const paging = planPaging(query, [{ field: by, descending }], collection, options)
  const { page } = paging
  const select = planSelection(query.fields, collection, 'listed')
  const range = { offset: 0, limit: collection.pages.defaultSize }
  const items = [page.size, range.limit].filter(Number.isFinite).reduce((product, size) => product * size, 1)
  checkAnswerLimit(select, items, options.mostItems, query.at.fields)
  const memberFilter = planFilters(query.filters, collection)
  const asked = { where: memberFilter, order, select }
  checkFilterCost(asked, options.mostCost, query.at.filter ?? query.at.fields)
  const plan: ReadPlanOf<'groups'> = {
    kind: 'groups',
    steps: stepsOf(walked),
    from,
    by,
    // A group has the value that is shown: it may hold items whose stored values differ.
    cursorBound: afterPage(page, paging.order, false),
    descending: paging.reversed ? !descending : descending,
    range: { offset: page.offset, limit: page.size },
    members: { where: both(where, memberFilter), order, range, select },
    count,
    longest: options.length
  }
  return { kind: 'groups', plan, paging, by, walked }
}
