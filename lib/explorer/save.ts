import { DataApiError } from '../errors/errors.ts'
import type { Answer } from '../response/answer.ts'
import { checkMethod, updateMethod } from './allowed.ts'
import { showCreate } from './create-page.ts'
import { readCurrent } from './current.ts'
import { showConflict, showEdit } from './edit-page.ts'
import { fieldsToCreate, fieldsToEdit } from './fields.ts'
import { toMembers } from './filled.ts'
import { segmentsTo } from './label.ts'
import { baseIn, chosenTexts, isChanged, merge } from './merge.ts'
import { seeOther, showing } from './page-answer.ts'
import { pathTo, type PlaceOf, rootPathTo } from './place.ts'
import { faultsOf, refused } from './refused.ts'
import { searchFor } from './search.ts'
import type { Visit } from './visit.ts'

/** The members of a form that was sent. */
export type Form = ReadonlyMap<string, string>

/** Creates the item of a form. */
export async function create (form: Form, place: PlaceOf<'collection'>, visit: Visit): Promise<Answer> {
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
export async function update (sent: Form, place: PlaceOf<'item'>, visit: Visit): Promise<Answer> {
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
    const unkept = changed.filter(({ field }) => field.schema['format'] === 'password')
    const retype = new Map(unkept.map(({ field: { name } }) => [name, ['must be typed again.']]))
    return showing(412, () => showConflict({ fields, faults: retype, ...merged }, merged, now, place))
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
