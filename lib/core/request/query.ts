import { invalidFields, invalidFilter, invalidParameter, malformedUrl } from '../errors/errors.ts'
import { type Budget, makeBudget } from './budget.ts'
import { decodePercent, tryDecodePercent } from './decode.ts'
import { parseFilter } from './filter.ts'
import { addFilter, addParameter, makeDraft, type QueryDraft, withInstead } from './parameter.ts'
import { memoize, memoizeLast, memoizeRecent } from '../scheduling/memoize.ts'
import type { Query } from './request.ts'
import { parseSelection } from './select.ts'
import { placeAt, type Span } from './span.ts'
import { insteadOf, nameEnd, type ParameterKind, parameterOf, type Syntax } from './syntax.ts'

/**
 * Parses a raw query string (docs/http.md: Query strings). It is split at `&`, then each part is percent-decoded once,
 * with `+` as a space. A part that begins with a parameter's name and `=` is that parameter, any other part is a
 * filter. Throws malformed_url, invalid_parameter, invalid_fields for a second selection, or what the grammar of a
 * part throws.
 */
export function parseQuery (raw: string, syntax: Syntax): Query {
  const draft = makeDraft()
  const budget = makeBudget(syntax)
  for (const text of decodedParts(raw, syntax)) if (!isIgnored(text, syntax)) addPart(draft, text, syntax, budget)
  return draft
}

/** A parsed query string, and what links need of it. */
export interface QueryText {
  readonly query: Query
  /** Calls keptParameters() the first time and caches the result. */
  otherParameters (): string
  pageName (kind: 'page' | 'offset' | 'after' | 'before'): string
}

/**
 * Parses a query string like parseQuery(), with a cache for each API: most query strings repeat. Requests share the
 * results, so no code may change them. Throws what parseQuery() throws.
 */
export function readQuery (raw: string, syntax: Syntax): QueryText {
  return cacheOf(syntax.here?.api ?? syntax)(raw)(syntax)
}

// The syntaxes of an API share a cache, so that its size does not depend on how many collections have one of their own.
const cacheOf = memoize((_api: Syntax) => memoizeRecent(raw => memoizeLast((syntax: Syntax): QueryText => {
  let otherParameters: string | undefined
  return {
    query: parseQuery(raw, syntax),
    otherParameters: () => (otherParameters ??= keptParameters(raw, syntax)),
    pageName: kind => parameterOf(kind, syntax)
  }
}), recent))

// A parsed query needs more memory than its text, so all texts are bounded together. Long ones repeat too, such as the
// filters of a grid; none takes more than a thirtieth of the bound.
const recent = { most: 300, longest: 5_000, characters: 150_000 }

/**
 * Returns the query that links repeat: all parameters but those that select a page, percent-encoded. Throws
 * malformed_url.
 */
export function keptParameters (raw: string, syntax: Syntax): string {
  const kept = decodedParts(raw, syntax).filter(text => !pageKinds.has(findParameter(text, syntax)?.kind))
  return kept.map(encodeParameter).join('&')
}

/** Encodes a parameter, but leaves `=` and `,` as they are, so that people can read the link. */
function encodeParameter (text: string): string {
  if (plain.test(text)) return text
  return encodeURIComponent(text).replaceAll('%3D', '=').replaceAll('%2C', ',')
}

/** A text that needs no encoding. */
const plain = /^[\w.~!*'(),=-]*$/

const pageKinds: ReadonlySet<ParameterKind | undefined> = new Set(['page', 'offset', 'after', 'before'])

function decodedParts (raw: string, syntax: Syntax): readonly string[] {
  return raw.split('&').filter(part => part !== '' && !isBroken(part, syntax)).map(decodePart)
}

/** Returns true for an ignored parameter that cannot be decoded. Whoever appends it to links is not in our control. */
function isBroken (part: string, { ignored }: Syntax): boolean {
  if (ignored === undefined) return false
  const [name = ''] = part.replaceAll('+', ' ').split('=', 1)
  const isNamed = ignored(tryDecodePercent(name) ?? '')
  return isNamed && (tryDecodePercent(part) ?? '\0').includes('\0')
}

function decodePart (part: string): string {
  const text = decodePercent(part.replaceAll('+', ' '), 'parameter')
  if (text.includes('\0')) throw malformedUrl(`The parameter '${part}' holds a NUL character.`)
  return text
}

/** Returns true for a parameter with a name that the application ignores, such as `_=1` or `utm_source=x`. */
function isIgnored (text: string, { ignored }: Syntax): boolean {
  if (ignored === undefined) return false
  const equals = text.indexOf('=')
  return ignored(equals < 0 ? text : text.slice(0, equals))
}

interface Parameter { readonly name: string, readonly kind: ParameterKind }

/** Returns the parameter whose name and `=` the text begins with, or undefined. */
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
  const filter = parseFilter(span, syntax, budget)
  addFilter(draft, withInstead(filter, insteadOf(span.parameter, syntax)), placeAt(span, 0))
}
