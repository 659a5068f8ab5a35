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

/** Returns a value of a row as it is bound. */
export const boundOf = (row: readonly unknown[], index: number, kinds: readonly ValueKind[]): Value =>
  toBound(row[index], kinds[index] ?? 'json')

export const kindsOf = ({ fields }: Inserts): readonly ValueKind[] => fields.map(({ type: { kind } }) => kind)

/** Returns the rows as one JSON text, for Dialect.manyRows: the database reads each value by its column's type. */
export function rowsAsJson (inserts: Inserts): string {
  const kinds = kindsOf(inserts)
  const names = kinds.map((_, index) => `c${index}`)
  return JSON.stringify(inserts.rows.map(values => {
    const object: Record<string, unknown> = {}
    for (let index = 0; index < names.length; index++) {
      const value = boundOf(values, index, kinds)
      object[names[index] ?? ''] = isTyped(value) ? value.text : value
    }
    return object
  }))
}
