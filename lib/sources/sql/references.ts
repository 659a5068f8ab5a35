import type { StoredField } from '../../model/model.ts'
import type { Scalar } from '../../model/values.ts'
import { equals } from '../../plan/predicates.ts'
import type { Change, Changed, ReadResult } from '../source.ts'
import type { ReadPlan } from '../../plan/plan.ts'

/** The same refusal with the foreign keys that refer to nothing, for a database that does not tell which. */
export async function nameReferences (refused: Extract<Changed, { kind: 'refused' }>, change: Change, read: (plan: ReadPlan) => ReadResult | Promise<ReadResult>): Promise<Changed> {
  if (change.kind === 'link' || change.kind === 'delete') return refused
  const fields: StoredField[] = []
  for (const field of change.collection.fields.values()) {
    if (field.kind !== 'sub-item') continue
    const value = change.values.get(field.foreignKey) ?? null
    if (value === null || fields.includes(field.foreignKey)) continue
    // A foreign key holds a key, which is a scalar.
    const found = await read({ kind: 'item', steps: [{ collection: field.target, via: undefined, where: equals(field.target.key, value as Scalar) }], select: [] })
    if (found.kind === 'missing') fields.push(field.foreignKey)
  }
  return { ...refused, fields }
}
