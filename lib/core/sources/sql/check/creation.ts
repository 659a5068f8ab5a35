import { isForeignKey, mayFill } from '../../../model/filled.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import type { CatalogColumn } from '../catalog.ts'
import { isLeftToColumn } from '../needs.ts'
import { fault, placeOfField, type ServedTable, showColumn } from './compare.ts'

/** Checks that clients can create items: every column that must not be null gets a value from somewhere. */
export function checkCreation ({ collection, table, columns }: ServedTable): readonly Finding[] {
  const { strategies } = collection
  const hasCode = mayFill(collection)
  // A trigger may fill any column.
  if (table.fillsRows || !(strategies.create || strategies.upsert)) return []
  const fields = new Map([...columns].map(([field, column]) => [column.name, field]))
  return table.columns.filter(isRequired).flatMap(column => {
    const field = fields.get(column.name)
    if (field === undefined) return [undeclared(collection, column)]
    if (isLeftToColumn(field, collection)) return [unfilled(field, column, collection)]
    return hasCode ? [] : checkOptional(field, column, collection)
  })
}

/** Checks that the key of an item that is created through a trigger is known: the database does not tell it. */
export function checkViewKey ({ collection, table }: ServedTable): readonly Finding[] {
  const { strategies: { create }, key } = collection
  if (!create || !table.replaced.has('insert')) return []
  return key.filter(field => isLeftToColumn(field, collection)).map(field => fault(placeOfField(collection, field),
    'is the key of new items, but no client may write it, and a view does not tell which key its trigger has made; ' +
    "flag it 'writable', fill it in the hook 'creating', or set requestStrategies: { create: false }"))
}

const isRequired = ({ nullable, filled }: CatalogColumn) => !nullable && !filled

const advice = "fill it in the hook 'creating', give the column a default, or set requestStrategies: { create: false }"

function undeclared (collection: Collection, column: CatalogColumn): Finding {
  const shown = showColumn(collection, column.name)
  const reason = `the column ${shown} must not be null and has no default, and no field stores it`
  return fault(`collection '${collection.property}'`, `${reason}, so no item can be created; declare it, or ${advice}`)
}

function unfilled (field: StoredField, column: CatalogColumn, collection: Collection): Finding {
  const shown = `the column ${showColumn(collection, column.name)}`
  const reason = `${shown} must not be null and has no default, no client may write the field, and nothing fills it`
  return fault(placeOfField(collection, field), `${reason}, so no item can be created; flag it 'writable', ${advice}`)
}

/** Checks that a client must give what the column needs. */
function checkOptional (field: StoredField, column: CatalogColumn, collection: Collection): readonly Finding[] {
  if (!field.writable || !field.nullable || (field.schema.default ?? undefined) !== undefined) return []
  if (field === collection.version || isForeignKey(field, collection)) return []
  const shown = `the column ${showColumn(collection, column.name)}`
  return [fault(placeOfField(collection, field),
    `may be left out or null, but ${shown} must not be null and has no default; remove Type.Optional and Type.Null, ` +
    'or let the column be null')]
}
