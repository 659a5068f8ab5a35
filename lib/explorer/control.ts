import type { InputField, StoredField } from '../model/model.ts'
import type { ValueKind } from '../model/values.ts'
import { describeViolation } from '../model/validators.ts'
import { fieldSchema } from '../openapi/values.ts'
import { memoize } from '../scheduling/memoize.ts'
import { choicesOf } from './choices.ts'
import { isLong, type ValueField } from './fields.ts'
import { type Html, html } from './html.ts'
import { isCode } from './value.ts'

/** Returns true for a field whose values are so few that a form shows all of them. */
export function isChoice (field: ValueField, text: string): boolean {
  const choices = choicesOf(field) ?? []
  return choices.length > 0 && choices.length <= mostChoices && (text === '' || choices.includes(text))
}

const mostChoices = 5

/** Returns the values of a field to choose from and, where it may be left empty, what that means. */
export function showChoices (
  field: ValueField, text: string, { isNew, isGiven }: { readonly isNew: boolean, readonly isGiven: boolean }
): Html {
  const { name, nullable, readable } = field
  const empty = nullable ? 'null' : !readable && !isNew ? 'unchanged' : isNew && !isGiven ? 'default' : undefined
  const radio = (value: string, label: string) => html`<label><input type="radio" name="${name}" value="${value}"${
    isGiven && html` required`}${value === text && html` checked`}>${label}</label>`
  const choices = choicesOf(field) ?? []
  return html`<div class="choice">${choices.map(choice => radio(choice, choice))}${
    empty !== undefined && radio('', empty)}</div>`
}

/** Returns the input of a field, by the type of its values. A text that it could not show is shown as a text. */
export function showControl (field: ValueField, text: string, attributes: Html, mayBeEmpty: boolean): Html {
  const { type: { kind }, nullable, readable, schema } = field
  const checks = checksOf(field)
  const checked = checks.length > 0 && html` data-checks="${JSON.stringify(checks)}"`
  // The typed text is not sent back: the page may be kept or seen.
  if (schema['format'] === 'password') {
    return html`<input${attributes} type="password" autocomplete="new-password"${checked}>`
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
    const code = kind === 'json' || isCode(field) ? html` class="mono" dir="ltr" spellcheck="false"` : html` dir="auto"`
    return html`<textarea${attributes}${checked}${hint} rows="5"${code}>${'\n'}${text}</textarea>`
  }
  if (kind === 'date-time' && inMilliseconds.test(text)) {
    return withUnit(html`<input${attributes} type="datetime-local" step="0.001" value="${text.slice(0, -1)}">`, 'UTC')
  }
  const isDay = kind === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(text)
  const mode = schema['format'] === 'uri' ? 'url' : numeric[kind]
  const typed = mode === undefined ? html` dir="auto"` : html` inputmode="${mode}" dir="ltr"`
  const type = isDay ? html` type="date"` : typed
  const input = html`<input${attributes}${checked}${hint}${type} value="${text}" autocomplete="off">`
  return schema.unit === undefined ? input : withUnit(input, schema.unit)
}

const withUnit = (input: Html, unit: string) => html`<div class="with">${input}<span>${unit}</span></div>`

// What an input for a date and a time can show.
const inMilliseconds = /^$|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

const numeric: Readonly<Record<string, string>> = {
  integer: 'numeric', int64: 'numeric', number: 'decimal', decimal: 'decimal'
}

/**
 * A check of a text that is typed for a field, and the API's message for one that does not pass it. `form` is a regular
 * expression with the flag `u`; a check without one asks for JSON. The script of the pages does the same for all.
 */
interface Check {
  readonly message: string
  readonly form?: string
  readonly least?: number
  readonly most?: number
}

/** Returns the checks of a field's text, the first of which gives the message. All texts that the API takes pass. */
const checksOf = memoize((field: StoredField | InputField): readonly Check[] => {
  const { type: { kind, expected }, nullable } = field
  const message = `must be ${expected}${nullable ? ' or null' : ''}`
  if (kind === 'json') return [{ message: 'must be JSON' }]
  const schema = fieldSchema(field, 'body')
  const form = forms[kind]
  return [...form === undefined ? [] : [{ message, form }], ...lengths(schema), ...limits(schema), ...pattern(schema)]
})

const forms: Readonly<Partial<Record<ValueKind, string>>> = {
  integer: '^(?:0|-?[1-9]\\d{0,18})$',
  int64: '^(?:0|-?[1-9]\\d{0,18})$',
  number: '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$',
  decimal: '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$'
}

type Schema = Readonly<Record<string, unknown>>

function lengths ({ minLength, maxLength }: Schema): Check[] {
  const check = (keyword: string, limit: unknown, form: string) =>
    typeof limit === 'number' ? [{ message: describe(keyword, { limit }), form }] : []
  return [
    ...check('minLength', minLength, `^[^]{${String(minLength)},}$`),
    ...check('maxLength', maxLength, `^[^]{0,${String(maxLength)}}$`)
  ]
}

function limits ({ minimum, maximum }: Schema): Check[] {
  const check = (keyword: 'minimum' | 'maximum', limit: unknown, bound: 'least' | 'most') => {
    // The bounds of all integers are in the message of the type.
    if (typeof limit !== 'number' || Math.abs(limit) === Number.MAX_SAFE_INTEGER) return []
    return [{ message: describe(keyword, { limit }), [bound]: limit }]
  }
  return [...check('minimum', minimum, 'least'), ...check('maximum', maximum, 'most')]
}

function pattern ({ type, format, pattern }: Schema): Check[] {
  const isText = format === undefined && [type].flat().includes('string')
  if (!isText || typeof pattern !== 'string') return []
  return [{ message: describe('pattern', { pattern }), form: pattern }]
}

const describe = (keyword: string, params: Readonly<Record<string, unknown>>) => describeViolation({ keyword, params })
