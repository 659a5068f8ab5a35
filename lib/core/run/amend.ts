import { describeValue, validation } from '../errors/errors.ts'
import { messageOf, type Violation } from '../errors/violation.ts'
import { describeElements } from '../model/values.ts'
import type { Row, WritePlanOf } from '../plan/plan.ts'
import type { Amendment } from '../plan/write/amendment.ts'
import type { Assignment, ItemBody } from '../plan/write/item-body.ts'
import { planValue } from '../plan/write/update.ts'
import { ExactSum } from '../sources/exact-sum.ts'

/**
 * Returns the body of an update with the values that its amendments make of a row. Throws validation for null, of which
 * nothing can be made.
 */
export function amended ({ body, collection }: WritePlanOf<'update'>, row: Row): ItemBody {
  if (!body.assignments.some(isAmendment)) return body
  const parts = body.assignments.map((one): Pick<ItemBody, 'assignments' | 'confirmations' | 'violations'> => {
    if (!isAmendment(one)) return { assignments: [one], confirmations: [], violations: [] }
    const { field, pointer } = one
    const value = valueOf(one, row)
    const made = planValue(field, value, collection, { items: 1 })
    const told = <T extends Violation>(one: T): T => ({ ...one, pointer, message: `the new value ${messageOf(one)}` })
    return { ...made, confirmations: made.confirmations.map(told), violations: made.violations.map(told) }
  })
  return {
    ...body,
    assignments: parts.flatMap(({ assignments }) => assignments),
    confirmations: [...body.confirmations, ...parts.flatMap(({ confirmations }) => confirmations)],
    violations: [...body.violations, ...parts.flatMap(({ violations }) => violations)]
  }
}

const isAmendment = (one: Assignment): one is Amendment => one.kind === 'amendment'

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
