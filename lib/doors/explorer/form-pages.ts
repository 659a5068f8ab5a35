import { createHash } from 'node:crypto'
import type { CollectionView, RelationView } from '../../core/api/face.ts'
import type { DataApiError } from '../../core/errors/errors.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { type Current, fieldsToCreate, fieldsToEdit, type FormField, manyOf, readInput, textIn } from './form-fields.ts'
import { type Filled, noTexts, showBase, fieldInput, showForm, showKey } from './form.ts'
import { type Fragment, type Html, html } from './html.ts'
import { showFacts } from './item.ts'
import { cut, type JsonItem, labelOf, none, titleOf } from './value.ts'
import { countOf, showPage, showRows } from './page.ts'
import { placeName, pathTo, type Place, type PlaceOf } from './place.ts'
import { orElse } from './attempt.ts'

/** Returns the form of an item as it is opened. */
export function formOf ({ spot: { resource: { collection } } }: PlaceOf<'item'>, current: Current | undefined): Filled {
  const fields = fieldsToEdit(collection)
  const texts = new Map(fields.map(one => [one.field.name, textIn(one, current?.item)]))
  return { fields, texts, faults: new Map(), base: baseOf(fields, current) }
}

/** Returns the page with the form of an item. */
export function showEdit (filled: Filled, current: Current | undefined, place: PlaceOf<'item'>): Html {
  return showVerb('Edit', current, showForm(filled, 'Save', place), place)
}

/** Returns a page that does something with an item. */
function showVerb (verb: string, current: Current | undefined, main: Html, place: PlaceOf<'item'>): Html {
  const { collection } = place.spot.resource
  const label = cut(current === undefined ? placeName(place) : labelOf(current.item, collection), 100)
  const heading = html`${verb} <bdi>${label}</bdi>${verb !== 'Edit' && '?'}`
  return showPage({ heading, title: `${verb} ${label}`, main }, place)
}

/** Returns the page with the form for a new item. */
export function showCreate (filled: Filled, place: PlaceOf<'collection'>): Html {
  const { name } = place.spot.resource.collection
  const main = showForm(filled, 'Create', place)
  return showPage({ heading: `New item of ${placeName(place)}`, title: `New in ${name}`, main }, place)
}

/** Returns the form for a new item as it is opened: as `like`, but for what that shows only one item. */
export function emptyForm ({ spot: { resource } }: PlaceOf<'collection'>, like: JsonItem): Filled {
  const fields = fieldsToCreate(resource)
  const texts = fields.flatMap(one => {
    const { field } = one
    if (field.name in like) return [[field.name, textIn(one, like)] as const]
    const initial = field.kind === 'stored' ? field.schema.default as unknown : undefined
    const isPlain = ['string', 'number', 'boolean'].includes(typeof initial)
    return isPlain ? [[field.name, String(initial)] as const] : []
  })
  return { ...noTexts, fields, texts: new Map(texts) }
}

/** Returns the page that asks before an item is deleted, or taken out of its relation. */
export function showDelete (
  current: Current | undefined, error: DataApiError | undefined, place: PlaceOf<'item'>
): Html {
  const { collection, unlinks: isUnlinked } = place.spot.resource
  const verb = isUnlinked ? 'Unlink' : 'Delete'
  const hanging = current === undefined ? [] : hangingOn(current.item, collection, !isUnlinked)
  const others = hanging.reduce((sum, { count, action }) => sum + (action === 'cascade' ? count : 0), 0)
  const forbidding = hanging.filter(({ count, action }) => count > 0 && action === 'restrict')
  const main = html`${showRefusal(error)}<form class="stack" method="post"
 action="${pathTo(place)}"><input type="hidden" name="_method" value="DELETE">${showKey(place)}
${current !== undefined && showFacts(collection.shape(undefined, 'listed').filter(({ kind, name }) =>
  kind !== 'list' && name in current.item), current.item, place)}
${hanging.length > 0 && showHanging(hanging, place)}
${current?.tag !== undefined && html`<input type="hidden" name="_tag" value="${current.tag}">`}
<div class="save">${forbidding.length === 0
  ? html`<button class="stop">${verb}${others > 0 && ` it and ${countOf(others)}`}</button>`
  : html`<p>Not to be deleted, because of its ${forbidding.map(({ field }, at) =>
    html`${at > 0 && ', '}${linkTo(field, place)}`)}.</p>`}
<a class="button" href="${pathTo(place)}">Keep it</a> <span class="soft">${forbidding.length === 0 && (isUnlinked
    ? 'The item will no longer be linked here. It stays.'
    : consequence(collection))}</span></div></form>`
  return showVerb(verb, current, main, place)
}

