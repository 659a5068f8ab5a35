import type { Row, Selection, Shown } from '../plan/plan.ts'
import { showField, showItem } from '../plan/read/show.ts'
import { after } from '../scheduling/after.ts'
import { memoizeFrozen } from '../scheduling/memoize.ts'
import { textOf, writeInParts } from '../sources/json-text.ts'

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

/** Writes a row, or a member of it, as JSON text. */
type Write = (row: Row) => string

/** Returns a function that writes the item of a row, as JSON.stringify() would write what showItem() returns. */
export const itemWriter = memoizeFrozen((select: Selection): Write => {
  // JSON.stringify() moves integers among the names to the front.
  if (select.some(({ name }) => /^\d+$/.test(name))) return row => JSON.stringify(showItem(row, select))
  const members = select.map((shown, index) =>
    ({ before: `${index === 0 ? '' : ','}${JSON.stringify(shown.name)}:`, write: memberWriter(shown) }))
  return row => {
    let text = '{'
    for (const { before, write } of members) text += before + write(row)
    return `${text}}`
  }
})

function memberWriter (shown: Shown): Write {
  const { property } = shown.field
  switch (shown.kind) {
    case 'value':
    case 'related': return row => textOf(showField(row, shown))
    case 'item': {
      const write = itemWriter(shown.select)
      return row => row[property] === null || row[property] === undefined ? 'null' : write(row[property] as Row)
    }
    case 'list': {
      const write = itemWriter(shown.listing.select)
      return row => `[${(row[property] as readonly Row[]).map(write).join(',')}]`
    }
  }
}
