import type { Operator } from '../model/values.ts'

/** Where something stood in the request, for the error that may follow. */
export interface TextPlace {
  /** The parameter's name as sent; for a filter that is a parameter of its own, the field's path. */
  readonly parameter: string
  /** The character, from 1, in the parameter's decoded value; for a filter that is a parameter of its own, in the whole parameter. */
  readonly position: number
}

/** A value as written. Only an unquoted `null` can mean null. */
export interface ValueText { readonly text: string, readonly quoted: boolean, readonly at: TextPlace }

/** What is asked of a collection's items. Nothing in it is known to exist. */
export type Filter =
  | { readonly kind: 'compare', readonly path: readonly string[], readonly operator: Operator, readonly values: readonly ValueText[], readonly at: TextPlace }
  | { readonly kind: 'all' | 'any', readonly of: readonly Filter[] }
  | { readonly kind: 'not', readonly of: Filter }

export interface SortTerm { readonly name: string, readonly descending: boolean, readonly at: TextPlace }

/** A field named in a selection; with `query` where parentheses follow it. */
export interface FieldAsked { readonly name: string, readonly at: TextPlace, readonly query?: Query | undefined }

/** The page parameters that were given, as text: what they mean together is for the plan. */
export interface PageAsked {
  readonly page?: ValueText | undefined
  readonly size?: ValueText | undefined
  readonly offset?: ValueText | undefined
  readonly after?: ValueText | undefined
  readonly before?: ValueText | undefined
}

/** A query string, read. What was not given is undefined. */
export interface Query {
  /** All of them hold. */
  readonly filters: readonly Filter[]
  readonly sort?: readonly SortTerm[] | undefined
  readonly fields?: readonly FieldAsked[] | undefined
  readonly page: PageAsked
  /** Where the first parameter of each kind stood, for a resource that cannot use it. */
  readonly at: { readonly [kind in 'filter' | 'sort' | 'fields' | 'page']?: TextPlace }
}