/** Returns why a deletion was refused. */
export const showRefusal = (error: DataApiError | undefined): Fragment =>
  error !== undefined && html`<div class="note bad" role="alert"><p>${error.message}</p></div>`

/** An application that deletes softly keeps the item. */
export const consequence = ({ keepsDeleted }: CollectionView): string => keepsDeleted
  ? 'The application keeps the item, but no longer shows it.'
  : 'This cannot be undone.'

/** Items that hang on an item: their number, and what the database does with them if that is deleted. */
interface Hanging {
  readonly field: RelationView
  readonly count: number
  readonly action: RelationView['onDelete']
}

/** What becomes of items is told where the database alone decides it. */
function hangingOn (item: JsonItem, collection: CollectionView, isDeleted: boolean): readonly Hanging[] {
  return manyOf(collection).flatMap(field => {
    const counted = item[field.name]
    const count = isObject(counted) ? Number(counted['count']) : NaN
    const action = isDeleted ? field.onDelete : undefined
    return count > 0 || (count === 0 && action !== undefined) ? [{ field, count, action }] : []
  })
}

const linkTo = (field: RelationView, place: Place) =>
  html`<a href="${pathTo(place, [[field.name]])}"><bdi>${titleOf(field)}</bdi></a>`

function showHanging (hanging: readonly Hanging[], place: Place): Html {
  const isTold = hanging.some(({ action }) => action !== undefined)
  const heads = ['Items', '#Count', ...isTold ? ['What becomes of them'] : []]
  return html`<section class="part"><h2>What hangs on it</h2>${showRows('What hangs on it', heads, hanging.map(one =>
    html`<tr><th scope="row">${linkTo(one.field, place)}</th><td class="num">${one.count}</td>${
      isTold && html`<td>${fateOf(one)}</td>`}</tr>`))}</section>`
}

function fateOf ({ count, action }: Hanging): Fragment {
  if (action === undefined) return 'not known'
  if (count === 0) return action === 'restrict' ? 'would forbid it; there are none' : 'there are none'
  if (action === 'cascade') return html`<strong>deleted</strong> with it`
  return action === 'restrict' ? html`<strong>forbid it</strong>` : 'kept; they no longer refer to it'
}

/** A form that was merged with the item as another has changed it in the meantime. */
interface Conflict {
  readonly merged: Merged
  /** The state that the form was made of. */
  readonly was: Merged['base']['was']
  /** Fields whose texts are not sent back, and so must be typed again. */
  readonly retyped: readonly FormField[]
  readonly now: Current | undefined
}

