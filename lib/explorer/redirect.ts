import { methodNotAllowed } from '../errors.ts'
import type { Answer } from '../response/answer.ts'
import { columnsAsked } from './columns.ts'
import { filterAsked } from './filters.ts'
import { seeOther } from './page-answer.ts'
import { pathTo, type Place } from './place.ts'
import { encodeTyped, queryOf, withFilter, withParameter } from './rewrite.ts'
import type { Visit } from './visit.ts'
import { partsOf, wordOf } from './words.ts'

/** Answers a form that is sent with GET by the URL of the API that it means. */
export async function redirectTo (query: string, visit: Visit): Promise<Answer> {
  const { place } = visit
  const typed = { ...place, query: partsOf(encodeTyped(query.replace(/^\?/, '')), place.syntax) }
  return seeOther(pathTo(place) + await changed(typed, visit))
}

/** Returns the query of a form with the change that the form asks for. */
async function changed (typed: Place, { place, spot }: Visit): Promise<string> {
  const own = typed.query.filter(({ kind }) => kind !== 'own')
  const columns = columnsAsked([...place.query, ...own], place)
  if (columns !== undefined) return queryOf(withParameter(own, 'fields', columns, place.syntax))
  if (wordOf('_field', place.query) === undefined) return queryOf(own.map(({ raw }) => raw))
  const { resource } = await spot()
  if (!('from' in resource)) throw methodNotAllowed('GET', 'GET')
  const filter = filterAsked(resource.from.collection, place.query, place)
  return queryOf(filter === undefined ? own.map(({ raw }) => raw) : withFilter(own, filter, place.syntax))
}
