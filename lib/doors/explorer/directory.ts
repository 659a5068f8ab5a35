import { isObject } from '../../core/errors/is-object.ts'
import type { CollectionView } from '../../core/api/face.ts'
import { type Html, html } from './html.ts'
import { inGroups, shownFields, titleOf } from './value.ts'
import { showPage } from './page.ts'
import { pathTo, type Place, queryOf, rootPathTo, wordOf } from './place.ts'
import { viewsOf } from './views.ts'

/** Returns the page of the directory, of its answer. */
export function showDirectoryPage (value: unknown, place: Place): Html {
  const { face, face: { documentAt, agentsAt } } = place
  const entries = Array.isArray(value) ? value.filter(isObject) : []
  const names = entries.map(({ name }) => name).filter(name => typeof name === 'string')
  const text = wordOf('_find', place.query) ?? ''
  const found = names.filter(name => {
    const { title = '', description = '' } = face.openTo(name) ?? {}
    return `${name} ${title} ${description}`.toLowerCase().includes(text.toLowerCase())
  })
  const isDense = names.length > mostCards
  const listed = isDense ? found.toSorted() : found
  const main = html`${names.length >= fewestToFind && showFinder(text, place)}
<div class="index ${isDense ? 'dense' : 'cards'}">${inGroups(listed, name => face.openTo(name)?.group).map(
    ([group, some]) => html`<section>${group !== '' && html`<h2>${group}</h2>`}<ul>${some.map(name =>
      showCollection(name, face.openTo(name), !isDense, place))}</ul></section>`)}</div>
${names.length === 0 && html`<p class="empty">This API has no collections.</p>`}
${names.length > 0 && found.length === 0 && html`<p class="empty">No collection has this in its name.</p>`}
${face.callersDiffer && html`<p class="foot"><a href="${rootPathTo(place, [])}?_rights">Your rights</a></p>`}
${(documentAt ?? agentsAt) !== undefined && html`<p class="foot">This API describes itself:${
    documentAt !== undefined && html` <a href="${rootPathTo(place, [[documentAt]])}">OpenAPI</a>`}${
    agentsAt !== undefined && html` <a href="${rootPathTo(place, [[agentsAt]])}">For agents</a>`}</p>`}`
  const heading = html`${place.title} <span class="total">${names.length} collections</span>`
  return showPage({ heading, title: place.title, main, formats: ['json'] }, place)
}

// Collections: more are an index by name; from as many on, one can be looked for.
const mostCards = 24
const fewestToFind = 10

const showFinder = (text: string, place: Place): Html => html`<form class="finder" role="search" method="get"
 action="${pathTo(place)}"><input type="search" name="_find" value="${text}" placeholder="Name or description"
 aria-label="Find a collection"><button>Find</button></form>`

/** Returns the link to a collection, or to its first view; without its words and fields where not all may know it. */
function showCollection (name: string, collection: CollectionView | undefined, isWide: boolean, place: Place): Html {
  const [view] = collection === undefined ? [] : viewsOf(collection)
  const { title = name, description } = collection ?? {}
  return html`<li>
<a href="${rootPathTo(place, [[name]])}${view && queryOf([view.query])}"><bdi>${title}</bdi></a>${
    description !== undefined && html`<p>${description}</p>`}${isWide && collection && showFields(collection)}</li>`
}

function showFields (collection: CollectionView): Html {
  const relations = shownFields(collection).filter(field => 'target' in field)
  const fields = collection.shape(undefined, 'listed').filter(({ kind }) => kind === 'value').map(({ field }) => field)
  const related = relations.length > 0 && ` → ${relations.map(titleOf).join(', ')}`
  return html`<p>${fields.map(titleOf).join(', ')}${related}</p>`
}
