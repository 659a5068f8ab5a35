import type { Collection, StoredField } from '../../model/model.ts'
import type { Scalar } from '../../model/values.ts'
import type { Step } from '../../plan/plan.ts'
import { toValue } from '../../model/values.ts'
import type { Change, Changed, Stored, ChangeOf } from '../source.ts'
import { walkSteps } from './read.ts'
import { joinsOf, tableOf } from './relations.ts'
import type { Table, Undo } from './table.ts'
import { ownValue, valueOf } from './values.ts'

/** Makes a change to the objects in memory, or none where it is refused. `undo` takes what would take it back. */
export function runChange (change: Change, undo: Undo[]): Changed {
  switch (change.kind) {
    case 'insert': return insert(change, undo)
    case 'update': return update(change, undo)
    case 'delete': return remove(change, undo)
    case 'link': return link(change, undo)
  }
}

const unchanged: Changed = { kind: 'unchanged' }
const refused = (by: Extract<Changed, { kind: 'refused' }>['by'], ...fields: readonly StoredField[]): Changed => ({ kind: 'refused', by, fields })

function insert ({ collection, values, orNothing }: ChangeOf<'insert'>, undo: Undo[]): Changed {
  const key = values.get(collection.key) ?? nextKey(collection)
  const complete: Stored = new Map([...values, [collection.key, key]])
  const refusal = violation(collection, complete, collection.stored, undefined)
  if (refusal?.kind === 'refused' && refusal.by === 'unique' && orNothing) return unchanged
  if (refusal !== undefined) return refusal
  undo.push(tableOf(collection).insert(toRow(complete), key))
  // Not null, as violation() has seen to.
  return { kind: 'changed', key: key as Scalar }
}

function update ({ collection, steps, values }: ChangeOf<'update'>, undo: Undo[]): Changed {
  const row = standOn(steps)
  if (row === undefined) return unchanged
  const { version } = collection
  const complete: Stored = version === undefined ? values : new Map([...values, [version, Number(valueOf(row, version)) + 1]])
  const refusal = violation(collection, complete, [...values.keys()], row)
  if (refusal !== undefined) return refusal
  undo.push(tableOf(collection).update(row, toRow(complete)))
  return { kind: 'changed' }
}

function remove ({ collection, steps }: ChangeOf<'delete'>, undo: Undo[]): Changed {
  const row = standOn(steps)
  if (row === undefined) return unchanged
  const key = valueOf(row, collection.key)
  if (isReferred(collection, key, row)) return refused('foreign-key')
  // A link is no item: it goes with either of those that it links.
  for (const [joins, rows] of linkedBy(collection, key)) for (const join of rows) undo.push(joins.remove(join))
  undo.push(tableOf(collection).remove(row))
  return { kind: 'changed' }
}

function link ({ field, own, other }: ChangeOf<'link'>, undo: Undo[]): Changed {
  const { link, holder, target } = field
  if (link.kind !== 'join') throw new TypeError('only the elements of a many-to-many relation are linked')
  const joins = joinsOf(holder, link.through)
  const linked = joins.find(link.foreignKey, own, holder.key.type.kind).some(join => ownValue(join, link.otherKey, target.key.type.kind) === other)
  if (!linked) undo.push(joins.insert({ [link.foreignKey]: own, [link.otherKey]: other }, `${own} ${other}`))
  return { kind: 'changed' }
}

/** The object that the last step stands on. */
function standOn (steps: readonly Step[]): object | undefined {
  const stand = walkSteps(steps)
  return stand.kind === 'standing' ? stand.row : undefined
}

const toRow = (values: Stored) => Object.fromEntries([...values].map(([field, value]) => [field.property, structuredClone(toValue(value, field))]))

/** What a database with constraints would refuse: of the fields checked, a null where none may be, an identifier that another item has, a reference to nothing. */
function violation (collection: Collection, values: Stored, checked: readonly StoredField[], row: object | undefined): Changed | undefined {
  const table = tableOf(collection)
  const valueIn = (field: StoredField) => values.get(field) ?? null
  const absent = checked.find(field => valueIn(field) === null && !field.nullable)
  if (absent !== undefined) return refused('other', absent)
  const taken = collection.stored.filter(field => field.identifier && checked.includes(field) && valueIn(field) !== null && table.find(field.property, valueIn(field), field.type.kind).some(one => one !== row))
  if (taken.length > 0) return refused('unique', ...taken)
  const dangling = [...collection.fields.values()].flatMap(field => {
    const value = field.kind === 'sub-item' && checked.includes(field.foreignKey) ? valueIn(field.foreignKey) : null
    return field.kind === 'sub-item' && value !== null && !isThere(field.target, value, { collection, values, row }) ? [field.foreignKey] : []
  })
  if (dangling.length > 0) return refused('foreign-key', ...new Set(dangling))
  const before = row === undefined ? null : valueOf(row, collection.key)
  const isMoved = before !== null && checked.includes(collection.key) && values.get(collection.key) !== before
  return isMoved && (isReferred(collection, before) || [...linkedBy(collection, before).values()].some(rows => rows.size > 0)) ? refused('foreign-key') : undefined
}

interface WriteInFlight { readonly collection: Collection, readonly values: Stored, readonly row: object | undefined }

/** Whether the collection has an item with that key once the change is made: what is written may be getting it, or leaving it. */
function isThere (target: Collection, value: unknown, { collection, values, row }: WriteInFlight): boolean {
  const { property, type } = target.key
  const key = target === collection ? values.get(target.key) ?? undefined : undefined
  return key === value || tableOf(target).find(property, value, type.kind).some(one => one !== row || key === undefined)
}

/** Whether an item refers to the key; `but` may, where it goes itself. */
const isReferred = ({ referrers }: Collection, key: unknown, but?: object) =>
  referrers.some(({ holder, foreignKey }) => tableOf(holder).find(foreignKey.property, key, foreignKey.type.kind).some(row => row !== but))

/** The join rows that hold the key, on whichever side, each once: a relation may be declared from both. */
function linkedBy (collection: Collection, key: unknown): ReadonlyMap<Table, ReadonlySet<object>> {
  const linked = new Map<Table, Set<object>>()
  for (const { holder, target, link } of collection.links) {
    if (link.kind !== 'join') continue
    const joins = joinsOf(holder, link.through)
    const sides = [...holder === collection ? [link.foreignKey] : [], ...target === collection ? [link.otherKey] : []]
    const rows = sides.flatMap(property => joins.find(property, key, collection.key.type.kind))
    linked.set(joins, new Set([...linked.get(joins) ?? [], ...rows]))
  }
  return linked
}

/** One more than the highest, for a key that is a number; another the application must give. */
const nextKey = (collection: Collection): unknown =>
  collection.key.type.kind === 'integer' ? tableOf(collection).highest(collection.key.property, 'integer') + 1 : null
