import { isObject } from '../../core/errors/is-object.ts'
import type { Collection } from '../../core/model/model.ts'
import { listedForm } from '../../core/plan/read/select.ts'
import { documentName } from '../../core/response/render.ts'
import { type Html, html } from './html.ts'
import { inGroups, shownFields, titleOf } from './value.ts'
import { showPage } from './page.ts'
import { pathTo, type Place, queryOf, rootPathTo, wordOf } from './place.ts'
import { viewsOf } from './views.ts'

/** Returns the page of the directory, of its answer. */
export function showDirectoryPage (value: unknown, place: Place): Html {
  const { api } = place
  const entries = Array.isArray(value) ? value.filter(isObject) : []
  const names = entries.map(({ name }) => name).filter(name => typeof name === 'string')
  const text = wordOf('_find', place.query) ?? ''
  const found = names.filter(name => {
    const { title = '', description = '' } = openOf(name, api) ?? {}
    return `${name} ${title} ${description}`.toLowerCase().includes(text.toLowerCase())
  })
  const isDense = names.length > mostCards
  const listed = isDense ? found.toSorted() : found
  const main = html`${names.length >= fewestToFind && showFinder(text, place)}
<div class="index ${isDense ? 'dense' : 'cards'}">${inGroups(listed, name => openOf(name, api)?.group).map(
    ([group, some]) => html`<section>${group !== '' && html`<h2>${group}</h2>`}<ul>${some.map(name =>
      showCollection(name, openOf(name, api), !isDense, place))}</ul></section>`)}</div>
${names.length === 0 && html`<p class="empty">This API has no collections.</p>`}
${names.length > 0 && found.length === 0 && html`<p class="empty">No collection has this in its name.</p>`}
${(api.options.openapi ?? api.options.mcp) && html`<p class="foot">This API describes itself:${
    api.options.openapi && html` <a href="${rootPathTo(place, [[documentName]])}">OpenAPI</a>`}${
    api.options.mcp && html` <a href="${rootPathTo(place, [[api.options.mcp.path]])}">For agents</a>`}</p>`}`
  const heading = html`${place.title} <span class="total">${names.length} collections</span>`
  return showPage({ heading, title: place.title, main, formats: ['json'] }, place)
}

// Collections: more are an index by name; from as many on, one can be looked for.
const mostCards = 24
const fewestToFind = 10

const showFinder = (text: string, place: Place): Html => html`<form class="finder" role="search" method="get"
 action="${pathTo(place)}"><input type="search" name="_find" value="${text}" placeholder="Name or description"
 aria-label="Find a collection"><button>Find</button></form>`

/** Returns a collection whose fields every caller may know; of another, the page has the name alone. */
export function openOf (name: string, { callers }: Place['api']): Collection | undefined {
  if (callers.differ(name)) return undefined
  const { model, denial } = callers.anyone(name)
  const collection = model.collections.get(name)
  return collection === undefined || denial('read', collection) !== undefined ? undefined : collection
}

/** Returns the link to a collection, or to its first view. */
function showCollection (name: string, collection: Collection | undefined, isWide: boolean, place: Place): Html {
  const [view] = collection === undefined ? [] : viewsOf(collection, place.api.options)
  const { title = name, description } = collection ?? {}
  return html`<li>
<a href="${rootPathTo(place, [[name]])}${view && queryOf([view.query])}"><bdi>${title}</bdi></a>${
    description !== undefined && html`<p>${description}</p>`}${isWide && collection && showFields(collection)}</li>`
}

function showFields (collection: Collection): Html {
  const relations = shownFields(collection).filter(field => 'target' in field)
  const fields = listedForm(collection).filter(({ kind }) => kind === 'value').map(({ field }) => field)
  const related = relations.length > 0 && ` → ${relations.map(titleOf).join(', ')}`
  return html`<p>${fields.map(titleOf).join(', ')}${related}</p>`
}
