import type { Collection } from '../../../model/model.ts'
import { type Scalar, traitsOf, type ValueKind } from '../../../model/values.ts'
import type { Listing, Order, Origin, Predicate, Range, ReadPlan, Selection, Step } from '../../../plan/plan.ts'
import { memoize } from '../../../memoize.ts'
import { foldCase } from '../../fold-case.ts'
import type { Change, Stored } from '../../source.ts'

/** A value of a plan, told apart from the plan's shape: bound anew for each request. */
export type Value = Scalar | null | readonly Scalar[]

/** Stands in a statement's text where a value of the plan is bound: which one, counted in the order of the traversal. */
export interface Slot { readonly kind: 'slot', readonly index: number }

/** A statement's parameters are slots, and constants of the application's expressions. */
export const isSlot = (parameter: unknown): parameter is Slot => typeof parameter === 'object' && parameter !== null && 'kind' in parameter && parameter.kind === 'slot'

/**
 * A plan's shape and values. Two plans of one shape differ in values only, and so share their statement's text. `slots` tells for each node of this
 * plan that holds values which they are; a range has two, its limit and its offset. A node that stands in two places of a plan has its values once,
 * and the shape says so: a plan with two nodes there is of another shape.
 */
export interface Shape {
  readonly key: string
  readonly values: readonly Value[]
  readonly slots: ReadonlyMap<object, readonly Slot[]>
}

/** Takes a plan apart in one traversal. */
export function shapeOf (plan: ReadPlan): Shape {
  const shape = makeDraft()
  addPlan(shape, plan)
  return shape
}

/** The same for a change: the fields are its shape, what they are given its values. The slots of values to be stored are those of their map. */
export function shapeOfChange (change: Change): Shape {
  const shape = makeDraft()
  addChange(shape, change)
  return shape
}

interface ShapeDraft { key: string, readonly values: Value[], readonly slots: Map<object, readonly Slot[]> }

const makeDraft = (): ShapeDraft => ({ key: '', values: [], slots: new Map() })

function addPlan (draft: ShapeDraft, plan: ReadPlan): void {
  for (const step of plan.steps) addStep(draft, step)
  draft.key += plan.kind
  switch (plan.kind) {
    case 'item': return addSelection(draft, plan.select)
    case 'list':
      addOrigin(draft, plan.from)
      addListing(draft, plan.listing)
      addPredicate(draft, plan.beyond)
      draft.key += `${plan.carry.map(field => field.index).join(',')}${plan.count ? 'c' : ''}`
      return
    case 'groups':
      addOrigin(draft, plan.from)
      draft.key += `${plan.by.index}${plan.descending ? 'd' : 'a'}`
      addRange(draft, plan.range)
      addPredicate(draft, plan.beyond)
      addListing(draft, plan.members)
      draft.key += plan.count ? 'c' : ''
  }
}

function addChange (draft: ShapeDraft, change: Change): void {
  draft.key += change.kind
  if (change.kind === 'link') {
    draft.key += `${identityOf(change.field.holder)}:${change.field.index}`
    return addValues(draft, change, [change.own, change.other])
  }
  draft.key += `${identityOf(change.collection)}:`
  if (change.kind === 'insert') draft.key += change.orNothing ? '?' : ''
  else for (const step of change.steps) addStep(draft, step)
  if (change.kind !== 'delete') addStored(draft, change.values)
}

function addStored (draft: ShapeDraft, stored: Stored): void {
  draft.key += ` ${[...stored.keys()].map(field => field.index).join(',')}`
  addValues(draft, stored, [...stored].map(([field, value]) => toBound(value, field.type.kind)))
}

/** JSON is stored as its text. Of other types sources are given scalars. */
const toBound = (value: unknown, kind: ValueKind): Value => value !== null && kind === 'json' ? JSON.stringify(value) : value as Scalar | null

// Two registrations may share a database and name their collections alike.
const identities = new WeakMap<Collection, string>()
let collections = 0

