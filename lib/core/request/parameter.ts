import { invalidPage, invalidParameter, invalidSort } from '../errors/errors.ts'
import type { Budget } from './budget.ts'
import { parseFilter } from './filter.ts'
import { callEnd, readPath } from './dotted-path.ts'
import type { FieldAsked, Filter, PageAsked, Query, SortAsked, TextPlace, ValueText } from './request.ts'
import { part, placeAt, type Span, split, standsAt, textOfSpan } from './span.ts'
import { nameEnd, type ParameterKind, type Syntax } from './syntax.ts'

/** A query while it is read. */
export interface QueryDraft {
  readonly filters: Filter[]
  sort: readonly SortAsked[] | undefined
  fields: readonly FieldAsked[] | undefined
  readonly page: { -readonly [kind in keyof PageAsked]: PageAsked[kind] }
  format: ValueText | undefined
  readonly at: { -readonly [kind in keyof Query['at']]: TextPlace }
}

export const makeDraft = (): QueryDraft => ({
  filters: [], sort: undefined, fields: undefined, page: {}, format: undefined, at: {}
})

export function addFilter (draft: QueryDraft, filter: Filter, at: TextPlace): void {
  draft.at.filter ??= at
  draft.filters.push(filter)
}

/** Returns a comparison with the spelling of the parameter that may have been meant. */
export const withInstead = (filter: Filter, instead: string | undefined): Filter =>
  filter.kind === 'compare' && instead !== undefined ? { ...filter, instead } : filter

/**
 * Adds a parameter that is not a selection; `span` is its value. A second sort continues the first one. Throws
 * invalid_page or invalid_parameter for a second parameter of another kind, or what the grammar of the value throws.
 */
export function addParameter (
  draft: QueryDraft, kind: Exclude<ParameterKind, 'fields'>, span: Span, syntax: Syntax, budget: Budget
): void {
  const at = placeAt(span, span.start)
  if (kind === 'where') return addFilter(draft, parseFilter(span, syntax, budget), at)
  if (kind === 'sort') {
    draft.at.sort ??= at
    draft.sort = parseSort(span, syntax, draft.sort)
    return
  }
  if (kind === 'format') {
    if (draft.format !== undefined) throw invalidParameter('The format is given twice.', at)
    draft.format = { text: textOfSpan(span), quoted: false, at }
    return
  }
  if (draft.page[kind] !== undefined) throw invalidPage(`The page's ${pageWords[kind]} is given twice.`, at)
  draft.at.page ??= at
  draft.page[kind] = { text: textOfSpan(span), quoted: false, at }
}

// The message does not have the parameter's name: the two parameters can be synonyms, or options of a selection.
const pageWords = {
  page: 'number', size: 'size', offset: 'offset', after: 'cursor', before: 'cursor'
} as const satisfies Record<keyof PageAsked, string>

/**
 * Parses an order (docs/http.md: Query strings):
 *
 *     order = term { ("," | ";") term }
 *     term  = path [ (" " | "+" | ":") direction ] | "-" path
 *     path  = name { "." name } [ "." function ]
 *
 * `-name` is descending. `before` holds the terms of an earlier parameter, which come first. Throws invalid_sort.
 */
function parseSort (span: Span, syntax: Syntax, before: readonly SortAsked[] = []): readonly SortAsked[] {
  const { sortTerms } = syntax.limits
  const terms = split(span, syntax.sort, sortTerms + 1)
  if (before.length + terms.length > sortTerms) {
    const at = placeAt(span, span.start)
    throw invalidSort(`A sort order can have at most ${sortTerms} terms (limit 'sortTerms').`, at)
  }
  return [...before, ...terms.map(term => parseTerm(trim(term, syntax), syntax))]
}

function parseTerm (span: Span, syntax: Syntax): SortAsked {
  const start = standsAt(span, span.start, '-') ? span.start + 1 : span.start
  const end = callEnd(span, Math.min(nameEnd(span.text, start), span.end))
  const at = placeAt(span, start)
  if (end === start) throw invalidSort("Expected a field's name.", at)
  const path = readPath(part(span, start, end), syntax, 'sort', invalidSort)
  const direction = trim(part(span, end, span.end), syntax)
  if (start === span.start) return { path, descending: parseDirection(direction, end, syntax), at }
  if (direction.start === direction.end) return { path, descending: true, at }
  const message = `'-${path.join('.')}' is descending already, so no direction may follow.`
  throw invalidSort(message, placeAt(span, direction.start))
}

/**
 * Returns true for a direction that means descending. `nameEnds` is the end of the name, which a delimiter must
 * follow.
 */
function parseDirection (span: Span, nameEnds: number, { directions }: Syntax): boolean {
  if (span.start >= span.end) return false
  const descending = span.start > nameEnds ? directions.get(textOfSpan(span).toLowerCase()) : undefined
  if (descending !== undefined) return descending
  const words = [...directions.keys()].join(', ')
  throw invalidSort(`Expected one of ${words}, not '${textOfSpan(span)}'.`, placeAt(span, span.start))
}

/** Returns the span without delimiters of directions at its start and end. */
function trim (span: Span, { direction }: Syntax): Span {
  let { start, end } = span
  while (start < end && direction.has(span.text[start] ?? '')) start++
  while (end > start && direction.has(span.text[end - 1] ?? '')) end--
  return part(span, start, end)
}
