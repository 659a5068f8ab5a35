import { invalidFilter } from '../../errors/errors.ts'
import { traitsOf } from '../../model/values.ts'
import type { TextPlace } from '../../request/request.ts'
import type { Listing, Predicate, Selection } from '../plan.ts'

/**
 * Throws invalid_filter if the filters of a listing and of those nested in it cost more than the limit. The cost is the
 * number of comparisons for one item: a search in a text counts twice, one that ignores case four times, and every
 * relation to many on the way ten times (docs/limits.md: Cost of a filter). `at` is the place of a filter or selection;
 * undefined for a query that has neither.
 */
export function checkFilterCost (
  listing: Pick<Listing, 'where' | 'select'>, limit: number, at: TextPlace | undefined
): void {
  if (at === undefined) return
  const cost = costOfListing(listing)
  if (cost <= limit) return
  const reason = 'Compare fewer fields, or fields of fewer relations.'
  throw invalidFilter(`The filters cost ${cost} comparisons for an item; the limit 'cost' is ${limit}. ${reason}`, at)
}

const costOfListing = ({ where, select }: Pick<Listing, 'where' | 'select'>): number =>
  costOf(where) + costOfSelection(select)

function costOfSelection (select: Selection): number {
  let cost = 0
  for (const shown of select) {
    if (shown.kind === 'item') cost += costOfSelection(shown.select)
    if (shown.kind === 'list') cost += fanOut * costOfListing(shown.listing)
  }
  return cost
}

function costOf (predicate: Predicate): number {
  switch (predicate.kind) {
    case 'compare': return costOfCompare(predicate)
    case 'is_null': return 1
    case 'not': return costOf(predicate.of)
    case 'some': return Math.max(1, costOf(predicate.where)) * (predicate.field.kind === 'sub-collection' ? fanOut : 1)
    default: return predicate.of.reduce((cost, one) => cost + costOf(one), 0)
  }
}

// The elements that a relation to many is taken to have.
const fanOut = 10

function costOfCompare ({ operator, value }: Extract<Predicate, { kind: 'compare' }>): number {
  const { family, ignoresCase } = traitsOf(operator)
  if (ignoresCase) return 4
  if (family === 'text') return 2
  // A list is looked up, but it must be sent and sorted.
  return Array.isArray(value) ? 1 + Math.floor(value.length / 100) : 1
}
