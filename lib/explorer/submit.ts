import { DataApiError, malformedBody } from '../errors/errors.ts'
import { linkingRelation, separableRelation, type WriteMethod } from '../plan/path/methods.ts'
import { decodeBody } from '../request/body.ts'
import type { RequestText } from '../request/parse.ts'
import type { Answer } from '../response/answer.ts'
import { singleKey, uniques } from '../model/identifiers.ts'
import type { SubItemField } from '../model/model.ts'
import { syntaxOf } from '../plan/path/syntax.ts'
import type { Item } from '../plan/read/select.ts'
import { parameterOf } from '../request/syntax.ts'
import { formatPath, siteOf } from '../response/paths.ts'
import { isObject } from '../errors/is-object.ts'
import { checkMethod, updateMethod } from './allowed.ts'
import {
  fieldsToCreate, fieldsToEdit, type FormField, readCurrent, readText, readToDelete, type ValueField
} from './fields.ts'
import { showConflict, showCreate, showDelete, showEdit } from './form-pages.ts'
import type { Filled } from './form.ts'
import type { Html } from './html.ts'
import { segmentsTo } from './label.ts'
import { baseIn, chosenTexts, isChanged, merge } from './merge.ts'
import { seeOther, showing } from './page.ts'
import { isOf, pathTo, type Place, type PlaceOf, rootPathTo } from './place.ts'
import { searchFor } from './search.ts'
import type { Visit } from './visit.ts'
import { encodePart } from './rewrite.ts'

/** Does what a form asks for, as a request of the API, and leads to a page that shows it (docs/explorer.md: Forms). */
export async function submit (text: RequestText, visit: Visit): Promise<Answer> {
  const form = new Map(new URLSearchParams(decodeBody(text.body)))
  const place = { ...visit.place, spot: await visit.spot(), query: [] }
  const method = form.get('_method') ?? 'POST'
  if (isOf('collection', place) && method === 'POST') {
    return form.has('_link') ? link(form.get('_link') ?? '', place, visit) : create(form, place, visit)
  }
  if (isOf('item', place) && method === 'PATCH') return update(form, place, visit)
  if (isOf('item', place) && method === 'DELETE') return remove(form, place, visit)
  const write = (['POST', 'PUT', 'PATCH', 'DELETE'] as const).find(one => one === method)
  if (write === undefined) throw malformedBody(`A form cannot ask for the method '${method}'.`)
  checkMethod(write satisfies WriteMethod, place.spot)
  throw malformedBody(`The form of this page cannot ask for the method '${method}'.`)
}

async function remove (form: Form, place: PlaceOf<'item'>, visit: Visit): Promise<Answer> {
  checkMethod('DELETE', place.spot)
  const tag = form.get('_tag')
  const done = separableRelation(place.spot.resource) === undefined ? 'deleted' : 'unlinked'
  try {
    await visit.ask({ method: 'DELETE', ...tag !== undefined && { ifMatch: tag } })
    return seeOther(`${pathTo(parentOf(place))}?_done=${done}`)
  } catch (error) {
    const exists = error instanceof DataApiError && error.statusCode !== 404
    const current = exists ? await readToDelete(visit, place) : undefined
    return refused(error, found => showDelete(current, found, place))
  }
}

/** Returns the place that an item is deleted from: the collection, or the group, of its path. */
function parentOf (place: PlaceOf<'item'>): Place {
  const { dictionaryPrefix } = place.syntax
  const before = place.parts.at(-2)?.map(String).join(',') ?? ''
  return { ...place, parts: place.parts.slice(0, before.startsWith(dictionaryPrefix) ? -2 : -1) }
}

async function link (identifier: string, place: PlaceOf<'collection'>, visit: Visit): Promise<Answer> {
  const via = linkingRelation(place.spot.resource)
  checkMethod('POST', place.spot)
  if (via === undefined) throw malformedBody('Existing items cannot be linked here.')
  await visit.ask({ method: 'POST', body: await findItem(via.target, identifier, visit) })
  return seeOther(`${pathTo(place)}?_done=linked`)
}

/** The members of a form that was sent. */
type Form = ReadonlyMap<string, string>

/** Creates the item of a form. */
async function create (form: Form, place: PlaceOf<'collection'>, visit: Visit): Promise<Answer> {
  checkMethod('POST', place.spot)
  const fields = fieldsToCreate(place.spot.resource)
  const filled = { fields, texts: form, base: undefined }
  const searched = await searchFor(fields, form, visit)
  if (searched !== undefined) {
    return showing(200, () => showCreate({ ...filled, faults: new Map(), ...searched }, place))
  }
  const { body, faults } = await toMembers(fields, form, true, visit)
  if (faults.size > 0) return showing(400, () => showCreate({ ...filled, faults }, place))
  try {
    const { headers: { location = pathTo(place) } } = await visit.ask({ method: 'POST', body })
    return seeOther(`${location}?_done=created`)
  } catch (error) {
    return refused(error, found => showCreate({ ...filled, faults: faultsOf(found) }, place))
  }
}

