import type { Row } from '../plan/plan.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Violation } from '../model/validators.ts'
import type { Confirmation } from '../plan/write/item-body.ts'
import { showPlainly } from '../plan/read/select.ts'
import { showField } from '../plan/read/to-item.ts'

/**
 * Returns a violation for each member that cannot be written and differs from what GET shows now (docs/http.md:
 * Writing). The row must hold the fields of the members.
 */
export function confirm (confirmations: readonly Confirmation[], row: Row): readonly Violation[] {
  return confirmations
    .filter(confirmation => !isCurrent(confirmation, row))
    .map(({ pointer, message }) => ({ pointer, message }))
}

/**
 * Returns a violation for each member that cannot be written. For an item whose collection the caller may not read: an
 * accepted value would be a confirmed one.
 */
export const refuseToConfirm = (confirmations: readonly Confirmation[]): readonly Violation[] =>
  confirmations.map(({ pointer }) => ({ pointer, message: 'cannot be written here' }))

function isCurrent ({ field, value }: Confirmation, row: Row): boolean {
  const shown = showField(row, showPlainly(field))
  const sent = field.kind === 'stored' && value !== null ? field.type.take(value) ?? value : value
  // Compared as JSON, in which 0 and -0 are equal.
  return isDeepStrictEqual(JSON.parse(JSON.stringify(sent, keepInfinity)), JSON.parse(JSON.stringify(shown)))
}

/** Replaces a number too large for a double, which JSON.stringify() would turn into null. */
const keepInfinity = (_name: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