function identityOf (collection: Collection): string {
  const known = identities.get(collection)
  if (known !== undefined) return known
  // What follows an index in the key is never a digit, so that no two shapes read alike.
  const identity = `#${++collections}`
  identities.set(collection, identity)
  return identity
}

function addOrigin (draft: ShapeDraft, { collection, via }: Origin | Step): void {
  draft.key += via === undefined ? `${identityOf(collection)}:` : `/${via.index}:`
}

function addStep (draft: ShapeDraft, step: Step): void {
  addOrigin(draft, step)
  addPredicate(draft, step.where)
}

function addListing (draft: ShapeDraft, { where, order, range, select }: Listing): void {
  addPredicate(draft, where)
  addOrder(draft, order)
  addRange(draft, range)
  addSelection(draft, select)
}

function addOrder (draft: ShapeDraft, order: Order): void {
  for (const { field, descending } of order) draft.key += `${descending ? '-' : '+'}${field.index}`
}

/**
 * Whether a limit stands in the text. PostgreSQL takes one that it does not know for a tenth of the table, and so plans the statement anew each time. Only
 * limits that people choose, so that clients who count through all of them do not drive the other statements out.
 */
export const isRoundLimit = (limit: number) => limit <= 1000 && limit % (limit < 100 ? 5 : 50) === 0

function addRange (draft: ShapeDraft, range: Range): void {
  draft.key += `${limitKey(range)}${range.offset === 0 ? ';' : 'o'}`
  addValues(draft, range, [range.limit === Infinity ? 0 : range.limit, range.offset])
}

function limitKey ({ limit }: Range): string {
  if (limit === Infinity) return '*'
  return isRoundLimit(limit) ? `l${limit}` : 'l'
}

function addSelection (draft: ShapeDraft, select: Selection): void {
  if (Object.isFrozen(select) && isKnownFlat(select)) draft.key += flatKey(select)
  else addShown(draft, select)
}

/** Whether nothing of other items is shown: then there are no values to be bound. */
export const isFlat = (select: Selection) => select.every(shown => shown.kind === 'value')

const isKnownFlat = memoize(isFlat)

/** A frozen selection outlives its request, so what it adds to a key is known already. */
const flatKey = memoize((select: Selection) => {
  const draft = makeDraft()
  addShown(draft, select)
  return draft.key
})

function addShown (draft: ShapeDraft, select: Selection): void {
  draft.key += '{'
  for (const shown of select) {
    draft.key += `.${shown.field.index}:`
    if (shown.kind === 'list') addListing(draft, shown.listing)
    if (shown.kind === 'item') {
      addPredicate(draft, shown.where)
      addSelection(draft, shown.select)
    }
  }
  draft.key += '}'
}

function addPredicate (draft: ShapeDraft, predicate: Predicate): void {
  switch (predicate.kind) {
    case 'compare': return addCompare(draft, predicate)
    case 'some':
      draft.key += `s${predicate.field.index}(`
      addPredicate(draft, predicate.where)
      break
    case 'not':
      draft.key += '!('
      addPredicate(draft, predicate.of)
      break
    default:
      draft.key += predicate.kind === 'all' ? '&(' : '|('
      for (const one of predicate.of) addPredicate(draft, one)
  }
  draft.key += ')'
}

function addCompare (draft: ShapeDraft, compare: Extract<Predicate, { kind: 'compare' }>): void {
  const { field, operator, value } = compare
  draft.key += `${field.index}${operator}`
  if (value === null) {
    draft.key += '0'
  } else if (typeof value === 'object') {
    const values = value.filter(one => one !== null)
    draft.key += values.length < value.length ? '0' : ''
    addValues(draft, compare, [values])
  } else {
    addValues(draft, compare, [traitsOf(operator).ignoresCase ? foldCase(String(value)) : value])
  }
  draft.key += ';'
}

function addValues (draft: ShapeDraft, node: object, added: readonly Value[]): void {
  const { values, slots } = draft
  const known = slots.get(node)
  if (known === undefined) slots.set(node, added.map(value => ({ kind: 'slot', index: values.push(value) - 1 })))
  else draft.key += `=${known[0]?.index};`
}
