import type { Collection, RelationField, ScalarField } from '../model/model.ts'
import type {
  FieldPredicate, GroupColumn, ItemValue, Listing, Predicate, ReadPlan, Related, Selection, Shown, Step, SubItemStep
} from './plan.ts'

// The traversals of plans. What is new in a plan is added here, and everything that stands on them knows it.

/** Returns the predicates inside of a predicate. Behind a relation, they are conditions of its elements. */
export function partsOf (predicate: Predicate): readonly Predicate[] {
  switch (predicate.kind) {
    case 'all': case 'any': return predicate.of
    case 'not': return [predicate.of]
    case 'some': case 'related': return [predicate.where]
    default: return []
  }
}

/** Returns true for a condition of one field by itself. */
export const isOfField = (predicate: Predicate): predicate is FieldPredicate =>
  'field' in predicate && !('where' in predicate)

/** Returns the conditions of one field in a predicate, also behind relations, each with the collection of the field. */
export function conditionsIn (
  predicate: Predicate, collection: Collection
): ReadonlyArray<readonly [FieldPredicate, Collection]> {
  if (isOfField(predicate)) return [[predicate, collection]]
  const holder = 'where' in predicate ? predicate.field.target : collection
  return partsOf(predicate).flatMap(part => conditionsIn(part, holder))
}

export interface ItemsFound {
  readonly collection: Collection
  /** The relation that leads to them; undefined if all items of the collection are searched. */
  readonly via: RelationField | undefined
  readonly where: Predicate
  /** `step`: of the path. `shown`: the items of the answer, or in it. `compared`: a filter, order or function asks. */
  readonly as: 'step' | 'shown' | 'compared'
}

/** `Known`: what is known of items where others are found from them. */
interface NodeVisitor<Known> {
  /** Visits items that are found from others, of which something is known. Returns what is known of these. */
  items (found: ItemsFound, from: Known): Known
  /** Visits a field that is shown or compared. */
  field (field: ScalarField): void
}

/** Visits all items that a plan finds, and all fields that it shows or compares, each item before what is in it. */
export function eachNode<Known> (plan: ReadPlan, visit: NodeVisitor<Known>, start: Known): void {
  const known = plan.steps.reduce((known, step) => eachItem({ ...step, as: 'step' }, visit, known), start)
  if (plan.kind === 'item') return eachShown(plan.select, visit, known)
  const listing = listingOf(plan)
  const inside = eachItem({ ...plan.from, where: listing.where, as: 'shown' }, visit, known)
  if (plan.kind === 'aggregate') return eachColumn(plan.columns, visit, inside)
  if (plan.kind === 'groups') visit.field(plan.by)
  eachOf(listing, visit, inside)
}

const listingOf = (plan: Exclude<ReadPlan, { kind: 'item' }>): Omit<Listing, 'range'> => {
  switch (plan.kind) {
    case 'list': return plan.listing
    case 'groups': return plan.members
    case 'aggregate': return { where: plan.where, order: [], select: [] }
  }
}

function eachItem<Known> (found: ItemsFound, visit: NodeVisitor<Known>, from: Known): Known {
  const known = visit.items(found, from)
  eachPart(found.where, visit, known)
  return known
}

function eachPart<Known> (predicate: Predicate, visit: NodeVisitor<Known>, known: Known): void {
  switch (predicate.kind) {
    case 'all': case 'any': case 'not':
      for (const part of partsOf(predicate)) eachPart(part, visit, known)
      return
    case 'some': eachItem(comparedBy(predicate), visit, known); return
    case 'related': return eachRelated(predicate, visit, known)
    default: return visit.field(predicate.field)
  }
}

const comparedBy = ({ field, where }: { readonly field: RelationField, readonly where: Predicate }): ItemsFound =>
  ({ collection: field.target, via: field, where, as: 'compared' })

function eachRelated<Known> (related: Related, visit: NodeVisitor<Known>, from: Known): void {
  eachColumn([related.value], visit, eachItem(comparedBy(related), visit, from))
}

function eachColumn<Known> (columns: readonly GroupColumn[], visit: NodeVisitor<Known>, known: Known): void {
  for (const { of } of columns) if (of !== undefined) eachValue(of, visit, known)
}

function eachValue<Known> ({ path = [], field, related }: ItemValue, visit: NodeVisitor<Known>, from: Known): void {
  const known = path.reduce((known, step) => eachItem(comparedBy(step), visit, known), from)
  if (field !== undefined) visit.field(field)
  if (related !== undefined) eachRelated(related, visit, known)
}

function eachOf<Known> ({ order, select }: Omit<Listing, 'range'>, visit: NodeVisitor<Known>, known: Known): void {
  for (const term of order) eachValue(term, visit, known)
  eachShown(select, visit, known)
}

