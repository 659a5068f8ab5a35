import type { Answer } from '../response/answer.ts'
import { checkMethod, updateMethod } from './allowed.ts'
import { isObject } from '../errors/is-object.ts'
import { emptyForm, showCreate } from './create-page.ts'
import { readCurrent } from './current.ts'
import { showDelete } from './delete-page.ts'
import { formOf, showEdit } from './edit-page.ts'
import { noData, pageOf } from './page-answer.ts'
import { isOf } from './place.ts'
import type { Visit } from './visit.ts'
import { wordOf } from './words.ts'

/** Returns the page of a form that writes, if the request asks for one. */
export async function openForm (visit: Visit): Promise<Answer | undefined> {
  const asked = (['_new', '_edit', '_delete'] as const).find(word => wordOf(word, visit.place.query) !== undefined)
  if (asked === undefined) return undefined
  const place = { ...visit.place, spot: await visit.spot(), query: [] }
  const answered = { status: 200, headers: {}, links: [], body: noData }
  if (asked === '_new' && isOf('collection', place)) {
    checkMethod('POST', place.spot)
    return pageOf(answered, () => showCreate(emptyForm(place), place))
  }
  if (asked === '_new' || !isOf('item', place)) return undefined
  checkMethod(asked === '_edit' ? updateMethod(place.spot) : 'DELETE', place.spot)
  const found = await readCurrent(visit, place)
  return pageOf({ ...answered, body: found === undefined ? noData : JSON.stringify(found.item) }, json => {
    const item: unknown = JSON.parse(json)
    const current = isObject(item) ? { item, tag: found?.tag } : undefined
    return asked === '_edit'
      ? showEdit(formOf(place, current), current, place)
      : showDelete(current, undefined, place)
  })
}
