import { ExactJson } from '../../model/exact-json.ts'
import { type KeyValues, singleKey, distincts } from '../../model/identifiers.ts'
import type { Collection, StoredField, SubItemField } from '../../model/model.ts'
import { type Scalar, toValue } from '../../model/values.ts'
import type { Step } from '../../plan/plan.ts'
import type { Change, Changed, ChangeOf, ConstraintViolation, LinkChange, Stored } from '../source.ts'
import { objectsOf, resolveSteps } from './read.ts'
import { joinColumns, rowsOfJoin, memoryTable } from './relations.ts'
import type { MemoryTable, Undo } from './table.ts'
import { columnsOf, comparedKey, readerOf, valuesReader } from './values.ts'

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

/** Adds items up to the first that violates a constraint; the violation is that of an item which is alone. */
function insert ({ collection, fields, rows, orNothing }: ChangeOf<'insert'>, undo: Undo[]): Changed {
  const keys: KeyValues[] = []
  for (const row of rows) {
    const inserted = insertItem(collection, new Map(fields.map((field, index) => [field, row[index]])), undo)
    if (!('kind' in inserted)) keys.push(inserted)
    else if (rows.length > 1) break
    else return inserted.by === 'unique' && orNothing ? unchanged : inserted
  }
  return keys.length > 0 ? { kind: 'changed', keys, count: keys.length } : unchanged
}

/** Returns the key of the new item, or the constraint that it violates. */
function insertItem (collection: Collection, values: Stored, undo: Undo[]): KeyValues | ConstraintViolation {
  const complete = withKey(values, collection)
  const violation = violationOf({ collection, values: complete, row: undefined }, collection.stored)
  if (violation?.by === 'foreign-key') {
    // What refers to the item itself by the key that it was to have refers to nothing, as it has not come to be.
    return refused('foreign-key', ...danglingFields({ collection, values, row: undefined }, collection.stored))
  }
  if (violation !== undefined) return violation
  // violationOf() has checked that no value of the key is null.
  const key = collection.key.map(field => complete.get(field) as Scalar)
  undo.push(memoryTable(collection).insert(toRow(complete), keyInMap(key)))
  return key
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
    : new Map([...values, [version, Number(readerOf(version)(row)) + 1]])
  const violation = violationOf({ collection, values: complete, row }, [...values.keys()])
  if (violation !== undefined) return violation
  undo.push(memoryTable(collection).update(row, toRow(complete)))
  return { kind: 'changed' }
}

function remove ({ collection, steps, every }: ChangeOf<'delete'>, undo: Undo[]): Changed {
  const found = every === true ? steps.flatMap(objectsOf) : [resolvedRow(steps) ?? []].flat()
  const keyOfRow = valuesReader(columnsOf(collection.key))
  if (found.some(row => isReferred(collection, keyOfRow(row), row))) return refused('referred')
  for (const row of found) {
    // A link belongs to both of its items, so it is removed with either.
    for (const [joins, rows] of linksOf(collection, keyOfRow(row))) {
      for (const join of rows) undo.push(joins.remove(join))
    }
    undo.push(memoryTable(collection).remove(row))
  }
  return found.length > 0 ? { kind: 'changed' } : unchanged
}

function link (change: ChangeOf<'link'>, undo: Undo[]): Changed {
  const { link, joins, rows } = joinRows(change)
  if (rows.length > 0) return unchanged
  const { own, other } = change
  const join = Object.fromEntries([...zip(link.foreignKey, own), ...zip(link.otherKey, other)])
  undo.push(joins.insert(join, keyInMap([...own, ...other])))
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
  const joins = rowsOfJoin(holder, link.through)
  const columns = [...joinColumns(link.foreignKey, holder), ...joinColumns(link.otherKey, target)]
  return { link, joins, rows: joins.finder(columns)([...own, ...other]) }
}

const keyInMap = (values: KeyValues) => values.length === 1 ? values[0] : JSON.stringify(values)

const zip = (properties: readonly string[], values: KeyValues) =>
  properties.map((property, index) => [property, values[index]] as const)

/** Returns the object of the last step; undefined if a step is missing or ambiguous. */
function resolvedRow (steps: readonly Step[]): object | undefined {
  const resolved = resolveSteps(steps)
  return resolved.kind === 'resolved' ? resolved.row : undefined
}

function toRow (values: Stored): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [field, value] of values) row[field.property] = copyOf(toValue(plainly(value), field))
  return row
}

