import { after } from '../scheduling/after.ts'
import type { Selection, Row } from '../plan/plan.ts'
import { showField } from '../plan/read/to-item.ts'
import { textOf, writeInParts } from '../sources/json-text.ts'
import { itemWriter } from './item-writer.ts'

/** Returns an item as JSON text: the selected fields, in their order (docs/http.md: What an item shows). */
export const renderItem = (row: Row, select: Selection): string => itemWriter(select)(row)

/**
 * Returns an array of items as JSON text; a promise of it where it is long. Throws answer_too_large if it is longer
 * than `longest` characters.
 */
export function renderItems (rows: readonly Row[], select: Selection, longest: number): string | Promise<string> {
  const write = itemWriter(select)
  return after(writeInParts(rows, longest, part => part.map(write).join(',')), text => `[${text}]`)
}

/** Returns the value of the selection's only field as JSON text. */
export function renderScalar (row: Row, [shown]: Selection): string {
  return textOf(shown === undefined ? null : showField(row, shown))
}

/** Returns an item from the JSON texts of its members. Texts after the last selected field are ignored. */
export function joinMembers (texts: readonly string[], select: Selection): string {
  let text = '{'
  for (let index = 0; index < select.length; index++) {
    text += (index === 0 ? '' : ',') + (select[index]?.field.label ?? '') + (texts[index] ?? 'null')
  }
  return `${text}}`
}
