import type { Collection, DataField, ScalarField } from '../model/model.ts'
import { memoize } from '../memoize.ts'
import type { Query } from '../request/request.ts'
import { planFilters } from './filter.ts'
import { afterPage, type Page, type PageStyle, planPage } from './page.ts'
import type { Order, ReadPlanOf, Selection, Projection } from './plan.ts'
import { both, always } from './predicates.ts'
import { planSelection } from './select.ts'
import { checkSize } from './answer-limit.ts'
import { planSort, reverse } from './sort.ts'
import { variantOf } from './tag.ts'
import { refuse } from './unusable.ts'
import type { Resource, Walked } from './walk.ts'

/** How the pages of a listing hang together: what links need to know. */
export interface Paging {
  readonly page: Page
  /** The style of the links. */
  readonly style: PageStyle
  /** Of the client, also where `before` reads the other way round. */
  readonly order: Order
  /** Whether the rows come in the opposite order. */
  readonly reversed: boolean
}

interface Base { readonly walked: readonly Walked[] }

/** A read that is ready to run, and what its answer is made of. */
export type Read =
  | { readonly kind: 'directory' }
  /** The plan may read more than what is shown. */
  | Base & { readonly kind: 'item', readonly plan: ReadPlanOf<'item'>, readonly shows: Projection, readonly collection: Collection, readonly special: boolean, readonly nullable: boolean }
  | Base & { readonly kind: 'scalar', readonly plan: ReadPlanOf<'item'>, readonly shows: Projection, readonly collection: Collection }
  | Base & { readonly kind: 'list', readonly plan: ReadPlanOf<'list'>, readonly paging: Paging }
  /** Each member an item, by the value of an identifier. */
  | Base & { readonly kind: 'dictionary', readonly plan: ReadPlanOf<'list'>, readonly paging: Paging, readonly by: DataField }
  /** Each member the array of the items that share a value. */
  | Base & { readonly kind: 'groups', readonly plan: ReadPlanOf<'groups'>, readonly paging: Paging, readonly by: DataField }

/** A read of data; the directory needs none. */
export type DataRead = Exclude<Read, { kind: 'directory' }>

/** How queries are read, the same for many requests: what a query means is worked out once for each of these objects. */
export interface ReadOptions {
  readonly linkStyle: 'auto' | PageStyle
  /** Whether a collection is wanted whole where the client names no page, as a stream is. */
  readonly whole: boolean
  /** How many items an answer may hold. */
  readonly mostItems: number
}

/** What a GET of the resource means with this query; `count`: whether the client asked for an exact count. Throws invalid_filter, invalid_sort, invalid_fields or invalid_page. */
export function planRead (resource: Resource, query: Query, count: boolean, options: ReadOptions): Read {
  switch (resource.kind) {
    case 'directory':
      refuse(query, ['filter', 'sort', 'fields', 'page'], 'the directory')
      return { kind: 'directory' }
    case 'item': return planItem(resource, query, options)
    case 'scalar': return planScalar(resource, query)
    case 'collection': return planList(resource, query, count, options)
    case 'dictionary': return isIdentifier(resource.by) ? planDictionary(resource, query, count, options) : planGroups(resource, query, count, options)
  }
}

type On<K extends Resource['kind']> = Extract<Resource, { kind: K }>

const isIdentifier = (field: DataField) => field.kind === 'stored' && field.identifier

export const stepsOf = (walked: readonly Walked[]) => walked.map(one => one.step)

function planItem ({ collection, walked, special, nullable }: On<'item'>, query: Query, options: ReadOptions): Read {
  refuse(query, ['filter', 'sort', 'page'], 'a single item')
  const shows = planShows(query, collection, options)
  // An item found by a special identifier is told by its own URL, for which its key is needed.
  const select = special ? withFields(shows.select, [collection.key]) : shows.select
  return { kind: 'item', plan: { kind: 'item', steps: stepsOf(walked), select }, shows, collection, special, nullable, walked }
}

/** What is shown of an item. Throws invalid_fields. */
export const planShows = (query: Query, collection: Collection, options: ReadOptions): Projection =>
  query.fields === undefined ? fullShows(collection) : askedShows(options)(query)(collection)

const askedShows = memoize(({ mostItems }: ReadOptions) => memoize((query: Query) => memoize((collection: Collection): Projection => {
  const show = planSelection(query.fields, collection, 'full')
  checkSize(show, 1, mostItems, query.at.fields)
  return showsOf(show, undefined, collection)
})))

const fullShows = memoize((collection: Collection): Projection => {
  const show = planSelection(undefined, collection, 'full')
  return showsOf(show, variantOf(show, show.map(one => one.name), collection), collection)
})

/** The same for one field of it. */
export const planShowsField = (field: ScalarField, collection: Collection): Projection => fieldShows(collection)(field)

const fieldShows = memoize((collection: Collection) => memoize((field: ScalarField): Projection => {
  const show: Selection = [{ kind: 'value', name: field.name, field }]
  return showsOf(show, variantOf(show, field.name, collection), collection)
}))

function showsOf (show: Selection, variant: string | undefined, { versionFields }: Collection): Projection {
  const select = Object.freeze(withFields(show, versionFields))
  return { show, select, variant, versionAt: versionFields.map(field => select.findIndex(shown => shown.field === field)) }
}

