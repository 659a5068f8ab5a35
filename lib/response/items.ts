import { after } from '../after.ts'
import type { Selection, Row } from '../plan/plan.ts'
import { showField, showItem } from '../plan/to-item.ts'
import { writeInParts } from '../sources/json-text.ts'

/** Returns an item as JSON text: the selected fields, in their order (docs/http.md: What an item shows). */
export const renderItem = (row: Row, select: Selection): string => JSON.stringify(showItem(row, select))

/**
 * Returns an array of items as JSON text; a promise of it where it is long. Throws answer_too_large if it is longer
 * than `longest` characters.
 */
export const renderItems = (rows: readonly Row[], select: Selection, longest: number): string | Promise<string> =>
  after(
    writeInParts(rows, longest, part => JSON.stringify(part.map(row => showItem(row, select)))), text => `[${text}]`)

/** Returns the value of the selection's only field as JSON text. */
export function renderScalar (row: Row, [shown]: Selection): string {
  return JSON.stringify(shown === undefined ? null : showField(row, shown))
}

/** Returns an item from the JSON texts of its members. Texts after the last selected field are ignored. */
export function joinMembers (texts: readonly string[], select: Selection): string {
  let text = '{'
  for (let index = 0; index < select.length; index++) {
    text += (index === 0 ? '' : ',') + (select[index]?.field.label ?? '') + (texts[index] ?? 'null')
  }
  return `${text}}`
}
