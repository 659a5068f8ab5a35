import type { ReadPlan } from './plan.ts'
import type { Walked } from './walk.ts'

/** A path that may tell the items apart which share a segment, and the read that shows whether it leads to one. */
export interface Candidate { readonly identifier: string, readonly plan: ReadPlan }

/** One read for each identifier that the ambiguous step may have matched (docs/http.md: Identifiers). */
export function planCandidates (walked: readonly Walked[], step: number): readonly Candidate[] {
  const before = walked.slice(0, step).map(one => one.step)
  const ambiguous = walked[step]
  if (ambiguous === undefined) return []
  return ambiguous.alternatives.map(({ identifier, where }) => ({
    identifier,
    plan: { kind: 'item', steps: [...before, { ...ambiguous.step, where }], select: [] }
  }))
}