function withFields (select: Selection, fields: readonly DataField[]): Selection {
  const missing = fields.filter(field => !select.some(shown => shown.field === field))
  return [...select, ...missing.map(field => ({ kind: 'value', name: field.name, field } as const))]
}

function planScalar ({ field, collection, walked }: On<'scalar'>, query: Query): Read {
  refuse(query, ['filter', 'sort', 'fields', 'page'], 'a single value')
  const shows = planShowsField(field, collection)
  return { kind: 'scalar', plan: { kind: 'item', steps: stepsOf(walked), select: shows.select }, shows, collection, walked }
}

type ListRead = Extract<Read, { kind: 'list' }>

function planList ({ from, where, walked }: On<'collection'>, query: Query, count: boolean, options: ReadOptions): ListRead {
  const whole = wholeListing(options)(query)(from.collection)
  return where === always && walked.length === 0 && !count ? whole : placed(whole, { from, where, walked }, count)
}

/** The listing of a whole collection: the same for all requests with this query, as its frozen plan tells. */
const wholeListing = memoize((options: ReadOptions) => memoize((query: Query) => memoize((collection: Collection): ListRead => planWhole(query, collection, options))))

function planWhole (query: Query, collection: Collection, options: ReadOptions): ListRead {
  const paging = planPaging(query, planSort(query.sort ?? [], collection), collection, options)
  const { page } = paging
  const listing = {
    where: planFilters(query.filters, collection),
    order: paging.reversed ? reverse(paging.order) : paging.order,
    range: { offset: page.offset, limit: page.size },
    select: planSelection(query.fields, collection, 'listed')
  }
  // A stream is never held whole, so only what one of its items embeds counts.
  checkSize(listing.select, options.whole || page.size === Infinity ? 1 : page.size, options.mostItems, query.at.fields)
  const carry = paging.style === 'keyset' ? paging.order.map(term => term.field) : []
  const plan: ReadPlanOf<'list'> = { kind: 'list', steps: [], from: { collection, via: undefined }, listing, beyond: afterPage(page, paging.order), carry, count: false }
  return { kind: 'list', plan: Object.freeze(plan), paging, walked: [] }
}

/** The same listing of what a path leads to. */
function placed ({ plan, ...read }: ListRead, { from, where, walked }: Pick<On<'collection'>, 'from' | 'where' | 'walked'>, count: boolean): ListRead {
  return { ...read, plan: { ...plan, steps: stepsOf(walked), from, listing: { ...plan.listing, where: both(where, plan.listing.where) }, count }, walked }
}

/** A listing whose members are named by an identifier, in its order unless the client asks for another. */
function planDictionary ({ by, ...resource }: On<'dictionary'>, query: Query, count: boolean, options: ReadOptions): Read {
  const sort = query.sort ?? [{ name: by.name, descending: false, at: { parameter: 'sort', position: 1 } }]
  const where = both(resource.where, hasValue(by))
  const { plan, ...rest } = placed(planWhole({ ...query, sort }, resource.from.collection, options), { ...resource, where }, count)
  return { ...rest, kind: 'dictionary', by, plan: { ...plan, carry: [...new Set([...plan.carry, by])] } }
}

const hasValue = (field: DataField) => field.nullable ? { kind: 'compare', field, operator: 'not_equals', value: null } as const : always

/** Groups stand in the order of their value; a sort orders the items of each, and turns the groups round where it begins with their field. */
function planGroups ({ by, from, where, walked }: On<'dictionary'>, query: Query, count: boolean, options: ReadOptions): Read {
  const { collection } = from
  const members = planSort(query.sort ?? [], collection)
  const descending = members[0]?.field === by && members[0].descending
  const paging = planPaging(query, [{ field: by, descending }], collection, options)
  const { page } = paging
  const select = planSelection(query.fields, collection, 'listed')
  const range = { offset: 0, limit: collection.pages.defaultSize }
  checkSize(select, [page.size, range.limit].filter(Number.isFinite).reduce((product, size) => product * size, 1), options.mostItems, query.at.fields)
  const plan: ReadPlanOf<'groups'> = {
    kind: 'groups',
    steps: stepsOf(walked),
    from,
    by,
    beyond: afterPage(page, paging.order),
    descending: paging.reversed ? !descending : descending,
    range: { offset: page.offset, limit: page.size },
    members: {
      where: both(where, planFilters(query.filters, collection)),
      order: members,
      range,
      select
    },
    count
  }
  return { kind: 'groups', plan, paging, by, walked }
}

function planPaging (query: Query, order: Order, collection: Collection, { linkStyle, whole }: ReadOptions): Paging {
  const page = planPage(query.page, whole ? { defaultSize: Infinity, maxSize: Infinity } : collection.pages)
  return { page, style: styleOf(page, order, linkStyle), order, reversed: page.cursor?.direction === 'before' }
}

function styleOf (page: Page, order: Order, linkStyle: ReadOptions['linkStyle']): PageStyle {
  // A position has no number, so where the client pages by positions its links do.
  const style = page.style === 'keyset' || linkStyle === 'auto' ? page.style ?? 'keyset' : linkStyle
  // A position would tell the value of a key that must not be read.
  return style === 'keyset' && !order.every(term => term.field.readable) ? 'offset' : style
}
