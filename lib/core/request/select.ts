import { invalidFields } from '../errors/errors.ts'
import type { Budget } from './budget.ts'
import { readOptionFilter } from './filter.ts'
import { addFilter, addParameter, makeDraft, type QueryDraft, withInstead } from './parameter.ts'
import { callEnd, readPath } from './dotted-path.ts'
import type { FieldAsked, Query } from './request.ts'
import { characterAt, part, placeAt, type Span, standsAt } from './span.ts'
import { insteadOf, nameEnd, operatorAt, type Syntax } from './syntax.ts'

/**
 * Parses a selection (docs/http.md: What an item shows):
 *
 *     selection = field { delimiter field }
 *     field     = name [ "(" query ")" ] | name { "." name } "." function | "count()"
 *     query     = selection { ";" option } | option { ";" option }
 *     option    = parameter "=" value | comparison
 *
 * A delimiter is one or more of "," ";" "+" and space. An option ends before the next ";" or before the ")" that closes
 * the query; its parameter cannot be one of fields, after, before and
 * format. Throws invalid_fields, or what the grammar of an
 * option throws.
 */
export function parseSelection (span: Span, syntax: Syntax, budget: Budget): readonly FieldAsked[] {
  const { query, end } = parseNested(span, span.start, 0, syntax, budget)
  if (end < span.end) throw expectedName(span, end)
  if (query.fields === undefined) {
    throw invalidFields('Expected the name of at least one field.', placeAt(span, span.start))
  }
  return query.fields
}

/** A query inside of parentheses that was read, and the index of the character after it. */
interface NestedRead { readonly query: Query, readonly end: number }

/**
 * Reads names and options up to the closing parenthesis or the end. At `depth` 0, that of the parameter itself, there
 * are no options.
 */
function parseNested (span: Span, start: number, depth: number, syntax: Syntax, budget: Budget): NestedRead {
  const { limits } = syntax
  if (depth > limits.depth) {
    throw invalidFields(`Selections can be nested at most ${limits.depth} deep (limit 'depth').`, placeAt(span, start))
  }
  const draft = makeDraft()
  const fields: FieldAsked[] = []
  const delimiters = [...syntax.fields, ...depth > 0 ? optionDelimiter : ''].join('')
  let index = skip(span, start, delimiters)
  while (index < span.end && !standsAt(span, index, ')')) {
    const nameEnds = nameEnd(span.text, index)
    if (nameEnds === index) throw expectedName(span, index)
    if (depth > 0 && isOption(span, nameEnds, syntax)) {
      index = skip(span, addOption(draft, part(span, index, span.end), nameEnds, syntax, budget), delimiters)
      continue
    }
    if (hasOptions(draft)) {
      throw invalidFields('The names of fields must come before the options.', placeAt(span, index))
    }
    const { field, end } = parseField(span, index, nameEnds, depth, syntax, budget)
    fields.push(field)
    if (end < span.end && !standsAt(span, end, `)${delimiters}`)) {
      const expected = `'${delimiters.charAt(0)}' or ${depth > 0 ? "')'" : 'the end'}`
      throw invalidFields(`Expected ${expected}, not '${characterAt(span, end)}'.`, placeAt(span, end))
    }
    index = skip(span, end, delimiters)
  }
  return { query: { ...draft, fields: fields.length > 0 ? fields : undefined }, end: index }
}

function expectedName (span: Span, index: number) {
  return invalidFields(`Expected a field's name, not '${characterAt(span, index)}'.`, placeAt(span, index))
}

// Fixed: the delimiters of names can be configured, that of options cannot.
const optionDelimiter = ';'

// An `=` makes a parameter even if the configured operators do not include it.
function isOption (span: Span, nameEnds: number, syntax: Syntax): boolean {
  return standsAt(span, nameEnds, '=') || operatorAt(span.text, callEnd(span, nameEnds), syntax) !== undefined
}

const hasOptions = ({ at }: Query) => Object.keys(at).length > 0

interface FieldRead { readonly field: FieldAsked, readonly end: number }

function parseField (
  span: Span, start: number, nameEnds: number, depth: number, syntax: Syntax, budget: Budget
): FieldRead {
  const at = placeAt(span, start)
  budget.spendField(at)
  const name = span.text.slice(start, nameEnds)
  const end = callEnd(span, nameEnds)
  if (name.includes('.')) {
    const path = readPath(part(span, start, end), syntax, 'selection', invalidFields)
    if (end === nameEnds) throw invalidFields(dottedName(path), at)
    return { field: { name: path.join('.'), at }, end }
  }
  if (name === 'count' && end > nameEnds) return { field: { name: 'count()', at }, end }
  if (!standsAt(span, nameEnds, '(')) return { field: { name, at }, end: nameEnds }
  const inside = syntax.here?.inside(name) ?? syntax
  const { query, end: closes } = parseNested(span, nameEnds + 1, depth + 1, inside, budget)
  if (closes >= span.end) throw invalidFields('The parenthesis is not closed.', placeAt(span, nameEnds))
  if (query.fields === undefined && !hasOptions(query)) {
    throw invalidFields('The parentheses are empty.', placeAt(span, nameEnds))
  }
  return { field: { name, at, query }, end: closes + 1 }
}

/** Returns the message for a path, which no field has for its name; in filters and sorts it leads through relations. */
export function dottedName (path: readonly string[]): string {
  const isCall = path.at(-1)?.endsWith('()') === true
  const [fields, call] = isCall ? [path.slice(0, -1), `.${path.at(-1)}`] : [path, '']
  const nested = fields.join('(') + call + ')'.repeat(fields.length - 1)
  return `'${path.join('.')}' is not the name of a field; the fields of a relation are written '${nested}'.`
}

/** Adds the option at the start of the span. Returns the index of the character after it. */
function addOption (draft: QueryDraft, span: Span, nameEnds: number, syntax: Syntax, budget: Budget): number {
  const at = placeAt(span, span.start)
  const name = span.text.slice(span.start, nameEnds)
  const kind = standsAt(span, nameEnds, '=') ? syntax.parameters.get(name) : undefined
  if (kind === 'fields' || kind === 'after' || kind === 'before' || kind === 'format') {
    throw invalidFields(`'${name}' cannot be used inside a selection.`, at)
  }
  if (kind === undefined && !syntax.fieldParameters) throw invalidFields(`There is no parameter '${name}'.`, at)
  if (kind === undefined || kind === 'where') {
    const filterSpan = kind === undefined ? span : part(span, nameEnds + 1, span.end)
    const { filter, end } = readOptionFilter(filterSpan, syntax, budget)
    addFilter(draft, withInstead(filter, insteadOf(name, syntax)), at)
    return end
  }
  const value = optionValue(part(span, nameEnds + 1, span.end))
  addParameter(draft, kind, value, syntax, budget)
  return value.end
}

/** Returns the value of a sort or page option, which ends before the next `;` or `)` but for those of functions. */
function optionValue (span: Span): Span {
  let end = span.start
  while (end < span.end && !standsAt(span, end, ';)')) end = Math.max(callEnd(span, end), end + 1)
  return part(span, span.start, end)
}

function skip (span: Span, start: number, delimiters: string): number {
  let index = start
  while (standsAt(span, index, delimiters)) index++
  return index
}
