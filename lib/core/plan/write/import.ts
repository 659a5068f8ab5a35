import type { Readable } from 'node:stream'
import { DataApiError } from '../../errors/errors.ts'
import { atLine } from '../../errors/place.ts'
import type { Collection } from '../../model/model.ts'
import { parseJson } from '../../request/body.ts'
import type { ImportFormat, Received } from '../../request/receive.ts'
import type { Line } from '../../request/lines.ts'
import type { ResourceOf } from '../path/walk.ts'
import type { Step } from '../plan.ts'
import { stepsOf } from '../read/read.ts'
import { csvReader } from './csv-lines.ts'
import { type NamedLines, planNaming, type Resolution } from './merge.ts'
import type { ValueLines } from './value-lines.ts'
import type { WriteLimits } from './limits.ts'
import { planWrite, type Write, type WriteRequest } from './write.ts'

/** An import, before its lines are read (docs/http.md: Imports). */
export interface ImportPlan {
  readonly kind: 'import'
  readonly collection: Collection
  readonly format: ImportFormat
  readonly stream: Readable | Received
  /** Returns the reader of the lines, in their order, from the first on. */
  reader (): (slice: readonly Line[]) => ValueLines
  /** Plans the items of a slice. Throws the errors of a POST of them, whose pointers begin with the index of a line. */
  planLines (values: readonly unknown[]): Write
  /** What becomes of items that exist; undefined where they are an error, and lines are planned together. */
  readonly resolution: Resolution | undefined
  /** Plans a line that may name an existing item. `unless`: the path to an item that is left as it is. */
  planLine (value: unknown): { readonly write: Write, readonly unless: readonly Step[] | undefined }
  /** Plans to read which of the items exist that lines name, where these are left as they are. */
  planNamed (values: readonly unknown[]): NamedLines | undefined
  /** Returns the text by which the lines of a slice are ordered. */
  orderOf (value: unknown): string
}

/** Throws the error of a query parameter. */
export function planImport (
  resource: ResourceOf<'collection'>, request: WriteRequest & { readonly resolution: string | undefined },
  limits: WriteLimits, { format, stream }: Pick<ImportPlan, 'format' | 'stream'>
): ImportPlan {
  const { collection } = resource.from
  const resolution = resolutionOf(request.resolution)
  const naming = resolution && planNaming(resource, resolution, request)
  const { filter: _by, ...at } = request.query.at
  const query = naming === undefined ? request.query : { ...request.query, at }
  const asked = (value: unknown): WriteRequest => ({
    ...request,
    query,
    represent: false,
    body: { contentType: undefined, bytes: undefined, value, refusal: undefined }
  })
  const planLines = (values: readonly unknown[]) => planWrite(resource, { ...asked(values), lines: true }, limits)
  const planLine: ImportPlan['planLine'] = value => {
    const item = naming?.itemOf(value)
    if (item === undefined || resolution === 'ignore') {
      return { write: planWrite(resource, asked(value), limits), unless: item && stepsOf(item.walked) }
    }
    return { write: planWrite(item, { ...asked(value), method: 'PATCH' }, limits), unless: undefined }
  }
  // The parameters are refused before a line is read.
  planLines([])
  return {
    kind: 'import',
    collection,
    format,
    stream,
    reader: () => format.media === 'csv' ? csvReader(collection, format.escaped, limits) : jsonReader(limits),
    planLines,
    resolution,
    planLine,
    planNamed: values => resolution === 'ignore' ? naming?.planNamed(values) : undefined,
    orderOf: value => naming?.orderOf(value) ?? ''
  }
}

function resolutionOf (text: string | undefined): Resolution | undefined {
  if (text === undefined || text === 'merge' || text === 'ignore') return text
  throw new DataApiError('invalid_preference', "The preference 'resolution' is 'merge' or 'ignore'.")
}

const jsonReader = (limits: WriteLimits) => (slice: readonly Line[]): ValueLines => {
  const values: unknown[] = []
  const numbers: number[] = []
  for (const { at, content } of slice) {
    numbers.push(at)
    // Without a function for each line, of which there are millions.
    try {
      values.push(parseJson(String(content), limits))
    } catch (error) {
      throw error instanceof DataApiError ? atLine(error, at) : error
    }
  }
  return { values, numbers }
}
