import type { ItemValues } from '../declare/collection.ts'
import { type DataApiError, forbidden } from '../errors/errors.ts'
import { atPointer } from '../errors/place.ts'
import { wireNames } from '../model/relations.ts'
import type { Collection, Constant, InputField, StoredField, SubCollectionField } from '../model/model.ts'
import type { Change, ChangeOf, Stored } from '../sources/source.ts'
import type { Caller } from './caller.ts'
import { isScoped } from './references.ts'

declare const authorised: unique symbol
interface Authorised { readonly [authorised]: true }

/** A stored field that this caller may write in an item. Only this file makes one, and drafts take no other. */
export type AuthorisedField = StoredField & Authorised

/** An input that this caller may write. Only this file makes one. */
export type AuthorisedInput = InputField & Authorised

/** A relation in which this caller may make and remove links. Only this file makes one. */
export type AuthorisedRelation = SubCollectionField & Authorised

/** The values of a draft (run/draft.ts): the client's were authorised, and the application set the others. */
export type AuthorisedValues = Stored & Authorised

/** A change that a scoped database takes. Its values and its link carry the proof that the rules allow them. */
export type AuthorisedChange =
  | AuthorisedInsert
  | Omit<ChangeOf<'update'>, 'values'> & AuthorisedWrite
  | ChangeOf<'delete'>
  | Omit<ChangeOf<'link'>, 'field'> & { readonly field: AuthorisedRelation }
  | Omit<ChangeOf<'unlink'>, 'field'> & { readonly field: AuthorisedRelation }

/** An insert whose values carry the proof that the rules allow them. */
export type AuthorisedInsert = ChangeOf<'insert'> & Authorised & Pick<AuthorisedWrite, 'asked'>

/** `asked`: the fields that the client wrote. The application's setters and hooks may have written others. */
interface AuthorisedWrite { readonly values: AuthorisedValues, readonly asked: ReadonlySet<StoredField> }

/**
 * Authorises a client's write of a stored value: THE place for it, whichever name, URL or relation the value came by
 * (docs/http.md: Rules). Asks the write rules of all names of the field. The item's own rule is asked where its
 * statement is made (changeDenial), and the field's setter where the value is assigned.
 */
export function authoriseValue (
  field: StoredField, collection: Collection, pointer: string, caller: Caller
): AuthorisedField {
  refuse(caller.writeDenial(collection.property, field.property), pointer)
  return field as AuthorisedField
}

/** Authorises a client's value for an input, as authoriseValue does for a stored one. */
export function authoriseInput (
  field: InputField, collection: Collection, pointer: string, caller: Caller
): AuthorisedInput {
  refuse(caller.writeDenial(collection.property, field.property), pointer)
  return field as AuthorisedInput
}

/** A link to make or to remove. A new item is one that the same request creates: its rule is `create`. */
interface LinkWrite {
  readonly field: SubCollectionField
  readonly isOwnNew: boolean
  readonly isOtherNew: boolean
  /** The element in the request's body. */
  readonly pointer: string
}

/** A link that this caller may write, in the form in which it is stored. */
export type AuthorisedLink =
  | { readonly kind: 'join', readonly field: AuthorisedRelation }
  | {
    readonly kind: 'foreign-key'
    readonly fields: readonly AuthorisedField[]
    readonly constants: readonly AuthorisedConstant[]
  }

/** A value that a link gives to a field beside its foreign key. */
interface AuthorisedConstant extends Constant { readonly field: AuthorisedField }

/**
 * Authorises a link between the item that has the relation and an item of its target: THE place for it, from either
 * side (docs/http.md: Rules). Asks what linkDenial asks.
 */
