import { describeValue, validation } from '../errors/errors.ts'
import { messageOf, type Violation } from '../errors/violation.ts'
import { ExactJson } from '../model/exact-json.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { describeElements } from '../model/values.ts'
import type { Row, WritePlanOf } from '../plan/plan.ts'
import type { Amendment } from '../plan/write/amendment.ts'
import type { Assignment, ItemBody } from '../plan/write/item-body.ts'
import { tokenOf } from '../errors/place.ts'
import { mergedText } from '../plan/write/merge-patch.ts'
import { planValue } from '../plan/write/update.ts'
import { ExactSum } from '../sources/exact-sum.ts'
import type { JsonTexts } from './stored-values.ts'

const isAmendment = (one: Assignment): one is Amendment => one.kind === 'amendment'

/** Returns the fields into whose values a body merges others. The row of its item is locked with their texts. */
export const mergedFields = ({ assignments }: ItemBody): readonly StoredField[] =>
  assignments.flatMap(one => isAmendment(one) && one.way === 'merge' ? [one.field] : [])

/** Returns a locked row as it is without the texts of fields that are merged. */
export const withoutTexts = (locked: Row, body: ItemBody): Row =>
  mergedFields(body).reduce((row, { property }) => {
    const value = row[property]
    return { ...row, [property]: value instanceof ExactJson ? value.value : value }
  }, locked)

/** A body without amendments. `texts`: those of its values of JSON that keep what no double is equal to. */
interface Amended { readonly body: ItemBody, readonly texts: JsonTexts }

type Made = Pick<ItemBody, 'assignments' | 'confirmations' | 'violations'>

/**
 * Returns the body of an update with the values that its amendments make of a locked row. Throws validation for null,
 * to which nothing can be added, and for a merged value beyond the limits of bodies, or content_too_large.
 */
export function amended ({ body, collection }: WritePlanOf<'update'>, locked: Row): Amended {
  const texts = new Map<StoredField, string>()
  if (!body.assignments.some(isAmendment)) return { body, texts }
  const parts = body.assignments.map((one): Made => {
    if (!isAmendment(one)) return { assignments: [one], confirmations: [], violations: [] }
    if (one.way !== 'merge') return changed(one, locked, collection)
    const stored = locked[one.field.property]
    const text = mergedText(stored instanceof ExactJson ? stored.text : '', one)
    texts.set(one.field, text)
    return merged(one, JSON.parse(text), collection)
  })
  const made = {
    ...body,
    assignments: parts.flatMap(({ assignments }) => assignments),
    confirmations: [...body.confirmations, ...parts.flatMap(({ confirmations }) => confirmations)],
    violations: [...body.violations, ...parts.flatMap(({ violations }) => violations)]
  }
  return { body: made, texts }
}

function changed (amendment: Amendment, row: Row, collection: Collection): Made {
  const { field, pointer } = amendment
  const made = planValue(field, valueOf(amendment, row), collection, { items: 1 })
  const told = <T extends Violation>(one: T): T => ({ ...one, pointer, message: `the new value ${messageOf(one)}` })
  return { ...made, confirmations: made.confirmations.map(told), violations: made.violations.map(told) }
}

/** Returns the assignment of a merged value, and what its schema says against it. */
function merged ({ field, pointer }: Amendment, value: unknown, { validate }: Collection): Made {
  const { name } = field
  const violations = validate({ [name]: value })
    .map(one => ({ ...one, pointer: pointer + one.pointer.slice(tokenOf(name).length) }))
  return { assignments: [{ kind: 'value', field, value, pointer }], confirmations: [], violations }
}

/** Returns what an amendment makes of the row's value. */
function valueOf (amendment: Amendment, row: Row): unknown {
  const { way, field, pointer } = amendment
  const current = row[field.property]
  if (current === null || (way !== 'add' && !Array.isArray(current))) {
    throw validation([{ pointer, message: `needs a value to change; found ${describeValue(current)}` }])
  }
  return way === 'add' ? sumOf(current, amendment) : listOf(current as readonly unknown[], amendment)
}

/** Returns a sum in the form of the field's values: of numbers as doubles, of others exactly. */
function sumOf (current: unknown, { operand, field: { type: { kind } } }: Amendment): unknown {
  if (kind === 'number') return Number(current) + Number(operand)
  const sum = new ExactSum()
  for (const addend of [current, operand]) sum.add(addend)
  const total = sum.total()
  if (kind === 'integer') return Number.isSafeInteger(Number(total)) ? Number(total) : total
  const places = Math.max(...[current, operand].map(text => String(text).split('.')[1]?.length ?? 0))
  const [whole = '', fraction = ''] = total.split('.')
  return places === 0 ? total : `${whole}.${fraction.padEnd(places, '0')}`
}

function listOf (current: readonly unknown[], { way, operand, field }: Amendment): readonly unknown[] {
  if (way === 'append') return [...current, operand]
  const type = describeElements(field.schema)?.type
  const canonical = (value: unknown) => type?.take(value) ?? value
  return current.filter(one => canonical(one) !== canonical(operand))
}