function eachShown<Known> (select: Selection, visit: NodeVisitor<Known>, known: Known): void {
  for (const shown of select) {
    if (shown.kind === 'value') { visit.field(shown.field); continue }
    const { field } = shown
    if (shown.kind === 'related') {
      eachColumn(shown.values, visit, eachItem(comparedBy(shown), visit, known))
      continue
    }
    const { where, order, select } = shown.kind === 'list' ? shown.listing : { ...shown, order: [] }
    const inside = eachItem({ collection: field.target, via: field, where, as: 'shown' }, visit, known)
    eachOf({ where, order, select }, visit, inside)
  }
}

/** Returns another condition of the items of a collection, the parts of which are changed already. */
export type MapWhere = (where: Predicate, collection: Collection) => Predicate

/**
 * Returns a plan with other conditions: of every collection in it whose items it finds, at whatever depth. A node in
 * which nothing changes stays the same object, by which its statement is found (lib/core/sources/sql/statements).
 */
export function mapPlan (plan: ReadPlan, to: MapWhere): ReadPlan {
  const steps = mapSteps(plan.steps, to)
  switch (plan.kind) {
    case 'item': return { ...plan, steps, select: mapSelection(plan.select, to) }
    case 'list': {
      const listing = mapListing(plan.listing, plan.from.collection, to)
      return { ...plan, steps, listing, cursorBound: mapParts(plan.cursorBound, to) }
    }
    case 'groups': return { ...plan, steps, members: mapListing(plan.members, plan.from.collection, to) }
    case 'aggregate': return {
      ...plan, steps, where: mapWhere(plan.where, plan.from.collection, to), columns: mapColumns(plan.columns, to)
    }
  }
}

export const mapSteps = (steps: readonly Step[], to: MapWhere): readonly Step[] =>
  mapEach(steps, step => mapNode(step, { where: mapWhere(step.where, step.collection, to) }))

const mapWhere = (where: Predicate, collection: Collection, to: MapWhere): Predicate =>
  to(mapParts(where, to), collection)

/** Changes the conditions behind relations inside of a predicate. */
function mapParts (predicate: Predicate, to: MapWhere): Predicate {
  switch (predicate.kind) {
    case 'all': case 'any': return mapNode(predicate, { of: mapEach(predicate.of, one => mapParts(one, to)) })
    case 'not': return mapNode(predicate, { of: mapParts(predicate.of, to) })
    case 'some': return mapNode(predicate, { where: mapWhere(predicate.where, predicate.field.target, to) })
    case 'related': return mapRelated(predicate, to)
    default: return predicate satisfies FieldPredicate
  }
}

const mapRelated = <R extends Related>(related: R, to: MapWhere): R => mapNode<Related, R>(related, {
  where: mapWhere(related.where, related.field.target, to), value: mapColumn(related.value, to)
})

const mapListing = (listing: Listing, collection: Collection, to: MapWhere): Listing => mapNode(listing, {
  where: mapWhere(listing.where, collection, to),
  order: mapEach(listing.order, term => mapValue(term, to)),
  select: mapSelection(listing.select, to)
})

const mapColumns = <C extends GroupColumn>(columns: readonly C[], to: MapWhere): readonly C[] =>
  mapEach(columns, column => mapColumn(column, to))

const mapColumn = <C extends GroupColumn>(column: C, to: MapWhere): C =>
  column.of === undefined ? column : mapNode<GroupColumn, C>(column, { of: mapValue(column.of, to) })

function mapValue<V extends ItemValue> (value: V, to: MapWhere): V {
  if (value.path === undefined) return value
  const path = mapEach<SubItemStep>(value.path, step =>
    mapNode(step, { where: mapWhere(step.where, step.field.target, to) }))
  if (value.related === undefined) return mapNode<ItemValue, V>(value, { path })
  return mapNode<ItemValue, V>(value, { path, related: mapRelated(value.related, to) })
}

const mapSelection = (selection: Selection, to: MapWhere): Selection =>
  mapEach(selection, shown => mapShown(shown, to))

function mapShown (shown: Shown, to: MapWhere): Shown {
  switch (shown.kind) {
    case 'value': return shown
    case 'item': return mapNode(shown, {
      where: mapWhere(shown.where, shown.field.target, to), select: mapSelection(shown.select, to)
    })
    case 'list': return mapNode(shown, { listing: mapListing(shown.listing, shown.field.target, to) })
    case 'related': return mapNode(shown, {
      where: mapWhere(shown.where, shown.field.target, to), values: mapColumns(shown.values, to)
    })
  }
}

function mapEach<N> (nodes: readonly N[], map: (node: N) => N): readonly N[] {
  const mapped = nodes.map(map)
  return mapped.every((node, index) => node === nodes[index]) ? nodes : mapped
}

/** Returns the node with other members; the node itself if they are its own. */
function mapNode<N extends object, M extends N = N> (node: M, members: Partial<N>): M {
  for (const name in members) if (members[name] !== (node as N)[name]) return { ...node, ...members }
  return node
}
