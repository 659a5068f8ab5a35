import type { Collection, DataField, ScalarField } from '../model/model.ts'
import type { Query } from '../request/request.ts'
import { planFilters } from './filter.ts'
import { beyond, type Page, type PageStyle, planPage } from './page.ts'
import type { Order, ReadPlan, Selection, Shows } from './plan.ts'
import { both, everything } from './predicates.ts'
import { remembered } from './remembered.ts'
import { planSelection } from './select.ts'
import { checkSize } from './size.ts'
import { planSort, reverse } from './sort.ts'
import { variantOf } from './tag.ts'
import { refuse } from './unusable.ts'
import type { Resource, Walked } from './walk.ts'

type PlanOf<K extends ReadPlan['kind']> = Extract<ReadPlan, { kind: K }>

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
  | Base & { readonly kind: 'item', readonly plan: PlanOf<'item'>, readonly shows: Shows, readonly collection: Collection, readonly special: boolean, readonly nullable: boolean }
  | Base & { readonly kind: 'scalar', readonly plan: PlanOf<'item'>, readonly shows: Shows, readonly collection: Collection }
  | Base & { readonly kind: 'list', readonly plan: PlanOf<'list'>, readonly paging: Paging }
  /** Each member an item, by the value of an identifier. */
  | Base & { readonly kind: 'dictionary', readonly plan: PlanOf<'list'>, readonly paging: Paging, readonly by: DataField }
  /** Each member the array of the items that share a value. */
  | Base & { readonly kind: 'groups', readonly plan: PlanOf<'groups'>, readonly paging: Paging, readonly by: DataField }

export interface ReadOptions {
  readonly linkStyle: 'auto' | PageStyle
  /** Whether the client asked for an exact count. */
  readonly count: boolean
  /** Whether a collection is wanted whole where the client names no page, as a stream is. */
  readonly whole: boolean
  /** How many items an answer may hold. */
  readonly mostItems: number
}

/** What a GET of the resource means with this query. Throws invalid_filter, invalid_sort, invalid_fields or invalid_page. */
export function planRead (resource: Resource, query: Query, options: ReadOptions): Read {
  switch (resource.kind) {
    case 'directory':
      refuse(query, ['filter', 'sort', 'fields', 'page'], 'the directory')
      return { kind: 'directory' }
    case 'item': return planItem(resource, query, options)
    case 'scalar': return planScalar(resource, query)
    case 'collection': return planList(resource, query, options)
    case 'dictionary': return isIdentifier(resource.by) ? planDictionary(resource, query, options) : planGroups(resource, query, options)
  }
}

type On<K extends Resource['kind']> = Extract<Resource, { kind: K }>

const isIdentifier = (field: DataField) => field.kind === 'stored' && field.identifier

export const stepsOf = (walked: readonly Walked[]) => walked.map(one => one.step)

function planItem ({ collection, walked, special, nullable }: On<'item'>, query: Query, { mostItems }: ReadOptions): Read {
  refuse(query, ['filter', 'sort', 'page'], 'a single item')
  const shows = planShows(query, collection, mostItems)
  // An item found by a special identifier is told by its own URL, for which its key is needed.
  const select = special ? withFields(shows.select, [collection.key]) : shows.select
  return { kind: 'item', plan: { kind: 'item', steps: stepsOf(walked), select }, shows, collection, special, nullable, walked }
}

/** What is shown of an item. Throws invalid_fields. */
export function planShows (query: Query, collection: Collection, mostItems: number): Shows {
  if (query.fields === undefined) return fullShows(collection)
  const show = planSelection(query.fields, collection, 'full')
  checkSize(show, 1, mostItems, query.at.fields)
  return { show, select: withFields(show, collection.versionFields), variant: undefined }
}

const fullShows = remembered((collection: Collection): Shows => {
  const show = planSelection(undefined, collection, 'full')
  return { show, select: withFields(show, collection.versionFields), variant: variantOf(show, show.map(one => one.name), collection) }
})

/** The same for one field of it. */
export const planShowsField = (field: ScalarField, collection: Collection): Shows => fieldShows(collection)(field)

const fieldShows = remembered((collection: Collection) => remembered((field: ScalarField): Shows => {
  const show: Selection = [{ kind: 'value', name: field.name, field }]
  return { show, select: withFields(show, collection.versionFields), variant: variantOf(show, field.name, collection) }
}))