/** Returns the page of a conflict: for each field that anybody has changed, the three states of it. */
export function showConflict ({ merged, was, retyped, now }: Conflict, place: PlaceOf<'item'>): Html {
  const { texts, base, changes } = merged
  const faults = new Map(retyped.map(({ field }) => [field.name, ['must be typed again.']]))
  const same = texts.size - changes.size
  const isSent = (one: FormField) => texts.has(one.field.name) && !retyped.includes(one)
  const some = (who: string) => [...changes].flatMap(([one, by]) => by === who && isSent(one) ? [one] : [])
  const before = (one: FormField) => showKept(was.get(one.field.name))
  const stored = (one: FormField) => showChanged(textIn(one, now?.item), was.get(one.field.name))
  const mine = ({ field: { name } }: FormField) => showChanged(texts.get(name) ?? '', was.get(name))
  const keep = (one: FormField, who: string, text: Fragment) => html`<label><input type="radio" name="_keep.${
    one.field.name}" value="${who}"${who === 'mine' && html` checked`}><span>${text}</span></label>`
  const drop = (one: FormField) => html`<input type="hidden" name="_keep.${one.field.name}" value="theirs">
<label><input type="checkbox" name="_keep.${one.field.name}" value="mine" checked><span>${mine(one)}</span></label>`
  const main = html`<div class="note bad" role="alert"><p><strong>Somebody has changed this item since you opened the
 form.</strong></p><p>Nothing is saved yet, and nothing is lost.</p></div>
<form class="stack" method="post" action="${pathTo(place)}"><input type="hidden" name="_method" value="PATCH">${
    showKey(place)}${showBase(base)}${
    [...texts].filter(([name]) => !retyped.some(({ field }) => field.name === name)).map(([name, text]) =>
      html`<input type="hidden" name="${name}" value="${text}">`)}
${showStates('Both of you changed', 'Choose what holds.', some('both'), [['Was', before],
  ['Stored now', one => keep(one, 'theirs', stored(one))], ['Yours', one => keep(one, 'mine', mine(one))]])}
${showStates('Only you changed', 'Saved as you have it. Uncheck what you no longer want.', some('mine'),
  [['Stored now', stored], ['Yours', drop]])}
${showStates('Only they changed', 'Stays as it is now. You need do nothing.', some('theirs'),
  [['Was', before], ['Stored now', stored]])}
${retyped.map(one => fieldInput(one, { ...noTexts, fields: retyped, faults }, 'one', place))}
${same > 0 && html`<p class="soft">The same on both sides: ${countOf(same, 'other field')}.</p>`}
<div class="save"><button class="primary">Save</button>
<button name="_take" value="=" formnovalidate>Back to the form</button>
<a class="button danger" href="${pathTo(place)}">Drop my changes</a></div></form>`
  return showVerb('Edit', now, main, place)
}

function showStates (
  heading: string, about: string, fields: readonly FormField[],
  states: ReadonlyArray<readonly [name: string, show: (one: FormField) => Fragment]>
): Html | undefined {
  if (fields.length === 0) return undefined
  const rows = fields.map(one => html`<tr><th scope="row"><bdi>${titleOf(one.field)}</bdi></th>${
    states.map(([name, show]) => html`<td data-l="${name}">${show(one)}</td>`)}</tr>`)
  return html`<section><h2>${heading}</h2><p class="soft">${about}</p>${
    showRows(heading, ['Field', ...states.map(([name]) => name)], rows, 'merge')}</section>`
}

const showKept = (kept = '#') => kept[0] === '=' ? showText(kept.slice(1)) : html`<span class="soft">a long text</span>`

const showText = (text: string) => text === '' ? none : html`<bdi>${cut(text, longest)}</bdi>`

/** Returns a text that has a mark around the words in which it differs from what a form was made of. */
function showChanged (text: string, was = '#'): Fragment {
  const [words = [], others = []] = [text, was.slice(1)].map(one => one.replaceAll('\r\n', '\n').split(/(?=\s)/))
  const start = words.findIndex((word, index) => word !== others[index])
  if (was[0] !== '=' || words.length < 2 || start < 0) return showText(text)
  const rest = words.slice(start).toReversed()
  const found = rest.findIndex((word, index) => index >= others.length - start || word !== others.at(-1 - index))
  const end = rest.length - (found < 0 ? rest.length : found) + start
  const before = words.slice(0, start).join('')
  return html`<bdi>${before.length > shortest && '…'}${before.slice(-shortest)}<mark>${
    cut(words.slice(start, end).join(''), longest)}</mark>${cut(words.slice(end).join(''), shortest)}</bdi>`
}

