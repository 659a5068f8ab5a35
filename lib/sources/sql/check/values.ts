import type { StoredField } from '../../../model/model.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { Finding } from '../../catalog-check.ts'
import type { TypeFamily } from '../catalog.ts'
import { describe } from './columns.ts'
import type { Served } from './compare.ts'
import { placeOfField, showColumn, warning } from './finding.ts'
import { isFindable, valuesAt } from './identifiers.ts'
import { readShown, type ShownReader } from './shown.ts'

// Unlike identifiers, such a value harms no other: a few rows tell what the column holds.
const sample = 1000

/** Finds values that a field shows although its type does not allow them, which no filter finds. */
export async function findMisfits (served: Served, reader: ShownReader): Promise<readonly Finding[]> {
  const { collection, columns, table } = served
  const fields = collection.stored.filter(field => table.kind === 'table' && isUnsure(field, served))
  if (fields.length === 0) return []
  const rows = await readShown(fields, served, reader, sample)
  return fields.flatMap((field, index) => {
    if (valuesAt(rows, index).every(value => isFindable(value, field))) return []
    const column = showColumn(collection, columns.get(field)?.name ?? '')
    return [warning(placeOfField(collection, field), `the column ${column} holds a value that is not ` +
      `${describe(field)}, so that it is shown as text and no filter finds it; declare a type that holds all values ` +
      'of the column, or correct the value')]
  })
}

/** Returns true for a field whose column may hold values that the field's type does not allow. */
function isUnsure (field: StoredField, { collection, columns }: Served): boolean {
  const column = columns.get(field)
  const { type: { kind } } = field
  if (column === undefined || field.identifier || collection.key.includes(field) || anything.has(kind)) return false
  return !(sure[column.family]?.includes(kind) ?? false)
}

/** The kinds that take every text. */
const anything: ReadonlySet<ValueKind> = new Set(['string', 'json', 'mixed'])

/** The families of columns, with the kinds that have a value for each of theirs. */
const sure: Readonly<Partial<Record<TypeFamily, readonly ValueKind[]>>> = {
  integer: ['integer', 'number', 'int64', 'decimal'],
  decimal: ['number', 'decimal'],
  float: ['number', 'decimal'],
  boolean: ['boolean'],
  date: ['date'],
  timestamp: ['date-time'],
  time: ['time'],
  uuid: ['uuid'],
  bytes: ['byte']
}