function withFields (select: Selection, fields: readonly DataField[]): Selection {
  const missing = fields.filter(field => !select.some(shown => shown.field === field))
  return [...select, ...missing.map(field => ({ kind: 'value', name: field.name, field } as const))]
}

function planScalar ({ field, collection, walked }: On<'scalar'>, query: Query): Read {
  refuse(query, ['filter', 'sort', 'fields', 'page'], 'a single value')
  const shows = planShowsField(field, collection)
  return { kind: 'scalar', plan: { kind: 'item', steps: stepsOf(walked), select: shows.select }, shows, collection, walked }
}

function planList ({ from, where, walked }: On<'collection'>, query: Query, options: ReadOptions): Extract<Read, { kind: 'list' }> {
  const { collection } = from
  const paging = planPaging(query, planSort(query.sort ?? [], collection), collection, options)
  const { page } = paging
  const listing = {
    where: both(where, planFilters(query.filters, collection)),
    order: paging.reversed ? reverse(paging.order) : paging.order,
    range: { offset: page.offset, limit: page.size },
    select: planSelection(query.fields, collection, 'listed')
  }
  // A stream is never held whole, so only what one of its items embeds counts.
  checkSize(listing.select, options.whole || page.size === Infinity ? 1 : page.size, options.mostItems, query.at.fields)
  const carry = paging.style === 'keyset' ? paging.order.map(term => term.field) : []
  return { kind: 'list', plan: { kind: 'list', steps: stepsOf(walked), from, listing, beyond: beyond(page, paging.order), carry, count: options.count }, paging, walked }
}

/** A listing whose members are named by an identifier, in its order unless the client asks for another. */
function planDictionary ({ by, ...resource }: On<'dictionary'>, query: Query, options: ReadOptions): Read {
  const sort = query.sort ?? [{ name: by.name, descending: false, at: { parameter: 'sort', position: 1 } }]
  const where = both(resource.where, hasValue(by))
  const { plan, ...rest } = planList({ ...resource, kind: 'collection', where, given: undefined }, { ...query, sort }, options)
  return { ...rest, kind: 'dictionary', by, plan: { ...plan, carry: [...new Set([...plan.carry, by])] } }
}

const hasValue = (field: DataField) => field.nullable ? { kind: 'compare', field, operator: 'not_equals', value: null } as const : everything

/** Groups stand in the order of their value; a sort orders the items of each, and turns the groups round where it begins with their field. */
function planGroups ({ by, from, where, walked }: On<'dictionary'>, query: Query, options: ReadOptions): Read {
  const { collection } = from
  const members = planSort(query.sort ?? [], collection)
  const descending = members[0]?.field === by && members[0].descending
  const paging = planPaging(query, [{ field: by, descending }], collection, options)
  const { page } = paging
  const select = planSelection(query.fields, collection, 'listed')
  const range = { offset: 0, limit: collection.pages.defaultSize }
  checkSize(select, [page.size, range.limit].filter(Number.isFinite).reduce((product, size) => product * size, 1), options.mostItems, query.at.fields)
  const plan: PlanOf<'groups'> = {
    kind: 'groups',
    steps: stepsOf(walked),
    from,
    by,
    beyond: beyond(page, paging.order),
    descending: paging.reversed ? !descending : descending,
    range: { offset: page.offset, limit: page.size },
    members: {
      where: both(where, planFilters(query.filters, collection)),
      order: members,
      range,
      select
    },
    count: options.count
  }
  return { kind: 'groups', plan, paging, by, walked }
}

function planPaging (query: Query, order: Order, collection: Collection, { linkStyle, whole }: ReadOptions): Paging {
  const page = planPage(query.page, whole ? { defaultSize: Infinity, maxSize: Infinity } : collection.pages)
  return { page, style: styleOf(page, order, linkStyle), order, reversed: page.position?.direction === 'before' }
}

function styleOf (page: Page, order: Order, linkStyle: ReadOptions['linkStyle']): PageStyle {
  // A position has no number, so where the client pages by positions its links do.
  const style = page.style === 'keyset' || linkStyle === 'auto' ? page.style ?? 'keyset' : linkStyle
  // A position would tell the value of a key that must not be read.
  return style === 'keyset' && !order.every(term => term.field.readable) ? 'offset' : style
}
