import { invalidFilter } from '../errors.ts'
import type { Budget } from './budget.ts'
import type { Filter, ValueText } from './request.ts'
import { part, placeAt, quoteEnd, type Span, split, textOf, unquote } from './span.ts'
import { nameEnd, operatorAt, type Syntax } from './syntax.ts'

/**
 * A filter (docs/http.md: Query strings):
 *
 *     filter     = group | comparison
 *     group      = ["!"] "(" member { "," member } ")" | ["!"] "(" member { "|" member } ")"
 *     member     = group | comparison
 *     comparison = name { "." name } operator value
 *     value      = quoted | raw         raw: outside a group all that follows, inside one up to "," "|" ")"
 *     value      = [ "(" ] [ item { ("," | ";") item } ] [ ")" ]          after an `in`; in a group the parentheses are required for more than one
 *     quoted     = '"' { character | '\"' | '\\' } '"'
 *
 * Throws invalid_filter with the position of what does not fit.
 */
export function parseFilter (span: Span, syntax: Syntax, budget: Budget): Filter {
  if (!groupBegins(span, span.start)) return parseComparison(span, syntax, budget)
  const { filter, end } = parseGroup(span, span.start, 1, syntax, budget)
  if (end < span.end) throw expected('the end of the filter', span, end)
  return filter
}

/** Something read, and the index of what follows it. */
interface Read { readonly filter: Filter, readonly end: number }

const groupBegins = ({ text }: Span, index: number) => text[index] === '(' || (text[index] === '!' && text[index + 1] === '(')

const kinds: Readonly<Record<string, 'all' | 'any'>> = { ',': 'all', '|': 'any' }

function parseGroup (span: Span, start: number, depth: number, syntax: Syntax, budget: Budget): Read {
  if (depth > syntax.limits.depth) throw invalidFilter(`Groups can be nested ${syntax.limits.depth} deep at the most.`, placeAt(span, start))
  const negated = span.text[start] === '!'
  const members: Filter[] = []
  let separator: string | undefined
  let index = start + (negated ? 2 : 1)
  for (;;) {
    const { filter, end } = parseMember(span, index, depth, syntax, budget)
    members.push(filter)
    const character = end < span.end ? span.text[end] ?? '' : ''
    index = end + 1
    if (character === ')') break
    if (kinds[character] === undefined) throw expected("',', '|' or ')'", span, end)
    if (separator !== undefined && separator !== character) throw invalidFilter("A group holds either ',' for and or '|' for or; put parentheses around one of them.", placeAt(span, end))
    separator = character
  }
  const group: Filter = { kind: kinds[separator ?? ','] ?? 'all', of: members }
  return { filter: negated ? { kind: 'not', of: group } : group, end: index }
}

function parseMember (span: Span, start: number, depth: number, syntax: Syntax, budget: Budget): Read {
  if (groupBegins(span, start)) return parseGroup(span, start, depth + 1, syntax, budget)
  const end = memberEnd(span, start, syntax)
  return { filter: parseComparison(part(span, start, end), syntax, budget), end }
}

/** Where a comparison inside a group ends: at the first `,` `|` or `)` after its value, quotes and a bracketed list passed over. */
function memberEnd (span: Span, start: number, syntax: Syntax): number {
  const operatorStart = nameEnd(span.text, start)
  const [spelling = '', operator] = operatorAt(span.text, operatorStart, syntax) ?? []
  const value = operatorStart + spelling.length
  if (span.text[value] === '"') return quoteEnd(span, value)
  const list = span.text[value] === '(' && (operator === 'in' || operator === 'not_in')
  const stops = list ? ')' : ',|)'
  let index = value
  while (index < span.end && !stops.includes(span.text[index] ?? '')) index = list && span.text[index] === '"' ? quoteEnd(span, index) : index + 1
  return list ? Math.min(index + 1, span.end) : index
}

function parseComparison (span: Span, syntax: Syntax, budget: Budget): Filter {
  budget.spendTerm(placeAt(span, span.start))
  const end = Math.min(nameEnd(span.text, span.start), span.end)
  if (end === span.start) throw expected("a field's name", span, end)
  const path = span.text.slice(span.start, end).split('.')
  if (path.includes('')) throw invalidFilter("A '.' stands between two names.", placeAt(span, span.start))
  if (path.length > syntax.limits.depth) throw invalidFilter(`A filter can go through ${syntax.limits.depth} names at the most.`, placeAt(span, span.start))
  const [spelling, operator] = operatorAt(span.text, end, syntax) ?? []
  if (spelling === undefined || operator === undefined || end + spelling.length > span.end) throw expected('an operator', span, end)
  const value = part(span, end + spelling.length, span.end)
  const values = operator === 'in' || operator === 'not_in' ? parseList(value, syntax) : [parseValue(value)]
  return { kind: 'compare', path, operator, values, at: placeAt(span, span.start) }
}

function parseList (span: Span, syntax: Syntax): readonly ValueText[] {
  const bracketed = span.text[span.start] === '(' && span.text[span.end - 1] === ')'
  const inner = bracketed ? part(span, span.start + 1, span.end - 1) : span
  if (inner.start >= inner.end) return []
  const items = split(inner, syntax.list)
  if (items.length > syntax.limits.listLength) throw invalidFilter(`A list holds ${syntax.limits.listLength} values at the most, not ${items.length}.`, placeAt(span, span.start))
  return items.map(parseValue)
}

function parseValue (span: Span): ValueText {
  const at = placeAt(span, span.start)
  if (span.text[span.start] !== '"' || span.start >= span.end) return { text: textOf(span), quoted: false, at }
  const end = quoteEnd(span, span.start)
  if (end < span.end) throw expected('the end of the value after its closing quote', span, end)
  const text = unquote(span)
  if (text === undefined) throw invalidFilter('The quote is never closed.', at)
  return { text, quoted: true, at }
}

function expected (what: string, span: Span, index: number) {
  const found = index < span.end ? `not '${span.text[index]}'` : 'but there is nothing'
  return invalidFilter(`Expected ${what}, ${found}.`, placeAt(span, index))
}
