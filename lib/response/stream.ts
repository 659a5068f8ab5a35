import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type Media, mediaTypes } from '../plan/media.ts'
import type { Selection } from '../plan/plan.ts'
import type { Row } from '../sources/source.ts'
import type { Answer } from './answer.ts'
import { csvHeader, csvLine } from './csv.ts'
import { showItem } from '../plan/show.ts'

export type StreamedMedia = Exclude<Media, 'json'>

/** Items as they come, one a line, no faster than the client takes them (docs/http.md: Pages and links). */
export function renderStream (batches: AsyncIterable<readonly Row[]>, select: Selection, media: StreamedMedia, headers: Readonly<Record<string, string>>): Answer {
  const lines = media === 'csv' ? csvLines(batches, select) : jsonLines(batches, select)
  return { status: 200, headers: { ...headers, 'content-type': `${mediaTypes[media]}; charset=utf-8` }, links: [], body: Readable.from(lines, { objectMode: false }) }
}

async function * jsonLines (batches: AsyncIterable<readonly Row[]>, select: Selection): AsyncGenerator<string> {
  yield * renderBatches(batches, row => `${JSON.stringify(showItem(row, select))}\n`)
}

async function * csvLines (batches: AsyncIterable<readonly Row[]>, select: Selection): AsyncGenerator<string> {
  yield csvHeader(select)
  yield * renderBatches(batches, row => csvLine(Object.values(showItem(row, select))))
}

async function * renderBatches (batches: AsyncIterable<readonly Row[]>, render: (row: Row) => string): AsyncGenerator<string> {
  for await (const rows of batches) {
    if (rows.length > 0) yield rows.map(render).join('')
    // A source that answers at once would leave no turn to other requests.
    await setImmediate()
  }
}
