import { malformedBody, validation } from '../../errors/errors.ts'
import { atLine } from '../../errors/place.ts'
import type { Violation } from '../../errors/violation.ts'
import type { Collection, Field } from '../../model/model.ts'
import { type BodyLimits, parseJson } from '../../request/body.ts'
import type { CsvRecord, Line } from '../../request/lines.ts'
import { findExposed } from '../field-path.ts'
import { tokenOf } from '../../errors/place.ts'
import { noSuchField } from './required.ts'
import { onLine, type ValueLines } from './value-lines.ts'

/**
 * Returns the reader of the records of CSV, the first of which holds the names of the columns; an empty slice is the
 * end. Throws validation for an unknown column, and for a record of another length, and malformed_body for a text that
 * ends without names. `escaped`: the text has the apostrophes of an answer.
 */
export function csvReader (
  collection: Collection, escaped: boolean, limits: Limits
): (slice: readonly Line[]) => ValueLines {
  let columns: readonly Column[] | undefined
  return slice => {
    if (columns === undefined && slice.length === 0) {
      throw malformedBody('The body has no records; the first record of CSV names the fields.')
    }
    const header = columns === undefined ? slice.find(line => !isBlank(line)) : undefined
    if (header !== undefined) columns = columnsOf(header, collection, escaped, limits)
    const named = columns ?? []
    const lines = slice.filter(line => line !== header && (named.length === 1 || !isBlank(line)))
    return {
      values: lines.map(({ at, content }) => onLine(at, () => valueOf(content as CsvRecord, named, at))),
      numbers: lines.map(({ at }) => at)
    }
  }
}

const isBlank = ({ content }: Line) => content.length === 1 && content[0] === null

interface Column { readonly name: string, read (text: string): unknown }

type Limits = Pick<BodyLimits, 'depth'>

function columnsOf (
  { at: line, content }: Line, collection: Collection, escaped: boolean, limits: Limits
): readonly Column[] {
  const names = (content as CsvRecord).map(name => name ?? '')
  const details = mistakesIn(names, collection).map(one => ({ line, ...one }))
  if (details.length > 0) throw atLine(validation(details), line)
  return names.map(name => {
    const read = readerOf(findExposed(collection, name), limits)
    return { name, read: escaped ? text => read(unescape(text)) : read }
  })
}

function mistakesIn (names: readonly string[], collection: Collection): readonly Violation[] {
  const before = new Set<string>()
  return names.flatMap((name): Violation[] => {
    const isTwice = before.has(name)
    before.add(name)
    if (isTwice) return [{ pointer: tokenOf(name), message: 'is the name of two columns' }]
    return findExposed(collection, name) !== undefined
      ? []
      : [{ pointer: tokenOf(name), message: noSuchField(name, collection) }]
  })
}

function valueOf (fields: CsvRecord, columns: readonly Column[], line: number): unknown {
  if (fields.length !== columns.length) {
    const message = `has ${fields.length} fields; the first record has ${columns.length}`
    throw atLine(validation([{ line, pointer: '', message }]), line)
  }
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [index, { name, read }] of columns.entries()) {
    const text = fields[index] ?? null
    value[name] = text === null ? null : read(text)
  }
  return value
}

/** Returns the reader of a field's text. A text that the field does not take stays text, and is a violation. */
function readerOf (field: Field | undefined, limits: Limits): Column['read'] {
  const type = field?.kind === 'stored' || field?.kind === 'input' ? field.type : undefined
  const pointer = field === undefined ? '' : tokenOf(field.name)
  if (type === undefined || type.kind === 'json') return text => readJson(text, limits, pointer)
  if (type.kind === 'string') return text => text
  // Spreadsheets write booleans in capitals.
  const spelt = (text: string) => type.kind === 'boolean' && /^(?:TRUE|FALSE)$/.test(text) ? text.toLowerCase() : text
  return text => type.parse(spelt(text)) ?? text
}

/** An answer writes a text as JSON only where it would be read as JSON itself. */
const readJson = (text: string, limits: Limits, pointer: string): unknown =>
  parseJson(text, limits, { pointer, otherwise: () => text })

/** Removes the apostrophes that answers put where a spreadsheet could begin a formula (response/stream.ts). */
const unescape = (text: string): string => text
  .replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, '')
  .replaceAll(/([;\t\r\n]"*)'(?='*[=+\-@＝＋－＠])/g, '$1')