export function authoriseLink ({ field, pointer, ...ends }: LinkWrite, caller: Caller): AuthorisedLink {
  refuse(linkDenial({ field, ...ends }, caller), pointer)
  const { link, constants } = field
  return link.kind === 'join'
    ? { kind: 'join', field: field as AuthorisedRelation }
    : {
        kind: 'foreign-key',
        fields: link.foreignKey as readonly StoredField[] as readonly AuthorisedField[],
        constants: constants as readonly Constant[] as readonly AuthorisedConstant[]
      }
}

/**
 * Returns the error for a caller who may not write the link: by the write rules of all its names, and for a link in a
 * join table by `update` of both items. A foreign key is a value of the item that holds it: the statement that writes
 * it asks the rule of that item.
 */
export function linkDenial (
  { field, isOwnNew, isOtherNew }: Omit<LinkWrite, 'pointer'>, caller: Caller
): DataApiError | undefined {
  const { holder, target, property, link } = field
  const denial = caller.writeDenial(holder.property, property)
  if (denial !== undefined || link.kind !== 'join') return denial
  return (isOwnNew ? undefined : caller.denial('update', holder)) ??
    (isOtherNew ? undefined : caller.denial('update', target))
}

/** Returns true if this caller may not make the link, or may not make it between all items. */
export const isLimitedLink = (write: Omit<LinkWrite, 'pointer'>, caller: Caller): boolean =>
  linkDenial(write, caller) !== undefined ||
    (write.field.link.kind === 'join' && isScoped(write.field.target, caller, 'update'))

/**
 * Asks the rules that see the item whether the client may write these fields in it. `item`: the item as it is stored.
 * Throws forbidden with the names of those that they deny.
 */
export async function authoriseItem (
  fields: readonly StoredField[], item: Readonly<ItemValues>, { collection, pointer }: BodyItem, caller: Caller
): Promise<void> {
  const names: string[] = []
  for (const field of fields) {
    const denial = await caller.itemRule(collection, field)?.(item)
    if (denial !== undefined && denial.code !== 'forbidden') throw atPointer(denial, pointer)
    if (denial !== undefined) names.push(...wireNames(field, collection))
  }
  if (names.length > 0) throw atPointer(forbidden(undefined, { fields: names }), pointer)
}

interface BodyItem { readonly collection: Collection, readonly pointer: string }

/** Returns the error for a caller who may not make the change to the item; undefined if no rule denies it. */
export function changeDenial (change: Change, caller: Caller): DataApiError | undefined {
  switch (change.kind) {
    case 'insert': return caller.denial('create', change.collection)
    case 'update': return caller.denial(change.deletes === true ? 'delete' : 'update', change.collection)
    case 'delete': return caller.denial('delete', change.collection)
    // authoriseLink has asked already: a link is a change of up to two items.
    case 'link':
    case 'unlink': return undefined
  }
}

/** Returns the values of a single statement, each of which was authorised. */
export const authorisedValues = (values: ReadonlyMap<AuthorisedField, unknown>) =>
  values as ReadonlyMap<StoredField, unknown> as AuthorisedValues

/** Returns an insert of items, of whose fields the client's were authorised; the application gives the others. */
export const authorisedInsert = (
  { collection, fields, rows, keyed }: Pick<ChangeOf<'insert'>, 'collection' | 'fields' | 'rows' | 'keyed'>,
  asked: ReadonlySet<AuthorisedField>
): AuthorisedInsert => {
  const insert = { kind: 'insert', collection, fields, rows, orNothing: false, keyed, asked } as const
  return insert as ChangeOf<'insert'> as AuthorisedInsert
}

export function insertOfDraft (
  values: AuthorisedValues, of: Pick<AuthorisedInsert, 'collection' | 'asked' | 'orNothing'>
): AuthorisedInsert {
  const rows = { fields: [...values.keys()], rows: [[...values.values()]] }
  return { kind: 'insert', ...of, ...rows, keyed: true } as ChangeOf<'insert'> as AuthorisedInsert
}

function refuse (denial: DataApiError | undefined, pointer: string): void {
  if (denial !== undefined) throw atPointer(denial, pointer)
}
