import { invalidPage, invalidSort } from '../errors.ts'
import type { Budget } from './budget.ts'
import { parseFilter } from './filter.ts'
import type { FieldAsked, Filter, PageAsked, TextPlace, Query, SortTerm } from './request.ts'
import { parseSort } from './sort.ts'
import { placeAt, type Span, textOf } from './span.ts'
import type { ParameterKind, Syntax } from './syntax.ts'

/** A query on its way. */
export interface QueryDraft {
  readonly filters: Filter[]
  sort: readonly SortTerm[] | undefined
  fields: readonly FieldAsked[] | undefined
  readonly page: { -readonly [kind in keyof PageAsked]: PageAsked[kind] }
  readonly at: { -readonly [kind in keyof Query['at']]: TextPlace }
}

export const makeDraft = (): QueryDraft => ({ filters: [], sort: undefined, fields: undefined, page: {}, at: {} })

/** Adds a filter. Several are ANDed. */
export function addFilter (draft: QueryDraft, filter: Filter, at: TextPlace): void {
  draft.at.filter ??= at
  draft.filters.push(filter)
}

/** Adds what a parameter says that is no selection; `span` is its value. Throws where its like has been said before. */
export function addParameter (draft: QueryDraft, kind: Exclude<ParameterKind, 'fields'>, span: Span, syntax: Syntax, budget: Budget): void {
  const at = placeAt(span, span.start)
  if (kind === 'where') return addFilter(draft, parseFilter(span, syntax, budget), at)
  if (kind === 'sort') {
    if (draft.sort !== undefined) throw invalidSort('The sort order is given twice.', at)
    draft.at.sort = at
    draft.sort = parseSort(span, syntax)
    return
  }
  if (draft.page[kind] !== undefined) throw invalidPage(`The page's ${pageWords[kind]} is given twice.`, at)
  draft.at.page ??= at
  draft.page[kind] = { text: textOf(span), quoted: false, at }
}

// Not the parameter's name: the two may be synonyms, or stand inside a selection.
const pageWords = { page: 'number', size: 'size', offset: 'offset', after: 'cursor', before: 'cursor' } as const satisfies Record<keyof PageAsked, string>
