import type { CollectionView, Face, Sight, Who } from '../../core/api/face.ts'
import type { McpLimits } from '../../core/api/options.ts'
import type { Answer } from '../../core/response/answer.ts'
import { isReadCollection, writesOf } from './describe.ts'
import { fit, type Fitting } from './fit.ts'

/** What an agent may do, as the caller of one request: each call has the caller's rules, as a request of HTTP has. */
export interface Agent {
  /** The most characters of what it is told at once. */
  readonly length: number
  /** The most operations of a write; 0 where the door takes none. */
  readonly operations: number
  /** Returns what the caller sees, and the collections that it may read, or write by this door. */
  uses (): Promise<Uses>
  /** Returns the data of a URL, a path of the API with its query. Rejects as GET does. */
  get (url: string, count: boolean): Promise<Fitting>
  /** Returns true if the caller may send keys, under which writes can be repeated. */
  hasKeys (): boolean
  /** Returns the answer to a batch. `operations`: as its body has them. Rejects as a batch does. */
  write (operations: unknown, options: { readonly dryRun: boolean, readonly key: string | undefined }): Promise<Answer>
  /** Returns what HTTP answers for an error, and logs what the client cannot explain. */
  fail (thrown: unknown): Answer
}

export interface Uses { readonly sight: Sight, readonly collections: readonly CollectionView[] }

/** Returns the answer for what was thrown, in the plain form, and logs what the client cannot explain. */
export type Fail = (thrown: unknown, request: Who['request']) => Answer

export function makeAgents (
  face: Face, { length, write }: McpLimits, fail: Fail
): (request: Who['request']) => Agent {
  const reading = readingBy(face)
  const operations = write === false ? 0 : Math.min(mostOperations, face.operations)
  // What is too long to be told is not written.
  const writing = face.with({ ...asAgentsRead, operations, length })
  return request => {
    const visitor = (of: Face, url: string) => of.as({
      request,
      text: textOf(url),
      note: facts => { request.dataApi = { ...facts, door: 'mcp', method: request.method } }
    })
    return {
      length,
      operations,
      async uses () {
        const sight = await visitor(face, '/').sight()
        const collections = sight.collections.filter(one =>
          isReadCollection(one, sight) || (operations > 0 && writesOf(one, sight).length > 0))
        return { sight, collections }
      },
      get: (url, count) => fit(length, async most => {
        const made = await visitor(reading(most), url).ask({ prefer: count ? 'count=exact' : undefined, noted: true })
        const kind = request.dataApi?.kind
        const isPage = kind === 'list' || kind === 'dictionary'
        return { answer: made, isPage, isTagged: operations > 0 && kind === 'item' }
      }),
      hasKeys: () => visitor(face, '/').hasKeys(),
      write: (body, { dryRun, key }) => visitor(writing, '/').ask({
        method: 'POST',
        prefer: dryRun ? 'dry-run' : undefined,
        // In the quotes of a structured string.
        idempotencyKey: key && JSON.stringify(key),
        body,
        noted: true
      }),
      fail: thrown => fail(thrown, request)
    }
  }
}

// Those of one call are written by a model, and read by who approves of it.
const mostOperations = 20

/** An agent reads JSON, with a link to the next page, and paths for URLs. */
const asAgentsRead = { pageLinks: 'header', previousLink: false, linkLength: Infinity, plain: true } as const

/** Returns the API as an agent reads it, with pages of so many items. Plans are kept for each of these sizes. */
function readingBy (face: Face): (most: number) => Face {
  const faces = new Map<number, Face>()
  return most => {
    const known = faces.get(most) ?? face.with({ ...asAgentsRead, mostOnPage: most })
    faces.set(most, known)
    return known
  }
}

/** Returns the request of a URL that an agent wrote, in which a percent sign may stand for itself. */
function textOf (url: string): Who['text'] {
  const path = url.startsWith('/') ? url : `/${url}`
  return {
    method: 'GET',
    url: path.replaceAll(/%(?![\dA-Fa-f]{2})/g, '%25'),
    rootLength: 0,
    router: { ignoreDuplicateSlashes: false, useSemicolonDelimiter: false },
    origin: () => '',
    accept: 'application/json',
    prefer: undefined,
    cacheControl: undefined,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    idempotencyKey: undefined,
    body: { contentType: undefined, bytes: undefined, value: undefined, refusal: undefined }
  }
}
