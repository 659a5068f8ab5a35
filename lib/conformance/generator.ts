import { choiceLimit, type ChoiceSequence } from './choice-sequence.ts'

/** Reads a tape, choice by choice. */
export interface ValueGenerator {
  /** A whole number from 0, below the limit. */
  below (limit: number): number
  /** One of the list, the first being the simplest; throws for an empty one. */
  of<T> (list: readonly T[]): T
  /** One of the list, or nothing where it is empty. */
  from<T> (list: readonly T[]): T | undefined
  /** True so many times in a hundred. */
  chance (percent: number): boolean
  /** One of the choices, as often as its weight says, the first being the simplest. */
  weighted<T> (...weights: ReadonlyArray<readonly [weight: number, choice: T]>): T
  /** Those of the list that are drawn, each so many times in a hundred. */
  some<T> (list: readonly T[], percent: number): readonly T[]
}

export function makeGenerator (tape: ChoiceSequence): ValueGenerator {
  let at = 0
  const below = (limit: number) => Math.floor((tape[at++] ?? 0) / choiceLimit * limit)
  const from = <T>(list: readonly T[]) => list[below(list.length)]
  const chance = (percent: number) => below(100) >= 100 - percent
  return {
    below,
    from,
    of (list) {
      if (list.length === 0) throw new TypeError('nothing to draw from')
      return from(list) as typeof list[number]
    },
    chance,
    weighted (...weights) {
      let left = below(weights.reduce((sum, [weight]) => sum + weight, 0))
      for (const [weight, choice] of weights) {
        if (left < weight) return choice
        left -= weight
      }
      throw new TypeError('nothing to draw from')
    },
    some: (list, percent) => list.filter(() => chance(percent))
  }
}
