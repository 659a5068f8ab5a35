import { isDeepStrictEqual } from 'node:util'
import type { ItemValues } from '../declare/collection.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { referringFields } from '../model/relations.ts'
import type { ItemBody } from '../plan/write/item-body.ts'
import type { Row } from '../plan/plan.ts'
import { authoriseItem } from '../rules/authorise.ts'
import { calling } from './application.ts'
import { draftOf, editable, type ItemDraft } from './item-draft.ts'
import { byKey, keyOf } from './locate.ts'
import { changedValues, type JsonTexts, toItem, valueIn } from './stored-values.ts'
import type { UnitOfWork } from './context.ts'
import { expectChanged } from './violations.ts'

/** An update of a locked item. */
interface ItemUpdate {
  readonly collection: Collection
  /** The current row, with all stored fields. */
  readonly row: Row
  /** The JSON pointer of the item in the request's body. */
  readonly pointer: string
  /** Fields that are written even if their values are unchanged. */
  readonly forced: ReadonlySet<StoredField>
  /** The texts of values of JSON, as they are stored unless a setter or hook changes the value. Default: none. */
  readonly texts?: JsonTexts
  change (draft: ItemDraft): Promise<void>
}

/**
 * Updates a locked item: applies `change` and the hook `updating`, then writes the changed and the forced fields in one
 * statement. Returns the updated item.
 */
export async function updateItem (update: ItemUpdate, work: UnitOfWork): Promise<Readonly<ItemValues>> {
  const { collection, row, pointer, forced, texts, change } = update
  const before = toItem(row, collection)
  const draft = draftOf(row, collection)
  await change(draft)
  const callSite = { collection, pointer, work }
  await authoriseItem(writtenFields(before, draft, update), before, callSite, work.caller)
  await calling("hook 'updating'", callSite, () => collection.hooks.updating?.(editable(draft), before, work.context))
  const { values: item, asked } = draft
  const values = changedValues(before, draft, collection, { forced, texts }, pointer)
  if (values.size === 0) return item
  const steps = byKey(collection, keyOf(row, collection))
  expectChanged(await work.session.change({ kind: 'update', collection, steps, values, asked }), collection, pointer)
  work.saved.push({ collection, saved: { kind: 'updated', item, before } })
  await calling("hook 'updated'", callSite, () => collection.hooks.updated?.(item, before, work.context))
  return item
}

/** Returns the fields that the client writes: not those of which it has sent back the value that they have. */
function writtenFields (before: Readonly<ItemValues>, draft: ItemDraft, { collection, forced }: ItemUpdate) {
  return [...draft.asked].filter(field => forced.has(field) || collection.setters.has(field.property) ||
    !isDeepStrictEqual(valueIn(draft.values, field) ?? null, valueIn(before, field) ?? null))
}

/**
 * Returns the fields of a body that are written even if their values are unchanged: those that the client cannot read.
 * If an equal value were not written, the item's unchanged version would reveal that it is equal.
 */
export function forcedFields ({ assignments }: ItemBody, collection: Collection): ReadonlySet<StoredField> {
  return new Set(assignments.flatMap(assignment => {
    if (assignment.kind === 'list') return []
    if (assignment.kind === 'input') return forcedByInput(collection)
    const fields = assignment.kind === 'item' ? referringFields(assignment.field) : [assignment.field]
    return assignment.field.readable ? [] : fields.filter(field => !field.readable)
  }))
}

/** An input may give a field that the client cannot read the value that it has. Any one of them changes the version. */
function forcedByInput ({ stored, version, source }: Collection): readonly StoredField[] {
  if (version === undefined) return []
  return stored.filter(field => !field.readable && source.isGenerated?.(field.property) !== true).slice(0, 1)
}
