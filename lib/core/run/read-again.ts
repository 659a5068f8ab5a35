import type { KeyValues } from '../model/identifiers.ts'
import type { WritePlan } from '../plan/plan.ts'
import type { Projection } from '../plan/tag.ts'
import type { Write } from '../plan/write/write.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'
import { readProjection } from './locate.ts'
import { collectionOf, type WriteResult } from './write.ts'

/**
 * Returns a write that ran before under its key, and its result with the rows that its answer shows. They are read by
 * the rules of now, so that a key tells nothing that the caller may not read any more. Where an item cannot be read,
 * the answer shows none (docs/http.md: Idempotency keys). `kept`: the result without rows, to which they are added.
 */
export async function readAgain (
  write: Write, kept: WriteResult, session: ScopedSession
): Promise<{ readonly write: Write, readonly result: WriteResult }> {
  const { plan } = write
  const representation = representationOf(plan)
  if (representation === undefined) return { write, result: kept }
  for (const item of itemsOf(kept)) {
    const row = item.key && await readProjection(collectionOf(plan), item.key, representation, { session })
    if (row === undefined) return { write: { ...write, plan: withoutRepresentation(plan) }, result: kept }
    Object.assign(item, { row })
  }
  return { write, result: kept }
}

function representationOf (plan: WritePlan): Projection | undefined {
  const one = plan.kind === 'many' ? plan.one : plan
  return 'representation' in one ? one.representation : undefined
}

function withoutRepresentation (plan: WritePlan): WritePlan {
  if (plan.kind === 'many' && plan.one.kind === 'update') {
    return { ...plan, one: { ...plan.one, representation: undefined } }
  }
  return 'representation' in plan ? { ...plan, representation: undefined } : plan
}

function itemsOf (result: WriteResult): ReadonlyArray<{ readonly key?: KeyValues }> {
  if ('items' in result) return result.items
  return result.kind === 'updated' ? [result] : []
}
