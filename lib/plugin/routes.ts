import { isUtf8 } from 'node:buffer'
import type {
  FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, HookHandlerDoneFunction
} from 'fastify'
import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { answer, type Api } from '../core/api/answer.ts'
import type { PlannedFacts, RequestFacts } from '../core/api/request-facts.ts'
import { DataApiError, internal, invalidMethodOverride } from '../core/errors/errors.ts'
import { type Body, type BodyLimits, mediaTypeOf, receiveBody } from '../core/request/body.ts'
import type { LiveDocuments, LiveRequest } from '../doors/live/documents.ts'
import { type ImportLimits, importTypes } from '../core/request/receive.ts'
import { formType, type RequestText } from '../core/request/parse.ts'
import type { RouterOptions } from '../core/request/path.ts'
import type { Answer } from '../core/response/answer.ts'
import { hasLeft } from '../core/run/context.ts'
import { after } from '../core/scheduling/after.ts'
import { batching, type Work } from '../core/scheduling/batching.ts'
import { memoizeRecent } from '../core/scheduling/memoize.ts'
import { askAgain } from '../core/scheduling/since-body.ts'
import { statementTotals, type StatementTotals } from '../core/sources/statement-events.ts'
import type { Closing } from './closing.ts'
import type { ServedPages } from './pages-route.ts'
import { type Replies, routerOptionsOf } from './replies.ts'

/**
 * Registers wildcard routes, which turn every request into text and its Answer into the reply (docs/http.md: URLs).
 */
export function addRoutes (
  scope: FastifyInstance, served: Omit<Serving, 'rootLength' | 'router'>
): Serving {
  const rootLength = scope.prefix.split('/').filter(segment => segment !== '').length
  const serving: Serving = { ...served, rootLength, router: routerOptionsOf(scope) }
  const read = (request: FastifyRequest, reply: FastifyReply) => {
    whenItsTurn(request, reply, () => { batching.answer(new ReadWork(serving, request, reply)) })
  }
  const write = (request: FastifyRequest, reply: FastifyReply) => {
    if (isSafeRequest(request)) return read(request, reply)
    whenItsTurn(request, reply, () => { batching.answer(new RequestWork(serving, request, reply)) })
  }
  // A verb without a route would be a 404 of Fastify's, where a 405 with Allow is due. CONNECT never reaches a route.
  const reads = ['GET', 'HEAD']
  const writes = scope.supportedMethods.filter(name => name !== 'CONNECT' && !safeMethods.includes(name))
  const { trackBody } = served.closing
  for (const url of ['/', '/*']) {
    scope.route({ method: reads, url, schema, handler: read, exposeHeadRoute: false })
    scope.route({ method: 'QUERY', url, schema, onRequest: trackBody, handler: read })
    scope.route({ method: writes, url, schema, onRequest: [trackBody, refuseOtherSites], handler: write })
  }
  // @fastify/cors has a route for OPTIONS of `*` itself; at the root a parameter keeps ours apart from it.
  const urls = scope.prefix === '' ? ['/', '/:collection', '/:collection/*'] : ['/', '/*']
  const options = (request: FastifyRequest, reply: FastifyReply) => {
    if (isPreflight(request)) answerPreflight(request, reply)
    else read(request, reply)
  }
  for (const url of urls) scope.route({ method: 'OPTIONS', url, schema, handler: options })
  return serving
}

// @fastify/swagger would list the wildcards: the application's document describes its own routes.
const schema: FastifySchema & { readonly hide: boolean } = { hide: true }

/** Returns true for what a browser sends before a request of another origin (WHATWG Fetch). */
const isPreflight = ({ headers }: FastifyRequest) => headers['access-control-request-method'] !== undefined

/**
 * Answers a preflight, which has no token, and so no caller whose rules could be asked. It can be for a route of the
 * application as well.
 */
function answerPreflight (request: FastifyRequest, reply: FastifyReply): void {
  request.dataApi = { collection: undefined, kind: 'options', door: 'http', method: 'OPTIONS' }
  reply.code(204).send()
}

/** The methods whose requests change nothing (RFC 9110, 9.2.1). */
const safeMethods: readonly string[] = ['GET', 'HEAD', 'QUERY', 'OPTIONS']

/** Returns true for a request that changes nothing. */
export const isSafeRequest = (request: FastifyRequest): boolean => safeMethods.includes(methodOf(request))

/** Returns the method that is answered: QUERY for a POST that stands for one; refuseOverride() lets no other pass. */
export const methodOf = ({ method, headers }: FastifyRequest): string =>
  headers['x-http-method-override'] === undefined ? method : 'QUERY'

/** Refuses a request that another method is meant by, but for a POST that stands for QUERY (docs/http.md: URLs). */
export function refuseOverride (
  { method, headers }: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction
): void {
  const meant = headers['x-http-method-override']
  if (meant === undefined) return done()
  const isQuery = method === 'POST' && meant === 'QUERY' && mediaTypeOf(headers['content-type']) === formType
  done(isQuery ? undefined : invalidMethodOverride(formType))
}

