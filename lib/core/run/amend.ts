import { describeValue, validation } from '../errors/errors.ts'
import { messageOf, type Violation } from '../errors/violation.ts'
import { describeElements } from '../model/values.ts'
import type { Row, WritePlanOf } from '../plan/plan.ts'
import type { Amendment } from '../plan/write/amendment.ts'
import { planValue } from '../plan/write/update.ts'
import { ExactSum } from '../sources/exact-sum.ts'

/**
 * Returns the update of a row with the value that an amendment makes of its own. Throws validation for null, of which
 * nothing can be made.
 */
export function amended (plan: WritePlanOf<'update'>, row: Row): WritePlanOf<'update'> {
  const { body: { amendment }, collection } = plan
  if (amendment === undefined) return plan
  const { way, field } = amendment
  const pointer = `/${way}`
  const current = row[field.property]
  if (current === null || (way !== 'add' && !Array.isArray(current))) {
    throw validation([{ pointer, message: `needs a value to change; found ${describeValue(current)}` }])
  }
  const value = way === 'add' ? sumOf(current, amendment) : listOf(current as readonly unknown[], amendment)
  const body = planValue(field, value, collection, { items: 1 })
  const told = <T extends Violation>(one: T): T => ({ ...one, pointer, message: `the new value ${messageOf(one)}` })
  return {
    ...plan,
    body: { ...body, confirmations: body.confirmations.map(told), violations: body.violations.map(told) }
  }
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
