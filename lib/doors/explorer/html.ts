import type { InParts } from '../../core/response/answer.ts'

const markup = Symbol('markup')

/** Markup. Only this file makes it, so no value of an application can pass for it. */
export interface Html { readonly [markup]: readonly Part[] }

/** Text of markup, or a list whose elements become markup when they are written. */
type Part = string | Iterable<Step>

/** Markup, or the number of characters of the answer that were read for it. */
type Step = Html | number

/** A value in a template: markup is kept as it is, everything else becomes text. */
export type Fragment = Html | string | number | false | undefined | readonly Fragment[]

/** Values are escaped, in text and in quoted attributes alike; `false` shows nothing. */
export function html (template: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  const parts: Part[] = [template[0] ?? '']
  for (const [index, value] of values.entries()) {
    addValue(value, parts)
    addPart(template[index + 1] ?? '', parts)
  }
  return { [markup]: parts }
}

/** Returns markup for each element of a list, which is made when it is written. */
export function each<T extends { readonly json: string }> (
  list: readonly T[], show: (one: T) => Html | InParts<Html>
): Html {
  function * elements (): Generator<Step> {
    for (const one of list) {
      const shown = show(one)
      yield one.json.length
      yield 'next' in shown ? yield * shown : shown
    }
  }
  return { [markup]: [{ [Symbol.iterator]: elements }] }
}

/** Returns a text of this project as markup. Never call it with a value that comes from elsewhere. */
export const trusted = (text: string): Html => ({ [markup]: [text] })

/** Writes markup, to be sent: yields its texts, and numbers of characters of the answer that were read for them. */
export function * textsOf (made: Html): Generator<string | number> {
  for (const part of made[markup]) {
    if (typeof part === 'string') {
      yield part
      continue
    }
    for (const step of part) {
      if (typeof step === 'number') yield step
      else yield * textsOf(step)
    }
  }
}

function addValue (value: Fragment, parts: Part[]): void {
  if (typeof value === 'string') addPart(escape(value), parts)
  else if (typeof value === 'number') addPart(String(value), parts)
  else if (value === undefined || value === false) addPart('', parts)
  else if (isHtml(value)) for (const part of value[markup]) addPart(part, parts)
  else for (const one of value) addValue(one, parts)
}

/** Texts that follow each other become one. */
function addPart (part: Part, parts: Part[]): void {
  const last = parts.at(-1)
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
  else parts.push(part)
}

const isHtml = (value: Html | readonly Fragment[]): value is Html => markup in value

const escape = (text: string) =>
  /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, character => entities[character] ?? '') : text

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'
}

/** A member of an object, or of an array, where it has no name. Its JSON text is parsed when it is shown. */
export interface Member { readonly name: string, readonly json: string }

/**
 * Splits the JSON text of an object or an array into its members, in their order: JavaScript moves names that are
 * numbers to the front of an object. The text is one that JSON.parse() takes; one that begins otherwise than with
 * `opening` has no members.
 */
export function * membersOf (json: string, opening: '{' | '['): InParts<readonly Member[]> {
  const members: Member[] = []
  if (json.trimStart()[0] !== opening) return members
  const marks = /["{}[\],:]/g
  let [depth, begun, start, name] = [0, 0, 0, '']
  for (let mark = marks.exec(json); mark !== null; mark = marks.exec(json)) {
    const { 0: character, index } = mark
    const isOuter = depth === (character === '{' || character === '[' ? 0 : 1)
    if (character === '"') marks.lastIndex = closingQuote(json, index) + 1
    else if (isOuter && (character === ',' || character === '}' || character === ']')) {
      const text = json.slice(start, index).trim()
      if (text !== '') members.push({ name, json: text })
      yield index - begun
      begun = index
    } else if (isOuter && character === ':') name = String(JSON.parse(json.slice(start, index)))
    if (isOuter && character !== '"') start = index + 1
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
  }
  return members
}

/** Returns the index of the quote that ends the text that begins at `start`. */
function closingQuote (json: string, start: number): number {
  let at = start
  do at = json.indexOf('"', at + 1)
  while (isEscaped(json, at))
  return at
}

function isEscaped (json: string, quote: number): boolean {
  let at = quote
  while (json[at - 1] === '\\') at--
  return (quote - at) % 2 === 1
}
