import type { Model } from '../model/model.ts'
import { listedForm } from '../plan/read/select.ts'
import { documentName } from '../response/directory.ts'
import { type Html, html } from './html.ts'
import { showPage } from './page.ts'
import { type Place, rootPathTo } from './place.ts'

/** The facts that the page of the directory shows beside the names of the answer. */
export interface DirectoryFacts {
  /** The collections whose fields every caller may know; of the others the page has the name alone. */
  readonly model: Model
  readonly isPublic: (name: string) => boolean
  /** True if the API has an OpenAPI document. */
  readonly describes: boolean
}

/** Returns the page of the directory. `names`: the collections in the answer. */
export function showDirectory (names: readonly string[], facts: DirectoryFacts, place: Place): Html {
  const main = html`<ul class="directory">${names.map(name => html`<li>
<a class="open" href="${rootPathTo(place, [[name]])}"><bdi>${name}</bdi></a>${showFields(name, facts)}</li>`)}</ul>
${names.length === 0 && html`<p class="empty">This API has no collections.</p>`}
${facts.describes && html`<p class="note">This API describes itself:
<a href="${rootPathTo(place, [[documentName]])}">OpenAPI</a></p>`}`
  return showPage({ heading: place.title, title: place.title, main, formats: ['json'] }, place)
}

function showFields (name: string, { model, isPublic }: DirectoryFacts): Html | undefined {
  const collection = isPublic(name) ? model.collections.get(name) : undefined
  if (collection === undefined) return undefined
  const shown = [...collection.fields.values()].filter(field => field.readable && !field.hidden)
  const relations = shown.filter(field => 'target' in field)
  const fields = listedForm(collection).filter(({ kind }) => kind === 'value')
  const related = relations.length > 0 && ` → ${relations.map(field => field.name).join(', ')}`
  return html`<p>${fields.map(field => field.name).join(', ')}${related}</p>`
}
