import { STATUS_CODES } from 'node:http'
import type { CollectionView } from '../../core/api/face.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { comparison, sortTerm } from '../../core/request/made.ts'
import { type Fragment, type Html, html } from './html.ts'
import { showPage } from './page.ts'
import { encodePart } from '../../core/request/print.ts'
import {
  asking, filterPart, hiddenQuery, linkWith, placeName, type Part, pathAbove, pathTo, type Place, queryOf, rootPathTo
} from './place.ts'
import { type TableRow, renderTable } from './table.ts'
import type { Visit } from './visit.ts'
import { orElse, orRefusal } from './attempt.ts'
import { searchFields } from './search.ts'
import { shownFields, titleOf } from './value.ts'

/** Returns the page of an error. `body`: its JSON. */
export function showFailure (status: number, body: unknown, place: Place, near?: Near): Html {
  const facts = isObject(body) ? body : {}
  const reason = STATUS_CODES[status] ?? 'Error'
  const message = textOf(facts['message']) ?? textOf(facts['detail']) ?? reason
  const wrong = wrongIn(facts, message, place)
  const isQuery = textOf(facts['parameter']) !== undefined
  const main = html`${near === undefined
    ? html`<div class="note bad" role="alert"><p><strong>${message}</strong></p>${
      showPosition(facts, wrong)}${showCorrection(facts, message, wrong, place)}</div>`
    : showNear(near)}${isQuery && showNames(place)}${
  status === 401 && showLogin(place)}${
  showCandidates(facts['candidates'])}${showDeveloper(facts['developer'])}
<p class="foot"><span>${showWayBack(place)}</span><code>${textOf(facts['error']) ?? reason}</code></p>`
  const name = html`<bdi>${placeName(place)}</bdi>`
  const heading = html`${near === undefined
    ? reason
    : html`There is no ${name} in ${near.collection.title ?? near.collection.name}`} <span class="total">${
    status}</span>`
  const formats = isQuery ? { formats: ['json'] as const } : {}
  // Whoever refuses this page refuses its style sheet too.
  const isAlone = status === 401
  return showPage({ title: reason, heading, main, takesQuery: isQuery, isAlone, ...formats }, place)
}

/** Returns a link to the application's page for logging in, which is told the path to come back to. */
function showLogin (place: Place): Fragment {
  const { login } = place
  const next = linkWith(place.query, place)
  return login !== undefined && html`
<p><a class="button primary" href="${login}${login.includes('?') ? '&' : '?'}next=${
    encodeURIComponent(next)}">Log in</a></p>`
}

/** Returns a link to the request with the name that was probably meant. */
function showCorrection (facts: Facts, message: string, wrong: Wrong | undefined, place: Place): Fragment {
  const href = correctedUrl(facts, message, wrong, place)
  return href !== undefined && html`<p><a href="${href}"><bdi>${orElse(() => decodeURI(href), href)}</bdi></a></p>`
}

function correctedUrl (
  { parameter, suggestion }: Facts, message: string, wrong: Wrong | undefined, place: Place
): string | undefined {
  if (typeof suggestion !== 'string') return undefined
  if (wrong !== undefined) {
    const right = encodePart(wrong.before + suggestion + wrong.after)
    return linkWith(place.query.map(part => part === wrong.part ? right : part), place)
  }
  const at = place.parts.findIndex(part => message.includes(`'${part.map(String).join(',')}'`))
  if (at < 0 || parameter !== undefined) return undefined
  const parts = place.parts.map((part, index) => index === at ? [suggestion] : part)
  return rootPathTo(place, parts) + queryOf(place.query)
}

/** A wrong name in a query, and what stands before and after it in its part. */
interface Wrong { readonly part: Part, readonly before: string, readonly name: string, readonly after: string }

function wrongIn ({ parameter, position }: Facts, message: string, { query }: Place): Wrong | undefined {
  if (typeof parameter !== 'string' || typeof position !== 'number') return undefined
  return query.map((part): Wrong => {
    const { kind, text, name, value } = part
    const [start, whole] = kind === 'filter' ? ['', text] : [`${name}=`, value]
    const before = whole.slice(0, position - 1)
    const [wrong = ''] = /^[\p{L}\p{N}_-]+/u.exec(whole.slice(before.length)) ?? []
    return { part, before: start + before, name: wrong, after: whole.slice(before.length + wrong.length) }
  // Another part has another name at that place.
  }).find(({ part: { kind, text, name: own }, name }) => name !== '' && message.includes(`'${name}'`) &&
    (kind === 'filter' ? text.startsWith(parameter) : own === parameter))
}

