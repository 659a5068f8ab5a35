import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { Face } from '../core/api/face.ts'
import { methodNotAllowed } from '../core/errors/errors.ts'
import type { Documents } from '../doors/documents/documents.ts'
import { planFormat } from '../core/plan/media.ts'
import { parseTags } from '../core/request/conditions.ts'
import { parsePath } from '../core/request/path.ts'
import { type Answer, empty, ok } from '../core/response/answer.ts'
import { documentName } from '../core/response/render.ts'
import { taggedInParts } from '../core/response/tag.ts'
import { parseDocumentOptions } from './document-options.ts'
import { readText, type Serving } from './routes.ts'

/**
 * Registers the route of the OpenAPI document (docs/clients.md: OpenAPI). The document is the caller's: what the caller
 * may neither read nor write is not in it.
 */
export function addDocumentRoute (scope: FastifyInstance, face: Face, documents: Documents, serving: Serving): void {
  scope.route({
    method: scope.supportedMethods.filter(name => name !== 'CONNECT'),
    url: `/${documentName}`,
    schema: hidden,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      serving.replies.answer(reply, await answerDocument(request, face, documents, serving))
      return reply
    }
  })
}

// The document does not describe its own URL, and neither does that of @fastify/swagger.
const hidden: FastifySchema & { readonly hide: boolean } = { hide: true }

async function answerDocument (
  request: FastifyRequest, face: Face, documents: Documents, serving: Serving
): Promise<Answer> {
  if (request.method === 'OPTIONS') return empty(204, { allow })
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(request.method, allow)
  planFormat(request.headers.accept, undefined)
  const sight = await face.as({ request, text: readText(request, serving) }).sight()
  const { query } = parsePath(request.raw.url ?? '/')
  const chosen = parseDocumentOptions(query, sight.collections.map(({ name }) => name))
  const text = await documents.text(sight, chosen)
  const { callers, options: { responseContent } } = serving.api
  const vary = ['Accept', ...responseContent.callerHeaders].join(', ')
  const headers = callers.personal ? { 'cache-control': 'private', vary } : {}
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  return taggedInParts(ok(text, headers), { ifMatch: parseTags(ifMatch), ifNoneMatch: parseTags(ifNoneMatch) })
}

const allow = 'GET, HEAD, OPTIONS'
