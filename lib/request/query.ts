import { invalidFields, invalidFilter, invalidParameter, malformedUrl } from '../errors.ts'
import { type Budget, makeBudget } from './budget.ts'
import { decodePercent } from './decode.ts'
import { parseFilter } from './filter.ts'
import { addFilter, addParameter, makeDraft, type QueryDraft } from './parameter.ts'
import { memoize, memoizeRecent } from '../memoize.ts'
import type { Query } from './request.ts'
import { parseSelection } from './select.ts'
import { placeAt, type Span } from './span.ts'
import { nameEnd, type ParameterKind, type Syntax } from './syntax.ts'

/**
 * Reads a raw query string (docs/http.md: Query strings): split at `&`, each part percent-decoded once, `+` a space; a part that begins with a
 * parameter's name and `=` is that parameter, any other a filter. Throws malformed_url, invalid_parameter, or what the grammar of a part throws.
 */
export function parseQuery (raw: string, syntax: Syntax): Query {
  const draft = makeDraft()
  const budget = makeBudget(syntax)
  for (const text of decodedParts(raw)) addPart(draft, text, syntax, budget)
  return draft
}

/** A query string, read. `kept`: keptParameters(), worked out when they are first asked for. */
export interface QueryText { readonly query: Query, kept (): readonly string[] }

/** Reads a query string, unless it was read before, as most are: nothing in what it gives is ever changed. Throws what parseQuery() throws. */
export const readQuery = memoize((syntax: Syntax) => memoizeRecent((raw): QueryText => {
  let kept: readonly string[] | undefined
  return { query: parseQuery(raw, syntax), kept: () => (kept ??= keptParameters(raw, syntax)) }
}, recent))

// What is made of a text takes more room than it does, so long ones are not kept.
const recent = { most: 300, longest: 500 }

/** The parameters without those that name a page, percent-encoded so that a link can hold them. */
export function keptParameters (raw: string, syntax: Syntax): readonly string[] {
  const kept = decodedParts(raw).filter(text => !pageKinds.has(findParameter(text, syntax)?.kind))
  // A name and its `=` stay as they are, for whoever reads the link.
  return kept.map(text => plain.test(text) ? text : encodeURIComponent(text).replaceAll('%3D', '=').replaceAll('%2C', ','))
}

/** What stays as it is. */
const plain = /^[\w.~!*'(),=-]*$/

const pageKinds: ReadonlySet<ParameterKind | undefined> = new Set(['page', 'offset', 'after', 'before'])

function decodedParts (raw: string): readonly string[] {
  return raw.split('&').filter(part => part !== '').map(decodePart)
}

function decodePart (part: string): string {
  const text = decodePercent(part.replaceAll('+', ' '), 'parameter')
  if (text.includes('\0')) throw malformedUrl(`The parameter '${part}' holds a NUL character.`)
  return text
}

interface Parameter { readonly name: string, readonly kind: ParameterKind }

/** The parameter that the text begins with, if it is one. */
function findParameter (text: string, { parameters }: Syntax): Parameter | undefined {
  const equals = text.indexOf('=')
  if (equals < 0) return undefined
  const name = text.slice(0, equals)
  const kind = parameters.get(name)
  return kind && { name, kind }
}

function addPart (draft: QueryDraft, text: string, syntax: Syntax, budget: Budget): void {
  const parameter = findParameter(text, syntax)
  if (parameter === undefined) return addUnnamed(draft, text, syntax, budget)
  const { name, kind } = parameter
  const start = name.length + 1
  const span: Span = { text, start, end: text.length, parameter: name, origin: start }
  if (kind !== 'fields') return addParameter(draft, kind, span, syntax, budget)
  if (draft.fields !== undefined) throw invalidFields('The selection is given twice.', placeAt(span, start))
  draft.at.fields = placeAt(span, start)
  draft.fields = parseSelection(span, syntax, budget)
}

function addUnnamed (draft: QueryDraft, text: string, syntax: Syntax, budget: Budget): void {
  const end = nameEnd(text, 0)
  const span: Span = { text, start: 0, end: text.length, parameter: text.slice(0, end), origin: 0 }
  if (end === 0) throw invalidFilter('Expected the name of a field or a parameter.', placeAt(span, 0))
  if (!syntax.fieldParameters) throw invalidParameter(`There is no parameter '${span.parameter}'.`, placeAt(span, 0))
  addFilter(draft, parseFilter(span, syntax, budget), placeAt(span, 0))
}
