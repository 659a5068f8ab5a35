import type { Selection } from '../plan/plan.ts'
import { showField, showItem } from '../plan/show.ts'
import type { Row } from '../sources/source.ts'

/** An item as JSON text: what the selection shows, in its order (docs/http.md: What an item shows). */
export const renderItem = (row: Row, select: Selection): string => JSON.stringify(showItem(row, select))

/** Items as the JSON text of an array. */
export const renderItems = (rows: readonly Row[], select: Selection): string => JSON.stringify(rows.map(row => showItem(row, select)))

/** The value of a selection's only field, alone, as JSON text. */
export function renderScalar (row: Row, [shown]: Selection): string {
  return JSON.stringify(shown === undefined ? null : showField(row, shown))
}

/** The array of items that stand one a line. */
export const joinLines = (lines: string, reversed: boolean): string =>
  `[${reversed ? lines.split('\n').reverse().join(',') : lines.replaceAll('\n', ',')}]`
