import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Http2ServerRequest } from 'node:http2'
import { answer, type Api } from './answer.ts'
import { batching, type Work } from './batching.ts'
import { internal } from './errors.ts'
import { finishWrite, noteWrite, startRead, startWrite } from './pipelining.ts'
import { memoizeRecent } from './memoize.ts'
import type { RequestText } from './request/parse.ts'
import type { Answer } from './response/answer.ts'

/**
 * Registers wildcard routes, which turn every request into text and its Answer into the reply (docs/http.md: URLs).
 */
export function addRoutes (scope: FastifyInstance, api: Api): void {
  const rootLength = scope.prefix.split('/').filter(segment => segment !== '').length
  const read = (request: FastifyRequest, reply: FastifyReply) => {
    startRead(reply, () => { batching.answer(new ReadWork(api, rootLength, request, reply)) })
  }
  const write = (request: FastifyRequest, reply: FastifyReply) => {
    startWrite(reply, () => { batching.answer(new WriteWork(api, rootLength, request, reply)) })
  }
  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    noteWrite(reply)
    done()
  }
  // A verb without a route would be a 404 of Fastify's, where a 405 with Allow is due. CONNECT never reaches a route.
  const reads = scope.supportedMethods.filter(name => name !== 'OPTIONS' && safe.includes(name))
  const writes = scope.supportedMethods.filter(name => name !== 'CONNECT' && !safe.includes(name))
  for (const url of ['/', '/*']) {
    scope.route({ method: reads, url, handler: read, exposeHeadRoute: false })
    scope.route({ method: writes, url, onRequest, handler: write })
  }
  // @fastify/cors has a route for OPTIONS of `*` itself; at the root a parameter keeps ours apart from it.
  const urls = scope.prefix === '' ? ['/', '/:collection', '/:collection/*'] : ['/', '/*']
  for (const url of urls) scope.route({ method: 'OPTIONS', url, handler: read })
}

// Their requests change nothing (RFC 9110, 9.2.1).
const safe = ['GET', 'HEAD', 'QUERY', 'OPTIONS']

/** The work of any request. */
class RequestWork implements Work<Answer> {
  protected readonly api: Api
  protected readonly rootLength: number
  protected readonly request: FastifyRequest
  protected readonly reply: FastifyReply

  constructor (api: Api, rootLength: number, request: FastifyRequest, reply: FastifyReply) {
    this.api = api
    this.rootLength = rootLength
    this.request = request
    this.reply = reply
  }

  make (): ReturnType<Work<Answer>['make']> {
    return answer(readText(this.request, this.rootLength), this.api, { request: this.request })
  }

  send (made: Answer): void {
    this.reply.send(made)
  }

  fail (error: unknown): void {
    // Fastify would send a thrown value that is not an Error as a payload.
    this.reply.send(error instanceof Error ? error : internal(error))
  }
}

class ReadWork extends RequestWork {
  override make (): ReturnType<Work<Answer>['make']> {
    if (!hasLeft(this.request)) return super.make()
    // As in any route whose client leaves before the answer: Fastify runs onRequestAbort, and no onResponse.
    this.reply.hijack()
    return undefined
  }
}

/**
 * A write runs even if its client has left: the whole body has arrived, and a client that sends a write and hangs up
 * may rely on it.
 */
class WriteWork extends RequestWork {
  override send (made: Answer): void {
    finishWrite(this.reply)
    super.send(made)
  }

  override fail (error: unknown): void {
    finishWrite(this.reply)
    super.fail(error)
  }
}

/** In HTTP/2 a client leaves by ending the stream; the connection remains. */
const hasLeft = ({ raw }: FastifyRequest) =>
  raw.httpVersionMajor === 2 ? (raw as unknown as Http2ServerRequest).stream.destroyed : raw.socket.destroyed

/** Accepts bodies of every content type as bytes: the type that is allowed depends on the resource. */
export function addBodyParser (scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => { done(null, body) })
}

function readText (request: FastifyRequest, rootLength: number): RequestText {
  const { accept, prefer, 'cache-control': cacheControl, 'content-type': contentType } = request.headers
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  return {
    method: request.method,
    // Not the router's wildcard parameter, which is decoded as a whole and so has lost `%2F`.
    url: request.raw.url ?? '/',
    rootLength,
    origin: () => readOrigin(request),
    accept,
    prefer,
    cacheControl,
    contentType,
    ifMatch,
    ifNoneMatch,
    body: Buffer.isBuffer(request.body) ? request.body : undefined
  }
}

/**
 * The API's origin as Fastify sees it, with its `trustProxy`. Empty if the `Host` header is not a valid host.
 */
const readOrigin = ({ protocol, host }: FastifyRequest): string => parseOrigin(`${protocol}://${host}`)

const parseOrigin = memoizeRecent(text => {
  if (!URL.canParse(text)) return ''
  const { href, origin } = new URL(text)
  return href === `${origin}/` ? origin : ''
}, { most: 100 })
