import { memoize } from '../../memoize.ts'
import { type KeyValues, singleKey, uniques } from '../../model/keys.ts'
import type { Collection, StoredField, SubItemField } from '../../model/model.ts'
import { type Scalar, toValue } from '../../model/values.ts'
import type { Step } from '../../plan/plan.ts'
import type { Change, Changed, ChangeOf, ConstraintViolation, LinkChange, Stored } from '../source.ts'
import { resolveSteps } from './read.ts'
import { joinColumns, joinsOf, tableOf } from './relations.ts'
import type { Table, Undo } from './table.ts'
import { columnsOf, columnsReader, keyReaderOf, toIndexed, valueOf } from './values.ts'

/** Makes a change to the objects in memory, unless it violates a constraint. Adds to `undo` what reverts the change. */
export function runChange (change: Change, undo: Undo[]): Changed {
  switch (change.kind) {
    case 'insert': return insert(change, undo)
    case 'update': return update(change, undo)
    case 'delete': return remove(change, undo)
    case 'link': return link(change, undo)
    case 'unlink': return unlink(change, undo)
  }
}

const unchanged: Changed = { kind: 'unchanged' }

const refused = (by: ConstraintViolation['by'], ...fields: readonly StoredField[]): ConstraintViolation =>
  ({ kind: 'refused', by, fields })

function insert ({ collection, values, orNothing }: ChangeOf<'insert'>, undo: Undo[]): Changed {
  const complete = withKey(values, collection)
  const violation = violationOf({ collection, values: complete, row: undefined }, collection.stored)
  if (violation?.by === 'unique' && orNothing) return unchanged
  if (violation !== undefined) return violation
  // violationOf() has checked that no value of the key is null.
  const key = collection.key.map(field => complete.get(field) as Scalar)
  undo.push(tableOf(collection).insert(toRow(complete), toIndexed(key)))
  return { kind: 'changed', key }
}

/** Returns the values of a new item with those of its key, which are generated where there are none. */
function withKey (values: Stored, collection: Collection): Stored {
  const complete = new Map(values)
  for (const field of collection.key) {
    if ((values.get(field) ?? null) === null) complete.set(field, nextKey(field, collection))
  }
  return complete
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
  const key = keyReaderOf(collection.key)(row)
  if (isReferred(collection, key, row)) return refused('referred')
  // A link belongs to both of its items, so it is removed with either.
  for (const [joins, rows] of linksOf(collection, key)) for (const join of rows) undo.push(joins.remove(join))
  undo.push(tableOf(collection).remove(row))
  return { kind: 'changed' }
}

function link (change: ChangeOf<'link'>, undo: Undo[]): Changed {
  const { link, joins, rows } = joinRows(change)
  if (rows.length > 0) return unchanged
  const { own, other } = change
  const join = Object.fromEntries([...zip(link.foreignKey, own), ...zip(link.otherKey, other)])
  undo.push(joins.insert(join, JSON.stringify([...own, ...other])))
  return { kind: 'changed' }
}

function unlink (change: ChangeOf<'unlink'>, undo: Undo[]): Changed {
  const { joins, rows } = joinRows(change)
  for (const join of rows) undo.push(joins.remove(join))
  return rows.length > 0 ? { kind: 'changed' } : unchanged
}

/** Returns the join rows that link two items, and the table of the join rows. */
function joinRows ({ field: { link, holder, target }, own, other }: LinkChange) {
  if (link.kind !== 'join') throw new TypeError('only the elements of a many-to-many relation are linked')
  const joins = joinsOf(holder, link.through)
  const readOther = columnsReader(joinColumns(link.otherKey, target))
  const rows = joins.findBy(joinColumns(link.foreignKey, holder), toIndexed(own))
    .filter(join => readOther(join) === toIndexed(other))
  return { link, joins, rows }
}

const zip = (properties: readonly string[], values: KeyValues) =>
  properties.map((property, index) => [property, values[index]] as const)

/** Returns the object of the last step; undefined if a step is missing or ambiguous. */
function resolvedRow (steps: readonly Step[]): object | undefined {
  const resolved = resolveSteps(steps)
  return resolved.kind === 'resolved' ? resolved.row : undefined
}

function toRow (values: Stored): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [field, value] of values) row[field.property] = copyOf(toValue(value, field))
  return row
}

