import type { DataField } from '../model/model.ts'
import type { Selection } from '../plan/plan.ts'
import type { Group, Row } from '../sources/source.ts'
import { renderItem, renderItems } from './items.ts'

/**
 * Items by the value of an identifier, as JSON text (docs/http.md: URLs). Text is joined, because an object of JavaScript would sort the names
 * that look like numbers and lose one that is `__proto__`.
 */
export function renderDictionary (rows: readonly Row[], by: DataField, select: Selection): string {
  return renderMembers(rows.map(row => [row[by.property], renderItem(row, select)]))
}

/** Arrays of items by the value that they share, as JSON text. */
export function renderGroups (groups: readonly Group[], select: Selection): string {
  return renderMembers(groups.map(({ value, rows }) => [value, renderItems(rows, select)]))
}

function renderMembers (members: ReadonlyArray<readonly [value: unknown, text: string]>): string {
  return `{${members.map(([value, text]) => `${JSON.stringify(String(value))}:${text}`).join(',')}}`
}
