import type { GroupColumn, Row } from '../plan/plan.ts'
import { showGroup } from '../plan/read/show.ts'
import { after } from '../scheduling/after.ts'
import { writeInParts } from '../sources/json-text.ts'
import { csvColumn, type Lines } from './stream.ts'

/** Returns a group as JSON text (docs/http.md: Groups). */
export const renderGroup = (row: Row, show: readonly GroupColumn[]): string => JSON.stringify(showGroup(row, show))

/** Returns an array of groups as JSON text; a promise of it where it is long. */
export function renderGroups (
  rows: readonly Row[], show: readonly GroupColumn[], longest: number
): string | Promise<string> {
  const write = (part: readonly Row[]) => part.map(row => renderGroup(row, show)).join(',')
  return after(writeInParts(rows, longest, write), text => `[${text}]`)
}

/** Returns the lines of a stream of groups, which have a column of CSV for each value. */
export const groupLines = (show: readonly GroupColumn[]): Lines => ({
  json: row => renderGroup(row, show),
  columns: show.map(csvColumn)
})
