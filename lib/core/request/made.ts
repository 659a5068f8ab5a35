import type { Operator } from '../model/values.ts'
import type { ComparisonFilter, SortAsked, TextPlace, ValueText } from './request.ts'

// Parts of queries that code makes, to be printed (print.ts): they stand in no text of a client.

/** The place of what no client has written. */
const nowhere: TextPlace = { parameter: '', position: 1 }

export const comparison = (
  path: string, operator: Operator, value: string | readonly string[] | null
): ComparisonFilter => ({
  kind: 'compare', path: path.split('.'), operator, values: [value].flat().map(valueText), at: nowhere
})

export const valueText = (text: string | null): ValueText =>
  ({ text: text ?? 'null', quoted: text === 'null', at: nowhere })

export const sortTerm = (path: string, descending: boolean): SortAsked =>
  ({ path: path.split('.'), descending, at: nowhere })
