import type { Collection, StoredField } from '../../model/model.ts'
import { type Scalar, toValue } from '../../model/values.ts'
import type { Step } from '../../plan/plan.ts'
import type { Change, Changed, ChangeOf, ConstraintViolation, Stored } from '../source.ts'
import { resolveSteps } from './read.ts'
import { joinsOf, tableOf } from './relations.ts'
import type { Table, Undo } from './table.ts'
import { ownValue, valueOf } from './values.ts'

/** Makes a change to the objects in memory, unless it violates a constraint. Adds to `undo` what reverts the change. */
export function runChange (change: Change, undo: Undo[]): Changed {
  switch (change.kind) {
    case 'insert': return insert(change, undo)
    case 'update': return update(change, undo)
    case 'delete': return remove(change, undo)
    case 'link': return link(change, undo)
  }
}

const unchanged: Changed = { kind: 'unchanged' }

const refused = (by: ConstraintViolation['by'], ...fields: readonly StoredField[]): ConstraintViolation =>
  ({ kind: 'refused', by, fields })

function insert ({ collection, values, orNothing }: ChangeOf<'insert'>, undo: Undo[]): Changed {
  const key = values.get(collection.key) ?? nextKey(collection)
  const complete: Stored = new Map([...values, [collection.key, key]])
  const violation = violationOf({ collection, values: complete, row: undefined }, collection.stored)
  if (violation?.by === 'unique' && orNothing) return unchanged
  if (violation !== undefined) return violation
  undo.push(tableOf(collection).insert(toRow(complete), key))
  // violationOf() has checked that the key is not null.
  return { kind: 'changed', key: key as Scalar }
}

function update ({ collection, steps, values }: ChangeOf<'update'>, undo: Undo[]): Changed {
  const row = resolvedRow(steps)
  if (row === undefined) return unchanged
  const { version } = collection
  const complete: Stored = version === undefined
    ? values
    : new Map([...values, [version, Number(valueOf(row, version)) + 1]])
  const violation = violationOf({ collection, values: complete, row }, [...values.keys()])
  if (violation !== undefined) return violation
  undo.push(tableOf(collection).update(row, toRow(complete)))
  return { kind: 'changed' }
}

function remove ({ collection, steps }: ChangeOf<'delete'>, undo: Undo[]): Changed {
  const row = resolvedRow(steps)
  if (row === undefined) return unchanged
  const key = valueOf(row, collection.key)
  if (isReferred(collection, key, row)) return refused('foreign-key')
  // A link belongs to both of its items, so it is removed with either.
  for (const [joins, rows] of linksOf(collection, key)) for (const join of rows) undo.push(joins.remove(join))
  undo.push(tableOf(collection).remove(row))
  return { kind: 'changed' }
}

function link ({ field, own, other }: ChangeOf<'link'>, undo: Undo[]): Changed {
  const { link, holder, target } = field
  if (link.kind !== 'join') throw new TypeError('only the elements of a many-to-many relation are linked')
  const joins = joinsOf(holder, link.through)
  const isLinked = joins.find(link.foreignKey, own, holder.key.type.kind)
    .some(join => ownValue(join, link.otherKey, target.key.type.kind) === other)
  if (!isLinked) undo.push(joins.insert({ [link.foreignKey]: own, [link.otherKey]: other }, `${own} ${other}`))
  return { kind: 'changed' }
}

/** Returns the object of the last step; undefined if a step is missing or ambiguous. */
function resolvedRow (steps: readonly Step[]): object | undefined {
  const resolved = resolveSteps(steps)
  return resolved.kind === 'resolved' ? resolved.row : undefined
}

const toRow = (values: Stored) =>
  Object.fromEntries([...values].map(([field, value]) => [field.property, structuredClone(toValue(value, field))]))

/** An insert or update before it is made. `row`: the current object; undefined for an insert. */
interface PendingWrite {
  readonly collection: Collection
  readonly values: Stored
  readonly row: object | undefined
}

