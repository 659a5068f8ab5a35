import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answer, type Api } from './answer.ts'
import { makeBatching } from './batching.ts'
import { internal } from './errors.ts'
import { rememberRecent } from './remember.ts'
import type { RequestText } from './request/parse.ts'
import type { Answer } from './response/answer.ts'

/** The wildcard routes: whatever the method and path, the request becomes text, and its Answer the reply (docs/http.md: URLs). */
export function addRoutes (scope: FastifyInstance, api: Api): void {
  const rootLength = scope.prefix.split('/').filter(segment => segment !== '').length
  const work = makeBatching<Answer>()
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    work({
      make: () => answer(readText(request, rootLength), api, { request }),
      send (made) { reply.send(made) },
      // Fastify takes for a payload what is no Error.
      fail (error) { reply.send(error instanceof Error ? error : internal(error)) }
    })
  }
  // A verb without a route would be a 404 of Fastify's, where a 405 with Allow is due. CONNECT never reaches a route.
  const method = scope.supportedMethods.filter(name => name !== 'CONNECT' && name !== 'OPTIONS')
  for (const url of ['/', '/*']) scope.route({ method, url, handler, exposeHeadRoute: false })
  // @fastify/cors answers OPTIONS of `*` itself, whichever is registered first; at the root a parameter keeps ours apart from it.
  for (const url of scope.prefix === '' ? ['/', '/:collection', '/:collection/*'] : ['/', '/*']) scope.route({ method: 'OPTIONS', url, handler })
}

/** Bodies are taken as they come, whatever they are said to be: what they must be depends on the resource. */
export function addBodyParser (scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => { done(null, body) })
}

function readText (request: FastifyRequest, rootLength: number): RequestText {
  const { accept, prefer, 'cache-control': cacheControl, 'content-type': contentType, 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
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

/** What Fastify takes for the API's origin, trusting proxies as the application told it to. Empty where the Host header is no host. */
const readOrigin = ({ protocol, host }: FastifyRequest): string => parseOrigin(`${protocol}://${host}`)

const parseOrigin = rememberRecent(text => {
  if (!URL.canParse(text)) return ''
  const { href, origin } = new URL(text)
  return href === `${origin}/` ? origin : ''
}, { most: 100 })
