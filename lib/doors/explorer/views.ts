import { DeclarationError } from '../../core/errors/errors.ts'
import type { CollectionView } from '../../core/api/face.ts'
import { type Html, html } from './html.ts'
import { encodeTyped, linkWith, ownQuery, type PlaceOf, shownIn, withoutPage } from './place.ts'

/** A view of a collection: its name, and its query as a URL has it. */
interface View { readonly name: string, readonly query: string }

/** Throws a DeclarationError for a view that no request could ask for. */
export function checkViews (collection: CollectionView): void {
  for (const [name, query] of Object.entries(collection.views)) {
    const fault = collection.faultIn(encodeTyped(query))
    if (fault === undefined) continue
    throw new DeclarationError(`collection '${collection.property}': views.${name}: ${fault.message}`)
  }
}

/** Returns the views of a collection that name nothing that this caller may not read: `collection` is as it sees it. */
export const viewsOf = (collection: CollectionView): readonly View[] => Object.entries(collection.views)
  .map(([name, query]) => ({ name, query: encodeTyped(query) }))
  .filter(({ query }) => collection.faultIn(query) === undefined)

/** Returns the views of a collection as tabs; the one that the page shows is marked. */
export function showViews (views: readonly View[], place: PlaceOf<'collection'>): Html | undefined {
  if (views.length === 0) return undefined
  const asked = ownQuery(withoutPage(place.query))
  return html`<nav class="views" aria-label="Views">${views.map(({ name, query }) => html`<a href="${
    linkWith([query, ...shownIn(place.query)].filter(part => part !== ''), place)}"${
    query === asked && html` aria-current="page"`}>${name}</a>`)}</nav>`
}
