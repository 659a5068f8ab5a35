import { ExactJson } from '../../../model/exact-json.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import type { Scalar, ValueKind } from '../../../model/values.ts'
import { memoize } from '../../../scheduling/memoize.ts'
import type {
  Elements, FieldPredicate, GroupColumn, Listing, Order, Origin, Predicate, Range, ReadPlan, ReadPlanOf, Selection,
  Step, SubItemStep
} from '../../../plan/plan.ts'
import { type Change, type ChangeOf, isLinkChange } from '../../source.ts'
import { conditionOf } from './conditions.ts'
import { type Slot, typed, type Value } from './slots.ts'

/**
 * A plan taken apart into a cache key and values. Plans of one key differ in their values alone, and share the text of
 * their statement. `slots` holds the slots of each node of this plan that has values; a range has two, for its limit
 * and its offset.
 *
 * The key is a concatenation of codes, one for each node of the plan in the order of the traversal. The code of a field
 * is its index in its collection; lists of fields have `,` between them.
 *
 * | Node | Code |
 * |---|---|
 * | plan of an item | steps, `item`, selection, length |
 * | plan of a list | steps, `list`, origin, listing, cursor's predicate, fields carried, count, length |
 * | plan of groups | steps, `groups`, origin, field, `a` or `d`, range, cursor's predicate, listing, count, length |
 * | plan of values of groups | steps, `aggregate`, origin, two predicates around columns, order, range, count, length |
 * | column of groups | `+`, path, field, function or unit, `;`; a column without a field begins with `*` |
 * | count; length | `c` if the plan counts; `<` and the most characters of the answer |
 * | insert | `insert`, collection, `:`, its form (formOf), stored values: of several items those of the first |
 * | update, delete | `update` or `delete`, collection, `:`, steps, stored values of an update; `*` for all items |
 * | link, unlink | `link` or `unlink`, collection, `:`, field |
 * | collection | `#` and a number that is unique in the process |
 * | step | origin, predicate |
 * | origin | a collection and `:`, or `/`, the field of a relation and `:` |
 * | listing | predicate, order, range, selection |
 * | order | for each term `+` ascending or `-` descending, its path, and the field or functions of elements |
 * | step of such a path | `>` and the field of the relation, `(`, predicate, `)` |
 * | functions of elements | `c` and the field of the relation, `(`, predicate, columns, `)` |
 * | comparison of a function | functions of elements, predicate |
 * | range | `*` without limit, else `l`, and the limit if it is round (isRoundLimit); `o` with an offset, else `;` |
 * | selection | `{`, for each member `.`, field, `:` and its listing, functions, or predicate and selection; then `}` |
 * | comparison | field, operator, `^` if it is of stored values, `t` if isTextual(), `;`; or field, `null;` |
 * | some, not, all, any | `s` and the field, `!`, `&`, `|`; then `(`, predicates, `)` |
 * | stored values | a space, the fields |
 * | values of a node that occurred before in this plan | `=`, the index of the node's first slot, `;` |
 *
 * The last line makes a plan in which one node occurs twice differ from a plan with two equal nodes.
 */
export interface StatementShape {
  readonly key: string
  readonly values: readonly Value[]
  readonly slots: ReadonlyMap<object, readonly Slot[]>
}

/** Returns the shape of a plan, in one traversal. */
export function shapeOf (plan: ReadPlan): StatementShape {
  const draft = makeDraft()
  addPlan(draft, plan)
  return draft
}

/** The slots of stored values belong to their map, those of an insert to its rows. */
export function shapeOfChange (change: Change): StatementShape {
  const draft = makeDraft()
  addChange(draft, change)
  return draft
}

interface ShapeDraft { key: string, readonly values: Value[], readonly slots: Map<object, readonly Slot[]> }

const makeDraft = (): ShapeDraft => ({ key: '', values: [], slots: new Map() })

function addPlan (draft: ShapeDraft, plan: ReadPlan): void {
  for (const step of plan.steps) addStep(draft, step)
  draft.key += plan.kind
  switch (plan.kind) {
    case 'item':
      addSelection(draft, plan.select)
      break
    case 'list':
      addOrigin(draft, plan.from)
      addListing(draft, plan.listing)
      addPredicate(draft, plan.cursorBound)
      draft.key += `${plan.extra.map(field => field.index).join(',')}${plan.count ? 'c' : ''}`
      break
    case 'groups':
      addOrigin(draft, plan.from)
      draft.key += `${plan.by.index}${plan.descending ? 'd' : 'a'}`
      addRange(draft, plan.range)
      addPredicate(draft, plan.cursorBound)
      addListing(draft, plan.members)
      draft.key += `${plan.count ? 'c' : ''}`
      break
    case 'aggregate': addGroups(draft, plan)
  }
  draft.key += `<${plan.longest ?? ''}`
}

function addChange (draft: ShapeDraft, change: Change): void {
  draft.key += change.kind
  if (isLinkChange(change)) {
    draft.key += `${identityOf(change.field.holder)}:${change.field.index}`
    const { holder, target } = change.field
    const kinds = [...holder.key, ...target.key].map(field => field.type.kind)
    const keys = [...change.own, ...change.other]
    return addValues(draft, change, keys.map((value, index) => typed(value, kinds[index] ?? 'string')))
  }
  draft.key += `${identityOf(change.collection)}:`
  if (change.kind === 'insert') {
    const { fields, rows: [row = []] } = change
    draft.key += insertFlags(change)
    return addStored(draft, change.rows, fields.map((field, index) => [field, row[index]]))
  }
  for (const step of change.steps) addStep(draft, step)
  if (change.kind === 'update') addStored(draft, change.values, [...change.values])
  else if (change.every === true) draft.key += '*'
}

