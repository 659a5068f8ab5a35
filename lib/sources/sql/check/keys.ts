import type { StoredField } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { fault, placeOfField, type Served, showColumn, warning } from './compare.ts'

/**
 * Checks that what is unique has a unique index: the fields of the key together, each other identifier alone, and each
 * list of `unique`. Without one, pages lose the rows that share a value.
 */
export function checkUniqueness (served: Served): readonly Finding[] {
  const { collection } = served
  const key = collection.key
  const others = collection.stored.filter(field => field.identifier && !(key.length === 1 && key[0] === field))
  const lists = [key, ...others.map(field => [field]), ...collection.unique]
  return lists.flatMap(fields => checkUnique(fields, served))
}

function checkUnique (
  fields: readonly StoredField[], { collection, table, columns }: Served
): readonly Finding[] {
  const [first] = fields
  const names = fields.flatMap(field => columns.get(field)?.name ?? [])
  // Missing columns are reported already, and system columns have no index.
  if (first === undefined || names.length < fields.length) return []
  const place = placeOfField(collection, first)
  if (table.isInherited) {
    const reason = 'other tables inherit from its table, whose unique indexes do not hold for them'
    return [warning(place, `identifies items, but ${reason}; make sure that its values are unique`)]
  }
  if (table.unique.some(index => index.length > 0 && index.every(name => names.includes(name)))) return []
  return [fault(place, explain(names.map(name => showColumn(collection, name)), names, table.primaryKey))]
}

function explain (shown: readonly string[], names: readonly string[], primaryKey: readonly string[]): string {
  const found = shown.length === 1
    ? `identifies items, but no unique index proves that the values of the column ${shown.join()} are unique`
    : `identifies items with others, but no unique index covers the columns ${shown.join(', ')}`
  const isPart = names.length === 1 && primaryKey.length > 1 && primaryKey.some(name => names.includes(name))
  const composite = `use the whole primary key (${primaryKey.join(', ')}) as 'key' of the collection`
  return `${found}; ${isPart ? composite : `add one${shown.length === 1 ? ", or remove the flag 'identifier'" : ''}`}`
}

/** Finds fields that may not be null, over columns that may be. */
export function checkNulls ({ collection, columns, table }: Served): readonly Finding[] {
  // The catalog does not say whether an expression can be null.
  if (table.kind !== 'table') return []
  return [...columns].filter(([field, column]) => !field.nullable && column.nullable && !column.generated)
    .map(([field, column]) => warning(placeOfField(collection, field), 'may not be null, but the column ' +
      `${showColumn(collection, column.name)} may be, and pages lose rows with null; ` +
      'declare Type.Optional(...) or a union with Type.Null(), or make the column not null'))
}
