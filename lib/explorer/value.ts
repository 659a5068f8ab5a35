import { isObject } from '../errors/is-object.ts'
import { leadsElsewhere, uniques } from '../model/identifiers.ts'
import type { Collection, Field, StoredField } from '../model/model.ts'
import type { Shown } from '../plan/plan.ts'
import type { Item } from '../plan/read/select.ts'
import { ownSegments, type Parts } from '../response/paths.ts'
import { segmentOf } from '../run/address.ts'
import { memoize } from '../scheduling/memoize.ts'
import { type Fragment, html } from './html.ts'
import { type Place, rootPathTo } from './place.ts'

/** Returns the class of a value's cell: what is compared by its digits stands at the right. */
export function alignmentOf (field: Field): string {
  if (field.kind === 'sub-item' || field.kind === 'sub-collection') return ''
  const kind = field.kind === 'computed' ? String(field.schema['type']) : field.type.kind
  return numeric.has(kind) ? 'number' : ''
}

const numeric: ReadonlySet<string> = new Set(['integer', 'number', 'int64', 'decimal'])

/**
 * Returns a value of JSON for people. A longer text than `longest` characters is cut, with a link to `whole`: the path
 * of the value itself, where one is known.
 */
export function showValue (value: unknown, longest: number, whole?: string): Fragment {
  switch (typeof value) {
    case 'string': return showText(value, longest, whole)
    case 'number': return value
    case 'boolean': return html`<span class="${value ? 'yes' : 'no'}">${String(value)}</span>`
    default: return value === null || value === undefined ? none : showJson(value, longest, whole)
  }
}

/** Returns a value for its own page. JSON that is not too long is indented. */
export function showWhole (value: unknown): Fragment {
  if (typeof value !== 'object' || value === null) return showValue(value, Infinity)
  const text = JSON.stringify(value)
  return html`<pre>${text.length > longestIndented ? text : JSON.stringify(value, null, 2)}</pre>`
}

// In characters. The indented text of nested arrays grows with the square of their text.
const longestIndented = 10_000

const none = html`<span class="none">null</span>`

function showText (text: string, longest: number, whole: string | undefined): Fragment {
  if (text === '') return html`<span class="none">empty</span>`
  if (isUrl(text)) {
    return html`<a href="${text}" rel="noreferrer nofollow external"><bdi>${cut(text, longest)}</bdi></a>`
  }
  if (isTimestamp(text)) return html`<time datetime="${text}">${text}</time>`
  return html`<bdi>${cut(text, longest)}</bdi>${text.length > longest && moreLink(whole)}`
}

const moreLink = (whole: string | undefined): Fragment =>
  whole !== undefined && html` <a class="more" href="${whole}">more</a>`

/** Only these schemes are links: a `javascript:` URL is a text like any other. */
const isUrl = (text: string) => /^https?:\/\/[^\s"'<>\\^`{|}]+$/i.test(text) && text.length < 2000 && URL.canParse(text)

const isTimestamp = (text: string) =>
  text.length <= 30 && /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)

function showJson (value: unknown, longest: number, whole: string | undefined): Fragment {
  const text = JSON.stringify(value)
  return html`<code>${cut(text, longest)}</code>${text.length > longest && moreLink(whole)}`
}

/** Cuts a text between two characters. */
export function cut (text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * Returns a member of an item: a value, or items of another collection as links. `path` is that of the item that has
 * it; undefined if no URL of it is known.
 */
export function showMember (
  shown: Shown, item: Item, path: string | undefined, place: Place, longest: number
): Fragment {
  const value = item[shown.name]
  switch (shown.kind) {
    case 'value': return showValue(value, longest, path && `${path}/${encodeURIComponent(shown.name)}`)
    case 'item': {
      return isObject(value) ? linkTo(value, shown.field.target, place) : html`<span class="none">null</span>`
    }
    case 'count': {
      const count = isObject(value) ? String(value['count']) : ''
      return path === undefined ? count : html`<a href="${path}/${encodeURIComponent(shown.name)}">${count}</a>`
    }
    case 'list': {
      const elements = Array.isArray(value) ? value.filter(isObject) : []
      return showElements(elements, shown, path, place)
    }
  }
}

// Items of a listing that are shown by name; the others are behind a link.
const mostShown = 3

function showElements (
  elements: readonly Item[], { field }: Extract<Shown, { kind: 'list' }>, path: string | undefined, place: Place
): Fragment {
  if (elements.length === 0) return html`<span class="none">none</span>`
  const links = elements.slice(0, mostShown).map((element, index) =>
    html`${index > 0 && ', '}${linkTo(element, field.target, place)}`)
  if (elements.length <= mostShown) return links
  const rest = `${elements.length - mostShown} more`
  const name = encodeURIComponent(field.name)
  return [links, ', ', path === undefined ? rest : html`<a class="more" href="${path}/${name}">${rest}</a>`]
}

/** Returns the name of an item, as a link to its own URL where its identifier is shown. */
export function linkTo (item: Item, collection: Collection, place: Place): Fragment {
  const segments = segmentsTo(item, collection, place.syntax.dictionaryPrefix)
  const label = cut(labelOf(item, collection), longestLabel)
  if (segments === undefined) return html`<bdi>${label}</bdi>`
  return html`<a href="${rootPathTo(place, [[collection.name], ...segments])}"><bdi>${label}</bdi></a>`
}

// In characters.
const longestLabel = 200

/** Returns the text by which people know an item: of the members that it shows, the one most like a name. */
export function labelOf (item: Item, collection: Collection): string {
  for (const name of namesOf(collection)) {
    const value = item[name]
    if (typeof value === 'string' && value !== '') return value
  }
  const key = collection.key.map(({ name }) => item[name])
  if (key.every(value => value !== undefined && value !== null)) return key.map(String).join(',')
  const [first] = Object.values(item).filter(value => typeof value === 'string' || typeof value === 'number')
  return first === undefined ? '…' : String(first)
}

/** Returns the field that names the items of a collection, and that a search can look into. */
export const namingField = memoize((collection: Collection): StoredField | undefined => {
  const [name] = namesOf(collection)
  return collection.stored.find(field => field.name === name)
})

/** The names of readable texts: identifiers first, then what is usually a name, then the others. */
const namesOf = memoize(({ stored }: Collection): readonly string[] => {
  const texts = stored.filter(({ readable, hidden, type }) => readable && !hidden && type.kind === 'string')
  const rank = ({ identifier, name }: StoredField) => /^(name|title|label)$|_(name|title)$/i.test(name)
    ? identifier ? 0 : 1
    : identifier ? 2 : 3
  return texts.toSorted((one, other) => rank(one) - rank(other)).map(({ name }) => name)
})

/**
 * Returns the segments that lead from a collection to an item, by the key or by another identifier that the item shows;
 * undefined if it shows none.
 */
export function segmentsTo (
  item: Item, collection: Collection, dictionaryPrefix: string
): readonly Parts[] | undefined {
  for (const fields of [collection.key, ...uniques(collection)]) {
    const values = fields.map(({ name, readable }) => readable ? item[name] ?? null : null)
    if (values.some(value => value === null || String(value).length > longestInPath)) continue
    if (leadsElsewhere(segmentOf(values))) continue
    return ownSegments(collection, { fields, values, plain: true }, dictionaryPrefix)
  }
  return undefined
}

/** The most characters of a value in the URL of a link: a server refuses longer URLs sooner or later. */
export const longestInPath = 500
