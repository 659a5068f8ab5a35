import { invalidFilter } from '../errors.ts'
import type { Budget } from './budget.ts'
import type { Filter, ValueText } from './request.ts'
import { characterAt, part, placeAt, quoteEnd, type Span, standsAt, textOf, unquote } from './span.ts'
import { nameEnd, operatorAt, type Syntax } from './syntax.ts'

/** What a reader gives: what it read, and the index of what follows. */
export interface FilterRead { readonly filter: Filter, readonly end: number }

/**
 * A filter (docs/http.md: Query strings):
 *
 *     filter     = group | comparison
 *     group      = ["!"] "(" filter { "," filter } ")" | ["!"] "(" filter { "|" filter } ")"
 *     comparison = name { "." name } operator ( value | list )     list: after an `in`
 *     list       = [ value { ("," | ";") value } ]                 in a group or a selection also in parentheses, which a "," in a group needs
 *     value      = quoted | raw                                    raw: all that follows; in a group up to "," "|" ")", in a selection up to ";" ")"
 *     quoted     = '"' { character | '\"' | '\\' } '"'
 *
 * Throws invalid_filter with the position of what does not fit.
 */
export function parseFilter (span: Span, syntax: Syntax, budget: Budget): Filter {
  const { filter, end } = readFilter(span, alone, 0, syntax, budget)
  if (end < span.end) throw expected('the end of the filter', span, end)
  return filter
}

/** Reads a filter among the options of a selection, where `;` or `)` ends it. */
export function readOptionFilter (span: Span, syntax: Syntax, budget: Budget): FilterRead {
  const read = readFilter(span, inSelection, 0, syntax, budget)
  if (read.end < span.end && !standsAt(span, read.end, inSelection.stops)) throw expected("';' or ')'", span, read.end)
  return read
}

/** What ends a raw value, and whether parentheses inside it are passed over as pairs. */
interface Ending { readonly stops: string, readonly pairs: boolean }

const alone: Ending = { stops: '', pairs: false }
const inGroup: Ending = { stops: ',|)', pairs: false }
const inSelection: Ending = { stops: ';)', pairs: true }

/** Reads from the span's start. `depth` counts the groups around it. */
function readFilter (span: Span, ending: Ending, depth: number, syntax: Syntax, budget: Budget): FilterRead {
  const negated = standsAt(span, span.start, '!') && standsAt(span, span.start + 1, '(')
  if (negated || standsAt(span, span.start, '(')) return readGroup(span, negated, depth + 1, syntax, budget)
  return readComparison(span, ending, syntax, budget)
}

const kinds: Readonly<Record<string, 'all' | 'any'>> = { ',': 'all', '|': 'any' }

function readGroup (span: Span, negated: boolean, depth: number, syntax: Syntax, budget: Budget): FilterRead {
  if (depth > syntax.limits.depth) throw invalidFilter(`Groups can be nested at most ${syntax.limits.depth} deep.`, placeAt(span, span.start))
  const members: Filter[] = []
  let separator: string | undefined
  let index = span.start + (negated ? 2 : 1)
  for (;;) {
    const { filter, end } = readFilter(part(span, index, span.end), inGroup, depth, syntax, budget)
    members.push(filter)
    if (!standsAt(span, end, inGroup.stops)) throw expected("',', '|' or ')'", span, end)
    index = end + 1
    const character = characterAt(span, end)
    if (character === ')') break
    if (separator !== undefined && separator !== character) throw invalidFilter("A group cannot mix ',' (and) with '|' (or); put one of them in its own parentheses.", placeAt(span, end))
    separator = character
  }
  const group: Filter = { kind: kinds[separator ?? ','] ?? 'all', of: members }
  return { filter: negated ? { kind: 'not', of: group } : group, end: index }
}

function readComparison (span: Span, ending: Ending, syntax: Syntax, budget: Budget): FilterRead {
  const at = placeAt(span, span.start)
  budget.spendTerm(at)
  const nameEnds = nameEnd(span.text, span.start)
  if (nameEnds === span.start) throw expected("a field's name", span, nameEnds)
  const path = readPath(part(span, span.start, nameEnds), syntax)
  const [spelling, operator] = operatorAt(span.text, nameEnds, syntax) ?? []
  if (spelling === undefined || operator === undefined) throw expected('an operator', span, nameEnds)
  const values = part(span, nameEnds + spelling.length, span.end)
  if (operator === 'in' || operator === 'not_in') {
    const list = readList(values, ending, syntax)
    return { filter: { kind: 'compare', path, operator, values: list.values, at }, end: list.end }
  }
  const { value, end } = readValue(values, ending)
  return { filter: { kind: 'compare', path, operator, values: [value], at }, end }
}

function readPath (span: Span, { limits }: Syntax): readonly string[] {
  const path = textOf(span).split('.')
  const hole = path.indexOf('')
  if (hole >= 0) throw invalidFilter("A '.' must be between two names.", placeAt(span, span.start + path.slice(0, hole).join('.').length))
  if (path.length > limits.depth) throw invalidFilter(`A path in a filter can have at most ${limits.depth} names.`, placeAt(span, span.start))
  return path
}

/** Where a `,` ends more than the value, it does not part the values of a list without parentheses. */
function readList (span: Span, ending: Ending, syntax: Syntax): { readonly values: readonly ValueText[], readonly end: number } {
  const bracketed = ending !== alone && standsAt(span, span.start, '(')
  const { stops, pairs } = bracketed ? { stops: ')', pairs: false } : ending
  const delimiters = [...syntax.list].filter(delimiter => !stops.includes(delimiter)).join('')
  const values: ValueText[] = []
  let index = span.start + (bracketed ? 1 : 0)
  let more = index < span.end && !standsAt(span, index, stops)
  while (more) {
    const { value, end } = readValue(part(span, index, span.end), { stops: stops + delimiters, pairs })
    if (values.push(value) > syntax.limits.listLength) throw invalidFilter(`A list can have at most ${syntax.limits.listLength} values.`, value.at)
    more = standsAt(span, end, delimiters)
    index = more ? end + 1 : end
  }
  if (bracketed && index >= span.end) throw invalidFilter('The parenthesis is not closed.', placeAt(span, span.start))
  return { values, end: bracketed ? index + 1 : index }
}

function readValue (span: Span, ending: Ending): { readonly value: ValueText, readonly end: number } {
  const at = placeAt(span, span.start)
  if (!standsAt(span, span.start, '"')) {
    const end = rawEnd(span, ending)
    return { value: { text: span.text.slice(span.start, end), quoted: false, at }, end }
  }
  const end = quoteEnd(span, span.start)
  if (end === undefined) throw invalidFilter('The quote is not closed.', at)
  if (end < span.end && !standsAt(span, end, ending.stops)) throw expected('the end of the value after its closing quote', span, end)
  return { value: { text: unquote(span.text.slice(span.start, end)), quoted: true, at }, end }
}

function rawEnd (span: Span, { stops, pairs }: Ending): number {
  if (stops === '') return span.end
  let open = 0
  let index = span.start
  while (index < span.end && (open > 0 || !standsAt(span, index, stops))) {
    if (pairs && standsAt(span, index, '(')) open++
    if (pairs && standsAt(span, index, ')')) open--
    index++
  }
  return index
}

function expected (what: string, span: Span, index: number) {
  const found = index < span.end ? `not '${characterAt(span, index)}'` : 'but the text ends here'
  return invalidFilter(`Expected ${what}, ${found}.`, placeAt(span, index))
}
