import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ItemValues } from '../declare/collection.ts'
import { singleKey } from '../model/identifiers.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { toValue } from '../model/values.ts'
import type { Row } from '../plan/plan.ts'
import type { AuthorisedField, AuthorisedInput } from '../rules/authorise.ts'
import { calling, type CallSite } from './application.ts'
import { toItem, valueIn } from './stored-values.ts'

/**
 * An item while a request writes it. The compiler lets a client's value into it by assignValue() alone, which takes
 * authorised fields only; the application's setters and hooks write what they want (editable).
 */
export interface ItemDraft {
  readonly values: Readonly<ItemValues>
  /** The fields that the client has written. */
  readonly asked: ReadonlySet<StoredField>
  /** True if the item is not stored yet, and holds the defaults of its fields. */
  readonly isNew: boolean
}

interface OpenDraft extends ItemDraft { readonly values: ItemValues, readonly asked: Set<StoredField> }

const makeDraft = (values: ItemValues, isNew: boolean): ItemDraft =>
  ({ values, asked: new Set(), isNew } satisfies OpenDraft)

// makeDraft() makes every draft.
const open = (draft: ItemDraft) => draft as OpenDraft

/** Returns the draft of a new item, with its generated key, its first version and the defaults of its fields. */
export function newDraft (collection: Collection): ItemDraft {
  const { stored, version } = collection
  const item: ItemValues = {}
  const key = singleKey(collection)
  if (key?.type.kind === 'uuid') item[key.property] = randomUUID()
  if (version !== undefined) item[version.property] = 1
  for (const { property, schema } of stored) {
    if (schema.default !== undefined) item[property] = structuredClone(schema.default)
  }
  return makeDraft(item, true)
}

export const draftOf = (row: Row, collection: Collection): ItemDraft => makeDraft(toItem(row, collection), false)

/** Returns the values for the application's own setters and hooks, which may change them. */
export const editable = (draft: ItemDraft): ItemValues => open(draft).values

/** A client's value for a field. `isShown`: the client can read the current value, by this name or another. */
export interface AskedValue { readonly field: AuthorisedField, readonly value: unknown, readonly isShown: boolean }

/** Assigns a client's value through the setter of its field (docs/http.md: Writing). */
export async function assignValue (asked: AskedValue, draft: ItemDraft, callSite: CallSite): Promise<void> {
  const { field, isShown } = asked
  const { collection, work } = callSite
  const { property } = field
  const setter = collection.setters.get(property)
  if (setter === undefined) {
    const { values, asked: fields } = open(draft)
    values[property] = toValue(asked.value, field)
    fields.add(field)
    return
  }
  const value = toValue(asked.value, field)
  // An equal value needs no setter, so a client may send back all that GET returned. The setter of a value that it
  // cannot read is always called, because a skipped call could reveal that the value is equal; so is that of a new
  // item, whose value is at most a default, which the setter may reject.
  if (!draft.isNew && isShown && isDeepStrictEqual(valueIn(draft.values, field), value)) return
  open(draft).asked.add(field)
  await calling(`setter '${property}'`, callSite, () => setter(editable(draft), value, work.context))
}

/** Passes a client's value for an input to its function, which fills what it likes (docs/writing.md: Inputs). */
export async function passInput (
  { property, set }: AuthorisedInput, value: unknown, draft: ItemDraft, callSite: CallSite
): Promise<void> {
  await calling(`input '${property}'`, callSite, () => set(editable(draft), value, callSite.work.context))
}
