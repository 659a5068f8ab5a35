import type { Operator } from '../model/values.ts'

/** A place in the request, for errors. */
export interface TextPlace {
  /** The parameter's name as sent. For a parameter that is a filter, such as `age>=30`, the field's path. */
  readonly parameter: string
  /**
   * The number of the character, from 1, in the decoded value. For a parameter that is a filter, in the whole
   * parameter.
   */
  readonly position: number
}

/** A value as the client wrote it, without its quotes. Only an unquoted `null` can mean null. */
export interface ValueText {
  readonly text: string
  readonly quoted: boolean
  readonly at: TextPlace
  /** The value itself, where own code has given it: its text is for messages only. */
  readonly given?: { readonly value: unknown }
}

/** A condition on a collection's items, as the client wrote it. Its names may be unknown to the model. */
export type Filter =
  | {
    readonly kind: 'compare'
    /** The names of relations, and last that of a field or, with its parentheses, a function. */
    readonly path: readonly string[]
    readonly operator: Operator
    readonly values: readonly ValueText[]
    readonly at: TextPlace
    /** How the parameter is written whose name is this field's, as a client may have meant that. */
    readonly instead?: string | undefined
  }
  | { readonly kind: 'some', readonly path: readonly string[], readonly of: Filter, readonly at: TextPlace }
  | { readonly kind: 'all' | 'any', readonly of: readonly Filter[] }
  | { readonly kind: 'not', readonly of: Filter }

export type ComparisonFilter = Extract<Filter, { kind: 'compare' }>

/** A term of an order. `path`: the names of relations, then that of a field or, with its parentheses, a function. */
export interface SortAsked { readonly path: readonly string[], readonly descending: boolean, readonly at: TextPlace }

/**
 * A field of a selection, or a function of one, such as `moons.count()`. `query` is the content of the parentheses that
 * follow the name of a field.
 */
export interface FieldAsked { readonly name: string, readonly at: TextPlace, readonly query?: Query | undefined }

/** The page parameters of a request, as text. plan/page.ts decides which of them can be combined. */
export interface PageAsked {
  readonly page?: ValueText | undefined
  readonly size?: ValueText | undefined
  readonly offset?: ValueText | undefined
  readonly after?: ValueText | undefined
  readonly before?: ValueText | undefined
}

/** A parsed query string. A member is undefined if the request has no such parameter. */
export interface Query {
  /** The conditions, all of which must hold. */
  readonly filters: readonly Filter[]
  readonly sort?: readonly SortAsked[] | undefined
  readonly fields?: readonly FieldAsked[] | undefined
  readonly page: PageAsked
  /** The format of the answer, such as `csv`. plan/media.ts reads it. */
  readonly format?: ValueText | undefined
  /** The place of the first parameter of each kind, for the error of a resource that cannot use it. */
  readonly at: { readonly [kind in 'filter' | 'sort' | 'fields' | 'page']?: TextPlace }
}
