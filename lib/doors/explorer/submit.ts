import { createHash } from 'node:crypto'
import type { CollectionView, ValueView, Who } from '../../core/api/face.ts'
import { DataApiError, malformedBody } from '../../core/errors/errors.ts'
import { decodeBody } from '../../core/request/body.ts'
import { encodePart } from '../../core/request/print.ts'
import type { Answer } from '../../core/response/answer.ts'
import { checkMethod, updateMethod, type Visit } from './visit.ts'
import { orRefusal } from './attempt.ts'
import {
  fieldsToCreate, fieldsToEdit, type FormField, readCurrent, readInput, readToDelete
} from './form-fields.ts'
import { baseIn, chosenTexts, isChanged, merge, showConflict, showCreate, showDelete, showEdit } from './form-pages.ts'
import { type Filled, noTexts } from './form.ts'
import type { Html } from './html.ts'
import { type JsonItem, segmentsTo } from './value.ts'
import { seeOther, showing } from './page.ts'
import {
  asking, filtersIn, isOf, linkWith, pathTo, type Place, type PlaceOf, queryOf, type QueryParts, rootPathTo
} from './place.ts'
import { importLines } from './import.ts'
import { searchFor } from './search.ts'
import { formOfMany, readMany, showDeleteMany, showEditMany } from './many.ts'

/** Does what a form asks for, as a request of the API, and leads to a page that shows it (docs/explorer.md: Forms). */
export async function submit (text: Who['text'], visited: Visit): Promise<Answer> {
  const sent = decodeBody(text.body)
  const form = new Map(new URLSearchParams(sent))
  const visit = underKey(form.has('_key') ? sent : undefined, visited)
  const place = { ...visit.place, spot: await visit.spot(), query: filtersIn(visit.place.query) }
  const method = form.get('_method') ?? 'POST'
  if (isOf('collection', place) && method === 'POST') {
    if (form.has('_csv')) return importLines(form, place, visited)
    return form.has('_link') ? link(form.get('_link') ?? '', place, visit) : create(form, place, visit)
  }
  if (isOf('collection', place) && method === 'PATCH') return updateMany(form, place, visit)
  if (isOf('collection', place) && method === 'DELETE') return removeMany(form, place, visit)
  if (isOf('item', place) && method === 'PATCH') return update(form, place, visit)
  if (isOf('item', place) && method === 'DELETE') return remove(form, place, visit)
  throw malformedBody(`The form of this page cannot ask for the method '${method}'.`)
}

/**
 * Returns a visit whose writes have a key, where the caller may send one. `sent`: a form with a key. Its other members
 * are part of the key, so that somebody who goes back in the browser can send the form with something else in it.
 */
function underKey (sent: string | undefined, visit: Visit): Visit {
  const fresh = visit.place.formKey?.()
  const isKept = fresh !== undefined && sent !== undefined
  const idempotencyKey = isKept ? createHash('sha256').update(sent).digest('base64url') : fresh
  return { ...visit, ask: asked => visit.ask({ ...asked, idempotencyKey }) }
}

async function remove (form: Form, place: PlaceOf<'item'>, visit: Visit): Promise<Answer> {
  checkMethod('DELETE', place.spot)
  const tag = form.get('_tag')
  const done = place.spot.resource.unlinks ? 'unlinked' : 'deleted'
  const sent = await orRefusal(
    async () => visit.ask({ method: 'DELETE', ...tag !== undefined && { ifMatch: tag } }), isMendable)
  if (!(sent instanceof DataApiError)) return seeOther(`${pathTo(parentOf(place))}?_done=${done}`)
  const current = await readToDelete(visit, place)
  return showing(sent.statusCode, () => showDelete(current, sent, place))
}

/** Returns the place that an item is deleted from: the collection, or the group, of its path. */
function parentOf (place: PlaceOf<'item'>): Place {
  const { dictionaryPrefix } = place.syntax
  const before = place.parts.at(-2)?.map(String).join(',') ?? ''
  return { ...place, parts: place.parts.slice(0, before.startsWith(dictionaryPrefix) ? -2 : -1) }
}

