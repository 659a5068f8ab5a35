import fc from 'fast-check'
import { choiceLimit, type ChoiceSequence } from '../world/generator.ts'
import type { WorldChoices } from '../world/world.ts'

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
    const options = sequence(40)
    return new fc.Value({ requests, options, collections, rules: sequence(400), secrets: sequence(400) }, start)
  }

  /** Returns false: without its shrink position a case is not simplified. */
  override canShrinkWithoutContext (_value: unknown): _value is Case { return false }

  override shrink (value: Case, context: unknown): fc.Stream<fc.Value<Case>> {
    return fc.stream(simplify(value, context as Position)).map(([simpler, position]) => new fc.Value(simpler, position))
  }
}

/** A position in the order in which a case is simplified; attempts before it are not made again. */
interface Position {
  /** The index of the pass. */
  readonly pass: number
  /** The number of the attempt within the pass. */
  readonly attempt: number
}

const start: Position = { pass: 0, attempt: 0 }

/**
 * Yields simpler cases, each with the position at which to continue if it fails as well: first cases with fewer parts,
 * then cases with simpler parts.
 */
function * simplify (value: Case, { pass: first, attempt }: Position): Generator<readonly [Case, Position]> {
  for (const [pass, simplifyPart] of passes.entries()) {
    if (pass < first) continue
    for (const [number, simpler] of simplifyPart(value, pass === first ? attempt : 0)) {
      yield [simpler, { pass, attempt: number }]
    }
  }
}

/** Yields simpler cases, each with the number of the attempt, from the given number on. */
type Pass = (value: Case, from: number) => Generator<readonly [attempt: number, simpler: Case]>

function * removeRules (value: Case, from: number): ReturnType<Pass> {
  if (value.rules.length > 0 && from === 0) yield [0, { ...value, rules: [], secrets: [] }]
}

const passes: readonly Pass[] = [
  // Without rules there is no twin.
  removeRules,
  removeParts(({ requests }) => requests, (value, requests) => ({ ...value, requests })),
  removeParts(({ collections }) => collections, (value, collections) => ({ ...value, collections }), 1),
  removeParts(value => partsOf(value, 'rows'), (value, left) => withParts(value, 'rows', left)),
  removeParts(value => partsOf(value, 'fields'), (value, left) => withParts(value, 'fields', left)),
  reduceChoices(({ rules }) => [rules], (value, [rules = []]) => ({ ...value, rules })),
  reduceChoices(({ secrets }) => [secrets], (value, [secrets = []]) => ({ ...value, secrets })),
  reduceChoices(({ options }) => [options], (value, [options = []]) => ({ ...value, options })),
  reduceChoices(({ collections }) => collections.map(({ head }) => head), (value, heads) => ({
    ...value,
    collections: value.collections.map((one, index) => ({ ...one, head: heads[index] ?? [] }))
  })),
  reduceChoices(({ requests }) => requests, (value, requests) => ({ ...value, requests })),
  reduceChoices(({ collections }) => collections.flatMap(({ fields }) => fields), (value, fields) => ({
    ...value,
    collections: regroup(value, 'fields', fields)
  })),
  reduceChoices(({ collections }) => collections.flatMap(({ rows }) => rows), (value, rows) => ({
    ...value,
    collections: regroup(value, 'rows', rows)
  }))
]

/** A row or field of the collection with that index. */
interface Part { readonly sequence: ChoiceSequence, readonly index: number }

function partsOf ({ collections }: Case, kind: 'fields' | 'rows'): readonly Part[] {
  return collections.flatMap((one, index) => one[kind].map(sequence => ({ sequence, index })))
}

function withParts (value: Case, kind: 'fields' | 'rows', parts: readonly Part[]): Case {
  const collections = value.collections.map((one, index) => ({
    ...one,
    [kind]: parts.filter(part => part.index === index).map(({ sequence }) => sequence)
  }))
  return { ...value, collections }
}

/** Distributes the fields or rows of all collections over the collections again, in the same order. */
function regroup (
  { collections }: Case, kind: 'fields' | 'rows', sequences: readonly ChoiceSequence[]
): Case['collections'] {
  let next = 0
  return collections.map(one => ({ ...one, [kind]: one[kind].map(() => sequences[next++] ?? []) }))
}

// The numbers of attempts are blocks of this size; a block never has as many attempts.
const blockSize = 1000

/** Removes parts of a case: first 64 at once, at last one at a time, but never so that fewer than `fewest` remain. */
function removeParts<T> (
  partsOf: (value: Case) => readonly T[], withParts: (value: Case, parts: readonly T[]) => Case, fewest = 0
): Pass {
  return function * (value, from) {
    const parts = partsOf(value)
    for (const [index, size] of [64, 32, 16, 8, 4, 2, 1].entries()) {
      for (let start = 0; start < parts.length; start += size) {
        const attempt = index * blockSize + start
        const left = parts.toSpliced(start, size)
        if (attempt >= from && left.length >= fewest) yield [attempt, withParts(value, left)]
      }
    }
  }
}

/** Makes the choices of sequences smaller: all choices at once, those after some position, then one by one. */
function reduceChoices (
  sequencesOf: (value: Case) => readonly ChoiceSequence[],
  withSequences: (value: Case, sequences: readonly ChoiceSequence[]) => Case
): Pass {
  return function * (value, from) {
    const sequences = sequencesOf(value)
    for (const [index, sequence] of sequences.entries()) {
      for (const [number, simpler] of simplerSequences(sequence)) {
        const attempt = index * blockSize + number
        if (attempt >= from) yield [attempt, withSequences(value, sequences.with(index, simpler))]
      }
    }
  }
}

function * simplerSequences (sequence: ChoiceSequence): Generator<readonly [number, ChoiceSequence]> {
  const length = sequence.findLastIndex(choice => choice !== 0) + 1
  const cuts = [0, length >> 2, length >> 1, length - (length >> 2)]
  for (const [number, cut] of cuts.entries()) if (cut < length) yield [number, sequence.slice(0, cut)]
  for (let at = 0; at < length; at++) {
    const choice = sequence[at] ?? 0
    const number = cuts.length + 2 * at
    if (choice > 0) yield [number, sequence.with(at, 0)]
    if (choice > 1) yield [number + 1, sequence.with(at, choice >> 1)]
  }
}
