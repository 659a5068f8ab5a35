import { invalidPage, invalidParameter } from '../errors/errors.ts'
import type { Budget } from './budget.ts'
import { parseFilter } from './filter.ts'
import type { FieldAsked, Filter, PageAsked, TextPlace, Query, SortTerm, ValueText } from './request.ts'
import { parseSort } from './sort.ts'
import { placeAt, type Span, textOf } from './span.ts'
import type { ParameterKind, Syntax } from './syntax.ts'

/** A query while it is read. */
export interface QueryDraft {
  readonly filters: Filter[]
  sort: readonly SortTerm[] | undefined
  fields: readonly FieldAsked[] | undefined
  readonly page: { -readonly [kind in keyof PageAsked]: PageAsked[kind] }
  format: ValueText | undefined
  readonly at: { -readonly [kind in keyof Query['at']]: TextPlace }
}

/** Returns a query without any parameter. */
export const makeDraft = (): QueryDraft => ({
  filters: [], sort: undefined, fields: undefined, page: {}, format: undefined, at: {}
})

/** Adds a filter to those that must all hold. */
export function addFilter (draft: QueryDraft, filter: Filter, at: TextPlace): void {
  draft.at.filter ??= at
  draft.filters.push(filter)
}

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
    draft.format = { text: textOf(span), quoted: false, at }
    return
  }
  if (draft.page[kind] !== undefined) throw invalidPage(`The page's ${pageWords[kind]} is given twice.`, at)
  draft.at.page ??= at
  draft.page[kind] = { text: textOf(span), quoted: false, at }
}

// The message does not have the parameter's name: the two parameters can be synonyms, or options of a selection.
const pageWords = {
  page: 'number', size: 'size', offset: 'offset', after: 'cursor', before: 'cursor'
} as const satisfies Record<keyof PageAsked, string>
