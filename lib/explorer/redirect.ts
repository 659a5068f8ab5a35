import { methodNotAllowed } from '../errors/errors.ts'
import type { Answer } from '../response/answer.ts'
import { columnsAsked } from './columns.ts'
import { filterAsked } from './filters.ts'
import { seeOther } from './page-answer.ts'
import { pathTo } from './place.ts'
import { encodeTyped, formatPart, queryOf, withFilter, withParameter } from './rewrite.ts'
import type { Visit } from './visit.ts'
import { type Part, partsOf, wordOf } from './words.ts'

/** Answers a form that is sent with GET by the URL of the API that it means. */
export async function redirectTo (query: string, visit: Visit): Promise<Answer> {
  const { place } = visit
  // The path must lead somewhere: of one that begins with two slashes, a browser would take the host.
  await visit.spot()
  const typed = partsOf(encodeTyped(query.replace(/^\?/, '')), place.syntax).filter(({ kind }) => kind !== 'own')
  const parts = await changed(typed, visit)
  const format = wordOf('_as', place.query)
  const asked = format === undefined ? [] : [formatPart(format, place.syntax)]
  return seeOther(pathTo(place) + queryOf([...parts, ...asked]))
}

/** Returns the query of a form with the change that the form asks for. */
async function changed (typed: readonly Part[], { place, spot }: Visit): Promise<readonly string[]> {
  const unchanged = typed.map(({ raw }) => raw)
  const columns = columnsAsked([...place.query, ...typed], place)
  if (columns !== undefined) return withParameter(typed, 'fields', columns, place.syntax)
  if (wordOf('_field', place.query) === undefined) return unchanged
  const { resource } = await spot()
  if (!('from' in resource)) throw methodNotAllowed('GET', 'GET')
  const filter = filterAsked(resource.from.collection, place.query, place)
  return filter === undefined ? unchanged : withFilter(typed, filter, place.syntax)
}
