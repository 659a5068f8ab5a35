import { answer, type Api } from '../api/answer.ts'
import type { McpLimits } from '../api/options.ts'
import type { Context } from '../declare/collection.ts'
import { type View, viewsOf } from '../openapi/describing.ts'
import type { RequestText } from '../request/parse.ts'
import type { Answer } from '../response/answer.ts'
import { permissionsOf } from '../rules/methods.ts'
import { memoizeRecent } from '../scheduling/memoize.ts'
import { isRead } from './describe.ts'
import { fit, type Fitting } from './fit.ts'

/** What an agent may do, as the caller of one request: each call has the caller's rules, as a GET has. */
export interface Agent {
  /** The most characters of what it is told at once. */
  readonly length: number
  /** Returns the collections that the caller may read. */
  views (): Promise<readonly View[]>
  /** Returns the data of a URL, a path of the API with its query. Rejects as GET does. */
  get (url: string, count: boolean): Promise<Fitting>
  /** Returns what GET answers for an error, and logs what the client cannot explain. */
  fail (thrown: unknown): Answer
}

/** Returns the answer for what was thrown, and logs what the client cannot explain. */
export type Fail = (thrown: unknown, request: Context['request'], options: Api['options']) => Answer

/** Returns a function that makes the agent of a request. */
export function makeAgents (api: Api, { length }: McpLimits, fail: Fail): (request: Context['request']) => Agent {
  const { model, callers, own } = api
  const apiOf = memoizeRecent(most => forAgents(api, Number(most)), { most: 100 })
  const { options } = apiOf('Infinity')
  return request => ({
    length,
    async views () {
      const all = await callers.all(own.contextOf(request))
      return viewsOf(name => {
        const caller = all.get(name)
        return caller && permissionsOf(caller)
      }, [...model.collections.keys()]).filter(isRead)
    },
    get: (url, count) => fit(length, async most => {
      const text = textOf(url, count)
      const made = await answer(text, apiOf(String(most)), own.contextOf(request), facts => {
        request.dataApi = { ...facts, door: 'mcp' }
      })
      const kind = request.dataApi?.kind
      return { answer: made, isPage: kind === 'list' || kind === 'dictionary' }
    }),
    fail: thrown => fail(thrown, request, options)
  })
}

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
