import { sql } from '../load-kysely.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import { type Reference, referencesOf } from '../../../model/references.ts'
import type { Builder } from './builder.ts'
import type { ColumnType } from './columns.ts'
import type { Sql } from './dialect.ts'
import type { Slot } from './shape.ts'
import { column, table, tableRef } from './table.ts'

// A request names an item by the key that clients see, which may be cut: a moment to its milliseconds. A reference to
// the item holds the key as it is stored.

/** A part of a key as a request gives it, or a column of the row that is updated, which holds it as it is stored. */
type KeyPart = { readonly slot: Slot } | { readonly stored: Sql }

/**
 * Builds the stored key of the item with a key that clients see. Returns undefined for a key that is shown as it is
 * stored.
 */
export function storedKey (
  collection: Collection, parts: readonly KeyPart[], builder: Builder
): readonly Sql[] | undefined {
  const { dialect, columnType } = builder
  if (!collection.key.some(field => dialect.isCut(columnType(collection, field)))) return undefined
  const ref = tableRef(collection, builder.alias())
  const isItem = collection.key.flatMap((field, index) => {
    const part = parts[index]
    if (part === undefined) return []
    const value = column(ref, field)
    if ('stored' in part) return [sql`${value} = ${part.stored}`]
    return [isShownAs(value, part.slot, columnType(collection, field), builder)]
  })
  const where = sql.join(isItem, sql` and `)
  const [value, count, rows] = [sql.id('value'), sql.id('count'), sql.id('(rows)')]
  // Several items may be shown with one key. A reference to one of them at random would be another item's.
  return collection.key.map(field => sql`(select ${value} from (select ${column(ref, field)} as ${value},
    count(*) over () as ${count} from ${table(ref)} where ${where} limit 2) as ${rows} where ${count} = 1)`)
}

/** Builds the condition that a column is shown as a value. */
export function isShownAs (value: Sql, slot: Slot, type: ColumnType, { dialect }: Pick<Builder, 'dialect'>): Sql {
  const isShown = sql`${dialect.filtered(value, type, false)} = ${dialect.operand(slot, type, false)}`
  const bound = dialect.bound(value, 'equals', slot, type, false)
  return bound === undefined ? isShown : sql`${bound} and ${isShown}`
}

/** The values that a statement writes. `own`: the columns of the row that is updated; undefined for a new row. */
export interface Written {
  readonly slots: ReadonlyMap<StoredField, Slot>
  own? (field: StoredField): Sql
}

/** Builds the values of foreign keys whose items are named by keys that clients see cut, by the field. */
export const storedReferences = (
  collection: Collection, written: Written, builder: Builder
): ReadonlyMap<StoredField, Sql> =>
  new Map(referencesOf(collection).flatMap(reference => storedReference(reference, written, builder)))

function storedReference (
  { foreignKey, target }: Reference, { slots, own }: Written, builder: Builder
): ReadonlyArray<readonly [StoredField, Sql]> {
  if (!foreignKey.some(field => slots.has(field))) return []
  const parts = foreignKey.flatMap((field): readonly KeyPart[] => {
    const slot = slots.get(field)
    if (slot !== undefined) return [{ slot }]
    return own === undefined ? [] : [{ stored: own(field) }]
  })
  const key = parts.length === foreignKey.length ? storedKey(target, parts, builder) : undefined
  // A key of no item is stored as it is given, and refused by the constraint of the foreign key.
  return foreignKey.flatMap((field, index) => {
    const [slot, stored, keyField] = [slots.get(field), key?.[index], target.key[index]]
    if (slot === undefined || stored === undefined || keyField === undefined) return []
    const given = builder.dialect.toColumn(slot, builder.columnType(target, keyField))
    return [[field, sql`coalesce(${stored}, ${given})`]]
  })
}
