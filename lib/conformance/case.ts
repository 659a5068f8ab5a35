import fc from 'fast-check'
import { simplify, type Stage, start } from './simplify.ts'
import { choiceLimit, type ChoiceSequence } from './choice-sequence.ts'
import type { WorldChoices } from './world.ts'

/** A world, and the requests that are sent to it one after the other. */
export interface Case extends WorldChoices { readonly requests: readonly ChoiceSequence[] }

export const fewestRequests = 30
const mostRequests = 60

/**
 * Cases of any kind. fast-check's own arbitraries would make a failure simpler part by part, and after each success begin anew with the first; here it
 * goes on where it was, which is quicker by far for something as large as this.
 */
export class CaseArbitrary extends fc.Arbitrary<Case> {
  override generate (random: fc.Random): fc.Value<Case> {
    const tape = (length: number): ChoiceSequence => Array.from({ length }, () => random.nextInt(0, choiceLimit - 1))
    const tapes = (fewest: number, most: number, length: number) =>
      Array.from({ length: random.nextInt(fewest, most) }, () => tape(length))
    const requests = tapes(fewestRequests, mostRequests, 80)
    const collections = Array.from({
      length: random.nextInt(1, 4)
    }, () => ({ head: tape(30), fields: tapes(1, 9, 40), rows: tapes(0, 14, 24) }))
    return new fc.Value({ requests, options: tape(40), collections }, start)
  }

  /** Cases are made here only. */
  override canShrinkWithoutContext (_value: unknown): _value is Case { return false }

  override shrink (value: Case, context: unknown): fc.Stream<fc.Value<Case>> {
    return fc.stream(simplify(value, context as Stage)).map(([simpler, stage]) => new fc.Value(simpler, stage))
  }
}