/** Returns a value without its text: an object holds values. */
const plainly = (value: unknown) => value instanceof ExactJson ? value.value : value

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

const valuesAfter = ({ values, row }: PendingWrite, fields: readonly StoredField[]): readonly unknown[] =>
  fields.map(field => row === undefined || values.has(field) ? values.get(field) ?? null : readerOf(field)(row))

/** Returns the fields of the keys and identifiers whose values another item has already. */
function duplicateFields (write: PendingWrite, checked: readonly StoredField[]): ReadonlySet<StoredField> {
  const { collection, row } = write
  const duplicates = distincts(collection).filter(fields => fields.some(field => checked.includes(field)) &&
    rowsWith(collection, fields, valuesAfter(write, fields)).some(one => one !== row))
  return new Set(duplicates.flat())
}

/** Returns the foreign keys that refer to an item that does not exist. */
function danglingFields (write: PendingWrite, checked: readonly StoredField[]): ReadonlySet<StoredField> {
  const dangling = subItemsOf(write.collection).filter(({ foreignKey, target }) => {
    if (!foreignKey.some(part => checked.includes(part))) return false
    const key = valuesAfter(write, foreignKey)
    return !key.includes(null) && !willExist(target, key, write)
  })
  return new Set(dangling.flatMap(({ foreignKey }) => foreignKey.filter(part => checked.includes(part))))
}

const subItemsOf = ({ fields }: Collection): readonly SubItemField[] =>
  [...fields.values()].filter(field => field.kind === 'sub-item').filter(isConstrained)

/** Returns true if the collection has an item with the key after the write, which may itself add or change that key. */
function willExist (target: Collection, key: readonly unknown[], write: PendingWrite): boolean {
  const { collection, values, row } = write
  const setsKey = target === collection && target.key.some(field => values.has(field))
  if (setsKey && isSame(target, valuesAfter(write, target.key), key)) return true
  return rowsWith(target, target.key, key).some(one => one !== row || !setsKey)
}

const isSame = ({ key }: Collection, one: readonly unknown[], other: readonly unknown[]) =>
  comparedKey(columnsOf(key), one) === comparedKey(columnsOf(key), other)

/** Returns true if the write changes a key that other items or links refer to. */
function leavesReferrers (write: PendingWrite): boolean {
  const { collection, row } = write
  if (row === undefined) return false
  const before = valuesReader(columnsOf(collection.key))(row)
  if (isSame(collection, valuesAfter(write, collection.key), before)) return false
  return isReferred(collection, before) || [...linksOf(collection, before).values()].some(rows => rows.size > 0)
}

const rowsWith = (collection: Collection, fields: readonly StoredField[], values: readonly unknown[]) =>
  memoryTable(collection).finder(columnsOf(fields))(values)

/** Returns true if an item other than `except` refers to the key. */
const isReferred = ({ referrers }: Collection, key: readonly unknown[], except?: object) =>
  referrers.filter(isConstrained).some(({ holder, foreignKey }) =>
    rowsWith(holder, foreignKey, key).some(row => row !== except))

/** A database has no constraint for a foreign key that refers to several tables. */
const isConstrained = ({ constants }: SubItemField) => constants.length === 0

/** Returns the join rows with the key on either side, each once: a relation may be declared from both sides. */
function linksOf (collection: Collection, key: readonly unknown[]): ReadonlyMap<MemoryTable, ReadonlySet<object>> {
  const links = new Map<MemoryTable, Set<object>>()
  for (const { holder, target, link } of collection.links) {
    if (link.kind !== 'join') continue
    const joins = rowsOfJoin(holder, link.through)
    const sides = [
      ...holder === collection ? [link.foreignKey] : [],
      ...target === collection ? [link.otherKey] : []
    ]
    const rows = sides.flatMap(properties => joins.finder(joinColumns(properties, collection))(key))
    links.set(joins, new Set([...links.get(joins) ?? [], ...rows]))
  }
  return links
}

/** Returns the highest key plus one for an integer key; null for others, whose values the application must set. */
function nextKey (field: StoredField, collection: Collection): unknown {
  const { property, type: { kind } } = field
  if (field !== singleKey(collection) || (kind !== 'integer' && kind !== 'int64')) return null
  const highest = memoryTable(collection).highest({ property, kind })
  const next = Number.isSafeInteger(highest) ? Number(highest) + 1 : BigInt(highest) + 1n
  return kind === 'integer' && next <= Number.MAX_SAFE_INTEGER ? Number(next) : String(next)
}
