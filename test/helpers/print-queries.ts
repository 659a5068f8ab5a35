import type { Condition, Nested, Value } from './arbitrary-queries.ts'

/** Writes a filter as text. `grouped` tells that it stands in a group. */
export function printCondition (condition: Condition, grouped: boolean): string {
  if (condition.kind === 'not') {
    return condition.of.kind === 'all' && condition.of.of.length === 0
      ? '!()'
      : `!(${printCondition(condition.of, true)})`
  }
  if (condition.kind === 'some') {
    const inside = printCondition(condition.of, true)
    return `${condition.relation}${condition.of.kind === 'all' || condition.of.kind === 'any' ? inside : `(${inside})`}`
  }
  if (condition.kind !== 'compare') {
    return `(${condition.of.map(one => printCondition(one, true)).join(condition.kind === 'all' ? ',' : '|')})`
  }
  const { path, operator, value } = condition
  if (!Array.isArray(value)) return `${path.join('.')}${operator}${printValue(value as Value, grouped)}`
  const list = value.map(one => one === '' ? '""' : printValue(one as Value, true)).join(',')
  return `${path.join('.')}${operator}${grouped ? `(${list})` : list}`
}

function printValue (value: Value, grouped: boolean): string {
  if (typeof value !== 'string') return String(value)
  // A star after `=` would be read as part of the operator.
  return value === 'null' || /^["*=]/.test(value) || (grouped && /[,|();"]/.test(value)) ? quoted(value) : value
}

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** Writes the selection of pets as text, if there is one. */
export function printNested (nested: Nested | undefined): readonly string[] {
  if (nested === undefined) return []
  const { names, word, descending, limit } = nested
  const options = [
    ...word === undefined ? [] : [`where=name>=${quoted(word)}`], ...descending ? ['sort=name desc'] : [],
    ...limit === undefined ? [] : [`limit=${limit}`]
  ]
  return [`pets(${[names.join(','), ...options].join(';')})`]
}

/** Ways in which clients' libraries encode a parameter. */
export const encoders: Record<string, (name: string, value: string) => string> = {
  URLSearchParams: (name, value) => new URLSearchParams({ [name]: value }).toString(),
  encodeURIComponent: (name, value) => `${name}=${encodeURIComponent(value)}`,
  'Python urlencode': (name, value) => `${name}=${encodeURIComponent(value).replaceAll('%20', '+').replace(/[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16)}`)}`,
  'WHATWG URL': (name, value) =>
    new URL(`http://h/?${name}=${value.replace(/[%+&#]/g, encodeURIComponent)}`).search.slice(1)
}
