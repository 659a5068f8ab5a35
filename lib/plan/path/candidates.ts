import type { ReadPlan } from '../plan.ts'
import type { Walked } from './walk.ts'

/** An identifier that may match an ambiguous segment, and the read that finds an item if it matches exactly one. */
export interface Candidate { readonly identifier: string, readonly plan: ReadPlan }

/** Returns one read for each identifier that the ambiguous step's segment may match (docs/http.md: Identifiers). */
export function planCandidates (walked: readonly Walked[], step: number): readonly Candidate[] {
  const before = walked.slice(0, step).map(one => one.step)
  const ambiguous = walked[step]
  if (ambiguous === undefined) return []
  return ambiguous.alternatives.map(({ identifier, where }) => ({
    identifier,
    plan: { kind: 'item', steps: [...before, { ...ambiguous.step, where }], select: [] }
  }))
}