/** Returns the first constraint that a write violates, as a database would. Checks only the fields `checked`. */
function violationOf (write: PendingWrite, checked: readonly StoredField[]): ConstraintViolation | undefined {
  const absent = checked.find(field => !field.nullable && valueIn(write, field) === null)
  if (absent !== undefined) return refused('other', absent)
  const duplicates = duplicateFields(write, checked)
  if (duplicates.length > 0) return refused('unique', ...duplicates)
  const dangling = danglingFields(write, checked)
  if (dangling.length > 0) return refused('foreign-key', ...new Set(dangling))
  return checked.includes(write.collection.key) && leavesReferrers(write) ? refused('foreign-key') : undefined
}

const valueIn = ({ values }: PendingWrite, field: StoredField): unknown => values.get(field) ?? null

/** Returns the identifiers whose values another item has already. */
function duplicateFields (write: PendingWrite, checked: readonly StoredField[]): readonly StoredField[] {
  const { collection: { stored }, row } = write
  const identifiers = stored.filter(field => field.identifier && checked.includes(field))
  return identifiers.filter(field => {
    const value = valueIn(write, field)
    return value !== null && rowsWith(write.collection, field, value).some(one => one !== row)
  })
}

/** Returns the foreign keys that refer to an item that does not exist. */
function danglingFields (write: PendingWrite, checked: readonly StoredField[]): readonly StoredField[] {
  return [...write.collection.fields.values()].flatMap(field => {
    if (field.kind !== 'sub-item' || !checked.includes(field.foreignKey)) return []
    const key = valueIn(write, field.foreignKey)
    return key === null || willExist(field.target, key, write) ? [] : [field.foreignKey]
  })
}

/** Returns true if the collection has an item with the key after the write, which may itself add or change that key. */
function willExist (target: Collection, key: unknown, { collection, values, row }: PendingWrite): boolean {
  const newKey = target === collection ? values.get(target.key) ?? undefined : undefined
  return newKey === key || rowsWith(target, target.key, key).some(one => one !== row || newKey === undefined)
}

/** Returns true if the write changes a key that other items or links refer to. */
function leavesReferrers ({ collection, values, row }: PendingWrite): boolean {
  const before = row === undefined ? null : valueOf(row, collection.key)
  if (before === null || values.get(collection.key) === before) return false
  return isReferred(collection, before) || [...linksOf(collection, before).values()].some(rows => rows.size > 0)
}

const rowsWith = (collection: Collection, field: StoredField, value: unknown): readonly object[] =>
  tableOf(collection).find(field.property, value, field.type.kind)

/** Returns true if an item other than `except` refers to the key. */
const isReferred = ({ referrers }: Collection, key: unknown, except?: object) =>
  referrers.some(({ holder, foreignKey }) => rowsWith(holder, foreignKey, key).some(row => row !== except))

/** Returns the join rows with the key on either side, each once: a relation may be declared from both sides. */
function linksOf (collection: Collection, key: unknown): ReadonlyMap<Table, ReadonlySet<object>> {
  const links = new Map<Table, Set<object>>()
  for (const { holder, target, link } of collection.links) {
    if (link.kind !== 'join') continue
    const joins = joinsOf(holder, link.through)
    const sides = [
      ...holder === collection ? [link.foreignKey] : [],
      ...target === collection ? [link.otherKey] : []
    ]
    const rows = sides.flatMap(property => joins.find(property, key, collection.key.type.kind))
    links.set(joins, new Set([...links.get(joins) ?? [], ...rows]))
  }
  return links
}

/** Returns the highest key plus one for an integer key; null for others, whose values the application must set. */
const nextKey = (collection: Collection): unknown =>
  collection.key.type.kind === 'integer' ? tableOf(collection).highest(collection.key.property, 'integer') + 1 : null
