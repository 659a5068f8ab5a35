import type { Collection, StoredField } from '../../../model/model.ts'
import type { ConstraintViolation } from '../../source.ts'
import { sourceOf } from '../source.ts'
import { isConstraint } from './faults.ts'

// Not in faults.ts, which each reading thread loads: with the sources of tables, TypeBox would be loaded as well.

/**
 * Returns the violation if the database refused the data of a change to the collection's table; undefined for any other
 * error. SQLite names the columns in its messages only.
 */
export function toViolation (error: unknown, collection: Collection): ConstraintViolation | undefined {
  if (!isConstraint(error) || !(error instanceof Error)) return undefined
  const [, kind = '', named = ''] = constraintFailed.exec(error.message) ?? []
  if (kind === 'FOREIGN KEY') return { kind: 'refused', by: 'foreign-key', fields: [] }
  const fields = kind === 'CHECK' ? fieldsInExpression(named, collection) : fieldsInList(named, collection)
  return { kind: 'refused', by: kind === 'UNIQUE' ? 'unique' : 'other', fields }
}

const constraintFailed = /(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?$/s

/** Returns true for the error of a constraint, which has undone its statement and no other one of the transaction. */
export const isUndoneAlone = (error: unknown): boolean =>
  isConstraint(error) && error instanceof Error && constraintFailed.test(error.message)

/** Returns the fields of a list of columns such as `artists.name, artists.tenant`. */
function fieldsInList (list: string, collection: Collection): readonly StoredField[] {
  const { table, column } = sourceOf(collection)
  const columns = list.split(', ').map(name => name.startsWith(`${table}.`) ? name.slice(table.length + 1) : name)
  return collection.stored.filter(field => columns.includes(column(field.property)))
}

/** Returns the fields whose columns an expression names. */
function fieldsInExpression (expression: string, collection: Collection): readonly StoredField[] {
  const words = new Set(expression.split(/[^\p{L}\p{N}_$]+/u))
  return collection.stored.filter(field => words.has(sourceOf(collection).column(field.property)))
}
