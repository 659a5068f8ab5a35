import fc from 'fast-check'
import { simplify, type Position, start } from './simplify.ts'
import { choiceLimit, type ChoiceSequence } from './choice-sequence.ts'
import type { WorldChoices } from './world.ts'

/** The choices of a world, and of each of the requests that are sent to it in order. */
export interface Case extends WorldChoices { readonly requests: readonly ChoiceSequence[] }

/** The number of requests of a generated case, at least. */
export const fewestRequests = 30
const mostRequests = 60

/**
 * Generates cases and simplifies those that fail. fast-check's own arbitraries simplify part by part, and begin again
 * with the first part after each success; this one continues at the position that it has reached, which is much faster
 * for a value of this size.
 */
export class CaseArbitrary extends fc.Arbitrary<Case> {
  override generate (random: fc.Random): fc.Value<Case> {
    const sequence = (length: number): ChoiceSequence =>
      Array.from({ length }, () => random.nextInt(0, choiceLimit - 1))
    const sequences = (fewest: number, most: number, length: number) =>
      Array.from({ length: random.nextInt(fewest, most) }, () => sequence(length))
    const requests = sequences(fewestRequests, mostRequests, 80)
    const collections = Array.from({ length: random.nextInt(1, 4) }, () =>
      ({ head: sequence(60), fields: sequences(1, 9, 40), rows: sequences(0, 14, 24) }))
    return new fc.Value({ requests, options: sequence(40), collections }, start)
  }

  /** Returns false: without its shrink position a case is not simplified. */
  override canShrinkWithoutContext (_value: unknown): _value is Case { return false }

  override shrink (value: Case, context: unknown): fc.Stream<fc.Value<Case>> {
    return fc.stream(simplify(value, context as Position)).map(([simpler, position]) => new fc.Value(simpler, position))
  }
}
