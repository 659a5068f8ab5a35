const markup = Symbol('markup')

/** Markup. Only this file makes it, so no value of an application can pass for it. */
export interface Html { readonly [markup]: string }

/** A value in a template: markup is kept as it is, everything else becomes text. */
export type Fragment = Html | string | number | false | undefined | readonly Fragment[]

/** Makes markup of a template. Values are escaped, in text and in quoted attributes alike; `false` shows nothing. */
export function html (template: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  let text = template[0] ?? ''
  for (const [index, value] of values.entries()) text += textOf(value) + (template[index + 1] ?? '')
  return { [markup]: text }
}

/** Returns a text of this project as markup. Never call it with a value that comes from elsewhere. */
export const trusted = (text: string): Html => ({ [markup]: text })

/** Returns the text of markup, to be sent. */
export const markupOf = (made: Html): string => made[markup]

function textOf (value: Fragment): string {
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  if (value === undefined || value === false) return ''
  return isHtml(value) ? value[markup] : value.map(textOf).join('')
}

const isHtml = (value: Html | readonly Fragment[]): value is Html => markup in value

const escape = (text: string) =>
  /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, character => entities[character] ?? '') : text

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'
}
