import type { Row } from '../plan/plan.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Violation } from '../model/validators.ts'
import type { Confirmation } from '../plan/body.ts'
import { showPlainly } from '../plan/select.ts'
import { showField } from '../plan/to-item.ts'

/** What is wrong with members that cannot be written: they must be what GET shows now (docs/http.md: Writing). The row must hold their fields. */
export function confirm (confirmations: readonly Confirmation[], row: Row): readonly Violation[] {
  return confirmations.filter(one => !isCurrent(one, row)).map(({ pointer }) => ({ pointer, message: 'cannot be written, and differs from the current value' }))
}

function isCurrent ({ field, value }: Confirmation, row: Row): boolean {
  const shown = showField(row, showPlainly(field))
  const given = field.kind === 'stored' && value !== null ? field.type.take(value) ?? value : value
  // As JSON, which has one zero only.
  return isDeepStrictEqual(JSON.parse(JSON.stringify(given, endless)), JSON.parse(JSON.stringify(shown)))
}

/** A number too large for a double must not pass for the null that JSON makes of it. */
const endless = (_name: string, value: unknown) => typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
