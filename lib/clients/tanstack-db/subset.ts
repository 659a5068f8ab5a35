import { isBefore, valueAt } from './passes.ts'
import type { ItemRow } from './rows.ts'
import type { QueryOrder, Subset } from './tanstack.ts'
import { all as everything, meaningOf, type PathOf } from './where.ts'

/** A query of a list. Without a limit, it is for all of its items. */
export interface PageQuery { readonly where: object, readonly sort?: string, readonly limit?: number }

/** A page that a subset needs. */
export interface SubsetPage {
  readonly query: PageQuery
  /** Tells if an item matches `where`, but for what all items of the collection match. */
  takes (item: ItemRow): boolean
  /** Tells if an item comes before another in the order of the page; without it, in that of the keys. */
  isBefore? (item: ItemRow, other: ItemRow): boolean
}

/** A page, and another one which is needed if an item of the page has null at a path. */
export interface SubsetPages extends SubsetPage {
  readonly ifNull?: { readonly path: readonly string[], readonly page: SubsetPage }
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
  const { where, isExact, takes } =
    (expression && meaningOf(expression, pathOf)) ?? { ...everything, isExact: !expression }
  const all = { query: { where: { and: [base, where] } }, takes }
  const order = orderBy?.[0]
  const path = order?.expression.type === 'ref' ? pathOf(order.expression.path) : undefined
  const isSorted = path !== undefined && order !== undefined && isLexical(order)
  if (count === undefined || !isExact || (order !== undefined && !isSorted)) return [all]
  const limit = count + (cursor ? offset : 0)
  if (path === undefined || order === undefined) return [{ ...all, query: { ...all.query, limit } }]
  return sorted(all, path, order, limit)
}

/** The API sorts texts by code point. */
const isLexical = ({ compareOptions }: QueryOrder): boolean => compareOptions.stringSort === 'lexical'

/** The API sorts null last in ascending order, and first in descending order. */
function sorted (
  all: SubsetPage, path: readonly string[], { compareOptions: { direction, nulls } }: QueryOrder, limit: number
): readonly SubsetPages[] {
  const inOrder = (direction: 'asc' | 'desc', limit: number): SubsetPage => ({
    ...all,
    query: { ...all.query, sort: `${direction === 'asc' ? '' : '-'}${path.join('.')}`, limit },
    isBefore: (item, other) => isBefore(item, other, path, direction)
  })
  const descending = inOrder('desc', limit)
  if (direction === 'asc') {
    const ascending = inOrder('asc', limit)
    // Where the first item of the other direction has null, the first ones are those of that direction.
    const first = { ...inOrder('desc', 1), ifNull: { path, page: descending } }
    return nulls === 'last' ? [ascending] : [ascending, first]
  }
  if (nulls === 'first') return [descending]
  return [{ ...descending, ifNull: { path, page: path.length === 1 ? withValue(descending, path) : all } }]
}

/** Returns the page of the items that have a value. */
const withValue = ({ query, takes, ...page }: SubsetPage, path: readonly string[]): SubsetPage => ({
  ...page,
  query: { ...query, where: { and: [query.where, { [path.join()]: { ne: null } }] } },
  takes: item => takes(item) && (valueAt(item, path) ?? null) !== null
})
