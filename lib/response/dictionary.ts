import type { DataField } from '../model/model.ts'
import type { Selection, Row } from '../plan/plan.ts'
import { showItem } from '../plan/to-item.ts'
import type { Group } from '../sources/source.ts'

/** Items by the value of an identifier, as JSON text (docs/http.md: URLs). */
export function renderDictionary (rows: readonly Row[], by: DataField, select: Selection): string {
  return renderMembers(rows.map(row => [String(row[by.property]), showItem(row, select)]))
}

/** Arrays of items by the value that they share, as JSON text. */
export function renderGroups (groups: readonly Group[], select: Selection): string {
  return renderMembers(groups.map(({ value, rows }) => [String(value), rows.map(row => showItem(row, select))]))
}

function renderMembers (members: ReadonlyArray<readonly [name: string, value: unknown]>): string {
  // An object of JavaScript would have names that are indexes before all others.
  if (members.some(([name]) => /^\d/.test(name))) return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
  // Without a prototype, so that `__proto__` is a name like any other.
  const object = Object.create(null) as Record<string, unknown>
  for (const [name, value] of members) object[name] = value
  return JSON.stringify(object)
}
