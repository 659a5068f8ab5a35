import type { SubItemField } from '../model/model.ts'
import { isChoice, showChoices, showControl } from './control.ts'
import type { FormField, ValueField } from './fields.ts'
import { type Fragment, type Html, html } from './html.ts'
import type { Base } from './merge.ts'
import { itemOffers } from './offers.ts'
import { type Place, rootPathTo } from './place.ts'
import { type Found, showFound } from './search.ts'
import { cut, none } from './value.ts'

/** The content of a form: the values that were typed, and the faults that the API has found in them. */
export interface Filled {
  readonly fields: readonly FormField[]
  readonly texts: ReadonlyMap<string, string>
  /** Messages by the name of the field; '' for those of the whole form. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** The item that the form was made of; undefined for a new item. */
  readonly base: Base | undefined
  /** What the item has now, by the name of the field, where this form and another have changed the same. */
  readonly both?: ReadonlyMap<string, string>
  /** What searches for items have found, by the name of the field. */
  readonly found?: ReadonlyMap<string, Found>
}

/** The words of a form, and where it goes. */
interface FormWords { readonly method: 'POST' | 'PATCH', readonly action: string, readonly submit: string }

/** Returns a form that writes an item. */
export function showForm (filled: Filled, { method, action, submit }: FormWords, place: Place): Html {
  const { fields, base } = filled
  return html`${showFaults(filled)}<form class="write" method="post" action="${action}">
<input type="hidden" name="_method" value="${method}">
${base?.tag !== undefined && html`<input type="hidden" name="_tag" value="${base.tag}">`}
${base && [...base.digests].map(([name, digest]) => html`<input type="hidden" name="_was.${name}" value="${digest}">`)}
${isSearched(fields, place) && html`<button hidden></button>`}
${fields.map(field => showField(field, filled, method === 'POST', place))}
${fields.length === 0 && html`<p class="empty">There is nothing to fill in.</p>`}
<div class="save"><button class="primary">${submit}</button> <a class="button" href="${action}">Cancel</a></div></form>`
}

/** Enter sends a form by its first button, which must not be one that searches. */
const isSearched = (fields: readonly FormField[], place: Place) =>
  fields.some(({ field }) => field.kind === 'sub-item' && itemOffers(field.target, place) !== undefined)

function showFaults ({ faults, fields }: Filled): Html | undefined {
  if (faults.size === 0) return undefined
  const known = fields.filter(({ field }) => faults.has(field.name))
  const others = [...faults].filter(([name]) => !known.some(({ field }) => field.name === name))
  return html`<div class="note bad" role="alert"><p><strong>This was not saved.</strong></p><ul>
${others.flatMap(([name, messages]) => messages.map(message =>
  html`<li>${name !== '' && html`<code>${name}</code> `}${message}</li>`))}
${known.map(({ field: { name } }) =>
  html`<li><a href="#field-${name}">${name}</a> ${faults.get(name)?.join('; ')}</li>`)}
</ul></div>`
}

function showField (one: FormField, { texts, faults, found, both }: Filled, isNew: boolean, place: Place): Html {
  const { field, required } = one
  const { name, schema } = field
  const faulty = faults.get(name)
  const isGiven = mustBeGiven(one, isNew)
  const described = html` aria-describedby="hint-${name} fault-${name}"${
    faulty !== undefined && html` aria-invalid="true"`}`
  const attributes = html` id="field-${name}" name="${name}"${described}${isGiven && html` required`}`
  const text = texts.get(name) ?? ''
  const label = html`<bdi>${name}</bdi>${required && html`<span class="req">required</span>`}`
  const rest = html`${showChoice(name, both?.get(name))}
<p class="hint" id="hint-${name}">${hintOf(field, place)}${
  schema.description !== undefined && ` ${schema.description}`}</p>
${faulty !== undefined && html`<p class="fault" id="fault-${name}">${faulty.join('; ')}</p>`}`
  if (field.kind !== 'sub-item' && isChoice(field, text)) {
    return html`<fieldset class="field" id="field-${name}"${described}><legend>${label}</legend>${
      showChoices(field, text, { isNew, isGiven })}${rest}</fieldset>`
  }
  const control = field.kind === 'sub-item'
    ? showReference(field, text, attributes, found?.get(name), place)
    : showControl(field, text, attributes, isNew || field.nullable || !field.readable)
  return html`<div class="field"><label for="field-${name}">${label}</label>${control}${rest}</div>`
}

/** Asks which of two changes of a field holds. */
function showChoice (name: string, theirs: string | undefined): Html | undefined {
  if (theirs === undefined) return undefined
  return html`<fieldset class="keep"><legend>Another has changed <bdi>${name}</bdi>, too</legend>
<label><input type="radio" name="_keep.${name}" value="mine" checked> Save what is in this form</label>
<label><input type="radio" name="_keep.${name}" value="theirs"> Keep what is stored now:
${theirs === '' ? none : html`<bdi>${cut(theirs, 200)}</bdi>`}</label></fieldset>`
}

/** An empty text is a value where the schema sets no least length. */
function mustBeGiven ({ field, required }: FormField, isNew: boolean): boolean {
  if (field.kind === 'sub-item') return required
  const isNeeded = isNew ? required : field.readable && !field.nullable
  return isNeeded && (field.type.kind !== 'string' || Number(field.schema['minLength'] ?? 0) > 0)
}

function hintOf (field: ValueField | SubItemField, place: Place): Fragment {
  if (field.kind === 'sub-item') {
    const { name } = field.target
    return html`An identifier of an item of <a href="${rootPathTo(place, [[name]])}">${name}</a>.`
  }
  const empty = !field.readable ? ' Empty leaves it as it is.' : field.nullable ? ' Empty means null.' : ''
  return plain.has(field.type.kind) ? empty.trim() : `${capital(field.type.expected)}.${empty}`
}

// Types whose inputs say what they take.
const plain: ReadonlySet<string> = new Set(['string', 'boolean', 'date', 'date-time'])

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function showReference (
  { name, target }: SubItemField, text: string, attributes: Html, found: Found | undefined, place: Place
): Html {
  const offers = itemOffers(target, place)
  const input = html`<input${attributes}${offers} value="${text}" autocomplete="off" dir="auto">`
  if (offers === undefined) return input
  return html`<div class="reference">${input}
<button name="_search" value="${name}" formnovalidate>Search ${target.name}</button></div>
${found && showFound(found, ({ identifier, label }) =>
  html`<button name="_take" value="${name}=${identifier}" formnovalidate><bdi>${label}</bdi></button>`)}`
}
