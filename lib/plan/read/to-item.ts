import type { Selection, Shown, Row } from '../plan.ts'

export type Item = Readonly<Record<string, unknown>>

/** Converts a row to the item that a client sees: its selected members, by their names on the wire. */
export function showItem (row: Row, select: Selection): Item {
  const item: Record<string, unknown> = {}
  for (const shown of select) item[shown.name] = showField(row, shown)
  return item
}

/** Returns the value of one member of an item. An absent value is null. */
export function showField (row: Row, shown: Shown): unknown {
  switch (shown.kind) {
    case 'value': return showValue(row, shown)
    case 'item': return showNested(row[shown.field.property], shown.select)
    case 'list': {
      const elements = row[shown.field.property] as readonly Row[]
      return elements.map(element => showItem(element, shown.listing.select))
    }
  }
}

const showValue = (row: Row, { field }: Extract<Shown, { kind: 'value' }>): unknown =>
  (field.kind === 'computed' ? field.get(row) : row[field.property]) ?? null

const showNested = (row: unknown, select: Selection) =>
  row === null || row === undefined ? null : showItem(row as Row, select)