async function link (identifier: string, place: PlaceOf<'collection'>, visit: Visit): Promise<Answer> {
  const { links: via } = place.spot.resource
  checkMethod('POST', place.spot)
  if (via === undefined) throw malformedBody('Existing items cannot be linked here.')
  await visit.ask({ method: 'POST', body: await findItem(via.target, identifier, visit) })
  return seeOther(`${pathTo(place)}?_done=linked`)
}

/** The members of a form that was sent. */
type Form = ReadonlyMap<string, string>

async function create (form: Form, place: PlaceOf<'collection'>, visit: Visit): Promise<Answer> {
  checkMethod('POST', place.spot)
  const fields = fieldsToCreate(place.spot.resource)
  const opened = { ...noTexts, fields, texts: form }
  return write(opened, fields, filled => showCreate(filled, place), visit, async body => {
    const { headers: { location = pathTo(place) } } = await visit.ask({ method: 'POST', body })
    return seeOther(`${location}?_done=created`)
  })
}

async function update (sent: Form, place: PlaceOf<'item'>, visit: Visit): Promise<Answer> {
  const method = updateMethod(place.spot)
  checkMethod(method, place.spot)
  const current = await readCurrent(visit, place)
  const fields = fieldsToEdit(place.spot.resource.collection)
  const form = chosenTexts(sent, fields, current)
  const base = baseIn(form, fields, current)
  const changed = fields.filter(one => isChanged(one, form, base))
  const opened = { fields, texts: form, faults: new Map(), base }
  return write(opened, changed, filled => showEdit(filled, current, place), visit, async body => {
    if (Object.keys(body).length === 0) return seeOther(`${pathTo(place)}?_done=unchanged`)
    const ifMatch = base.tag !== undefined && { ifMatch: base.tag }
    const done = await orRefusal(async () => visit.ask({ method, body, ...ifMatch }),
      ({ code }) => code === 'precondition_failed')
    if (!(done instanceof Error)) return seeOther(`${pathAfter(body, place, current?.item)}?_done=saved`)
    const now = await readCurrent(visit, place)
    const retyped = changed.filter(({ field }) => field.schema['format'] === 'password')
    const merged = merge(fields, form, base, now)
    return showing(412, () => showConflict({ merged, was: base.was, retyped, now }, place))
  })
}

/** Changes all items that the filters of the URL find, in the fields whose boxes are checked. */
async function updateMany (form: Form, place: PlaceOf<'collection'>, visit: Visit): Promise<Answer> {
  checkMethod('PATCH', place.spot)
  const items = await readMany('PATCH', place, visit)
  const { fields } = formOfMany(place)
  const changed = fields.filter(({ field }) => form.has(`_set.${field.name}`))
  const unchecked = fields.filter(one => !changed.includes(one) && (form.get(one.field.name) ?? '') !== '')
  const texts = new Map([...changed.map(({ field }) => [field.name, ''] as const), ...form])
  const opened = { fields, texts, faults: new Map(), base: noBase }
  return write(opened, changed, filled => showEditMany(filled, items, place), visit, async body => {
    const fields = unchecked.map(({ field }) => field.name)
    if (fields.length > 0) throw new DataApiError('validation', uncheckedMessage, { fields })
    if (Object.keys(body).length === 0) return seeOther(doneTo('unchanged', place.query, place))
    return seeOther(doneTo(`${await writeMany('PATCH', form, place, visit, body)} saved`, place.query, place))
  })
}

const noBase = { tag: undefined, was: new Map() }
const uncheckedMessage = 'was typed, but not checked. It is checked now: send the form again.'

