import type { Answer } from '../response/answer.ts'
import { allowedAt, allowedIn } from './allowed.ts'
import { isObject } from '../errors/is-object.ts'
import type { InParts } from '../response/in-parts.ts'
import { showDictionary } from './dictionary.ts'
import { showDirectory } from './directory.ts'
import type { Exploring } from './exploring.ts'
import { type Pages, showGrid } from './grid.ts'
import type { Html } from './html.ts'
import { showItemPage } from './item.ts'
import { membersOf } from './members.ts'
import { openForm } from './open-form.ts'
import { pageOf } from './page-answer.ts'
import { isOf, type Place, type PlaceOf, type Spot } from './place.ts'
import { redirectTo } from './redirect.ts'
import { showScalar } from './scalar.ts'
import { type Found, search } from './search.ts'
import type { Visit } from './visit.ts'
import { wordOf } from './words.ts'

/** Answers a GET with a page of what the answer in JSON shows. Throws what the request in JSON would throw. */
export async function readPage (visit: Visit, exploring: Exploring): Promise<Answer> {
  const { place } = visit
  const query = wordOf('_query', place.query)
  if (query !== undefined) return redirectTo(query, visit)
  const form = await openForm(visit)
  if (form !== undefined) return form
  const isCounted = wordOf('_count', place.query) !== undefined
  const answered = await visit.ask(isCounted ? { prefer: 'count=exact' } : {})
  const here = { ...place, spot: await visit.spot() }
  const found = isOf('collection', here) ? await findToLink(here, visit) : undefined
  return pageOf(answered, json => showJson(json, { answered, found, exploring }, here))
}

/** Searches for items to link, where the form for that asks to. */
async function findToLink (place: PlaceOf<'collection'>, visit: Visit): Promise<Found | undefined> {
  const { link } = allowedIn(place)
  if (link === undefined || wordOf('_search', place.query) === undefined) return undefined
  return search(link.target, wordOf('_link', place.query) ?? '', visit)
}

interface Facts { readonly answered: Answer, readonly found: Found | undefined, readonly exploring: Exploring }

function * showJson (json: string, facts: Facts, place: Place & { readonly spot: Spot }): InParts<Html> {
  const { answered, found, exploring } = facts
  const { resource } = place.spot
  if (isOf('dictionary', place)) return yield * showDictionary(json, pagesOf(answered, place), place)
  if (isOf('collection', place)) {
    const items = yield * membersOf(json, '[')
    return showGrid({ items, pages: pagesOf(answered, place), found }, allowedIn(place), place)
  }
  const value: unknown = JSON.parse(json)
  if (isOf('item', place)) {
    return showItemPage(isObject(value) ? value : null, allowedAt(place), place)
  }
  if (resource.kind === 'scalar') return showScalar(value, place)
  return showDirectoryPage(value, place, exploring)
}

function showDirectoryPage (value: unknown, place: Place, { api: { model, callers, options } }: Exploring): Html {
  const entries = Array.isArray(value) ? value.filter(isObject) : []
  const names = entries.map(({ name }) => name).filter(name => typeof name === 'string')
  const facts = { model, isPublic: (name: string) => !callers.differ(name), describes: options.openapi !== undefined }
  return showDirectory(names, facts, place)
}

/** Returns the links of an answer to other pages, which keep the count, and the count itself. */
function pagesOf ({ links, headers }: Answer, place: Place): Pages {
  const counted = wordOf('_count', place.query) === undefined ? '' : '_count'
  const { origin } = place.site
  return {
    links: new Map(links.map(({ rel, target }) => {
      const path = target.slice(origin.length)
      return [rel, counted === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${counted}`]
    })),
    total: headers['x-total-count']
  }
}
