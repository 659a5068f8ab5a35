/**
 * Choices that generate a value, each an integer from 0 to 65535. After its end a sequence reads as zeros.
 * A generator takes zero for the simplest choice, so that a shorter sequence with smaller numbers generates a simpler
 * value of the same kind. Every sequence generates a value.
 */
export type ChoiceSequence = readonly number[]

/** The number of different choices: each is below it. */
export const choiceLimit = 65536

/** Choices with their weights. */
export type Weighted<T> = ReadonlyArray<readonly [weight: number, choice: T]>

/** Reads a choice sequence from its start and turns each choice into a value. */
export interface ValueGenerator {
  /** Returns an integer from 0 to below the limit. */
  below (limit: number): number
  /** Returns an element of the list, of which the first is the simplest. Throws a TypeError for an empty list. */
  of<T> (list: readonly T[]): T
  /** Returns an element of the list; undefined for an empty list. */
  from<T> (list: readonly T[]): T | undefined
  /** Returns true with a probability in percent; false is the simpler result. */
  chance (percent: number): boolean
  /** Returns one of the choices, each in proportion to its weight. The first choice is the simplest. */
  weighted<T> (...weights: Weighted<T>): T
  /** Returns at most so many elements of the list, one after the other. */
  slice<T> (list: readonly T[], most: number): readonly T[]
  /** Returns a part of the list: each element with a probability in percent. */
  some<T> (list: readonly T[], percent: number): readonly T[]
}

export function makeGenerator (choices: ChoiceSequence): ValueGenerator {
  let position = 0
  const below = (limit: number) => Math.floor((choices[position++] ?? 0) / choiceLimit * limit)
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
    slice (list, most) {
      const start = below(Math.max(1, list.length - most + 1))
      return list.slice(start, start + most)
    },
    some: (list, percent) => list.filter(() => chance(percent))
  }
}
