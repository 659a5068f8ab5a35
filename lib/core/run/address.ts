import { type KeyValues, leadsElsewhere, singleKey } from '../model/identifiers.ts'
import type { Collection, Identifier, StoredField } from '../model/model.ts'
import { usableIdentifiers } from '../plan/path/identify.ts'
import type { Row, Selection, Step } from '../plan/plan.ts'
import { equalsKey } from '../plan/predicates.ts'
import type { ScopedDatabase, ScopedSession } from '../rules/scoped-database.ts'
import type { ReadResult } from '../sources/source.ts'

/** The identifier by which a URL leads to an item: its fields, and their values. */
export interface Address {
  readonly fields: readonly StoredField[]
  readonly values: readonly unknown[]
  /** False if the values could also identify another item, so that only `by_<identifier>` is certain. */
  readonly plain: boolean
}

/** An item, and the collection on whose path it is found. */
export interface Located extends Pick<Step, 'collection' | 'via'> {
  readonly key: KeyValues
  /** The steps before the item. */
  readonly steps: readonly Step[]
}

/**
 * Returns the address of an item (docs/http.md: Identifiers): its key or, if the caller may not read the key, another
 * identifier; undefined if there is none. Reads only if the key may not be read. A read that fails is no error: the
 * item exists.
 */
export function findAddress (
  located: Located, database: ScopedDatabase | ScopedSession
): Address | undefined | Promise<Address | undefined> {
  const { collection, key: values } = located
  const fields = collection.key
  const isUsable = fields.every(field => field.readable) && !leadsElsewhere(segmentOf(values))
  if (!isUsable) return findReadable(located, database).catch(() => undefined)
  return { fields, values, plain: !isContested(collection, segmentOf(values)) }
}

/** Returns the decoded segment of a path that these values make. */
export const segmentOf = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : values.map(String).join(',')

/** Returns true if the type of an identifier besides the key takes the text. */
function isContested (collection: Collection, text: string): boolean {
  const key = singleKey(collection)
  return usableIdentifiers(collection).some(one => {
    if (one.kind === 'key' || (one.kind === 'field' && one.field === key)) return false
    return typeOf(one).parse(text) !== undefined
  })
}

const typeOf = (identifier: Exclude<Identifier, { kind: 'key' }>) =>
  identifier.kind === 'lookup' ? identifier.type : identifier.field.type

/** Returns the first readable identifier that the item has a value of. */
async function findReadable (
  { collection, via, steps, key }: Located, database: ScopedDatabase | ScopedSession
): Promise<Address | undefined> {
  const fields = usableIdentifiers(collection).flatMap(one => one.kind === 'field' ? [one.field] : [])
  if (fields.length === 0) return undefined
  const step = { collection, via, where: equalsKey(collection.key, key) }
  const row = rowOf(await database.read({ kind: 'item', steps: [...steps, step], select: selectionOf(fields) }, true))
  const field = fields.find(({ property }) => {
    const value = row?.[property] ?? null
    return value !== null && !leadsElsewhere(value)
  })
  return field && { fields: [field], values: [row?.[field.property]], plain: false }
}

const selectionOf = (fields: readonly StoredField[]): Selection =>
  fields.map(field => ({ kind: 'value', name: field.name, field }))

const rowOf = (found: ReadResult): Row | undefined => found.kind === 'rows' ? found.rows[0] : undefined