/**
 * Refuses a write that a page of another site sends without a CORS preflight, and so without the application's leave.
 * Browsers set these headers (W3C, Fetch Metadata); pages cannot.
 */
async function refuseOtherSites (request: FastifyRequest): Promise<void> {
  const { headers } = request
  if (headers['sec-fetch-site'] !== 'cross-site' || headers['sec-fetch-mode'] === 'cors') return
  if (isSafeRequest(request)) return
  throw new DataApiError('forbidden', 'A page of another site cannot send this request. Nothing was changed.')
}

/**
 * Starts a request when all earlier requests of its connection are answered: a client of HTTP/1.1 may send several
 * without waiting (RFC 9112, 9.3.2). Node.js gives a response its socket at that moment, and never if the client leaves
 * before. Without this, Fastify starts a request without a body before an earlier one whose body is still read.
 */
export function whenItsTurn ({ raw }: FastifyRequest, reply: FastifyReply, start: () => void): void {
  // The streams of HTTP/2 are independent.
  if (raw.httpVersionMajor > 1 || reply.raw.socket !== null) start()
  else reply.raw.once('socket', AsyncResource.bind(start))
}

/** All that the requests of one registration share. */
export interface Serving {
  readonly api: Api
  readonly replies: Replies
  /** Undefined if the application has no pages. */
  readonly pages: ServedPages | undefined
  /** Undefined if no document is live. */
  readonly live: LiveDocuments | undefined
  readonly closing: Closing
  /** The number of path segments that lead to the API's root. */
  readonly rootLength: number
  readonly router: RouterOptions
}

/**
 * The work of a request. A write runs even if its client has left: the whole body has arrived, and a client that sends
 * a write and hangs up may rely on it.
 */
export class RequestWork implements Work<Answer> {
  protected readonly serving: Serving
  protected readonly request: FastifyRequest
  protected readonly reply: FastifyReply
  private totals: StatementTotals | undefined

  constructor (serving: Serving, request: FastifyRequest, reply: FastifyReply) {
    this.serving = serving
    this.request = request
    this.reply = reply
  }

  make (): ReturnType<Work<Answer>['make']> {
    const { slowStatements, responseContent } = this.serving.api.options
    if (slowStatements === undefined && !responseContent.serverTiming) return this.makeAnswer()
    this.totals = totalsOf(this.request, slowStatements ?? Infinity)
    return statementTotals.run(this.totals, () => this.makeAnswer())
  }

  protected makeAnswer (): Answer | Promise<Answer> {
    const { request, serving } = this
    const { api, pages, replies } = serving
    if (pages?.take(request) === true) {
      return after(pages.answer(request, readText(request, serving)), replies.prepare)
    }
    const text = readText(request, serving)
    const { live } = serving
    const began = live?.position ?? 0
    const made = answer(text, api, api.own.contextOf(request), facts => { request.dataApi = atDoor(facts, text) })
    return live === undefined ? made : after(made, one => followed(one, live, { request, text, began }))
  }

  send (made: Answer): void {
    const { totals, serving: { api: { options } } } = this
    if (totals !== undefined && options.responseContent.serverTiming) addServerTiming(this.reply, totals)
    this.serving.replies.answer(this.reply, made)
  }

  fail (error: unknown): void {
    // After a timeout of Fastify, the client has its answer.
    if (this.reply.sent) return
    // Fastify would send a thrown value that is not an Error as a payload.
    this.reply.send(error instanceof Error ? error : internal(error))
  }
}

// A spread into a literal takes longer than the literal.
const atDoor = (facts: PlannedFacts, { method }: RequestText): RequestFacts => {
  const { collection, kind, operations, replayed } = facts
  const isPlain = operations === undefined && replayed === undefined
  return isPlain ? { collection, kind, door: 'http', method } : { ...facts, door: 'http', method }
}

/** Returns the answer; for a client that asks to follow the document, a stream of its changes. */
function followed (made: Answer, live: LiveDocuments, asked: LiveRequest): Answer {
  if (made.live === undefined) return made
  // @fastify/compress would hold back what it compresses.
  asked.request.headers['x-no-compression'] = 'true'
  return live.open(asked, made)
}

class ReadWork extends RequestWork {
  override make (): ReturnType<Work<Answer>['make']> {
    // Fastify has answered, after its `handlerTimeout`.
    if (this.reply.sent) return undefined
    if (!hasLeft(this.request)) return super.make()
    // As in any route whose client leaves before the answer: Fastify runs onRequestAbort, and no onResponse.
    this.reply.hijack()
    return undefined
  }

