import type { Collection } from '../model/model.ts'
import type {
  Elements, GroupColumn, Listing, OrderTerm, Predicate, ReadPlan, Related, Selection, Shown, Step, SubItemStep
} from '../plan/plan.ts'
import { both } from '../plan/predicates.ts'
import type { Change } from '../sources/source.ts'

/** The items that exist for a caller. */
export interface Scopes {
  /** Returns the predicate of the items that exist; `always` if all do, of those that `where` is about to find. */
  scope (collection: Collection, operation: 'read', where: Predicate): Predicate
}

/** Adds the scopes to the steps of an update or deletion. */
export function scopeChange (change: Change, scopes: Scopes): Change {
  if (change.kind !== 'update' && change.kind !== 'delete') return change
  return { ...change, steps: change.steps.map(step => scopeStep(step, scopes)) }
}

/** Adds the scopes to every collection in the plan, at whatever depth. */
export function scopePlan (plan: ReadPlan, scopes: Scopes): ReadPlan {
  const steps = plan.steps.map(step => scopeStep(step, scopes))
  switch (plan.kind) {
    case 'item': return { ...plan, steps, select: scopeSelection(plan.select, scopes) }
    case 'list': {
      const listing = scopeListing(plan.listing, plan.from.collection, scopes)
      return { ...plan, steps, listing, cursorBound: scopePredicate(plan.cursorBound, scopes) }
    }
    case 'groups': return { ...plan, steps, members: scopeListing(plan.members, plan.from.collection, scopes) }
    case 'aggregate': return {
      ...plan,
      steps,
      where: scopeWhere(plan.where, plan.from.collection, scopes),
      columns: plan.columns.map(column => scopeColumn(column, scopes))
    }
  }
}

const scopeStep = (step: Step, scopes: Scopes): Step =>
  ({ ...step, where: scopeWhere(step.where, step.collection, scopes) })

function scopeListing (listing: Listing, collection: Collection, scopes: Scopes): Listing {
  return {
    ...listing,
    where: scopeWhere(listing.where, collection, scopes),
    order: listing.order.map(term => scopeTerm(term, scopes)),
    select: scopeSelection(listing.select, scopes)
  }
}

/** The values of a sub-item that does not exist for the caller are null in a group. */
function scopeColumn<C extends GroupColumn> (column: C, scopes: Scopes): C {
  const { of } = column
  return of?.path === undefined ? column : { ...column, of: { ...of, path: scopePath(of.path, scopes) } }
}

const scopePath = (path: readonly SubItemStep[], scopes: Scopes): readonly SubItemStep[] =>
  path.map(({ field, where }) => ({ field, where: scopeWhere(where, field.target, scopes) }))

/** A sub-item that does not exist for the caller has no place in an order. */
function scopeTerm (term: OrderTerm, scopes: Scopes): OrderTerm {
  if (term.path === undefined) return term
  const path = scopePath(term.path, scopes)
  return term.related === undefined ? { ...term, path } : { ...term, path, related: scopeRelated(term.related, scopes) }
}

/** A selection of an item's own values stays the same object, by which its statement is found (sql/statements). */
const scopeSelection = (selection: Selection, scopes: Scopes): Selection =>
  selection.every(({ kind }) => kind === 'value') ? selection : selection.map(shown => scopeShown(shown, scopes))

function scopeShown (shown: Shown, scopes: Scopes): Shown {
  switch (shown.kind) {
    case 'value': return shown
    case 'item': return {
      ...shown,
      where: scopeWhere(shown.where, shown.field.target, scopes),
      select: scopeSelection(shown.select, scopes)
    }
    case 'list': return { ...shown, listing: scopeListing(shown.listing, shown.field.target, scopes) }
    case 'related': return {
      ...scopeElements(shown, scopes), values: shown.values.map(value => scopeColumn(value, scopes))
    }
  }
}

/** Functions take only what exists for the caller. */
const scopeElements = <E extends Elements>(elements: E, scopes: Scopes): E =>
  ({ ...elements, where: scopeWhere(elements.where, elements.field.target, scopes) })

const scopeRelated = <R extends Related>(related: R, scopes: Scopes): R =>
  ({ ...scopeElements(related, scopes), value: scopeColumn(related.value, scopes) })

/** Returns `scope and where`. No filter of a client can be inside the scope's part. */
const scopeWhere = (where: Predicate, collection: Collection, scopes: Scopes): Predicate =>
  both(scopes.scope(collection, 'read', where), scopePredicate(where, scopes))

/** Adds the scopes of the targets to all relations within the predicate. */
function scopePredicate (predicate: Predicate, scopes: Scopes): Predicate {
  switch (predicate.kind) {
    case 'compare': case 'is_null': return predicate
    case 'all':
    case 'any': {
      // `always` and `never` keep their identity, by which they are compared.
      if (predicate.of.length === 0) return predicate
      return { ...predicate, of: predicate.of.map(one => scopePredicate(one, scopes)) }
    }
    case 'not': return { ...predicate, of: scopePredicate(predicate.of, scopes) }
    case 'some': return { ...predicate, where: scopeWhere(predicate.where, predicate.field.target, scopes) }
    case 'related': return scopeRelated(predicate, scopes)
  }
}
