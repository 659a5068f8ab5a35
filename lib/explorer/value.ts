import type { Field } from '../model/model.ts'
import { type Fragment, html } from './html.ts'

/** Returns the class of a value's cell: what is compared by its digits stands at the right. */
export function alignmentOf (field: Field): string {
  if (field.kind === 'sub-item' || field.kind === 'sub-collection') return ''
  const kind = field.kind === 'computed' ? String(field.schema['type']) : field.type.kind
  return numeric.has(kind) ? 'number' : ''
}

const numeric: ReadonlySet<string> = new Set(['integer', 'number', 'int64', 'decimal'])

/** Returns a value of JSON for people. `longest`: the characters after which a text is cut and can be opened. */
export function showValue (value: unknown, longest: number): Fragment {
  switch (typeof value) {
    case 'string': return showText(value, longest)
    case 'number': return value
    case 'boolean': return html`<span class="${value ? 'yes' : 'no'}">${String(value)}</span>`
    default: return value === null || value === undefined ? none : showJson(value, longest)
  }
}

const none = html`<span class="none">null</span>`

function showText (text: string, longest: number): Fragment {
  if (text === '') return html`<span class="none">empty</span>`
  if (isUrl(text)) {
    return html`<a href="${text}" rel="noreferrer nofollow external"><bdi>${cut(text, longest)}</bdi></a>`
  }
  if (isMoment(text)) return html`<time datetime="${text}">${text}</time>`
  if (text.length <= longest) return html`<bdi>${text}</bdi>`
  return html`<details class="long"><summary><bdi>${cut(text, longest)}</bdi></summary>
<div class="whole"><bdi>${text}</bdi></div></details>`
}

/** Only these schemes are links: a `javascript:` URL is a text like any other. */
const isUrl = (text: string) => /^https?:\/\/[^\s"'<>\\^`{|}]+$/i.test(text) && text.length < 2000 && URL.canParse(text)

const isMoment = (text: string) =>
  text.length <= 30 && /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)

function showJson (value: unknown, longest: number): Fragment {
  const text = JSON.stringify(value)
  if (text.length <= Math.min(longest, 40)) return html`<code>${text}</code>`
  return html`<details class="long"><summary><code>${cut(text, longest)}</code></summary>
<pre>${JSON.stringify(value, null, 2)}</pre></details>`
}

/** Cuts a text between two characters. */
export function cut (text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
}
