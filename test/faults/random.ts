import { seeded } from '../../benchmarks/world.ts'

/** Draws what a seed decides. */
export interface Random {
  /** A whole number from `least` to `most`. */
  between (least: number, most: number): number
  /** True with this probability, from 0 to 1. */
  chance (probability: number): boolean
  /** An element of the list. Throws for an empty one. */
  of<T> (list: readonly T[]): T
}

export function makeRandom (seed: number): Random {
  const next = seeded(seed)
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    between,
    chance: probability => next() < probability,
    of (list) {
      if (list.length === 0) throw new TypeError('an empty list has no element')
      return list[between(0, list.length - 1)] as typeof list[number]
    }
  }
}
