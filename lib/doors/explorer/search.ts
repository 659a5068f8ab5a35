import { comparison, sortTerm } from '../../core/request/made.ts'
import type { Syntax } from '../../core/request/syntax.ts'
import type { CollectionView, RelationView, ValueView } from '../../core/api/face.ts'
import type { FormField } from './form-fields.ts'
import { type Fragment, type Html, html } from './html.ts'
import { asking, filterPart, inQuotes, pathTo, type Place, rootPathTo } from './place.ts'
import type { Visit } from './visit.ts'
import { choicesOf, namingField } from './value.ts'

/** The items that a search for the item of a relation has found. */
export interface FoundItems {
  readonly text: string
  readonly items: ReadonlyArray<{ readonly identifier: string, readonly label: string }>
  /** True if more items match. */
  readonly more: boolean
}

/** A form that is shown again for a search: its texts, and what was found, by the name of the field. */
interface Searched { readonly texts: ReadonlyMap<string, string>, readonly found: ReadonlyMap<string, FoundItems> }

/**
 * Does what a button beside the field of a relation asks for: searches for items, or takes one that was found. Returns
 * undefined for a form that is to be saved. Throws what a GET of the items throws.
 */
export async function searchFor (
  fields: readonly FormField[], texts: ReadonlyMap<string, string>, visit: Visit
): Promise<Searched | undefined> {
  const [, name, identifier] = /^([^=]*)=([^]*)$/.exec(texts.get('_take') ?? '') ?? []
  if (name !== undefined && identifier !== undefined) {
    return { texts: new Map([...texts, [name, identifier]]), found: new Map() }
  }
  const asked = fields.map(({ field }) => field).filter(field => 'target' in field)
    .find(({ name }) => name === texts.get('_search'))
  if (asked === undefined) return undefined
  return { texts, found: new Map([[asked.name, await search(asked.target, texts.get(asked.name) ?? '', visit)]]) }
}

// Items that a search shows.
const most = 20

/** Returns the items of a collection whose names contain a text, by name. The collection is never listed whole. */
export async function search (target: CollectionView, text: string, visit: Visit): Promise<FoundItems> {
  const fields = searchFields(target) ?? []
  const name = fields.at(-1)?.name ?? ''
  if (text === '' || name === '') return { text, items: [], more: false }
  const { syntax } = target
  const filter = comparison(name, 'contains_ignoring_case', text)
  const asked = { fields: fields.map(field => field.name), sort: sortTerm(name, false), size: most + 1 }
  const query = asking([filterPart(filter, syntax)], asked, syntax)
  const { items } = await visit.read(visit.pathOf([[target.name]]) + query)
  const shown = items.slice(0, most).map(item => {
    const values = fields.map(field => String(item[field.name]))
    const key = values.length > 1 ? values.slice(0, -1) : values
    return { identifier: key.join(','), label: values.at(-1) ?? '' }
  })
  return { text, items: shown, more: items.length > most }
}

/** Returns what was found: each item by `showItem`, such as a button that takes it. */
export function showFound (
  { text, items, more }: FoundItems, showItem: (item: FoundItems['items'][number]) => Fragment
): Html {
  if (text === '') return html`<p class="found" role="status">Type a part of the name to search for.</p>`
  if (items.length === 0) return html`<p class="found" role="status">No name contains <bdi>${text}</bdi>.</p>`
  const count = more ? `The first ${items.length} names` : items.length === 1 ? 'One name' : `${items.length} names`
  return html`<div class="found" role="status"><p>${count} with <bdi>${text}</bdi>:</p>
<ul>${items.map(item => html`<li>${showItem(item)}</li>`)}</ul></div>`
}

/**
 * Returns the attributes by which the script knows what a filter's value can be completed with: the values of the field
 * if they are few, or a URL of the API that lists those which begin with a text; `{}` stands for that text.
 */
export function valueOffers (path: string, field: ValueView, place: Place): Html | undefined {
  const choices = choicesOf(field)
  if (choices !== undefined) return html` data-values="${JSON.stringify(choices)}"`
  if (!field.operators.has(beginning)) return undefined
  const names = path.split('.')
  const selection = names.join('(') + ')'.repeat(names.length - 1)
  return html` data-from="${pathTo(place)}${listing(path, [selection], place.syntax)}"`
}

/** The suggestions for a field that refers to an item: a URL that lists items by the beginning of their name. */
export function itemOffers (target: CollectionView, place: Place): Html | undefined {
  const fields = searchFields(target)
  if (fields === undefined || !mayList(target, place)) return undefined
  const query = listing(fields.at(-1)?.name ?? '', fields.map(({ name }) => name), target.syntax)
  return html` data-from="${rootPathTo(place, [[target.name]])}${query}"`
}

const beginning = 'starts_with_ignoring_case'

const listing = (path: string, fields: readonly string[], syntax: Syntax): string =>
  asking([filterPart(inQuotes(comparison(path, beginning, '{}')), syntax)], { fields, size: 10 }, syntax)

/**
 * Returns the fields that a search for an item shows: those that identify it, if its name does not, and its name.
 * Undefined for a collection whose items have no name to search for.
 */
export function searchFields (target: CollectionView): readonly ValueView[] | undefined {
  const name = namingField(target)
  if (name?.filterable !== true) return undefined
  if (name.identifier) return [name]
  return target.key.every(field => field.readable) ? [...target.key, name] : undefined
}

const mayList = (collection: CollectionView, { spot }: Place): boolean =>
  spot !== undefined && spot.sight.at({ kind: 'collection', collection }).denial('GET') === undefined

/** Returns a form that links an item that exists, which is named by any of its identifiers. `found`: of a search. */
export function linkForm ({ target }: RelationView, found: FoundItems | undefined, place: Place): Html {
  const offers = itemOffers(target, place)
  return html`<form class="link asks" method="post" action="${pathTo(place)}"><label>Link an item of ${target.name}
<input name="_link" value="${found?.text}" required autocomplete="off" placeholder="its identifier"${offers}></label>
<button>Link</button>
${offers && html`<button name="_search" formmethod="get" formnovalidate>Search</button>`}</form>
${found && showFound(found, ({ identifier, label }) => html`<form method="post" action="${pathTo(place)}">
<button name="_link" value="${identifier}">Link <bdi>${label}</bdi></button></form>`)}`
}

/** Returns a button that takes an item out of the relation by which `path` leads to it. */
export function unlinkButton (path: string): Html {
  return html`<form method="post" action="${path}"><button name="_method" value="DELETE">Unlink</button></form>`
}
