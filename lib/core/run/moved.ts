import { isDeepStrictEqual } from 'node:util'
import type { ItemValues } from '../declare/collection.ts'
import type { DataField, StoredField } from '../model/model.ts'
import { usableIdentifiers } from '../plan/path/identify.ts'
import type { Row, WritePlanOf } from '../plan/plan.ts'
import { fieldsIn } from '../plan/predicates.ts'
import { parentValues } from '../plan/write/path-values.ts'
import { valueIn } from './stored-values.ts'

type Update = Pick<WritePlanOf<'update'>, 'collection' | 'steps'>

/**
 * Returns the fields whose values lead to the item of an update: the key, the groups and the parent in its path and, if
 * its segment is no key, another identifier. The path of a sub-item leads to it by no value of its own.
 */
export function leadingFields ({ collection, steps }: Update): readonly StoredField[] {
  const { where, via } = steps.at(-1) ?? {}
  if (where === undefined || via?.kind === 'sub-item') return []
  const { key } = collection
  const compared = (fieldsIn(where) ?? []).filter(field => field.kind === 'stored')
  const isByKey = compared.some(field => key.includes(field))
  const others = isByKey ? compared.filter(field => !isIdentifier(field, collection)) : compared
  return [...key, ...others, ...parentValues(via).map(({ field }) => field)]
}

const isIdentifier = (field: DataField, collection: Update['collection']) =>
  usableIdentifiers(collection).some(one => one.kind === 'field' && one.field === field)

/** Returns true if an update has changed a value that leads to its item. */
export const isMoved = (update: Update, before: Row, after: Readonly<ItemValues>): boolean =>
  leadingFields(update).some(field =>
    !isDeepStrictEqual(valueIn(after, field) ?? null, before[field.property] ?? null))
