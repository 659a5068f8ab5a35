import { DataApiError, DeclarationError } from '../../core/errors/errors.ts'
import type { Collection } from '../../core/model/model.ts'
import { listOf } from '../documents/describing.ts'
import { syntaxOf } from '../../core/plan/path/syntax.ts'
import type { RequestOptions } from '../../core/plan/request.ts'
import { planRead } from '../../core/plan/read/read.ts'
import { parseQuery } from '../../core/request/query.ts'
import { type Html, html } from './html.ts'
import { encodeTyped, linkWith, ownQuery, type PlaceOf, shownIn, withoutPage } from './place.ts'

/** What a view is planned with. */
type Options = Pick<RequestOptions, 'reads' | 'syntax'>

/** A view of a collection: its name, and its query as a URL has it. */
interface View { readonly name: string, readonly query: string }

/** Throws a DeclarationError for a view that no request could ask for. */
export function checkViews (collection: Collection, options: Options): void {
  for (const [name, query] of Object.entries(collection.views)) {
    const fault = faultOf(query, collection, options)
    if (fault === undefined) continue
    throw new DeclarationError(`collection '${collection.property}': views.${name}: ${fault.message}`)
  }
}

/** Returns the views of a collection that name nothing that this caller may not read: `collection` is as it sees it. */
export const viewsOf = (collection: Collection, options: Options): readonly View[] =>
  Object.entries(collection.views).filter(([, query]) => faultOf(query, collection, options) === undefined)
    .map(([name, query]) => ({ name, query: encodeTyped(query) }))

function faultOf (query: string, collection: Collection, { reads, syntax }: Options): DataApiError | undefined {
  try {
    planRead(listOf(collection), parseQuery(encodeTyped(query), syntaxOf(collection, syntax)), false, reads.paged)
    return undefined
  } catch (error) {
    if (error instanceof DataApiError) return error
    throw error
  }
}

/** Returns the views of a collection as tabs; the one that the page shows is marked. */
export function showViews (views: readonly View[], place: PlaceOf<'collection'>): Html | undefined {
  if (views.length === 0) return undefined
  const asked = ownQuery(withoutPage(place.query))
  return html`<nav class="views" aria-label="Views">${views.map(({ name, query }) => html`<a href="${
    linkWith([query, ...shownIn(place.query)].filter(part => part !== ''), place)}"${
    query === asked && html` aria-current="page"`}>${name}</a>`)}</nav>`
}
