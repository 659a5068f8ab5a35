import { isObject } from '../../core/errors/is-object.ts'
import type { CollectionView, FieldView, GroupValue, ValueView } from '../../core/api/face.ts'
import { fieldSchema, valueFields } from '../documents/value-schema.ts'
import { memoize } from '../../core/scheduling/memoize.ts'
import { formatPath } from '../../core/response/paths.ts'
import { type Fragment, type Html, html } from './html.ts'
import { type Place, rootPathTo, type Segment } from './place.ts'

/** An item of an answer: its members by their names. */
export type JsonItem = Readonly<Record<string, unknown>>

/** The room that a page has for a value. */
interface Room {
  /** The most characters that are shown of a text. */
  readonly longest: number
  /** The path of the value itself, which a longer text is followed by. */
  readonly whole?: string | undefined
  /** The whole digits from which on a number is shown in groups of three; 5 where it is not given. */
  readonly grouped?: number
}

export function showValue (value: unknown, field: ValueView | undefined, room: Room): Fragment {
  return showShort(value, field, room.grouped ?? fewestGrouped) ?? showText(value, room)
}

/** Returns the value of a function in an object of those of a group or a relation. */
export const groupValue = (values: unknown, { path }: GroupValue): unknown =>
  path.reduce<unknown>((at, name) => isObject(at) ? at[name] : null, values)

/** Numbers are grouped from 10,000 on. */
export const fewestGrouped = 5

/** Returns the unit of a field's values; '' for none. */
export const unitOf = ({ schema: { unit } }: FieldView, kind: string): string =>
  unit ?? (kind === 'date-time' ? 'UTC' : '')

/** Returns the media type that the texts of a field have, or that of what their URLs lead to; '' for none. */
const mediaOf = memoize((field: ValueView): string =>
  String(fieldSchema(field, 'answer')['contentMediaType'] ?? ''))

/** Returns true for texts that are code: their spaces and lines matter. */
export const isCode = (field: ValueView): boolean =>
  !/^$|^image\/|^text\/plain/.test(mediaOf(field))

/** Returns true for the URL of an image that pages show: the field says so, and the application names its host. */
export const isImage = (url: string, field: ValueView, { images }: Pick<Place, 'images'>): boolean =>
  mediaOf(field).startsWith('image/') && isUrl(url) && images.includes(new URL(url).host)

/** True for values that are compared by their digits. */
export const isNumeric = (kind: string): boolean => numeric.has(kind)

const numeric: ReadonlySet<string> = new Set(['integer', 'number', 'int64', 'decimal', 'related'])

/** Returns a value that fits in a line; undefined for a text, or JSON, of any length. */
export function showShort (value: unknown, field: ValueView | undefined, grouped: number): Html | undefined {
  if (value === null || value === undefined) return none
  if (value === '') return html`<span class="null">""</span>`
  if (typeof value === 'boolean') return html`<span class="${value ? 'yes' : 'no'}">${String(value)}</span>`
  if (typeof value === 'object') return Array.isArray(value) && value.length === 0 ? emptyList : undefined
  const kind = field?.values ?? 'json'
  const text = String(value)
  const choice = field === undefined ? -1 : choicesOf(field)?.indexOf(text) ?? -1
  if (choice >= 0) return html`<span class="enum e${choice % colours + 1}">${text}</span>`
  if (typeof value === 'number' || isNumeric(kind)) return showNumber(text, grouped)
  return kind === 'date' || kind === 'date-time' ? showMoment(text) : undefined
}

/** The text `null`, which no value has. */
export const none = html`<span class="null">null</span>`
const emptyList = html`<span class="null">[]</span>`
const colours = 6

/** Groups digits by style alone, and writes a power of ten as one: what is copied is the value. */
function showNumber (text: string, grouped: number): Html {
  const [, sign = '', whole = '', rest = '', mark = '', power] =
    /^(-?)(\d+)(\.\d+)?(?:(e\+?)(-?\d+))?$/i.exec(text) ?? []
  if (whole === '') return html`<bdi>${text}</bdi>`
  if (power !== undefined) {
    return html`<span title="${text}">${sign}${whole}${rest}<i class="e">${mark}</i><sup>${power}</sup></span>`
  }
  if (whole.length < grouped) return html`${text}`
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ').split(' ')
  return html`${sign}${digits.map((group, index) =>
    index < digits.length - 1 ? html`<span class="g">${group}</span>` : group)}${rest}`
}

