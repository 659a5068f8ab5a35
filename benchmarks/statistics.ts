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

/**
 * Estimates a ratio from the ratios of paired rounds: their geometric mean, with the interval of Student's t for their
 * logarithms. With one round the interval is unbounded.
 */
export function estimateRatio (ratios: readonly number[]): Estimate {
  const logarithms = ratios.map(Math.log)
  const mean = meanOf(logarithms)
  if (logarithms.length < 2) return { value: Math.exp(mean), low: 0, high: Infinity }
  const variance = logarithms.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (logarithms.length - 1)
  const reach = quantileOfT(logarithms.length - 1) * Math.sqrt(variance / logarithms.length)
  return { value: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) }
}

const meanOf = (figures: readonly number[]) => figures.reduce((sum, one) => sum + one, 0) / figures.length

/** Returns the quantile 0.975 of Student's t. Beyond 15 degrees of freedom, the one of 15 is too wide by up to 9 %. */
const quantileOfT = (freedom: number) => quantiles[Math.min(freedom, quantiles.length) - 1] ?? NaN

const quantiles = [
  12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131
]
