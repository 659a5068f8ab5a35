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
