import { invalidFields } from '../errors.ts'
import type { Budget } from './budget.ts'
import { addFilter, addParameter, makeDraft, type QueryDraft } from './parameter.ts'
import type { FieldAsked, Query } from './request.ts'
import { part, placeAt, quoteEnd, type Span } from './span.ts'
import { nameEnd, operatorAt, type Syntax } from './syntax.ts'

/**
 * A selection (docs/http.md: What an item shows):
 *
 *     selection = field { delimiter field }                     delimiter: "," ";" "+" or space, one or more
 *     field     = name [ "(" query ")" ]
 *     query     = [ selection ] { ";" option }
 *     option    = parameter "=" value | comparison              up to the next ";" or the ")" that closes the query
 *
 * Throws invalid_fields, or what the grammar of an option throws.
 */
export function parseSelection (span: Span, syntax: Syntax, budget: Budget): readonly FieldAsked[] {
  const { query, end } = parseNested(span, span.start, 0, syntax, budget)
  if (end < span.end) throw invalidFields(`Expected a field's name, not '${span.text[end]}'.`, placeAt(span, end))
  if (query.fields === undefined) throw invalidFields('Expected the name of a field at least.', placeAt(span, span.start))
  return query.fields
}

interface Read { readonly query: Query, readonly end: number }

/** Reads names and options up to the closing parenthesis or the end. `depth` 0 is the parameter itself, which has no options. */
function parseNested (span: Span, start: number, depth: number, syntax: Syntax, budget: Budget): Read {
  if (depth > syntax.limits.depth) throw invalidFields(`Selections can be nested ${syntax.limits.depth} deep at the most.`, placeAt(span, start))
  const draft = makeDraft()
  const fields: FieldAsked[] = []
  let optionsBegan = false
  let index = skipDelimiters(span, start, syntax)
  while (index < span.end && span.text[index] !== ')') {
    const name = Math.min(nameEnd(span.text, index), span.end)
    if (name === index) throw invalidFields(`Expected a field's name, not '${span.text[index]}'.`, placeAt(span, index))
    if (depth > 0 && operatorAt(span.text, name, syntax) !== undefined) {
      const end = optionEnd(span, name)
      addOption(draft, part(span, index, end), name, syntax, budget)
      optionsBegan = true
      index = skipDelimiters(span, end, syntax)
      continue
    }
    if (optionsBegan) throw invalidFields('Names stand before the options.', placeAt(span, index))
    const { field, end } = parseField(span, index, name, depth, syntax, budget)
    fields.push(field)
    if (end < span.end && span.text[end] !== ')' && !syntax.fields.has(span.text[end] ?? '')) throw invalidFields(`Expected a delimiter, not '${span.text[end]}'.`, placeAt(span, end))
    index = skipDelimiters(span, end, syntax)
  }
  return { query: { ...draft, fields: fields.length > 0 ? fields : undefined }, end: index }
}

function parseField (span: Span, start: number, nameEnds: number, depth: number, syntax: Syntax, budget: Budget): { readonly field: FieldAsked, readonly end: number } {
  const at = placeAt(span, start)
  budget.spendField(at)
  const name = span.text.slice(start, nameEnds)
  if (nameEnds >= span.end || span.text[nameEnds] !== '(') return { field: { name, at }, end: nameEnds }
  const { query, end } = parseNested(span, nameEnds + 1, depth + 1, syntax, budget)
  if (end >= span.end) throw invalidFields('The parenthesis is never closed.', placeAt(span, nameEnds))
  if (end === nameEnds + 1) throw invalidFields('Nothing stands between the parentheses.', placeAt(span, nameEnds))
  return { field: { name, at, query }, end: end + 1 }
}

function addOption (draft: QueryDraft, span: Span, nameEnds: number, syntax: Syntax, budget: Budget): void {
  const at = placeAt(span, span.start)
  const name = span.text.slice(span.start, nameEnds)
  const kind = span.text[nameEnds] === '=' ? syntax.parameters.get(name) : undefined
  if (kind === 'fields' || kind === 'after' || kind === 'before') throw invalidFields(`'${name}' cannot stand inside a selection.`, at)
  if (kind !== undefined) return addParameter(draft, kind, part(span, nameEnds + 1, span.end), syntax, budget)
  if (!syntax.fieldParameters) throw invalidFields(`There is no parameter '${name}'.`, at)
  addFilter(draft, span, syntax, budget)
}

/** An option's value ends at the `;` or `)` of its own level, quotes passed over. */
function optionEnd (span: Span, start: number): number {
  let open = 0
  let index = start
  while (index < span.end) {
    const character = span.text[index]
    if (character === '"') {
      index = quoteEnd(span, index)
      continue
    }
    if (open === 0 && (character === ';' || character === ')')) return index
    if (character === '(') open++
    if (character === ')') open--
    index++
  }
  return index
}

function skipDelimiters ({ text, end }: Span, start: number, { fields }: Syntax): number {
  let index = start
  while (index < end && fields.has(text[index] ?? '')) index++
  return index
}