type Facts = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | undefined => typeof value === 'string' && value !== '' ? value : undefined

function showPosition ({ parameter, position }: Facts, wrong: Wrong | undefined): Fragment {
  if (wrong !== undefined) return html`<p><code>${wrong.before}<u>${wrong.name}</u>${wrong.after}</code></p>`
  if (typeof parameter !== 'string' || typeof position !== 'number') return undefined
  return html`<p>In the parameter <code><bdi>${parameter}</bdi></code>, at character ${position}.</p>`
}

/** Returns the names of the fields of a collection whose fields every caller may know. */
function showNames ({ parts: [segment, ...others], face }: Place): Fragment {
  const collection = others.length === 0 ? face.openTo(String(segment?.[0])) : undefined
  return collection && html`<section class="part"><h2>Fields of ${collection.name}</h2><p class="prose"><code>${
    shownFields(collection).map(({ name }) => name).join(', ')}</code></p></section>`
}

/** Returns links to the items that one identifier may have meant. */
function showCandidates (candidates: unknown): Fragment {
  const paths = Array.isArray(candidates) ? candidates.filter(path => typeof path === 'string') : []
  if (paths.length === 0) return undefined
  return html`<ul>${paths.map(path => html`<li><a href="${path.startsWith('/') && !path.startsWith('//') ? path : '#'}">
<bdi>${path}</bdi></a></li>`)}</ul>`
}

const showDeveloper = (text: unknown): Fragment =>
  typeof text === 'string' && html`<details><summary>The cause</summary><pre>${text}</pre></details>`

function showWayBack (place: Place): Html {
  const hasQuery = place.query.some(({ kind }) => kind !== 'own')
  if (hasQuery) return html`<a href="${pathTo(place)}">The same page without its query</a>`
  return html`<a href="${pathAbove(place)}">One level up</a>`
}

/** The items whose keys are next to one that names no item, in the listing of the same caller. */
interface Near { readonly collection: CollectionView, readonly rows: readonly TableRow[], readonly place: Place }

/** Reads the neighbours of an item that was not found; undefined where its identifier is no key, or there are none. */
export async function readNear (visit: Visit): Promise<Near | undefined> {
  const { parts, syntax } = visit.place
  const { resource } = await visit.spot()
  const [text, ...others] = parts.at(-1) ?? []
  const isGrouped = String(parts.at(-2)?.[0] ?? '').startsWith(syntax.dictionaryPrefix)
  const { kind, collection } = resource
  if (kind !== 'item' || text === undefined || others.length > 0 || isGrouped) return undefined
  const [key, ...rest] = collection?.key ?? []
  if (collection === undefined || key === undefined || rest.length > 0) return undefined
  const place = { ...visit.place, parts: parts.slice(0, -1), query: [] }
  const parent = visit.ownPath.replace(/\/[^/]*\/?$/, '')
  const read = async (
    operator: 'less' | 'greater', size: number, descending: boolean
  ): Promise<readonly TableRow[]> => {
    const filter = filterPart(comparison(key.name, operator, String(text)), syntax)
    const asked = { sort: sortTerm(key.name, descending), size }
    const { items } = await visit.read(parent + asking([filter], asked, syntax))
    return items.map(item => ({ json: '', item }))
  }
  const rows = await orRefusal(async () => [...await read('less', 1, true), ...await read('greater', 2, false)])
  // A key that is not ordered has no neighbours, and who may not list them sees none.
  return rows instanceof Error || rows.length === 0 ? undefined : { collection, rows, place }
}

/** Returns the neighbours of an item that was not found as a table. */
function showNear ({ collection, rows, place }: Near): Html {
  const select = collection.shape(undefined, 'listed')
  const table = { caption: 'items near it', collection, select, rows, base: pathTo(place), sorts: false }
  return html`<div class="stack"><p class="prose" role="alert">It was never there, has been
 deleted, or is not for you to see.</p>${showFinder(collection, place)}<section class="part"><h2>Near it</h2>
<div class="frame">${renderTable(table, place)}</div></section></div>`
}

/** Returns a form that looks for items by their name. */
function showFinder (collection: CollectionView, place: Place): Fragment {
  const name = searchFields(collection)?.at(-1)
  return name !== undefined && html`<form class="finder" role="search" method="get" action="${pathTo(place)}">${
    hiddenQuery(place)}<input type="hidden" name="_field" value="${name.name}">
<input type="hidden" name="_operator" value="contains_ignoring_case"><input type="search" name="_value" required
 placeholder="${titleOf(name)}" aria-label="Find by ${titleOf(name)}"><button>Find</button></form>`
}
