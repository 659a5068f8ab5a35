import { memoizeFrozen } from '../scheduling/memoize.ts'
import type { Row, Selection, Shown } from '../plan/plan.ts'
import { showField, showItem } from '../plan/read/to-item.ts'
import { textOf } from '../sources/json-text.ts'

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
    case 'value': return row => textOf(showField(row, shown))
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
