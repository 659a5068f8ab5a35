import { DataApiError, malformedBody } from '../errors/errors.ts'
import { linkingRelation, separableRelation } from '../plan/path/links.ts'
import type { WriteMethod } from '../plan/path/methods.ts'
import { decodeBody } from '../request/body.ts'
import type { RequestText } from '../request/parse.ts'
import type { Answer } from '../response/answer.ts'
import { checkMethod } from './allowed.ts'
import { readCurrent } from './current.ts'
import { showDelete } from './delete-page.ts'
import { findItem } from './filled.ts'
import { seeOther } from './page-answer.ts'
import { isOf, pathTo, type Place, type PlaceOf } from './place.ts'
import { refused } from './refused.ts'
import { create, type Form, update } from './save.ts'
import type { Visit } from './visit.ts'

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
    const current = exists ? await readCurrent(visit, place) : undefined
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