  override fail (error: unknown): void {
    // A read that was cancelled because its client had left is no error.
    if (hasLeft(this.request)) this.reply.hijack()
    else super.fail(error)
  }
}

// The body as it was received, beside the `request.body` that the application sees and may replace.
const received = Symbol('fastify-data-api.body')

type Received = FastifyRequest & { [received]: Body | null }

/**
 * Accepts bodies of every content type: the type that is allowed depends on the resource. `request.body` is the parsed
 * JSON, as in any route; a body of another type is its bytes, and one that cannot be parsed is undefined.
 */
export function addBodyParser (scope: FastifyInstance, limits: BodyLimits, imports: ImportLimits | undefined): void {
  scope.decorateRequest(received, null)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer, done) => {
    const contentType = request.headers['content-type']
    const encoding = isUnpacked(request, bytes) ? undefined : encodingOf(request)
    const body = receiveBody({ contentType, bytes: bytes.length > 0 ? bytes : undefined, encoding }, limits)
    ;(request as Received)[received] = body
    askAgain(request)
    done(null, valueOf(body))
  })
  if (imports === undefined) return
  // A parser of streams has no limit of bytes (request/receive.ts).
  scope.addContentTypeParser([...importTypes], (request: FastifyRequest, stream: IncomingMessage, done) => {
    const contentType = request.headers['content-type']
    const encoding = stream === request.raw ? encodingOf(request) : undefined
    const body = { ...receiveBody({ contentType, bytes: undefined, encoding }, limits), stream }
    ;(request as Received)[received] = body
    done(null, stream)
  })
}

/** Returns the encoding of a body; undefined for one that is sent as it is. */
function encodingOf ({ headers }: FastifyRequest): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  return encoding === 'identity' || encoding === '' ? undefined : encoding
}

/** Tells if a plugin has unpacked the bytes: it may leave the headers as they were sent. Packed ones are no text. */
const isUnpacked = ({ headers }: FastifyRequest, bytes: Buffer): boolean =>
  headers['content-encoding'] === undefined ||
  (isUtf8(bytes) && headers['content-length'] !== String(bytes.length))

/** Returns the body that the application sees. */
const valueOf = ({ value, refusal, bytes, stream }: Body): unknown =>
  refusal?.code === 'unsupported_media_type' ? stream ?? bytes : value

/** Returns the body of a request; a hook of the application may have replaced it. */
export function requestBody (request: FastifyRequest, limits: BodyLimits): Body {
  const body = (request as Received)[received] ??
    receiveBody({ contentType: request.headers['content-type'], bytes: undefined }, limits)
  if (request.body === valueOf(body)) return body
  return { ...body, value: request.body, refusal: undefined }
}

/** Returns a request of this registration as the core reads it. */
export function readText (request: FastifyRequest, { api, rootLength, router }: Serving): RequestText {
  const { accept, prefer, 'cache-control': cacheControl } = request.headers
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'idempotency-key': key } = request.headers
  return {
    method: methodOf(request),
    // Not the router's wildcard parameter, which is decoded as a whole and so has lost `%2F`.
    url: request.raw.url ?? '/',
    rootLength,
    router,
    origin: () => readOrigin(request),
    accept,
    prefer,
    cacheControl,
    ifMatch,
    ifNoneMatch,
    // Node.js joins the values of repeated headers.
    idempotencyKey: typeof key === 'string' ? key : undefined,
    body: requestBody(request, api.options.writes)
  }
}

/** Returns the totals of a request. They log each statement that takes at least `slow` milliseconds. */
function totalsOf (request: FastifyRequest, slow: number): StatementTotals {
  return {
    count: 0,
    duration: 0,
    statement ({ collection, kind, duration, rows, text }) {
      if (duration < slow) return
      const facts = { collection, kind, duration, rows, statement: text, request: request.dataApi }
      request.log.warn(facts, `a statement took ${Math.round(duration)} ms`)
    }
  }
}

/** Adds the time of a request's statements and of the request as `Server-Timing`, for a browser's tools. */
function addServerTiming (reply: FastifyReply, { count, duration }: StatementTotals): void {
  const statements = count === 1 ? '1 statement' : `${count} statements`
  const timings = [`db;dur=${duration.toFixed(1)};desc="${statements}"`, `total;dur=${reply.elapsedTime.toFixed(1)}`]
  const others = [reply.getHeader('server-timing') ?? []].flat().map(String)
  reply.header('server-timing', [...others, ...timings].join(', '))
}

/**
 * The API's origin as Fastify sees it, with its `trustProxy`. Empty if the `Host` header is not a valid host.
 */
export const readOrigin = ({ protocol, host }: FastifyRequest): string => parseOrigin(`${protocol}://${host}`)

const parseOrigin = memoizeRecent(text => {
  if (!URL.canParse(text)) return ''
  const { href, origin } = new URL(text)
  return href === `${origin}/` ? origin : ''
}, { most: 100 })
