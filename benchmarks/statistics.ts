/** The median of figures, with the smallest and the largest. */
export interface Spread { readonly median: number, readonly least: number, readonly most: number }

/** Returns the spread of figures. Throws a TypeError for an empty list. */
export function spreadOf (figures: readonly number[]): Spread {
  const sorted = figures.toSorted((one, other) => one - other)
  const [least] = sorted
  const most = sorted.at(-1)
  if (least === undefined || most === undefined) throw new TypeError('no figures')
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  return { median: middle.reduce((sum, one) => sum + one, 0) / middle.length, least, most }
}

export const medianOf = (figures: readonly number[]): number => spreadOf(figures).median

/** An estimate with the interval that holds the true value in 95 of 100 such runs. */
export interface Estimate { readonly value: number, readonly low: number, readonly high: number }

/** Returns true for an interval too wide to tell a tenth: its ends differ by more than 30 %. */
export const isWide = ({ low, high }: Estimate): boolean => high / low > 1.3

/**
 * Estimates a ratio from the ratios of paired rounds, by Hodges and Lehmann: the median of all averages of two
 * logarithms, with the interval of Wilcoxon's signed-rank test. A few rounds in which the machine was disturbed hardly
 * move either. With fewer than six rounds the interval is unbounded.
 */
export function estimateRatio (ratios: readonly number[]): Estimate {
  const averages = averagesOfPairs(ratios.map(Math.log))
  const outside = ranksOutside(ratios.length)
  const bound = (index: number) => outside === 0 ? undefined : averages.at(index)
  return {
    value: Math.exp(medianOf(averages)),
    low: Math.exp(bound(outside - 1) ?? -Infinity),
    high: Math.exp(bound(-outside) ?? Infinity)
  }
}

/** Returns the averages of all pairs of figures, each with itself too, from the least to the largest. */
const averagesOfPairs = (figures: readonly number[]) => figures
  .flatMap((one, index) => figures.slice(index).map(other => (one + other) / 2))
  .sort((one, other) => one - other)

/**
 * Returns the rank of the interval's ends among the averages, from either side: the number of sums of signed ranks,
 * from 0 on, that come up in at most 2.5 % of all cases.
 */
function ranksOutside (count: number): number {
  // The number of sets of the ranks so far that have each sum.
  let sets = [1]
  for (let rank = 1; rank <= count; rank++) {
    const shifted = [...Array.from({ length: rank }, () => 0), ...sets]
    sets = shifted.map((number, sum) => number + (sets[sum] ?? 0))
  }
  let share = 0
  return sets.findIndex(number => (share += number / 2 ** count) > 0.025)
}
