import type { FieldView, RelationView, ValueView } from '../../core/api/face.ts'
import { fieldSchema } from '../documents/value-schema.ts'
import { choicesOf, inGroups, isCode, isNumeric, titleOf } from './value.ts'
import { type FormField, isLong } from './form-fields.ts'
import { type Fragment, type Html, html } from './html.ts'
import type { Base } from './form-pages.ts'
import { type FoundItems, itemOffers, showFound } from './search.ts'
import { pathTo, type Place, rootPathTo } from './place.ts'

/** The content of a form: the values that were typed, and the faults that the API has found in them. */
export interface Filled {
  readonly fields: readonly FormField[]
  readonly texts: ReadonlyMap<string, string>
  /** Messages by the name of the field; '' for those of the whole form. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** The item that the form was made of; undefined for a new item. */
  readonly base: Base | undefined
  /** What searches for items have found, by the name of the field. */
  readonly found?: ReadonlyMap<string, FoundItems>
}

/** What the form for new items and that of many begin with. */
export const noTexts: Omit<Filled, 'fields'> = { texts: new Map(), faults: new Map(), base: undefined }

/** Returns a form that writes an item. Enter sends it by its first button, which must not be one that searches. */
export function showForm (filled: Filled, submit: 'Save' | 'Create', place: Place): Html {
  const { fields, base } = filled
  const action = pathTo(place)
  const isNew = submit === 'Create'
  return html`${showFaults(filled)}<form class="write" method="post" action="${action}">
<input type="hidden" name="_method" value="${isNew ? 'POST' : 'PATCH'}">${showKey(place)}${base && showBase(base)}
<button hidden></button>
${inGroups(fields, ({ field }) => field.schema['group'] as string | undefined).map(([group, some]) => html`
<fieldset class="part">${group !== '' && html`<legend>${group}</legend>`}${
    some.map(field => fieldInput(field, filled, isNew ? 'new' : 'one', place))}</fieldset>`)}
${fields.length === 0 && html`<p class="empty">There is nothing to fill in.</p>`}
<div class="save"><button class="primary">${submit}</button> <a class="button" href="${action}">Cancel</a></div></form>`
}

/** Returns the key of a form. A browser that restores forms would give a new form the key of an old one. */
export function showKey ({ formKey }: Place): Html | undefined {
  const key = formKey?.()
  return key === undefined ? undefined : html`<input type="hidden" name="_key" value="${key}" autocomplete="off">`
}

/** Returns what a form was made of. */
export const showBase = ({ tag, was }: Base): Html => html`${tag !== undefined && html`
<input type="hidden" name="_tag" value="${tag}">`}${[...was].map(([name, kept]) => html`
<input type="hidden" name="_was.${name}" value="${kept}">`)}`

