import type { QueryOrder, Subset } from './tanstack.ts'
import { meaningOf, type PathOf } from './where.ts'

/** A query of a list. Without a limit, it is for all of its items. */
export interface PageQuery { readonly where: object, readonly sort?: string, readonly limit?: number }

/** The query of a page, and that of another one which is needed if an item of the page has null at a path. */
export interface SubsetPages {
  readonly query: PageQuery
  readonly ifNull?: { readonly path: readonly string[], readonly query: PageQuery }
}

/**
 * Returns the pages whose items hold all rows that a subset asks for: more where the API cannot express the subset, as
 * TanStack DB filters and sorts the rows itself, but never fewer.
 *
 * The pages of a subset with a cursor begin at the start of its order, so that the rows of a window are one page, which
 * can be followed. TanStack DB asks for the other rows of the last value by itself.
 */
export function pagesOf (
  { where: expression, orderBy, limit: count, cursor, offset = 0 }: Subset, base: object, pathOf: PathOf
): readonly SubsetPages[] {
  const { where, isExact } = (expression && meaningOf(expression, pathOf)) ?? { where: {}, isExact: !expression }
  const all = { where: { and: [base, where] } }
  const order = orderBy?.[0]
  const path = order?.expression.type === 'ref' ? pathOf(order.expression.path) : undefined
  const isSorted = path !== undefined && order !== undefined && isLexical(order)
  if (count === undefined || !isExact || (order !== undefined && !isSorted)) return [{ query: all }]
  const limit = count + (cursor ? offset : 0)
  return path === undefined || order === undefined ? [{ query: { ...all, limit } }] : sorted(all, path, order, limit)
}

/** The API sorts texts by code point. */
const isLexical = ({ compareOptions }: QueryOrder): boolean => compareOptions.stringSort === 'lexical'

/** The API sorts null last in ascending order, and first in descending order. */
function sorted (
  all: PageQuery, path: readonly string[], { compareOptions: { direction, nulls } }: QueryOrder, limit: number
): readonly SubsetPages[] {
  const ascending = { ...all, sort: path.join('.'), limit }
  const descending = { ...ascending, sort: `-${ascending.sort}` }
  if (direction === 'asc') {
    // Where the first item of the other direction has null, the first ones are those of that direction.
    const first = { query: { ...descending, limit: 1 }, ifNull: { path, query: descending } }
    return nulls === 'last' ? [{ query: ascending }] : [{ query: ascending }, first]
  }
  if (nulls === 'first') return [{ query: descending }]
  const [name = '', further] = path
  const others = further === undefined
    ? { ...descending, where: { and: [all.where, { [name]: { ne: null } }] } }
    : all
  return [{ query: descending, ifNull: { path, query: others } }]
}
