import type { Selection, Shown, Row } from './plan.ts'

export type Item = Readonly<Record<string, unknown>>

/** An item as a client sees it, by the names on the wire (docs/http.md: What an item shows). */
export function showItem (row: Row, select: Selection): Item {
  const item: Record<string, unknown> = {}
  for (const shown of select) item[shown.name] = showField(row, shown)
  return item
}

/** One field of it. */
export function showField (row: Row, shown: Shown): unknown {
  switch (shown.kind) {
    case 'value': return shown.field.kind === 'computed' ? shown.field.get(row) ?? null : row[shown.field.property] ?? null
    case 'item': return showNested(row[shown.field.property], shown.select)
    case 'list': return (row[shown.field.property] as readonly Row[]).map(element => showItem(element, shown.listing.select))
  }
}

const showNested = (row: unknown, select: Selection) => row === null || row === undefined ? null : showItem(row as Row, select)
