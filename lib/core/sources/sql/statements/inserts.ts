import type { Change, ChangeOf } from '../../source.ts'
import type { Dialect } from './dialect.ts'
import { toBound } from './shape.ts'
import { isTyped, type Value } from './slots.ts'

type Insert = ChangeOf<'insert'>

/** Returns true if one statement inserts all items, whose values are one JSON text. */
export const isTogether = ({ fields, rows }: Insert, { manyRows }: Pick<Dialect, 'manyRows'>): boolean =>
  manyRows !== undefined && rows.length > 1 && fields.length > 0

/** The values with which the statement of a change runs: once, unless it inserts one of several items. */
interface Executions { readonly times: number, valuesOf (run: number): readonly Value[] }

/** Returns the executions of a change. `values`: those of its shape. */
export function executionsOf (change: Change, values: readonly Value[], dialect: Dialect): Executions {
  if (change.kind !== 'insert' || change.rows.length === 1) return { times: 1, valuesOf: () => values }
  if (isTogether(change, dialect)) return { times: 1, valuesOf: () => [rowsAsJson(change)] }
  const { rows } = change
  return { times: rows.length, valuesOf: run => boundRow(change, rows[run] ?? []) }
}

function boundRow ({ fields }: Insert, row: readonly unknown[]): readonly Value[] {
  const bound: Value[] = []
  let index = 0
  for (const { type: { kind } } of fields) bound.push(toBound(row[index++], kind))
  return bound
}

/** Returns the rows as one JSON text, for Dialect.manyRows: the database reads each value by its column's type. */
function rowsAsJson (insert: Insert): string {
  const names = insert.fields.map((_, index) => `c${index}`)
  return JSON.stringify(insert.rows.map(row => {
    const object: Record<string, unknown> = {}
    const values = boundRow(insert, row)
    for (let index = 0; index < names.length; index++) {
      const value = values[index]
      object[names[index] ?? ''] = value !== undefined && isTyped(value) ? value.text : value
    }
    return object
  }))
}
