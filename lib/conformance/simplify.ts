import type { Case } from './case.ts'
import type { ChoiceSequence } from './choice-sequence.ts'

/** How far a case has been made simpler: what was tried before is not tried again. */
export interface Stage { readonly stage: number, readonly at: number }

export const start: Stage = { stage: 0, at: 0 }

/** Simpler cases, each with the stage to go on from where it will do: first with fewer parts, then with simpler ones. */
export function * simplify (value: Case, { stage, at }: Stage): Generator<readonly [Case, Stage]> {
  for (const [index, way] of ways.entries()) {
    if (index < stage) continue
    for (const [place, simpler] of way(value, index === stage ? at : 0)) yield [simpler, { stage: index, at: place }]
  }
}

/** Gives each simpler case with its number; those with smaller numbers than the given are left out. */
type Way = (value: Case, from: number) => Generator<readonly [at: number, simpler: Case]>

const ways: readonly Way[] = [
  fewer(({ requests }) => requests, (value, requests) => ({ ...value, requests })),
  fewer(({ collections }) => collections, (value, collections) => ({ ...value, collections }), 1),
  fewer(({ collections }) => collections.flatMap(({ rows }, index) => rows.map(row => ({ row, index }))), (value, left) => ({
    ...value,
    collections: value.collections.map((one, index) => ({
      ...one,
      rows: left.filter(one => one.index === index).map(({ row }) => row)
    }))
  })),
  fewer(({ collections }) => collections.flatMap(({ fields }, index) => fields.map(field => ({ field, index }))), (value, left) => ({
    ...value,
    collections: value.collections.map((one, index) => ({
      ...one,
      fields: left.filter(one => one.index === index).map(({ field }) => field)
    }))
  })),
  plainer(({ options }) => [options], (value, [options = []]) => ({ ...value, options })),
  plainer(({ collections }) => collections.map(({ head }) => head), (value, heads) => ({
    ...value,
    collections: value.collections.map((one, index) => ({ ...one, head: heads[index] ?? [] }))
  })),
  plainer(({ requests }) => requests, (value, requests) => ({ ...value, requests })),
  plainer(({ collections }) => collections.flatMap(({ fields }) => fields), (value, fields) => ({
    ...value,
    collections: regroup(value, 'fields', fields)
  })),
  plainer(({ collections }) => collections.flatMap(({ rows }) => rows), (value, rows) => ({
    ...value,
    collections: regroup(value, 'rows', rows)
  }))
]

/** Puts the parts of all collections back where they were. */
function regroup ({ collections }: Case, part: 'fields' | 'rows', tapes: readonly ChoiceSequence[]): Case['collections'] {
  let at = 0
  return collections.map(one => ({ ...one, [part]: one[part].map(() => tapes[at++] ?? []) }))
}

// More than there are of anything.
const beyond = 1000

/** Leaves out parts, at first many at once. */
function fewer<T> (
  partsOf: (value: Case) => readonly T[], withParts: (value: Case, parts: readonly T[]) => Case, fewest = 0
): Way {
  return function * (value, from) {
    const parts = partsOf(value)
    for (const [index, size] of [64, 32, 16, 8, 4, 2, 1].entries()) {
      for (let start = 0; start < parts.length; start += size) {
        const at = index * beyond + start
        const left = parts.toSpliced(start, size)
        if (at >= from && left.length >= fewest) yield [at, withParts(value, left)]
      }
    }
  }
}

/** Makes choices of tapes smaller: all at once, those behind some place, or one by one. */
function plainer (
  tapesOf: (value: Case) => readonly ChoiceSequence[],
  withTapes: (value: Case, tapes: readonly ChoiceSequence[]) => Case
): Way {
  return function * (value, from) {
    const tapes = tapesOf(value)
    for (const [index, tape] of tapes.entries()) {
      for (const [place, simpler] of plainerTapes(tape)) {
        const at = index * beyond + place
        if (at >= from) yield [at, withTapes(value, tapes.with(index, simpler))]
      }
    }
  }
}

function * plainerTapes (tape: ChoiceSequence): Generator<readonly [number, ChoiceSequence]> {
  const length = tape.findLastIndex(one => one !== 0) + 1
  const cuts = [0, length >> 2, length >> 1, length - (length >> 2)]
  for (const [place, cut] of cuts.entries()) if (cut < length) yield [place, tape.slice(0, cut)]
  for (let at = 0; at < length; at++) {
    const one = tape[at] ?? 0
    const place = cuts.length + 2 * at
    if (one > 0) yield [place, tape.with(at, 0)]
    if (one > 1) yield [place + 1, tape.with(at, one >> 1)]
  }
}
