import { invalidFilter } from '../errors/errors.ts'
import { traitsOf } from '../model/values.ts'
import type { Budget } from './budget.ts'
import { callEnd, readPath } from './dotted-path.ts'
import type { Filter, ValueText } from './request.ts'
import { characterAt, part, placeAt, quoteEnd, type Span, standsAt, unquote } from './span.ts'
import { nameEnd, operatorAt, type Syntax } from './syntax.ts'

/** A filter that was read, and the index of the character after it. */
interface FilterRead { readonly filter: Filter, readonly end: number }

/**
 * Parses a filter (docs/http.md: Query strings):
 *
 *     filter     = ["!"] group | "!()" | element | comparison
 *     group      = "(" filter { "," filter } ")" | "(" filter { "|" filter } ")"
 *     element    = path ( group | "()" )
 *     comparison = ( path | path "." function ) operator ( value | list )
 *     path       = name { "." name }
 *     function   = name "()"
 *     list       = [ value { ("," | ";") value } ]
 *     value      = quoted | raw
 *     quoted     = '"' { character | '\"' | '\\' } '"'
 *
 * A list follows an operator that takes lists. In a group or a selection it can be in parentheses; in a group, a list
 * with a "," needs them. A raw value ends where the parameter ends; in a group also before "," "|" ")", in a selection
 * also before ";" ")". Throws invalid_filter with the position of the first character that does not fit.
 */
export function parseFilter (span: Span, syntax: Syntax, budget: Budget): Filter {
  const { filter, end } = readFilter(span, alone, 0, syntax, budget)
  if (end < span.end) throw expected('the end of the filter', span, end)
  return filter
}

/** Reads a filter that is an option of a selection, where `;` or `)` ends it. Throws invalid_filter. */
export function readOptionFilter (span: Span, syntax: Syntax, budget: Budget): FilterRead {
  const read = readFilter(span, inSelection, 0, syntax, budget)
  if (read.end < span.end && !standsAt(span, read.end, inSelection.stops)) throw expected("';' or ')'", span, read.end)
  return read
}

/** The characters that end a raw value. With `pairs`, a pair of parentheses inside the value does not end it. */
interface Ending { readonly stops: string, readonly pairs: boolean }

const alone: Ending = { stops: '', pairs: false }
const inGroup: Ending = { stops: ',|)', pairs: false }
const inSelection: Ending = { stops: ';)', pairs: true }

/** Reads a filter from the start of the span. `depth` is the number of groups around it. */
function readFilter (span: Span, ending: Ending, depth: number, syntax: Syntax, budget: Budget): FilterRead {
  if (standsAt(span, span.start, '(')) return readGroup(span, depth + 1, syntax, budget)
  if (standsAt(span, span.start, '!') && standsAt(span, span.start + 1, '(')) {
    const { filter, end } = readPossiblyEmpty(part(span, span.start + 1, span.end), depth + 1, syntax, budget)
    return { filter: { kind: 'not', of: filter }, end }
  }
  const nameEnds = nameEnd(span.text, span.start)
  const isElement = nameEnds > span.start && standsAt(span, nameEnds, '(') && !isCompared(span, nameEnds, syntax)
  return isElement ? readElement(span, nameEnds, depth, syntax, budget) : readComparison(span, ending, syntax, budget)
}

/** Returns true if the name is that of a function, whose value is compared. */
function isCompared (span: Span, nameEnds: number, syntax: Syntax): boolean {
  const end = callEnd(span, nameEnds)
  return end > nameEnds && operatorAt(span.text, end, syntax) !== undefined
}

/** Reads the filters in parentheses after a path: one element at its end must match them all, or any of them. */
function readElement (span: Span, nameEnds: number, depth: number, syntax: Syntax, budget: Budget): FilterRead {
  const at = placeAt(span, span.start)
  budget.spendTerm(at)
  const path = readPath(part(span, span.start, nameEnds), syntax, 'filter', invalidFilter)
  const inside = depth + path.length
  const { filter: of, end } = readPossiblyEmpty(part(span, nameEnds, span.end), inside, syntax, budget)
  return { filter: { kind: 'some', path, of, at }, end }
}

const nothing: Filter = { kind: 'all', of: [] }

/** Reads a group that can be empty: every item matches that. */
function readPossiblyEmpty (span: Span, depth: number, syntax: Syntax, budget: Budget): FilterRead {
  if (standsAt(span, span.start + 1, ')')) return { filter: nothing, end: span.start + 2 }
  return readGroup(span, depth, syntax, budget)
}

/** The kind of a group by its separator. */
const kinds: Readonly<Record<string, 'all' | 'any'>> = { ',': 'all', '|': 'any' }

