import type { Selection, Row } from '../plan/plan.ts'
import { showField, showItem } from '../plan/to-item.ts'

/** An item as JSON text: what the selection shows, in its order (docs/http.md: What an item shows). */
export const renderItem = (row: Row, select: Selection): string => JSON.stringify(showItem(row, select))

/** Items as the JSON text of an array. */
export const renderItems = (rows: readonly Row[], select: Selection): string => JSON.stringify(rows.map(row => showItem(row, select)))

/** The value of a selection's only field, alone, as JSON text. */
export function renderScalar (row: Row, [shown]: Selection): string {
  return JSON.stringify(shown === undefined ? null : showField(row, shown))
}

/** An item of the JSON texts of its members, which may be followed by others that are not shown. */
export function joinMembers (texts: readonly string[], select: Selection): string {
  let text = '{'
  for (const [index, { field }] of select.entries()) text += (index === 0 ? '' : ',') + field.label + (texts[index] ?? 'null')
  return `${text}}`
}
