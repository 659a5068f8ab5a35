import type { Readable } from 'node:stream'
import type { Collection } from '../../model/model.ts'
import { parseJson } from '../../request/body.ts'
import type { ImportFormat } from '../../request/import.ts'
import type { Line } from '../../request/lines.ts'
import type { ResourceOf } from '../path/walk.ts'
import { csvReader } from './csv-lines.ts'
import { onLine, type ValueLines } from './value-lines.ts'
import { planWrite, type Write, type WriteLimits, type WriteRequest } from './write.ts'

/** An import, before its lines are read (docs/http.md: Imports). */
export interface ImportPlan {
  readonly kind: 'import'
  readonly collection: Collection
  readonly format: ImportFormat
  readonly stream: Readable
  /** Returns the reader of the lines, in their order, from the first on. */
  reader (): (slice: readonly Line[]) => ValueLines
  /** Plans the items of a slice. Throws the errors of a POST of them, whose pointers begin with the index of a line. */
  planLines (values: readonly unknown[]): Write
}

/** Plans the import of a stream. Throws the error of a query parameter. */
export function planImport (
  resource: ResourceOf<'collection'>, request: WriteRequest, limits: WriteLimits,
  { format, stream }: Pick<ImportPlan, 'format' | 'stream'>
): ImportPlan {
  const { collection } = resource.from
  const planLines = (values: readonly unknown[]) => planWrite(resource, {
    ...request,
    represent: false,
    lines: true,
    body: { contentType: undefined, bytes: undefined, value: values, refusal: undefined }
  }, limits)
  // The parameters are refused before a line is read.
  planLines([])
  return {
    kind: 'import',
    collection,
    format,
    stream,
    reader: () => format.media === 'csv' ? csvReader(collection, format.escaped, limits) : jsonReader(limits),
    planLines
  }
}

const jsonReader = (limits: WriteLimits) => (slice: readonly Line[]): ValueLines => ({
  values: slice.map(({ at, content }) => onLine(at, () => parseJson(String(content), limits))),
  numbers: slice.map(({ at }) => at)
})
