import { sql } from '../load-kysely.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import { type Reference, referencesOf } from '../../../model/references.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import type { Slot } from './shape.ts'
import { column, table, tableRef } from './table.ts'

// A request names an item by the key that clients see, which may be cut: a moment to its milliseconds. A reference to
// the item holds the key as it is stored.

/**
 * Builds the stored key of the item whose key is shown as the values of the slots. Returns undefined for a key that is
 * shown as it is stored.
 */
export function storedKey (
  collection: Collection, slots: readonly Slot[], builder: Builder
): readonly Sql[] | undefined {
  const { dialect, columnType } = builder
  const parts = collection.key.map((field, index) => {
    return { field, type: columnType(collection, field), slot: slots[index] }
  })
  if (!parts.some(({ type }) => dialect.isCut(type))) return undefined
  const ref = tableRef(collection, builder.alias())
  const isShown = parts.flatMap(({ field, type, slot }) => {
    if (slot === undefined) return []
    const value = column(ref, field)
    const isSame = sql`${dialect.filtered(value, type, false)} = ${dialect.operand(slot, type, false)}`
    const bound = dialect.bound(value, 'equals', slot, type, false)
    return bound === undefined ? [isSame] : [bound, isSame]
  })
  const isItem = sql.join(isShown, sql` and `)
  return parts.map(({ field }) => sql`(select ${column(ref, field)} from ${table(ref)} where ${isItem} limit 1)`)
}

/** Builds the values of foreign keys whose items are named by keys that clients see cut, by the field. */
export function storedReferences (
  collection: Collection, slots: ReadonlyMap<StoredField, Slot>, builder: Builder
): ReadonlyMap<StoredField, Sql> {
  return new Map(referencesOf(collection).flatMap(reference => storedReference(reference, slots, builder)))
}

function storedReference (
  { foreignKey, target }: Reference, given: ReadonlyMap<StoredField, Slot>, builder: Builder
): ReadonlyArray<readonly [StoredField, Sql]> {
  const slots = foreignKey.flatMap(field => given.get(field) ?? [])
  const key = slots.length === foreignKey.length ? storedKey(target, slots, builder) : undefined
  if (key === undefined) return []
  // A key of no item is stored as it is given, and refused by the constraint of the foreign key.
  return foreignKey.flatMap((field, index) => {
    const [slot, stored] = [slots[index], key[index]]
    if (slot === undefined || stored === undefined) return []
    const value = builder.dialect.toColumn(slot, builder.columnType(target, target.key[index] ?? field))
    return [[field, sql`coalesce(${stored}, ${value})`]]
  })
}