/** Returns the faults of a form, as links to its fields. */
export function showFaults ({ faults, fields }: Filled): Html | undefined {
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

/** What a form writes: a new item, one that exists, or many. */
type Written = 'new' | 'one' | 'many'

/** Returns the input of a field, with its name, its hint and its faults. */
export function fieldInput (one: FormField, { texts, faults, found }: Filled, written: Written, place: Place): Html {
  const { field, required } = one
  const { name, schema } = field
  const faulty = faults.get(name)
  const isGiven = mustBeGiven(one, written)
  const described = html` aria-describedby="hint-${name} fault-${name}"${
    faulty !== undefined && html` aria-invalid="true"`}`
  const attributes = html` id="field-${name}" name="${name}"${described}${isGiven && html` required`}`
  const text = texts.get(name) ?? ''
  const label = html`<bdi>${titleOf(field)}</bdi>${required && html`<span class="req">required</span>`}`
  const rest = html`<p class="hint" id="hint-${name}">${hintOf(field, written, place)}${
  schema.description !== undefined && ` ${schema.description}`}</p>
${faulty !== undefined && html`<p class="fault" id="fault-${name}">${faulty.join('; ')}</p>`}`
  if (!('target' in field) && isChoice(field, text)) {
    return html`<fieldset class="field f6" id="field-${name}"${described}><legend>${label}</legend>${
      showChoices(field, text, { written, isGiven })}${rest}</fieldset>`
  }
  const control = 'target' in field
    ? showReference(field, text, attributes, found?.get(name), place)
    : showControl(field, text, attributes, written !== 'one' || field.nullable || !field.readable)
  return html`<div class="field ${widthOf(field, text)}"><label for="field-${name}">${label}</label>${
    control}${rest}</div>`
}

/** Returns the class of a field's width, in twelfths of the form. */
function widthOf (field: FieldView, text: string): string {
  if ('target' in field || choicesOf(field) !== undefined) return 'f6'
  const { values } = field
  if (isNumeric(values) || values === 'date') return 'f4'
  const { format, maxLength = Infinity } = fieldSchema(field, 'body')
  return isLong(field, text) || format === 'uri' || (values === 'string' && Number(maxLength) > longestHalf) ? '' : 'f6'
}

// In characters.
const longestHalf = 60

/** An empty text is a value where the schema sets no least length. Of many items no field must be changed. */
function mustBeGiven ({ field, required }: FormField, written: Written): boolean {
  if ('target' in field) return required
  const isNeeded = written === 'one' ? field.readable && !field.nullable : required
  return isNeeded && (field.values !== 'string' || Number(field.schema['minLength'] ?? 0) > 0)
}

/** Returns what an input does not say itself. */
function hintOf (field: FieldView, written: Written, place: Place): Fragment {
  if (!('target' in field)) {
    return [limitsHint(field), !field.readable && written === 'one' && 'Empty leaves it as it is.']
      .filter(text => text !== false && text !== '').join(' ')
  }
  const { name, title = name } = field.target
  return html`An identifier of an item of <a href="${rootPathTo(place, [[name]])}">${title}</a>.`
}

/** Returns the limits of a text's length, or of a number. A double holds the integers that all numbers may be. */
function limitsHint (field: ValueView): string {
  const { maxLength, minimum, maximum } = fieldSchema(field, 'body')
  if (typeof maxLength === 'number') return `At most ${maxLength} character${maxLength === 1 ? '' : 's'}.`
  const [least, most] = [minimum, maximum].map(bound =>
    typeof bound === 'number' && Math.abs(bound) !== Number.MAX_SAFE_INTEGER ? String(bound) : '')
  if (least === '') return most === '' ? '' : `At most ${most}.`
  return most === '' ? `At least ${least}.` : `From ${least} to ${most}.`
}

function showReference (
  { name, target }: RelationView, text: string, attributes: Html, found: FoundItems | undefined, place: Place
): Html {
  const offers = itemOffers(target, place)
  const input = html`<input${attributes}${offers} value="${text}" autocomplete="off" dir="auto">`
  if (offers === undefined) return input
  return html`<div class="reference">${input}
<button name="_search" value="${name}" formnovalidate>Search ${target.name}</button></div>
${found && showFound(found, ({ identifier, label }) =>
  html`<button name="_take" value="${name}=${identifier}" formnovalidate><bdi>${label}</bdi></button>`)}`
}

/** Returns true for a field whose values are so few that a form shows all of them. */
function isChoice (field: ValueView, text: string): boolean {
  const choices = choicesOf(field) ?? []
  return choices.length > 0 && choices.length <= mostChoices && (text === '' || choices.includes(text))
}

const mostChoices = 5

/** Returns the values of a field to choose from and, where it may be left empty, what that means. */
function showChoices (
  field: ValueView, text: string, { written, isGiven }: { readonly written: Written, readonly isGiven: boolean }
): Html {
  const { name, nullable, readable } = field
  const empty = nullable
    ? 'null'
    : !readable && written === 'one' ? 'unchanged' : written === 'new' && !isGiven ? 'default' : undefined
  const radio = (value: string, label: string) => html`<label><input type="radio" name="${name}" value="${value}"${
    isGiven && html` required`}${value === text && html` checked`}>${label}</label>`
  const choices = choicesOf(field) ?? []
  return html`<div class="choice">${choices.map(choice => radio(choice, choice))}${
    empty !== undefined && radio('', empty)}</div>`
}

/** Returns the input of a field, by the type of its values. A text that it could not show is shown as a text. */
function showControl (field: ValueView, text: string, attributes: Html, mayBeEmpty: boolean): Html {
  const { values, nullable, readable, schema } = field
  // The typed text is not sent back: the page may be kept or seen.
  if (schema['format'] === 'password') {
    return html`<input${attributes} type="password" autocomplete="new-password">`
  }
  const choices = choicesOf(field)
  if (choices !== undefined && (text === '' || choices.includes(text))) {
    const options = choices.map(choice => html`<option${choice === text && html` selected`}>${choice}</option>`)
    const none = (mayBeEmpty || text === '') && html`<option value=""></option>`
    return html`<select${attributes}>${none}${options}</select>`
  }
  const hint = nullable && readable && html` placeholder="null"`
  // The first line break after the tag is not part of the value.
  if (isLong(field, text)) {
    const hasCode = values === 'json' || isCode(field)
    const code = hasCode ? html` class="mono" dir="ltr" spellcheck="false"` : html` dir="auto"`
    return html`<textarea${attributes}${hint} rows="5"${code}>${'\n'}${text}</textarea>`
  }
  return showInput(html`${attributes}${hint}`, field, text, '0.001')
}

/** Returns the input of a type of values, with their unit. `step`: that of moments, in seconds. */
export function showInput (
  attributes: Html, { values, schema }: ValueView, text: string, step: string
): Html {
  const isDay = values === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(text)
  const isMoment = values === 'date-time' && inMilliseconds.test(text)
  const mode = schema['format'] === 'uri' ? 'url' : numeric[values]
  const typed = mode === undefined ? html` dir="auto"` : html` inputmode="${mode}" dir="ltr"`
  const type = isMoment ? html` type="datetime-local" step="${step}"` : isDay ? html` type="date"` : typed
  const input = html`<input${attributes}${type} value="${isMoment ? text.slice(0, -1) : text}" autocomplete="off">`
  const unit = isMoment ? 'UTC' : schema.unit
  return unit === undefined ? input : html`<div class="with">${input}<span>${unit}</span></div>`
}

// What an input for a date and a time can show.
const inMilliseconds = /^$|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

const numeric: Readonly<Record<string, string>> = {
  integer: 'numeric', int64: 'numeric', number: 'decimal', decimal: 'decimal'
}