/** Deletes all items that the filters of the URL find, or takes them out of their relation. */
async function removeMany (form: Form, place: PlaceOf<'collection'>, visit: Visit): Promise<Answer> {
  checkMethod('DELETE', place.spot)
  const done = place.spot.resource.unlinks ? 'unlinked' : 'deleted'
  const count = await orRefusal(async () => writeMany('DELETE', form, place, visit), isMendable)
  if (!(count instanceof DataApiError)) return seeOther(doneTo(`${count} ${done}`, [], place))
  const items = await readMany('DELETE', place, visit)
  return showing(count.statusCode, () => showDeleteMany(items, count, place))
}

/** Writes all items that the filters of a place find, and returns their number. */
async function writeMany (
  method: 'PATCH' | 'DELETE', form: Form, place: PlaceOf<'collection'>, visit: Visit, body?: object
): Promise<number> {
  const url = visit.ownPath + queryOf(place.query)
  const { body: answered } = await visit.ask({ method, url, body, prefer: `max-affected=${form.get('_count') ?? ''}` })
  return Number((JSON.parse(String(answered)) as { readonly affected: number }).affected)
}

const doneTo = (done: string, filters: QueryParts, place: Place) =>
  linkWith([...filters, encodePart(`_done=${done}`)], place)

/** Writes what some fields of a form stand for. Shows the form again for a search, and for what can be mended. */
async function write (
  form: Filled, changed: readonly FormField[], show: (filled: Filled) => Html, visit: Visit,
  send: (body: Members['body']) => Promise<Answer>
): Promise<Answer> {
  const again = (status: number, more: Partial<Filled>) => showing(status, () => show({ ...form, ...more }))
  const searched = await searchFor(form.fields, form.texts, visit)
  if (searched !== undefined) return again(200, searched)
  const { body, faults } = await toMembers(changed, form.texts, form.base === undefined, visit)
  if (faults.size > 0) return again(400, { faults })
  const sent = await orRefusal(async () => send(body), isMendable)
  return sent instanceof DataApiError ? again(sent.statusCode, { faults: faultsOf(sent) }) : sent
}

/** Returns the path of an item after its update: by its key, if the path may have named it by what was changed. */
function pathAfter (body: object, place: PlaceOf<'item'>, item: JsonItem | undefined): string {
  const { collection } = place.spot.resource
  const isRenamed = collection.fields.some(field => 'identifier' in field && field.identifier && field.name in body) ||
    collection.identifiers.some(({ fields }) => fields === undefined)
  const segments = isRenamed && item !== undefined ? segmentsTo({ ...item, ...body }, collection) : undefined
  return segments === undefined ? pathTo(place) : rootPathTo(place, [[collection.name], ...segments])
}

const isMendable = ({ code }: DataApiError) => mendable.has(code)

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
    const value = await orRefusal<unknown>(async () => 'target' in one.field
      ? given === '' ? isNew ? undefined : null : findItem(one.field.target, given, visit)
      : toValue(one.field, given, isNew))
    if (value instanceof DataApiError) faults.set(name, [value.message])
    else if (value !== undefined) body[name] = value
  }
  return { body, faults }
}

/** Returns the value of a text; undefined for a member to leave out. Throws malformed_body for JSON that is none. */
function toValue (field: ValueView, text: string, isNew: boolean): unknown {
  const { nullable, optional, schema, values } = field
  if (text === '') {
    if (isNew && (optional || schema.default !== undefined)) return undefined
    if (nullable) return null
    if (values === 'string') return ''
    return isNew ? undefined : null
  }
  if (values !== 'json') return readInput(field, text)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DataApiError('malformed_body', `must be JSON: ${(error as Error).message}`)
  }
}

/**
 * Returns the members that name the item of a collection which any identifier of a URL leads to. Throws what a GET of
 * that item throws.
 */
async function findItem (target: CollectionView, text: string, visit: Visit): Promise<JsonItem> {
  const fields = target.inUrls.find(some => some.every(({ readable }) => readable)) ?? []
  const parts = target.key.length === 1 ? [text] : text.split(',')
  const query = asking([], { fields: fields.map(({ name }) => name) }, target.syntax)
  const { items: [found = {}] } = await visit.read(visit.pathOf([[target.name], parts]) + query)
  return found
}
