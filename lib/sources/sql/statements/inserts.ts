import type { ValueKind } from '../../../model/values.ts'
import type { Inserts } from '../../source.ts'
import { identityOf, type Shape, toBound } from './shape.ts'
import { isTyped, type Value } from './slots.ts'

/** Returns the shape of inserts, without values: each row is bound by itself. The slots belong to the fields. */
export function shapeOfInserts ({ collection, fields, keyed }: Inserts): Shape {
  const indexes = fields.map(field => field.index).join(',')
  return {
    key: `inserts${keyed ? 'k' : ''}${identityOf(collection)}: ${indexes}`,
    values: [],
    slots: new Map([[fields, fields.map((_, index) => ({ kind: 'slot', index }))]])
  }
}

/** Returns the values of a row as they are bound. */
export function boundRow (row: readonly unknown[], kinds: readonly ValueKind[]): readonly Value[] {
  const bound: Value[] = []
  for (let index = 0; index < kinds.length; index++) bound.push(toBound(row[index], kinds[index] ?? 'json'))
  return bound
}

export const kindsOf = ({ fields }: Inserts): readonly ValueKind[] => fields.map(({ type: { kind } }) => kind)

/** Returns the rows as one JSON text, for Dialect.manyRows: the database reads each value by its column's type. */
export function rowsAsJson (inserts: Inserts): string {
  const kinds = kindsOf(inserts)
  const names = kinds.map((_, index) => `c${index}`)
  return JSON.stringify(inserts.rows.map(values => {
    const row = boundRow(values, kinds)
    const object: Record<string, unknown> = {}
    for (let index = 0; index < names.length; index++) {
      const value = row[index] ?? null
      object[names[index] ?? ''] = isTyped(value) ? value.text : value
    }
    return object
  }))
}
