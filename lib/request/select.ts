import { invalidFields } from '../errors.ts'
import type { Budget } from './budget.ts'
import { readOptionFilter } from './filter.ts'
import { addFilter, addParameter, makeDraft, type QueryDraft } from './parameter.ts'
import type { FieldAsked, Query } from './request.ts'
import { characterAt, part, placeAt, type Span, standsAt } from './span.ts'
import { nameEnd, operatorAt, type Syntax } from './syntax.ts'

/**
 * A selection (docs/http.md: What an item shows):
 *
 *     selection = field { delimiter field }                     delimiter: "," ";" "+" or space, one or more
 *     field     = name [ "(" query ")" ]
 *     query     = selection { ";" option } | option { ";" option }
 *     option    = parameter "=" value | comparison              up to the next ";" or the ")" that closes the query; no fields, after, before
 *
 * Throws invalid_fields, or what the grammar of an option throws.
 */
export function parseSelection (span: Span, syntax: Syntax, budget: Budget): readonly FieldAsked[] {
  const { query, end } = parseNested(span, span.start, 0, syntax, budget)
  if (end < span.end) throw invalidFields(`Expected a field's name, not '${characterAt(span, end)}'.`, placeAt(span, end))
  if (query.fields === undefined) throw invalidFields('Expected the name of at least one field.', placeAt(span, span.start))
  return query.fields
}

interface ReadQuery { readonly query: Query, readonly end: number }

/** Reads names and options up to the closing parenthesis or the end. `depth` 0 is the parameter itself, which has no options. */
function parseNested (span: Span, start: number, depth: number, syntax: Syntax, budget: Budget): ReadQuery {
  if (depth > syntax.limits.depth) throw invalidFields(`Selections can be nested at most ${syntax.limits.depth} deep.`, placeAt(span, start))
  const draft = makeDraft()
  const fields: FieldAsked[] = []
  const delimiters = [...syntax.fields, ...depth > 0 ? optionDelimiter : ''].join('')
  let index = skip(span, start, delimiters)
  while (index < span.end && !standsAt(span, index, ')')) {
    const nameEnds = nameEnd(span.text, index)
    if (nameEnds === index) throw invalidFields(`Expected a field's name, not '${characterAt(span, index)}'.`, placeAt(span, index))
    if (depth > 0 && isOption(span, nameEnds, syntax)) {
      index = skip(span, addOption(draft, part(span, index, span.end), nameEnds, syntax, budget), delimiters)
      continue
    }
    if (hasOptions(draft)) throw invalidFields('The names of fields must come before the options.', placeAt(span, index))
    const { field, end } = parseField(span, index, nameEnds, depth, syntax, budget)
    fields.push(field)
    if (end < span.end && !standsAt(span, end, `)${delimiters}`)) throw invalidFields(`Expected a delimiter, not '${characterAt(span, end)}'.`, placeAt(span, end))
    index = skip(span, end, delimiters)
  }
  return { query: { ...draft, fields: fields.length > 0 ? fields : undefined }, end: index }
}

// Whatever is configured to stand between names.
const optionDelimiter = ';'

// The `=` after a parameter is one also where no operator is spelled so.
const isOption = (span: Span, nameEnds: number, syntax: Syntax) => standsAt(span, nameEnds, '=') || operatorAt(span.text, nameEnds, syntax) !== undefined

const hasOptions = ({ at }: Query) => Object.keys(at).length > 0

function parseField (span: Span, start: number, nameEnds: number, depth: number, syntax: Syntax, budget: Budget): { readonly field: FieldAsked, readonly end: number } {
  const at = placeAt(span, start)
  budget.spendField(at)
  const name = span.text.slice(start, nameEnds)
  if (!standsAt(span, nameEnds, '(')) return { field: { name, at }, end: nameEnds }
  const { query, end } = parseNested(span, nameEnds + 1, depth + 1, syntax, budget)
  if (end >= span.end) throw invalidFields('The parenthesis is not closed.', placeAt(span, nameEnds))
  if (query.fields === undefined && !hasOptions(query)) throw invalidFields('The parentheses are empty.', placeAt(span, nameEnds))
  return { field: { name, at, query }, end: end + 1 }
}

/** Adds the option at the span's start and gives the index of what follows it. */
function addOption (draft: QueryDraft, span: Span, nameEnds: number, syntax: Syntax, budget: Budget): number {
  const at = placeAt(span, span.start)
  const name = span.text.slice(span.start, nameEnds)
  const kind = standsAt(span, nameEnds, '=') ? syntax.parameters.get(name) : undefined
  if (kind === 'fields' || kind === 'after' || kind === 'before') throw invalidFields(`'${name}' cannot be used inside a selection.`, at)
  if (kind === undefined && !syntax.fieldParameters) throw invalidFields(`There is no parameter '${name}'.`, at)
  if (kind === undefined || kind === 'where') {
    const { filter, end } = readOptionFilter(kind === undefined ? span : part(span, nameEnds + 1, span.end), syntax, budget)
    addFilter(draft, filter, at)
    return end
  }
  const value = optionValue(part(span, nameEnds + 1, span.end))
  addParameter(draft, kind, value, syntax, budget)
  return value.end
}

/** The value of a sort or page option, in which nothing is quoted: up to the next `;` or `)`. */
function optionValue (span: Span): Span {
  let end = span.start
  while (end < span.end && !standsAt(span, end, ';)')) end++
  return part(span, span.start, end)
}

function skip (span: Span, start: number, delimiters: string): number {
  let index = start
  while (standsAt(span, index, delimiters)) index++
  return index
}
