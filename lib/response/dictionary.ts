import { after } from '../after.ts'
import type { DataField } from '../model/model.ts'
import type { Selection, Row } from '../plan/plan.ts'
import { showItem } from '../plan/to-item.ts'
import type { Group } from '../sources/source.ts'
import { writeInParts } from '../sources/json-text.ts'
import { formatSegment } from './paths.ts'

/** Returns a dictionary of items by the value of an identifier, as JSON text (docs/http.md: URLs). */
export function renderDictionary (
  rows: readonly Row[], by: readonly DataField[], select: Selection, longest: number
): string | Promise<string> {
  return after(writeInParts(rows, longest, part => renderMembers(part.map(row =>
    [memberName(row, by), showItem(row, select)]))), text => `{${text}}`)
}

/** Returns the value of an identifier; for a key of several fields the segment that leads to the item. */
function memberName (row: Row, by: readonly DataField[]): string {
  const values = by.map(({ property }) => row[property])
  return values.length === 1 ? String(values[0]) : formatSegment(values)
}

/** Returns a dictionary of arrays of items by the value that they share, as JSON text (docs/http.md: URLs). */
export function renderGroups (
  groups: readonly Group[], select: Selection, longest: number
): string | Promise<string> {
  return after(writeInParts(groups, longest, part => renderMembers(part.map(({ value, rows }) =>
    [String(value), rows.map(row => showItem(row, select))]))), text => `{${text}}`)
}

function renderMembers (members: ReadonlyArray<readonly [name: string, value: unknown]>): string {
  // A JavaScript object would move names that are array indexes to the front.
  if (members.some(([name]) => /^\d/.test(name))) {
    return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
  }
  // The object has no prototype, so `__proto__` is an ordinary name.
  const object = Object.create(null) as Record<string, unknown>
  for (const [name, value] of members) object[name] = value
  return JSON.stringify(object)
}
