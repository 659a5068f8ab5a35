import { type KeyValues, toKeyValues } from '../model/keys.ts'
import { parentKey } from '../plan/write/path-values.ts'
import type { Element, Named } from '../plan/write/item-body.ts'
import type { Origin, Row } from '../plan/plan.ts'
import { equalsKey } from '../plan/predicates.ts'
import { itemSelection, type ParentItem } from './locate.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** The relation of an element. `parent`: the item that holds it; undefined in a sub-item. */
export interface ElementRelation {
  readonly from: Origin
  readonly parent: ParentItem | undefined
  readonly name: string
}

/** Locks the existing item that an element names; returns undefined if there is none. */
export async function findElement (
  { found, linked }: Element, relation: ElementRelation, { session }: UnitOfWork
): Promise<Row | undefined> {
  const values = found && namedValues(found, relation)
  if (found === undefined || values === undefined) return undefined
  const { collection } = relation.from
  const steps = [{ collection, via: undefined, where: equalsKey(found.fields, values) }]
  const result = await session.lock({ kind: 'item', steps, select: itemSelection(collection, linked.confirmations) })
  return result.kind === 'rows' ? result.rows[0] : undefined
}

/** Returns the values of an identifier, with those that the parent gives; undefined without one of these. */
function namedValues ({ fields, values }: Named, { from, parent }: ElementRelation): KeyValues | undefined {
  const given = parentKey(from.via)
  return toKeyValues(fields.map((field, index) => values[index] ?? parent?.key[given.indexOf(field)]))
}