/** Shows the day and the minute of a moment; the rest of it is there to be copied, and in the title. */
function showMoment (text: string): Html | undefined {
  const [, day, mark, minute, rest = '', zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:(T)(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  if (day === undefined) return undefined
  if (minute === undefined) return html`<time datetime="${text}">${text}</time>`
  const [tail, offset] = zone === 'Z' ? [rest + zone, ''] : [rest, zone]
  return html`<time datetime="${text}" title="${text}">${day}<i class="u">${mark}</i><i>${minute}</i>${
    tail !== '' && html`<i class="u">${tail}</i>`}${offset !== '' && html`<i>${offset}</i>`}</time>`
}

/** Returns a value for its own page. JSON that is not too long is indented. */
export function showWhole (value: unknown, field: ValueView | undefined): Fragment {
  if (typeof value !== 'object' || value === null) return showValue(value, field, { longest: Infinity })
  return html`<pre>${indented(JSON.stringify(value))}</pre>`
}

/** Returns JSON with indentation, if it is short and flat: what nests grows with the square of its text. */
export const indented = (json: string): string =>
  json.length > longestIndented || depthOf(json) > deepestIndented ? json : JSON.stringify(JSON.parse(json), null, 2)

// In characters, and in brackets.
const longestIndented = 10_000
const deepestIndented = 20

function depthOf (json: string): number {
  let depth = 0
  let deepest = 0
  for (const character of json) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth--
  }
  return deepest
}

function showText (value: unknown, { longest, whole }: Room): Fragment {
  const isText = typeof value === 'string'
  const text = isText ? value : JSON.stringify(value)
  if (isUrl(text)) return showUrl(text, longest)
  const content = isText ? html`<bdi>${cut(text, longest)}</bdi>` : html`<code>${cut(text, longest)}</code>`
  return html`${content}${text.length > longest && whole !== undefined && html` <a href="${whole}">more</a>`}`
}

/** Returns a link to another site. */
export const showUrl = (url: string, longest: number): Html =>
  html`<a href="${url}" rel="noreferrer nofollow external"><bdi>${cut(url, longest)}</bdi></a>`

/** Only these schemes are links: a `javascript:` URL is a text like any other. */
export const isUrl = (text: string): boolean =>
  /^https?:\/\/[^\s"'<>\\^`{|}]+$/i.test(text) && text.length < 2000 && URL.canParse(text)

/** Cuts a text between two characters. */
export function cut (text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Returns the values that a field can have, if they are few. */
export const choicesOf = (field: ValueView): readonly string[] | undefined => choicesIn(field).few

// Most fields have none, which is cached too.
const choicesIn = memoize((field: ValueView): { readonly few: readonly string[] | undefined } => {
  if (field.kind !== 'computed' && field.values === 'boolean') return { few: ['true', 'false'] }
  const { enum: choices } = fieldSchema(field, 'body')
  return { few: Array.isArray(choices) ? choices.filter(choice => choice !== null).map(String) : undefined }
})

/** Returns the moment, in UTC, that an input for dates and times sends; another text as it is. */
export function momentOf (text: string): string {
  const [, minute, rest = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/.exec(text) ?? []
  return minute === undefined ? text : `${minute}${rest === '' ? ':00' : rest}Z`
}

/** Returns the fields that pages name, of a collection as its caller sees it. */
export const shownFields = ({ fields }: CollectionView): readonly FieldView[] =>
  fields.filter(({ readable, hidden }) => readable && !hidden)

/** Returns the fields that filters compare with a value. */
export const filterableFields = (collection: CollectionView): readonly ValueView[] =>
  valueFields(collection).filter(({ filterable }) => filterable)

/** Returns these, and the fields of which filters ask whether they have a value. */
export const comparedFields = (collection: CollectionView): readonly ValueView[] =>
  valueFields(collection).filter(({ filterable, comparesNull }) => filterable || comparesNull)

/** Returns true for a field by whose value an item is known: numbers of it are no quantities. */
export const identifies = (field: FieldView, { key }: CollectionView): boolean =>
  field.kind === 'stored' && (field.identifier || key.includes(field))

/** Returns the name of a field for people. */
export const titleOf = ({ schema, name }: FieldView): string => schema.title ?? name

/** Returns a list by the groups that its elements say they belong to, those without one first, under ''. */
export function inGroups<T> (
  list: readonly T[], groupOf: (one: T) => string | undefined
): ReadonlyArray<readonly [group: string, some: readonly T[]]> {
  const names = new Set(['', ...list.map(one => groupOf(one) ?? '')])
  return [...names].map(name => [name, list.filter(one => (groupOf(one) ?? '') === name)] as const)
    .filter(([, some]) => some.length > 0)
}

/** Returns the name of an item, as a link to its own URL where its identifier is shown. */
export function linkTo (item: JsonItem, collection: CollectionView, place: Place): Html {
  const path = pathBelow(rootPathTo(place, [[collection.name]]), item, collection)
  const label = html`<bdi>${cut(labelOf(item, collection), longestLabel)}</bdi>`
  return path === undefined ? label : html`<a class="ref" href="${path}">${label}</a>`
}

// In characters.
const longestLabel = 200

/** Returns the text by which people know an item: of the members that it shows, the one most like a name. */
export function labelOf (item: JsonItem, collection: CollectionView): string {
  const hasText = ({ name }: ValueView) => isPlain(item[name]) && item[name] !== ''
  const named = collection.names.find(hasText)
  if (named !== undefined) return String(item[named.name])
  const key = collection.key.map(({ name }) => item[name])
  if (key.every(value => value !== undefined && value !== null)) return key.map(String).join(',')
  const texts = textsOf(collection).filter(hasText).map(({ name }) => item[name])
  const [first] = [...texts, ...Object.values(item)].filter(isPlain)
  return first === undefined ? '…' : String(first)
}

const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'

/** Returns the field that names the items of a collection, and that a search can look into. */
export const namingField = (collection: CollectionView): ValueView | undefined =>
  collection.names[0] ?? textsOf(collection)[0]

/** Returns the stored texts that pages show. */
const textsOf = (collection: CollectionView): readonly ValueView[] =>
  valueFields(collection).filter(({ kind, values, readable, hidden }) =>
    kind === 'stored' && values === 'string' && readable && !hidden)

/**
 * Returns the segments that lead from a collection to an item, by the key or by another identifier that the item shows;
 * undefined if it shows none.
 */
export const segmentsTo = (item: JsonItem, collection: CollectionView): readonly Segment[] | undefined =>
  collection.addressesOf(item, 1)[0]

/** Returns the path of an item below that of its collection; undefined if the item shows no identifier. */
export function pathBelow (base: string, item: JsonItem, collection: CollectionView): string | undefined {
  const segments = segmentsTo(item, collection)
  return segments && formatPath({ origin: '', root: base }, segments)
}

/** The most characters of a value in the URL of a link: a server refuses longer URLs sooner or later. */
export const longestInPath = 500
