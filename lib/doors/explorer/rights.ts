import { type Html, html } from './html.ts'
import { showPage, showRows } from './page.ts'
import { type Place, rootPathTo } from './place.ts'
import { titleOf } from './value.ts'
import type { Visit } from './visit.ts'

type CollectionRights = Awaited<ReturnType<Visit['rights']>>[number]
type Right = CollectionRights['read']

/** Returns the page that tells what its caller may do, without the names of what it may not know. */
export function showRightsPage (rights: readonly CollectionRights[], place: Place): Html {
  const fields = rights.flatMap(one => one.fields
    .filter(({ read, write }) => read !== 'no' || write !== 'no')
    .map(({ name, read, write }) => html`<tr><th scope="row"><bdi>${titleIn(one, place)}</bdi></th>
<td><bdi>${titleOfField(one, name, place)}</bdi></td><td>${words(read, 'own')}</td>
<td>${words(write, 'by item')}</td></tr>`))
  const main = html`<div class="stack">
<section>${showRows('Collections', ['Collection', 'Read', 'Create', 'Update', 'Delete'],
  rights.map(one => showCollection(one, place)))}</section>
${fields.length > 0 && html`<section><h2>Fields</h2>${
    showRows('Fields', ['Collection', 'Field', 'Read', 'Write'], fields)}</section>`}</div>`
  return showPage({
    title: 'Your rights',
    about: 'own: items that exist for you; by item: a rule decides for each item.',
    main
  }, place)
}

function showCollection (rights: CollectionRights, place: Place): Html {
  const title = html`<bdi>${titleIn(rights, place)}</bdi>`
  const link = html`<a href="${rootPathTo(place, [[rights.collection]])}">${title}</a>`
  const { read, create, update, delete: deletes } = rights
  return html`<tr><th scope="row">${read === 'no' ? title : link}</th><td>${words(read, 'own')}</td>
<td>${words(create, 'by item')}</td><td>${words(update, 'by item')}</td><td>${words(deletes, 'by item')}</td></tr>`
}

const words = (right: Right, some: string): string => right === 'some' ? some : right

/** The words of a collection are those that all callers may know. */
const titleIn = ({ collection }: CollectionRights, { face }: Place): string =>
  face.openTo(collection)?.title ?? collection

function titleOfField ({ collection }: CollectionRights, name: string, { face }: Place): string {
  const field = face.openTo(collection)?.fields.find(one => one.name === name)
  return field === undefined ? name : titleOf(field)
}