// In characters.
const longest = 200
const shortest = 60

/**
 * The state of an item that a form was made of: its tag, and each value by the name of the field, as `=` and its text;
 * of a long text, as `#` and a digest.
 */
export interface Base { readonly tag: string | undefined, readonly was: Texts }

type Texts = ReadonlyMap<string, string>

const baseOf = (fields: readonly FormField[], current: Current | undefined): Base => ({
  tag: current?.tag,
  was: new Map(fields.map(one => [one.field.name, keptOf(one, textIn(one, current?.item))]))
})

const keptOf = (one: FormField, text: string) => text.length > longestKept ? `#${digestOf(one, text)}` : `=${text}`

// In characters.
const longestKept = 1000

/** Returns the base of a form that was sent. What the form does not tell is as in the item now. */
export function baseIn (form: Texts, fields: readonly FormField[], current: Current | undefined): Base {
  const sent = fields.flatMap(({ field: { name } }) => {
    const was = form.get(`_was.${name}`)
    return was === undefined ? [] : [[name, was] as const]
  })
  return { tag: form.get('_tag'), was: new Map([...baseOf(fields, current).was, ...sent]) }
}

/** Returns the texts of a form that was sent, with the stored texts where the person has chosen to keep them. */
export function chosenTexts (form: Texts, fields: readonly FormField[], current: Current | undefined): Texts {
  const kept = fields.filter(({ field: { name } }) => form.get(`_keep.${name}`) === 'theirs')
  return new Map([...form, ...kept.map(one => [one.field.name, textIn(one, current?.item)] as const)])
}

/** Returns true for a field whose text in a form stands for another value than the one that the form was made of. */
export function isChanged (one: FormField, texts: Texts, { was }: Base): boolean {
  const text = texts.get(one.field.name)
  const kept = was.get(one.field.name) ?? '#'
  return text !== undefined && digestOf(one, text) !== (kept[0] === '=' ? digestOf(one, kept.slice(1)) : kept.slice(1))
}

/** A form over a later state of its item, and who has changed a field since: the form alone, another alone, or both. */
interface Merged {
  readonly texts: Texts
  readonly base: Base
  readonly changes: ReadonlyMap<FormField, 'mine' | 'theirs' | 'both'>
}

/** Merges a form with the item as it is now, field by field: what only one of the two has changed is as changed. */
export function merge (fields: readonly FormField[], form: Texts, base: Base, now: Current | undefined): Merged {
  const texts = new Map<string, string>()
  const changes = new Map<FormField, 'mine' | 'theirs' | 'both'>()
  const nowBase = baseOf(fields, now)
  for (const one of fields) {
    const { name } = one.field
    const stored = textIn(one, now?.item)
    const isTheirs = isChanged(one, new Map([[name, stored]]), base)
    const isMine = isChanged(one, form, base) && isChanged(one, form, nowBase)
    texts.set(name, isMine ? form.get(name) ?? '' : stored)
    if (isMine || isTheirs) changes.set(one, isMine ? isTheirs ? 'both' : 'mine' : 'theirs')
  }
  return { texts, base: nowBase, changes }
}

/** Returns a digest of the value that a text of a form stands for. Browsers write line breaks as CR LF. */
const digestOf = (one: FormField, text: string): string =>
  createHash('sha256').update(plainText(one, text.replaceAll(/\r\n?/g, '\n'))).digest('base64url').slice(0, 22)

function plainText ({ field }: FormField, text: string): string {
  if (text === '' || 'target' in field) return text
  return field.values === 'json' ? plainJson(text) : String(readInput(field, text))
}

/** Returns JSON without spaces, its members sorted; a text that is no JSON, or nested too deeply, as it is. */
const plainJson = (text: string): string => orElse(() => JSON.stringify(sorted(JSON.parse(text))), text)

function sorted (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.keys(value).sort().map(name => [name, sorted(value[name])]))
}
