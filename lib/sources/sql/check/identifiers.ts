import { decimalKey } from '../../../model/decimals.ts'
import { leadsElsewhere } from '../../../model/keys.ts'
import type { StoredField } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { describe } from './columns.ts'
import type { Served } from './compare.ts'
import { fault, placeOfField, showColumn, warning } from './finding.ts'
import { readFlags, readShown, type ShownReader, type ShownRows } from './shown.ts'
import type { TypeRules } from './types.ts'

// A whole table may be large. One wrong value in the first rows is proof enough, and none is no proof anyway.
const sample = 10_000

/**
 * Finds values by which no URL leads to their item: those that are not of the field's type, and those that clients see
 * as one. A column may hold both where its type is wider than the field's.
 */
export async function findUnusable (
  served: Served, rules: TypeRules, reader: ShownReader
): Promise<readonly Finding[]> {
  const { collection: { key, stored }, columns, table } = served
  const others = stored.filter(field => field.identifier && !key.includes(field))
  const fields = [...key, ...others]
  if (table.kind !== 'table' || !fields.every(field => columns.has(field))) return []
  const rows = await readShown(fields, served, reader, sample)
  const strays = await readFlags(fields.map(field => rules.stray(field.type.kind, nameOf(field, served))), served,
    reader, sample)
  return [
    ...fields.flatMap((field, index) => {
      const values = key.includes(field) ? rows.map(row => row[index]) : valuesAt(rows, index)
      const isSound = strays[index] !== true && values.every(value => isFindable(value, field))
      if (!isSound) return [misfit(field, served)]
      const isAlone = !key.includes(field) || key.length === 1
      return isAlone && values.some(leadsElsewhere) ? [unnamable(field, served)] : []
    }),
    ...seenAsOne(key, rows.map(row => row.slice(0, key.length)), served),
    ...others.flatMap((field, index) =>
      seenAsOne([field], valuesAt(rows, key.length + index).map(value => [value]), served))
  ]
}

/** Returns the values of one column that are not null. */
export const valuesAt = (rows: ShownRows, index: number) => rows.map(row => row[index]).filter(value => value !== null)

/** Returns true for a value, as it is shown, by which filters and URLs find its row. */
export function isFindable (value: unknown, { type: { kind, parse } }: StoredField): boolean {
  if (value === null || typeof value === 'object') return false
  const parsed = parse(String(value))
  // A decimal is found by each of its texts, and a scalar of several types by its text.
  return kind === 'decimal' || kind === 'mixed' ? parsed !== undefined : parsed === value
}

const nameOf = (field: StoredField, { columns }: Served) => columns.get(field)?.name ?? ''

function misfit (field: StoredField, served: Served): Finding {
  const { collection } = served
  const column = showColumn(collection, nameOf(field, served))
  const found = `the column ${column} holds a value that is not ${describe(field)}`
  return fault(placeOfField(collection, field), `identifies items, but ${found}, and no URL leads to its item; ` +
    'declare a type that holds all of its values, such as Type.String(), or correct the value')
}

/** Such a value is no fault: clients may write it to an identifier that is no key, and listings show its item. */
function unnamable (field: StoredField, served: Served): Finding {
  const { collection } = served
  const column = showColumn(collection, nameOf(field, served))
  return warning(placeOfField(collection, field), `the column ${column} holds an empty text, '.' or '..', by which ` +
    'no URL leads to its item; correct the value')
}

function seenAsOne (fields: readonly StoredField[], rows: ShownRows, served: Served): readonly Finding[] {
  const { collection } = served
  const seen = new Set(rows.map(row => JSON.stringify(row.map((value, index) => seenAs(value, fields[index])))))
  const [first] = fields
  if (first === undefined || seen.size === rows.length) return []
  const names = fields.map(field => showColumn(collection, nameOf(field, served)))
  const isOne = names.length === 1
  const found = `clients see several values of the column${isOne ? '' : 's'} ${names.join(', ')} as one`
  const reason = isOne ? `, since the field is ${describe(first)}` : ''
  const advice = `declare ${isOne ? 'a type that tells' : 'types that tell'} them apart, or correct the values`
  return [fault(placeOfField(collection, first), `identifies items, but ${found}${reason}; ${advice}`)]
}

/** Returns what tells a value from others: equal decimals are one, however they are written. */
function seenAs (value: unknown, field: StoredField | undefined): unknown {
  if (field?.type.kind === 'decimal') return decimalKey(String(value))
  return field?.type.kind === 'mixed' ? String(value) : value
}
