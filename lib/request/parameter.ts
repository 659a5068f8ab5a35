import { invalidPage, invalidSort } from '../errors.ts'
import type { Budget } from './budget.ts'
import { parseFilter } from './filter.ts'
import type { FieldAsked, Filter, PageAsked, Place, Query, SortTerm } from './request.ts'
import { parseSort } from './sort.ts'
import { placeAt, type Span, textOf } from './span.ts'
import type { ParameterKind, Syntax } from './syntax.ts'

/** A query on its way. */
export interface QueryDraft {
  readonly filters: Filter[]
  sort: readonly SortTerm[] | undefined
  fields: readonly FieldAsked[] | undefined
  readonly page: { -readonly [kind in keyof PageAsked]: PageAsked[kind] }
  readonly at: { -readonly [kind in keyof Query['at']]: Place }
}

export const makeDraft = (): QueryDraft => ({ filters: [], sort: undefined, fields: undefined, page: {}, at: {} })

/** Adds what a filter says. Several are ANDed. */
export function addFilter (draft: QueryDraft, span: Span, syntax: Syntax, budget: Budget): void {
  draft.at.filter ??= placeAt(span, span.start)
  draft.filters.push(parseFilter(span, syntax, budget))
}

/** Adds what a parameter says that is no selection; `span` is its value. Throws where its like has been said before. */
export function addParameter (draft: QueryDraft, kind: Exclude<ParameterKind, 'fields'>, span: Span, syntax: Syntax, budget: Budget): void {
  const at = placeAt(span, span.start)
  if (kind === 'where') return addFilter(draft, span, syntax, budget)
  if (kind === 'sort') {
    if (draft.sort !== undefined) throw invalidSort('The order is given twice.', at)
    draft.at.sort = at
    draft.sort = parseSort(span, syntax)
    return
  }
  if (draft.page[kind] !== undefined) throw invalidPage(`The parameter '${span.parameter}' says again what was said before.`, at)
  draft.at.page ??= at
  draft.page[kind] = { text: textOf(span), quoted: false, at }
}
