import type { SubItemField } from '../model/model.ts'
import { fieldSchema } from '../openapi/values.ts'
import { choicesOf } from './choices.ts'
import { isChoice, showChoices, showControl } from './control.ts'
import { type FormField, isLong, type ValueField } from './fields.ts'
import { type Fragment, type Html, html } from './html.ts'
import { inGroups, titleOf } from './label.ts'
import type { Base } from './merge.ts'
import { itemOffers } from './offers.ts'
import { type Place, rootPathTo } from './place.ts'
import { type Found, showFound } from './search.ts'
import { isNumeric } from './value.ts'

/** The content of a form: the values that were typed, and the faults that the API has found in them. */
export interface Filled {
  readonly fields: readonly FormField[]
  readonly texts: ReadonlyMap<string, string>
  /** Messages by the name of the field; '' for those of the whole form. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** The item that the form was made of; undefined for a new item. */
  readonly base: Base | undefined
  /** What searches for items have found, by the name of the field. */
  readonly found?: ReadonlyMap<string, Found>
}

/** The words of a form, and where it goes. */
interface FormWords { readonly method: 'POST' | 'PATCH', readonly action: string, readonly submit: string }

/** Returns a form that writes an item. */
export function showForm (filled: Filled, { method, action, submit }: FormWords, place: Place): Html {
  const { fields, base } = filled
  return html`${showFaults(filled)}<form class="write" method="post" action="${action}">
<input type="hidden" name="_method" value="${method}">${base && showBase(base)}
${isSearched(fields, place) && html`<button hidden></button>`}
${inGroups(fields, ({ field }) => field.schema['group'] as string | undefined).map(([group, some]) => html`
<fieldset class="part">${group !== '' && html`<legend>${group}</legend>`}${
    some.map(field => showField(field, filled, method === 'POST', place))}</fieldset>`)}
${fields.length === 0 && html`<p class="empty">There is nothing to fill in.</p>`}
<div class="save"><button class="primary">${submit}</button> <a class="button" href="${action}">Cancel</a></div></form>`
}

/** Returns what a form was made of. */
export const showBase = ({ tag, was }: Base): Html => html`${tag !== undefined && html`
<input type="hidden" name="_tag" value="${tag}">`}${[...was].map(([name, kept]) => html`
<input type="hidden" name="_was.${name}" value="${kept}">`)}`

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
${known.map(({ field }) =>
  html`<li><a href="#field-${field.name}">${titleOf(field)}</a> ${
    faults.get(field.name)?.join('; ')}</li>`)}
</ul></div>`
}

/** Returns the input of a field, with its name, its hint and its faults. */
export function showField (one: FormField, { texts, faults, found }: Filled, isNew: boolean, place: Place): Html {
  const { field, required } = one
  const { name, schema } = field
  const faulty = faults.get(name)
  const isGiven = mustBeGiven(one, isNew)
  const described = html` aria-describedby="hint-${name} fault-${name}"${
    faulty !== undefined && html` aria-invalid="true"`}`
  const attributes = html` id="field-${name}" name="${name}"${described}${isGiven && html` required`}`
  const text = texts.get(name) ?? ''
  const label = html`<bdi>${titleOf(field)}</bdi>${required && html`<span class="req">required</span>`}`
  const rest = html`<p class="hint" id="hint-${name}">${hintOf(field, place)}${
  schema.description !== undefined && ` ${schema.description}`}</p>
${faulty !== undefined && html`<p class="fault" id="fault-${name}">${faulty.join('; ')}</p>`}`
  if (field.kind !== 'sub-item' && isChoice(field, text)) {
    return html`<fieldset class="field f6" id="field-${name}"${described}><legend>${label}</legend>${
      showChoices(field, text, { isNew, isGiven })}${rest}</fieldset>`
  }
  const control = field.kind === 'sub-item'
    ? showReference(field, text, attributes, found?.get(name), place)
    : showControl(field, text, attributes, isNew || field.nullable || !field.readable)
  return html`<div class="field ${widthOf(field, text)}"><label for="field-${name}">${label}</label>${
    control}${rest}</div>`
}

/** Returns the class of a field's width, in twelfths of the form. */
function widthOf (field: FormField['field'], text: string): string {
  if (field.kind === 'sub-item' || choicesOf(field) !== undefined) return 'f6'
  const { kind } = field.type
  if (isNumeric(kind) || kind === 'date') return 'f4'
  const { format, maxLength = Infinity } = fieldSchema(field, 'body')
  return isLong(field, text) || format === 'uri' || (kind === 'string' && Number(maxLength) > longestHalf) ? '' : 'f6'
}

// In characters.
const longestHalf = 60

/** An empty text is a value where the schema sets no least length. */
function mustBeGiven ({ field, required }: FormField, isNew: boolean): boolean {
  if (field.kind === 'sub-item') return required
  const isNeeded = isNew ? required : field.readable && !field.nullable
  return isNeeded && (field.type.kind !== 'string' || Number(field.schema['minLength'] ?? 0) > 0)
}

/** Returns what an input does not say itself. */
function hintOf (field: ValueField | SubItemField, place: Place): Fragment {
  if (field.kind !== 'sub-item') return !field.readable && 'Empty leaves it as it is.'
  const { name, title = name } = field.target
  return html`An identifier of an item of <a href="${rootPathTo(place, [[name]])}">${title}</a>.`
}

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
