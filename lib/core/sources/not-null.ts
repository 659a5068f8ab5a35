import { internal } from '../errors/errors.ts'
import { placeOfExpression } from '../model/fields.ts'
import type { DataField, ExpressionField, ScalarField } from '../model/model.ts'
import type { GroupColumn, Row, Selection } from '../plan/plan.ts'

// Expressions that say `nullable: false` (docs/declaring.md: Expressions that are null).

/** Returns true for an expression whose declaration says that it is never null. */
export const isNeverNull = (field: ScalarField): field is NeverNull => field.kind === 'expression' && !field.nullable

type NeverNull = ExpressionField & { readonly nullable: false }

/** Returns true if a selection shows such an expression, itself or in its relations. */
export const showsNeverNull = (select: Selection): boolean => select.some(shown =>
  (shown.kind === 'value' && isNeverNull(shown.field)) ||
  (shown.kind === 'item' && showsNeverNull(shown.select)) ||
  (shown.kind === 'list' && showsNeverNull(shown.listing.select)))

/** Returns the fields, and the keys of the items that have such expressions: a message names the item. */
export function withKeys (fields: readonly DataField[]): readonly DataField[] {
  return [...new Set([...fields, ...fields.flatMap(field => isNeverNull(field) ? field.key : [])])]
}

/**
 * Returns a function that throws for a row in which the value of such an expression is null. The rows hold the fields
 * that withKeys() returns.
 */
export function notNull (fields: readonly DataField[]): <R extends Row>(row: R) => R {
  const checked = fields.filter(isNeverNull)
  if (checked.length === 0) return row => row
  return row => {
    for (const field of checked) if ((row[field.property] ?? null) === null) throw unexpectedNull(field, row)
    return row
  }
}

/** Returns a function that throws for a group that shares a null of such an expression. */
export function notNullGroup (columns: readonly GroupColumn[]): <R extends Row>(row: R) => R {
  const checked = columns.flatMap(({ call, of, field: { property } }) =>
    call === undefined && of.path === undefined && isNeverNull(of.field) ? [{ field: of.field, property }] : [])
  if (checked.length === 0) return row => row
  return row => {
    for (const { field, property } of checked) {
      if ((row[property] ?? null) === null) throw unexpectedNull(field, undefined)
    }
    return row
  }
}

function unexpectedNull ({ collection, property, key }: ExpressionField, row: Row | undefined) {
  const place = placeOfExpression(collection, property)
  const named = row && Object.fromEntries(key.map(one => [one.property, row[one.property]]))
  const where = named === undefined ? 'of a group' : `of the item ${JSON.stringify(named)}`
  const advice = "it says 'nullable: false'; remove that, or have the SQL return another value"
  return internal(new Error(`${place}: the value ${where} is null, but ${advice}`))
}
