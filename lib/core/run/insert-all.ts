import { randomUUID } from 'node:crypto'
import { DataApiError } from '../errors/errors.ts'
import { singleKey } from '../model/identifiers.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { referencesOf } from '../model/relations.ts'
import { toValue } from '../model/values.ts'
import type { WritePlanOf } from '../plan/plan.ts'
import type { Rows } from '../plan/write/bodies.ts'
import { type AuthorisedField, authorisedInserts, authoriseLink, authoriseValue } from '../rules/authorise.ts'
import type { Inserted, Inserts } from '../sources/source.ts'
import type { UnitOfWork } from './context.ts'
import { keyProperties } from './create-item.ts'
import { newDraft } from './draft.ts'
import type { ParentItem } from './locate.ts'
import { checkKey, storedValues } from './stored-values.ts'

type Plan = Pick<WritePlanOf<'create'>, 'from' | 'given' | 'counted'>

/**
 * Creates the items of bodies that assign the same fields by a statement for all, as createItem() does one by one, up
 * to the first that has an error, or none of them: createItem() then tells which item it is about. Returns undefined
 * where setters, hooks, triggers or relations see single items.
 */
export async function insertAll (
  plan: Plan, values: Rows, parent: ParentItem | undefined, work: UnitOfWork
): Promise<Inserted | undefined> {
  const { session, saved } = work
  const { from: { collection } } = plan
  const made = session.insertAll && isPlain(plan) ? insertsOf(plan, values, parent, work) : undefined
  const inserted = made && await session.insertAll?.(authorisedInserts(made.inserts, made.asked))
  if (made === undefined || inserted === undefined || collection.hooks.saved === undefined) return inserted
  const { fields, rows } = made.inserts
  for (const [index, key] of inserted.keys.entries()) {
    const values = fields.map((field, at) => [field.property, toValue(rows[index]?.[at], field)] as const)
    saved.push({
      collection, saved: { kind: 'created', item: { ...Object.fromEntries(values), ...keyProperties(collection, key) } }
    })
  }
  return inserted
}

/** Returns true if no hook and no trigger sees single items, which cannot refer to each other. */
function isPlain ({ from: { collection, via } }: Plan): boolean {
  const { hooks: { creating, created }, source: { writes } } = collection
  if (creating || created || via?.link.kind === 'join') return false
  if (writes !== undefined && writes.replaced.size > 0) return false
  return !referencesOf(collection).some(({ target }) => target === collection)
}

interface AskedInserts { readonly inserts: Inserts, readonly asked: ReadonlySet<AuthorisedField> }

function insertsOf (
  plan: Plan, values: Rows, parent: ParentItem | undefined, work: UnitOfWork
): AskedInserts | undefined {
  try {
    return plannedInserts(plan, values, parent, work)
  } catch (error) {
    if (error instanceof DataApiError) return undefined
    throw error
  }
}

/** Throws the error of a rule, and that of a key which is too high. */
function plannedInserts (
  plan: Plan, { fields: given, rows }: Rows, parent: ParentItem | undefined, work: UnitOfWork
): AskedInserts | undefined {
  const { from: { collection }, counted } = plan
  const url = urlValues(plan, parent, work)
  const shared = new Map([...storedValues(newDraft(collection), collection, ''), ...url])
  const columns = new Map([...shared.keys()].map((field, index) => [field, index]))
  const asked = new Set(url.keys())
  for (const one of given) {
    const field = authoriseValue(one, collection, '', work.caller)
    asked.add(field)
    if (!columns.has(field)) columns.set(field, columns.size)
  }
  if ([...asked].some(({ property }) => collection.setters.has(property))) return undefined
  if ([...url].some(([field, value]) => contradicts(given.indexOf(field), value, rows))) return undefined
  const key = keyColumn(collection, columns)
  const isUuid = key?.field.type.kind === 'uuid'
  const places = given.map(field => columns.get(field) ?? 0)
  const place = (values: readonly unknown[]) => {
    const row = [...shared.values()]
    if (isUuid) row[key.at] = randomUUID()
    for (let index = 0; index < places.length; index++) row[places[index] ?? 0] = values[index]
    return row
  }
  const placed = shared.size === 0 ? rows : rows.map(place)
  if (key !== undefined) for (const row of placed) checkKey(() => row[key.at], collection, '')
  return { inserts: { collection, fields: [...columns.keys()], rows: placed, keyed: !counted }, asked }
}

/** Returns true if a row has another value than the URL. */
const contradicts = (at: number, value: unknown, rows: Rows['rows']) => at >= 0 && rows.some(row => row[at] !== value)

function keyColumn (collection: Collection, columns: ReadonlyMap<StoredField, number>) {
  const field = singleKey(collection)
  const at = field && columns.get(field)
  return field === undefined || at === undefined ? undefined : { field, at }
}

/** Returns the values that the URL gives to each item: those of its path, and the key of its parent. */
function urlValues (
  { from: { collection, via }, given }: Plan, parent: ParentItem | undefined, { caller }: UnitOfWork
): ReadonlyMap<AuthorisedField, unknown> {
  const values = new Map<AuthorisedField, unknown>()
  if (via !== undefined && parent !== undefined) {
    const link = authoriseLink({ field: via, isOwnNew: parent.isNew, isOtherNew: true, pointer: '' }, caller)
    if (link.kind === 'foreign-key') {
      for (const [index, field] of link.fields.entries()) values.set(field, parent.key[index])
      for (const { field, value } of link.constants) values.set(field, value)
    }
  }
  for (const { field, value } of given) values.set(authoriseValue(field, collection, '', caller), value)
  return values
}
