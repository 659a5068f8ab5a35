import { AsyncResource } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { type AnswerFormat, mediaTypes } from '../plan/media.ts'
import type { GroupColumn, Row, Selection, Shown } from '../plan/plan.ts'
import { memberPath, showField, valueOf } from '../plan/read/show.ts'
import { batching } from '../scheduling/batching.ts'
import type { Batches } from '../sources/source.ts'
import type { Answer } from './answer.ts'
import { itemWriter } from './items.ts'

/** How a stream writes a row: as JSON, and as the fields of a record of CSV. */
export interface Lines {
  json (row: Row): string
  /** `plain`: without the apostrophes before formulas. */
  readonly columns: ReadonlyArray<{ readonly name: string, field (row: Row, plain: boolean): string }>
}

/** Renders each row as a line, no faster than the client reads (docs/http.md: Pages and links). */
export function renderStream (
  batches: Batches['rows'], lines: Lines, format: AnswerFormat, headers: Readonly<Record<string, string>>
): Answer {
  const { media, header } = format
  const write = media === 'csv' ? csvLines : jsonLines
  const steps = inSteps(batches, () => body.destroyed)
  const body: Readable = Readable.from(write(steps, lines, format), { objectMode: false })
  const parameter = header === undefined ? '' : `; header=${header}`
  const type = { 'content-type': `${mediaTypes[media]}; charset=utf-8${parameter}` }
  return { status: 200, headers: { ...headers, ...type }, links: [], body }
}

/** Runs a step of the stream when its turn comes, in the asynchronous context of its request. */
type InStep = <T>(work: () => T | Promise<T>) => Promise<T>

interface Steps { readonly batches: Batches['rows'], readonly inStep: InStep }

/** Reads each batch in a step of its own: many streams from synchronous sources must not block other requests. */
function inSteps (batches: Batches['rows'], isOver: () => boolean): Steps {
  const resource = new AsyncResource('DataApiStream')
  const inStep: InStep = work => batching.step(work, resource)
  const end = { done: true, value: undefined } as const
  return {
    inStep,
    batches: {
      [Symbol.asyncIterator] () {
        const iterator = batches[Symbol.asyncIterator]()
        return {
          // A client may have left while the step waited for its turn.
          next: () => inStep(() => isOver() ? end : iterator.next()),
          return: async () => await iterator.return?.() ?? end
        }
      }
    }
  }
}

async function * jsonLines (steps: Steps, { json }: Lines): AsyncGenerator<string> {
  yield * renderBatches(steps, row => `${json(row)}\n`)
}

async function * csvLines (
  steps: Steps, { columns }: Lines, { header, bom, plain }: AnswerFormat
): AsyncGenerator<string> {
  const names = csvLine(columns.map(({ name }) => textField(name, plain)))
  const start = (bom ? byteOrderMark : '') + (header === 'absent' ? '' : names)
  if (start !== '') yield start
  yield * renderBatches(steps, row => csvLine(columns.map(({ field }) => field(row, plain))))
}

const byteOrderMark = '\u{feff}'

async function * renderBatches ({ batches, inStep }: Steps, render: (row: Row) => string): AsyncGenerator<string> {
  for await (const rows of batches) {
    for (let start = 0; start < rows.length;) {
      const piece = await inStep(() => renderPiece(rows, start, render))
      start = piece.end
      yield piece.text
    }
  }
}

// Characters. A batch of ordinary items is one piece; items of a megabyte are sent one by one.
const longestPiece = 2 ** 18

/** Renders rows from `start` on until the text is long enough to be sent. */
function renderPiece (rows: readonly Row[], start: number, render: (row: Row) => string) {
  let text = ''
  let end = start
  for (const row of start === 0 ? rows : rows.slice(start)) {
    if (text.length >= longestPiece) break
    text += render(row)
    end++
  }
  return { text, end }
}

/**
 * Returns the lines of items (RFC 4180). An object or array becomes JSON text, null an empty field, and the empty
 * string a quoted field; each function of a relation has a column, such as `moons.count`.
 */
export function itemLines (select: Selection): Lines {
  return {
    json: itemWriter(select),
    columns: select.flatMap(shown => {
      const { name, field: { property } } = shown
      if (shown.kind !== 'related') return [{ name, field: fieldOf(shown) }]
      return shown.values.map(csvColumn).map(one =>
        ({ name: `${name}.${one.name}`, field: (row: Row, plain: boolean) => one.field(row[property] as Row, plain) }))
    })
  }
}

const csvLine = (fields: readonly string[]) => `${fields.join(',')}\r\n`

const fieldOf = (shown: Shown): Lines['columns'][number]['field'] => {
  const kind = shown.kind === 'value' && shown.field.kind !== 'computed' ? shown.field.type.kind : 'json'
  return shown.field.kind === 'stored' && kind === 'json'
    ? (row, plain) => jsonField(showField(row, shown), plain)
    : (row, plain) => textField(showField(row, shown), plain)
}

/** A string of a field of JSON is text, unless that is JSON itself: an import would read the value that it holds. */
const jsonField = (value: unknown, plain: boolean): string =>
  textField(typeof value === 'string' && isJson(value) ? JSON.stringify(value) : value, plain)

function isJson (text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export const csvColumn = (column: GroupColumn): Lines['columns'][number] => ({
  name: memberPath(column).join('.'),
  field: (row, plain) => textField(valueOf(row, column), plain)
})

function textField (value: unknown, plain: boolean): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return quote(plain || isNumber.test(text) ? text : disarm(text))
}

/** A text that is a number is no formula: a decimal `-1.50`, a telephone number `+4915112345`. */
const isNumber = /^[+-]\d+(?:\.\d+)?$/

// A reader may take `;` or a tab for the separator, as spreadsheets of some languages do.
const quote = (text: string) =>
  text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula (OWASP, CSV injection): at the start of a
 * field, and where a field starts for a reader with another separator. To such a reader quotes mean nothing unless the
 * record begins with them. One more is put before apostrophes of the text itself, so that each can be taken away again
 * (plan/write/csv-lines.ts).
 */
function disarm (text: string): string {
  const inner = text.replaceAll(/([;\t\r\n]"*)(?='*[=+\-@＝＋－＠])/g, "$1'")
  return /^'*[=+\-@\t\r\n＝＋－＠]/.test(inner) ? `'${inner}` : inner
}
