import { answerTooLarge } from '../errors.ts'
import type { Selection, Row } from '../plan/plan.ts'
import { showField, showItem } from '../plan/to-item.ts'

/** Returns an item as JSON text: the selected fields, in their order (docs/http.md: What an item shows). */
export const renderItem = (row: Row, select: Selection): string => JSON.stringify(showItem(row, select))

/** Returns an array of items as JSON text. Throws answer_too_large if it is longer than `longest` characters. */
export const renderItems = (rows: readonly Row[], select: Selection, longest = Infinity): string =>
  `[${renderInParts(rows, longest, part => JSON.stringify(part.map(row => showItem(row, select))))}]`

/**
 * Returns the text between the brackets or braces that `render` writes around a list. Renders a long list in parts, so
 * that no more than twice the text that is allowed is ever made. Throws answer_too_large if the text is longer.
 */
export function renderInParts<T> (list: readonly T[], longest: number, render: (part: readonly T[]) => string): string {
  let text = ''
  for (let start = 0, size = firstPart; start < list.length; start += size, size = start) {
    const part = render(size < list.length ? list.slice(start, start + size) : list).slice(1, -1)
    text += text === '' ? part : `,${part}`
    if (text.length > longest) throw answerTooLarge(longest)
  }
  return text
}

const firstPart = 32

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
