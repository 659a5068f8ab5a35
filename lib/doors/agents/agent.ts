import { answer, type Api } from '../../core/api/answer.ts'
import type { McpLimits } from '../../core/api/options.ts'
import type { Context } from '../../core/declare/collection.ts'
import { type View, viewsOf } from '../documents/describing.ts'
import type { RequestText } from '../../core/request/parse.ts'
import type { Answer } from '../../core/response/answer.ts'
import { permissionsOf } from '../../core/rules/methods.ts'
import { memoizeRecent } from '../../core/scheduling/memoize.ts'
import { isRead, writesOf } from './describe.ts'
import { fit, type Fitting } from './fit.ts'

/** What an agent may do, as the caller of one request: each call has the caller's rules, as a request of HTTP has. */
export interface Agent {
  /** The most characters of what it is told at once. */
  readonly length: number
  /** The most operations of a write; 0 where the door takes none. */
  readonly operations: number
  /** Returns the collections that the caller may read, or write by this door. */
  views (): Promise<readonly View[]>
  /** Returns the data of a URL, a path of the API with its query. Rejects as GET does. */
  get (url: string, count: boolean): Promise<Fitting>
  /** Returns true if the caller may send keys, under which writes can be repeated. */
  hasKeys (): boolean
  /** Returns the answer to a batch. `operations`: as its body has them. Rejects as a batch does. */
  write (operations: unknown, options: { readonly dryRun: boolean, readonly key: string | undefined }): Promise<Answer>
  /** Returns what HTTP answers for an error, and logs what the client cannot explain. */
  fail (thrown: unknown): Answer
}

/** Returns the answer for what was thrown, and logs what the client cannot explain. */
export type Fail = (thrown: unknown, request: Context['request'], options: Api['options']) => Answer

/** Returns a function that makes the agent of a request. */
export function makeAgents (
  api: Api, { length, write }: McpLimits, fail: Fail
): (request: Context['request']) => Agent {
  const { model, callers, own, keys } = api
  const apiOf = memoizeRecent(most => forAgents(api, Number(most)), { most: 100 })
  const { options } = apiOf('Infinity')
  const operations = write === false ? 0 : Math.min(mostOperations, options.batch?.operations ?? 0)
  const writing = forWriting(apiOf('Infinity'), operations, length)
  return request => {
    const ask = (text: RequestText, of: Api) => answer(text, of, own.contextOf(request), facts => {
      request.dataApi = { ...facts, door: 'mcp' }
    })
    return {
      length,
      operations,
      async views () {
        const all = await callers.all(own.contextOf(request))
        return viewsOf(name => {
          const caller = all.get(name)
          return caller && permissionsOf(caller)
        }, [...model.collections.keys()]).filter(view => isRead(view) || (operations > 0 && writesOf(view).length > 0))
      },
      get: (url, count) => fit(length, async most => {
        const made = await ask(textOf(url, count), apiOf(String(most)))
        const kind = request.dataApi?.kind
        const isPage = kind === 'list' || kind === 'dictionary'
        return { answer: made, isPage, isTagged: operations > 0 && kind === 'item' }
      }),
      hasKeys: () => keys?.isFor(own.contextOf(request)) === true,
      write: async (body, { dryRun, key }) => ask({
        ...textOf('/', false),
        method: 'POST',
        prefer: dryRun ? 'dry-run' : undefined,
        // In the quotes of a structured string.
        idempotencyKey: key && JSON.stringify(key),
        body: { contentType: 'application/json', bytes: undefined, value: body, refusal: undefined }
      }, writing),
      fail: thrown => fail(thrown, request, options)
    }
  }
}

// Those of one call are written by a model, and read by who approves of it.
const mostOperations = 20

/** Returns the API as an agent reads it: JSON, pages of `most` items with a link to the next, and paths for URLs. */
function forAgents (api: Api, most: number): Api {
  const { options } = api
  const answers = { ...options.answers, pageLinks: 'header', previousLink: false, linkLength: Infinity } as const
  const paged = { ...options.reads.paged, linkStyle: 'auto', mostOnPage: most } as const
  return {
    ...api,
    options: {
      ...options,
      site: undefined,
      streams: () => false,
      isLive: () => false,
      answers,
      reads: { ...options.reads, paged },
      responseContent: { ...options.responseContent, errors: 'plain', developerErrors: false }
    }
  }
}

/** Returns the API as an agent writes it: what is too long to be told is not written. */
const forWriting = (api: Api, operations: number, length: number): Api => {
  const { options } = api
  const answers = { ...options.answers, length: Math.min(options.answers.length, length) }
  return { ...api, options: { ...options, batch: { operations }, answers } }
}

/** Returns the request of a URL that an agent wrote, in which a percent sign may stand for itself. */
function textOf (url: string, count: boolean): RequestText {
  const path = url.startsWith('/') ? url : `/${url}`
  return {
    method: 'GET',
    url: path.replaceAll(/%(?![\dA-Fa-f]{2})/g, '%25'),
    rootLength: 0,
    router: { ignoreDuplicateSlashes: false, useSemicolonDelimiter: false },
    origin: () => '',
    accept: 'application/json',
    prefer: count ? 'count=exact' : undefined,
    cacheControl: undefined,
    isPreflight: false,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    idempotencyKey: undefined,
    body: { contentType: undefined, bytes: undefined, value: undefined, refusal: undefined }
  }
}
