import { decodePercent } from '../request/decode.ts'
import type { ParameterKind, Syntax } from '../request/syntax.ts'

/**
 * The explorer's own parameters. All begin with `_`, which no snake_case name does. Those of a form that is sent with
 * GET are answered by a redirect to the API's own URL, so that no page but a form has them.
 */
export const words = [
  // The form of the answer.
  '_format',
  // Pages besides that of the resource: forms, and a message after a write.
  '_new', '_edit', '_delete', '_done',
  // Parts of a page: a count, the field that a filter is asked for, the density of tables, fields whose values are
  // counted, and a name to find.
  '_count', '_filter', '_show', '_facet', '_find',
  // The style sheet of all pages.
  '_style',
  // Forms that are sent with GET: the query that they change, and the changes.
  '_query', '_at', '_field', '_equality', '_order', '_text', '_value', '_column',
  // The rows that were selected, and the format they are wanted in.
  '_row', '_as',
  // Members of forms that write.
  '_method', '_tag', '_was', '_keep', '_link', '_key',
  // A search for an item to refer to, and the item that was found.
  '_search', '_take'
] as const

/** A parameter of the explorer. */
type Word = typeof words[number]

/** A part of a query string between two `&`. */
export interface Part {
  /** As the client wrote it. */
  readonly raw: string
  /** Decoded. */
  readonly text: string
  /** `own` for a word of the explorer, `filter` for every name that is no parameter. */
  readonly kind: ParameterKind | 'own' | 'filter'
  readonly name: string
  /** The text after the first `=`. */
  readonly value: string
}

/** Splits a raw query string. Throws malformed_url. */
export function partsOf (raw: string, syntax: Syntax): readonly Part[] {
  return raw.split('&').filter(part => part !== '').map(part => readPart(part, syntax))
}

function readPart (raw: string, { parameters }: Syntax): Part {
  const text = decodePercent(raw.replaceAll('+', ' '), 'parameter')
  const equals = text.indexOf('=')
  const name = equals < 0 ? text : text.slice(0, equals)
  const value = equals < 0 ? '' : text.slice(equals + 1)
  const isOwn = words.some(word => word === name)
  const kind = isOwn ? 'own' : equals < 0 ? 'filter' : parameters.get(name) ?? 'filter'
  // The API has no such format: it asks for a page, and is not handed on.
  if (kind === 'format' && value === 'html') return { raw, text, kind: 'own', name: '_format', value }
  return { raw, text, kind, name, value }
}

/** Returns the value of a word, '' if it has none, and undefined without the word. */
export const wordOf = (word: Word, parts: readonly Part[]): string | undefined =>
  parts.find(({ kind, name }) => kind === 'own' && name === word)?.value

/** Returns all values of a word. */
export const wordsOf = (word: Word, parts: readonly Part[]): readonly string[] =>
  parts.filter(({ kind, name }) => kind === 'own' && name === word).map(({ value }) => value)

/** Returns the filters of a query. */
export const filtersIn = (parts: readonly Part[]): readonly Part[] =>
  parts.filter(({ kind }) => kind === 'filter' || kind === 'where')

/** Returns the raw query without the explorer's own words: the query of the API. */
export const ownQuery = (parts: readonly Part[]): string =>
  parts.filter(({ kind }) => kind !== 'own').map(({ raw }) => raw).join('&')