const copyOf = (value: unknown) => typeof value === 'object' ? structuredClone(value) : value

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
  if (duplicates.size > 0) return refused('unique', ...duplicates)
  const dangling = danglingFields(write, checked)
  if (dangling.size > 0) return refused('foreign-key', ...dangling)
  const setsKey = write.collection.key.some(field => checked.includes(field))
  return setsKey && leavesReferrers(write) ? refused('referred') : undefined
}

const valueIn = ({ values }: PendingWrite, field: StoredField): unknown => values.get(field) ?? null

/** Returns the values that fields will have after the write, as toIndexed() returns them. */
function valuesAfter (write: PendingWrite, fields: readonly StoredField[]): unknown {
  const [field, other] = fields
  if (field !== undefined && other === undefined) return valueAfter(write, field)
  return toIndexed(fields.map(one => valueAfter(write, one)))
}

const valueAfter = ({ values, row }: PendingWrite, field: StoredField): unknown =>
  row === undefined || values.has(field) ? values.get(field) ?? null : valueOf(row, field)

/** Returns the fields of the keys and identifiers whose values another item has already. */
function duplicateFields (write: PendingWrite, checked: readonly StoredField[]): ReadonlySet<StoredField> {
  const { collection, row } = write
  let duplicates = noFields
  for (const fields of uniques(collection)) {
    if (!fields.some(field => checked.includes(field))) continue
    const value = valuesAfter(write, fields)
    const isTaken = value !== null && rowsWith(collection, fields, value).some(one => one !== row)
    if (isTaken) duplicates = new Set([...duplicates, ...fields])
  }
  return duplicates
}

const noFields: ReadonlySet<StoredField> = new Set()

/** Returns the foreign keys that refer to an item that does not exist. */
function danglingFields (write: PendingWrite, checked: readonly StoredField[]): ReadonlySet<StoredField> {
  let dangling = noFields
  for (const { foreignKey, target } of subItemsOf(write.collection)) {
    if (!foreignKey.some(part => checked.includes(part))) continue
    const key = valuesAfter(write, foreignKey)
    if (key === null || willExist(target, key, write)) continue
    dangling = new Set([...dangling, ...foreignKey.filter(part => checked.includes(part))])
  }
  return dangling
}

const subItemsOf = memoize(({ fields }: Collection): readonly SubItemField[] =>
  [...fields.values()].filter(field => field.kind === 'sub-item'))

/** Returns true if the collection has an item with the key after the write, which may itself add or change that key. */
function willExist (target: Collection, key: unknown, write: PendingWrite): boolean {
  const { collection, values, row } = write
  const setsKey = target === collection && target.key.some(field => values.has(field))
  const newKey = setsKey ? valuesAfter(write, target.key) ?? undefined : undefined
  return newKey === key || rowsWith(target, target.key, key).some(one => one !== row || newKey === undefined)
}

/** Returns true if the write changes a key that other items or links refer to. */
function leavesReferrers (write: PendingWrite): boolean {
  const { collection, row } = write
  const before = row === undefined ? null : keyReaderOf(collection.key)(row)
  if (before === null || valuesAfter(write, collection.key) === before) return false
  return isReferred(collection, before) || [...linksOf(collection, before).values()].some(rows => rows.size > 0)
}

/** `value`: as toIndexed() returns it. */
const rowsWith = (collection: Collection, fields: readonly StoredField[], value: unknown): readonly object[] =>
  tableOf(collection).findBy(columnsOf(fields), value)

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
    const rows = sides.flatMap(properties => joins.findBy(joinColumns(properties, collection), key))
    links.set(joins, new Set([...links.get(joins) ?? [], ...rows]))
  }
  return links
}

/** Returns the highest key plus one for an integer key; null for others, whose values the application must set. */
function nextKey (field: StoredField, collection: Collection): unknown {
  const { property, type: { kind } } = field
  if (field !== singleKey(collection) || (kind !== 'integer' && kind !== 'int64')) return null
  const highest = tableOf(collection).highest(property, kind)
  const next = Number.isSafeInteger(highest) ? Number(highest) + 1 : BigInt(highest) + 1n
  return kind === 'integer' && next <= Number.MAX_SAFE_INTEGER ? Number(next) : String(next)
}