/** Returns the sum of 1 for an insert to which a duplicate is no error, 2 for one with keys, 4 for several items. */
export const insertFlags = ({ orNothing, keyed, rows }: ChangeOf<'insert'>) =>
  (orNothing ? 1 : 0) + (keyed ? 2 : 0) + (rows.length > 1 ? 4 : 0)

function addStored (draft: ShapeDraft, node: object, stored: ReadonlyArray<readonly [StoredField, unknown]>): void {
  draft.key += ` ${stored.map(([field]) => field.index).join(',')}`
  addValues(draft, node, stored.map(([field, value]) => toBound(value, field.type.kind)))
}

/** Returns a stored value as it is bound: JSON as its text. The values of all other kinds are scalars. */
export function toBound (value: unknown, kind: ValueKind): Value {
  if (value === null) return null
  if (value instanceof ExactJson) return value.text
  return kind === 'json' || kind === 'mixed' ? JSON.stringify(value) : typed(value as Scalar, kind)
}

// A name is not enough: two registrations may share a database, and have collections of one name.
const identities = new WeakMap<Collection, string>()
let collections = 0

function identityOf (collection: Collection): string {
  const known = identities.get(collection)
  if (known !== undefined) return known
  // No digit follows a number in the key, so that different shapes have different keys.
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

function addGroups (draft: ShapeDraft, plan: ReadPlanOf<'aggregate'>): void {
  const { from, where, columns, named, having, order, range, count, mostGroups } = plan
  addOrigin(draft, from)
  addPredicate(draft, where)
  addColumns(draft, columns)
  draft.key += named ? 'n' : ''
  addPredicate(draft, having)
  addOrder(draft, order)
  addRange(draft, range)
  draft.key += `${count ? 'c' : ''}${mostGroups}`
}

function addColumns (draft: ShapeDraft, columns: readonly GroupColumn[]): void {
  for (const column of columns) {
    const { of, call } = column
    draft.key += of === undefined ? '*' : '+'
    addPath(draft, of?.path)
    draft.key += `${of?.field.index ?? ''}${call ?? column.unit ?? ''};`
  }
}

function addPath (draft: ShapeDraft, path: readonly SubItemStep[] = []): void {
  for (const step of path) {
    draft.key += `>${step.field.index}(`
    addPredicate(draft, step.where)
    draft.key += ')'
  }
}

function addOrder (draft: ShapeDraft, order: Order): void {
  for (const { path, field, related, descending } of order) {
    draft.key += descending ? '-' : '+'
    addPath(draft, path)
    if (related === undefined) draft.key += field.index
    else addRelated(draft, related, [related.value])
  }
}

/**
 * Whether a limit is part of the statement's text. PostgreSQL takes a limit in a parameter for a tenth of the table,
 * and plans such a statement anew each time. Only the limits that people choose are in the text, so that clients who
 * count through all limits do not drive other statements out of the cache.
 */
export const isRoundLimit = (limit: number) => limit <= 1000 && limit % (limit < 100 ? 5 : 50) === 0

function addRelated (draft: ShapeDraft, { field, where }: Elements, values: readonly GroupColumn[]): void {
  draft.key += `c${field.index}(`
  addPredicate(draft, where)
  addColumns(draft, values)
  draft.key += ')'
}

function addRange (draft: ShapeDraft, range: Range): void {
  draft.key += `${limitKey(range)}${range.offset === 0 ? ';' : 'o'}`
  addValues(draft, range, [range.limit === Infinity ? 0 : range.limit, range.offset])
}

function limitKey ({ limit }: Range): string {
  if (limit === Infinity) return '*'
  return isRoundLimit(limit) ? `l${limit}` : 'l'
}

function addSelection (draft: ShapeDraft, select: Selection): void {
  if (Object.isFrozen(select) && isFlatMemoized(select)) draft.key += flatKey(select)
  else addShown(draft, select)
}

/** Whether a selection shows no related items. It then holds no values to bind. */
export const isFlat = (select: Selection) => select.every(shown => shown.kind === 'value')

const isFlatMemoized = memoize(isFlat)

/** Returns the code of a flat selection. It is memoized for frozen selections, which outlive their requests. */
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
    if (shown.kind === 'related') addRelated(draft, shown, shown.values)
    if (shown.kind === 'item') {
      addPredicate(draft, shown.where)
      addSelection(draft, shown.select)
    }
  }
  draft.key += '}'
}

function addPredicate (draft: ShapeDraft, predicate: Predicate): void {
  switch (predicate.kind) {
    case 'related':
      addRelated(draft, predicate, [predicate.value])
      return addPredicate(draft, predicate.having)
    case 'some':
      draft.key += `s${predicate.field.index}(`
      addPredicate(draft, predicate.where)
      break
    case 'not':
      draft.key += '!('
      addPredicate(draft, predicate.of)
      break
    case 'all': case 'any':
      draft.key += predicate.kind === 'all' ? '&(' : '|('
      for (const one of predicate.of) addPredicate(draft, one)
      break
    default: return addCondition(draft, predicate)
  }
  draft.key += ')'
}

function addCondition (draft: ShapeDraft, predicate: FieldPredicate): void {
  const condition = conditionOf(predicate)
  draft.key += `${predicate.field.index}${condition.key(predicate)}`
  const values = condition.values(predicate)
  if (values.length > 0) addValues(draft, predicate, values)
  draft.key += ';'
}

function addValues (draft: ShapeDraft, node: object, added: readonly Value[]): void {
  const { values, slots } = draft
  const known = slots.get(node)
  if (known === undefined) slots.set(node, added.map(value => ({ kind: 'slot', index: values.push(value) - 1 })))
  else draft.key += `=${known[0]?.index};`
}
