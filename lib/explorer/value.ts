import type { Field } from '../model/model.ts'
import { type Fragment, html } from './html.ts'

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
