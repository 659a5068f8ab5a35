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

/** Returns the values of each row as they are bound. */
export const boundRows = ({ fields, rows }: Inserts): ReadonlyArray<readonly Value[]> => {
  const kinds = fields.map(field => field.type.kind)
  return rows.map(row => row.map((value, index) => toBound(value, kinds[index] ?? 'json')))
}

/** Returns the rows as one JSON text, for Dialect.manyRows: the database reads each value by its column's type. */
export function rowsAsJson (inserts: Inserts): string {
  const names = inserts.fields.map((_, index) => `c${index}`)
  return JSON.stringify(boundRows(inserts).map(row => {
    const object: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) {
      const value = row[index] ?? null
      object[name] = isTyped(value) ? value.text : value
    }
    return object
  }))
}