/** Changes an item by its form. */
async function update (sent: Form, place: PlaceOf<'item'>, visit: Visit): Promise<Answer> {
  checkMethod(updateMethod(place.spot), place.spot)
  const { collection } = place.spot.resource
  const current = await readCurrent(visit, place)
  const fields = fieldsToEdit(collection)
  const form = chosenTexts(sent, fields, current)
  const base = baseIn(form, fields, current)
  const filled = { fields, texts: form, base }
  const searched = await searchFor(fields, form, visit)
  if (searched !== undefined) {
    return showing(200, () => showEdit({ ...filled, faults: new Map(), ...searched }, current, place))
  }
  const changed = fields.filter(one => isChanged(one, form, base))
  const { body, faults } = await toMembers(changed, form, false, visit)
  if (faults.size > 0) return showing(400, () => showEdit({ ...filled, faults }, current, place))
  if (Object.keys(body).length === 0) return seeOther(`${pathTo(place)}?_done=unchanged`)
  try {
    await visit.ask({ method: updateMethod(place.spot), body, ...base.tag !== undefined && { ifMatch: base.tag } })
    return seeOther(`${pathAfter(body, place, current?.item)}?_done=saved`)
  } catch (error) {
    if (!(error instanceof DataApiError) || error.code !== 'precondition_failed') {
      return refused(error, found => showEdit({ ...filled, faults: faultsOf(found) }, current, place))
    }
    const now = await readCurrent(visit, place)
    const merged = merge(fields, form, base, now)
    const retyped = changed.filter(({ field }) => field.schema['format'] === 'password')
    return showing(412, () => showConflict({ merged, was: base.was, retyped, now }, place))
  }
}

/** Returns the path of an item after its update: by its key, if the path may have named it by what was changed. */
function pathAfter (body: object, place: PlaceOf<'item'>, item: Parameters<typeof segmentsTo>[0] | undefined): string {
  const { collection } = place.spot.resource
  const isRenamed = collection.stored.some(({ identifier, name }) => identifier && name in body) ||
    collection.identifiers.some(({ kind }) => kind === 'lookup')
  const segments = isRenamed && item !== undefined
    ? segmentsTo({ ...item, ...body }, collection, place.syntax.dictionaryPrefix)
    : undefined
  return segments === undefined ? pathTo(place) : rootPathTo(place, [[collection.name], ...segments])
}

/** Returns the form again for a fault that the person can mend. Throws every other error. */
function refused (error: unknown, show: (error: DataApiError) => Html): Answer {
  if (!(error instanceof DataApiError) || !mendable.has(error.code)) throw error
  return showing(error.statusCode, () => show(error))
}

const mendable: ReadonlySet<string> = new Set([
  'validation', 'argument', 'duplicate', 'reference', 'constraint', 'precondition_failed', 'precondition_required'
])

/** Returns the messages of an error by the names of the fields that it is about. */
function faultsOf ({ message, facts: { details, fields = [] } }: DataApiError): Filled['faults'] {
  const faults = new Map<string, string[]>()
  const add = (name: string, text: string) => { faults.set(name, [...faults.get(name) ?? [], text]) }
  for (const { pointer, message: text } of details ?? []) add(nameIn(pointer), text)
  for (const name of fields) add(name, message)
  if (faults.size === 0) add('', message)
  return faults
}

/** Returns the first name of a JSON pointer (RFC 6901). */
const nameIn = (pointer: string) => (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')

/** The members of a body that a form stands for, or the faults that keep it from being one. */
interface Members {
  readonly body: Readonly<Record<string, unknown>>
  readonly faults: ReadonlyMap<string, readonly string[]>
}

/** Converts the texts of fields to the members of a body: of a new item, or those that change an item. */
async function toMembers (
  fields: readonly FormField[], texts: ReadonlyMap<string, string>, isNew: boolean, visit: Visit
): Promise<Members> {
  const body: Record<string, unknown> = {}
  const faults = new Map<string, readonly string[]>()
  for (const one of fields) {
    const { name } = one.field
    const given = texts.get(name)?.replaceAll('\r\n', '\n')
    if (given === undefined) continue
    try {
      const value = one.field.kind === 'sub-item'
        ? await toReference(one.field, given, isNew, visit)
        : toValue(one.field, given, isNew)
      if (value !== undefined) body[name] = value
    } catch (error) {
      if (!(error instanceof DataApiError) || error.statusCode >= 500) throw error
      faults.set(name, [error.message])
    }
  }
  return { body, faults }
}

/** Returns the value of a text; undefined for a member to leave out. Throws malformed_body for JSON that is none. */
function toValue (field: ValueField, text: string, isNew: boolean): unknown {
  const { nullable, optional, schema, type } = field
  if (text === '') {
    if (isNew && (optional || schema.default !== undefined)) return undefined
    if (nullable) return null
    if (type.kind === 'string') return ''
    return isNew ? undefined : null
  }
  return type.kind === 'json' ? parseJson(text) : readText(field, text)
}

function parseJson (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read'
    throw new DataApiError('malformed_body', `must be JSON: ${reason}`)
  }
}

/** Returns the member that names the item which a text identifies. Throws what a GET of that item throws. */
async function toReference ({ target }: SubItemField, text: string, isNew: boolean, visit: Visit): Promise<unknown> {
  if (text === '') return isNew ? undefined : null
  return findItem(target, text, visit)
}

/** Returns the members that name the item of a collection which any identifier of a URL leads to. */
async function findItem (target: SubItemField['target'], text: string, visit: Visit): Promise<Item> {
  const fields = [target.key, ...uniques(target)].find(some => some.every(({ readable }) => readable)) ?? []
  const syntax = syntaxOf(target, visit.place.syntax)
  const names = fields.map(({ name }) => name).join([...syntax.fields][0] ?? ',')
  const parts = singleKey(target) === undefined ? text.split(',') : [text]
  const origin = { origin: () => '', root: visit.request.root }
  const path = formatPath(siteOf(origin, undefined), [[target.name], parts])
  const url = `${path}?${encodePart(`${parameterOf('fields', syntax)}=${names}`)}`
  const { body } = await visit.ask({ url })
  const found: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  return isObject(found) ? found : {}
}
