import { AsyncResource } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { batching } from '../scheduling/batching.ts'
import { type Format, mediaTypes } from '../plan/media.ts'
import type { Selection, Row } from '../plan/plan.ts'
import type { Batches } from '../sources/source.ts'
import type { Answer } from './answer.ts'
import { csvHeader, csvRecords } from './csv.ts'
import { itemWriter } from './item-writer.ts'
import { showItem } from '../plan/read/to-item.ts'

/** Renders each item as a line, no faster than the client reads (docs/http.md: Pages and links). */
export function renderStream (
  batches: Batches['rows'], select: Selection, format: Format, headers: Readonly<Record<string, string>>
): Answer {
  const { media, header } = format
  const lines = media === 'csv' ? csvLines : jsonLines
  const steps = inSteps(batches, () => body.destroyed)
  const body: Readable = Readable.from(lines(steps, select, format), { objectMode: false })
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

async function * jsonLines (steps: Steps, select: Selection): AsyncGenerator<string> {
  const write = itemWriter(select)
  yield * renderBatches(steps, row => `${write(row)}\n`)
}

async function * csvLines (steps: Steps, select: Selection, { header, bom }: Format): AsyncGenerator<string> {
  const start = (bom ? byteOrderMark : '') + (header === 'absent' ? '' : csvHeader(select))
  if (start !== '') yield start
  const record = csvRecords(select)
  yield * renderBatches(steps, row => record(showItem(row, select)))
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
