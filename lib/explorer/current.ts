import type { Item } from '../plan/read/to-item.ts'
import { parameterOf } from '../request/syntax.ts'
import { isObject } from '../errors/is-object.ts'
import { fieldsToEdit } from './fields.ts'
import type { PlaceOf } from './place.ts'
import { encodePart } from './rewrite.ts'
import type { Visit } from './visit.ts'

/** An item as it is, for a form, and its tag. */
export interface Current { readonly item: Item, readonly tag: string | undefined }

/** Reads the members of an item that its form has; undefined for a caller who may write it but not read it. */
export async function readCurrent (visit: Visit, { spot }: PlaceOf<'item'>): Promise<Current | undefined> {
  const { collection } = spot.resource
  if (spot.permissions.denial('GET', spot.resource) !== undefined) return undefined
  const fields = fieldsToEdit(collection).map(({ field }) => field)
  const named = [...fields, ...collection.stored.filter(field => field.identifier || collection.key.includes(field))]
  const readable = named.filter(field => field.readable)
  const names = [...new Set(readable.map(({ name }) => name))].join([...visit.place.syntax.fields][0] ?? ',')
  const url = names === '' ? '' : `?${encodePart(`${parameterOf('fields', visit.place.syntax)}=${names}`)}`
  const answered = await visit.ask({ url: visit.ownPath + url })
  const item: unknown = typeof answered.body === 'string' ? JSON.parse(answered.body) : null
  return isObject(item) ? { item, tag: answered.etag } : undefined
}
