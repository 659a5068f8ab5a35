import type { Selection, Shown } from '../plan/plan.ts'
import type { Row } from '../sources/source.ts'

/** An item as JSON text: what the selection shows, in its order (docs/http.md: What an item shows). */
export const renderItem = (row: Row, select: Selection): string => JSON.stringify(showItem(row, select))

/** Items as the JSON text of an array. */
export const renderItems = (rows: readonly Row[], select: Selection): string => JSON.stringify(rows.map(row => showItem(row, select)))

/** The value of a selection's only field, alone, as JSON text. */
export function renderScalar (row: Row, [shown]: Selection): string {
  return JSON.stringify(shown === undefined ? null : showField(row, shown))
}

export type Item = Readonly<Record<string, unknown>>

/** An item as a client sees it, by the names on the wire. */
export function showItem (row: Row, select: Selection): Item {
  const item: Record<string, unknown> = {}
  for (const shown of select) item[shown.name] = showField(row, shown)
  return item
}

function showField (row: Row, shown: Shown): unknown {
  switch (shown.kind) {
    case 'value': return shown.field.kind === 'computed' ? shown.field.get(row) ?? null : row[shown.field.property] ?? null
    case 'item': return showNested(row[shown.field.property], shown.select)
    case 'list': return (row[shown.field.property] as readonly Row[]).map(element => showItem(element, shown.listing.select))
  }
}

const showNested = (row: unknown, select: Selection) => row === null || row === undefined ? null : showItem(row as Row, select)