function readGroup (span: Span, depth: number, syntax: Syntax, budget: Budget): FilterRead {
  const { limits } = syntax
  if (depth > limits.depth) {
    throw invalidFilter(`Groups can be nested at most ${limits.depth} deep (limit 'depth').`, placeAt(span, span.start))
  }
  const members: Filter[] = []
  let separator: string | undefined
  let index = span.start + 1
  for (;;) {
    const { filter, end } = readFilter(part(span, index, span.end), inGroup, depth, syntax, budget)
    members.push(filter)
    if (!standsAt(span, end, inGroup.stops)) throw expected("',', '|' or ')'", span, end)
    index = end + 1
    const character = characterAt(span, end)
    if (character === ')') break
    if (separator !== undefined && separator !== character) {
      const message = "A group cannot mix ',' (and) with '|' (or); put one of them in its own parentheses."
      throw invalidFilter(message, placeAt(span, end))
    }
    separator = character
  }
  return { filter: { kind: kinds[separator ?? ','] ?? 'all', of: members }, end: index }
}

function readComparison (span: Span, ending: Ending, syntax: Syntax, budget: Budget): FilterRead {
  const at = placeAt(span, span.start)
  budget.spendTerm(at)
  const nameEnds = callEnd(span, nameEnd(span.text, span.start))
  if (nameEnds === span.start) throw expected("a field's name", span, nameEnds)
  const path = readPath(part(span, span.start, nameEnds), syntax, 'filter', invalidFilter)
  const [spelling, operator] = operatorAt(span.text, nameEnds, syntax) ?? []
  if (spelling === undefined || operator === undefined) throw expected('an operator', span, nameEnds)
  const values = part(span, nameEnds + spelling.length, span.end)
  if (standsAt(values, values.start, '=')) throw doubledEquals(values)
  if (traitsOf(operator).list) {
    const list = readList(values, ending, syntax, budget)
    return { filter: { kind: 'compare', path, operator, values: list.values, at }, end: list.end }
  }
  const { value, end } = readValue(values, ending)
  return { filter: { kind: 'compare', path, operator, values: [value], at }, end }
}

interface ListRead { readonly values: readonly ValueText[], readonly end: number }

/**
 * Reads a list. A delimiter that also ends the comparison does not separate values, unless the list is in
 * parentheses.
 */
function readList (span: Span, ending: Ending, syntax: Syntax, budget: Budget): ListRead {
  const { listLength } = syntax.limits
  const parenthesized = ending !== alone && standsAt(span, span.start, '(')
  const { stops, pairs } = parenthesized ? { stops: ')', pairs: false } : ending
  const delimiters = [...syntax.list].filter(delimiter => !stops.includes(delimiter)).join('')
  const values: ValueText[] = []
  let index = span.start + (parenthesized ? 1 : 0)
  let more = index < span.end && !standsAt(span, index, stops)
  while (more) {
    const { value, end } = readValue(part(span, index, span.end), { stops: stops + delimiters, pairs })
    budget.spendValue(value.at)
    if (values.push(value) > listLength) {
      throw invalidFilter(`A list can have at most ${listLength} values (limit 'listLength').`, value.at)
    }
    more = standsAt(span, end, delimiters)
    index = more ? end + 1 : end
  }
  if (parenthesized && index >= span.end) {
    throw invalidFilter('The parenthesis is not closed.', placeAt(span, span.start))
  }
  return { values, end: parenthesized ? index + 1 : index }
}

interface ValueRead { readonly value: ValueText, readonly end: number }

function readValue (span: Span, ending: Ending): ValueRead {
  const at = placeAt(span, span.start)
  if (!standsAt(span, span.start, '"')) {
    const end = rawEnd(span, ending)
    return { value: { text: span.text.slice(span.start, end), quoted: false, at }, end }
  }
  const end = quoteEnd(span, span.start)
  if (end === undefined) throw invalidFilter('The quote is not closed.', at)
  if (end < span.end && !standsAt(span, end, ending.stops)) {
    throw expected('the end of the value after its closing quote', span, end)
  }
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

/**
 * Builders of query strings put a `=` behind every name, so `{ 'age>=': 5 }` becomes `age>==5`. To compare with `=5`
 * would be a silent mistake.
 */
const doubledEquals = (span: Span) => invalidFilter(
  "A value that begins with '=' must be in double quotes. If a query-string builder has added this '=', " +
  'write the whole filter as the value of a parameter, such as where=age>=30.',
  placeAt(span, span.start)
)

function expected (what: string, span: Span, index: number) {
  const found = index < span.end ? `not '${characterAt(span, index)}'` : 'but the text ends here'
  return invalidFilter(`Expected ${what}, ${found}.`, placeAt(span, index))
}
