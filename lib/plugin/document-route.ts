import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { Api } from '../core/api/answer.ts'
import { methodNotAllowed } from '../core/errors/errors.ts'
import { type Documents, parseDocumentOptions } from '../doors/documents/documents.ts'
import { viewsOf } from '../doors/documents/describing.ts'
import { planFormat } from '../core/plan/media.ts'
import type { Permissions } from '../core/plan/request.ts'
import type { Replies } from './replies.ts'
import { parseTags } from '../core/request/conditions.ts'
import { parsePath } from '../core/request/path.ts'
import { type Answer, empty, ok } from '../core/response/answer.ts'
import { documentName } from '../core/response/render.ts'
import { taggedInParts } from '../core/response/tag.ts'
import { permissionsOf } from '../core/rules/methods.ts'

/**
 * Registers the route of the OpenAPI document (docs/openapi.md). The document is the caller's: what the caller may
 * neither read nor write is not in it.
 */
export function addDocumentRoute (scope: FastifyInstance, api: Api, documents: Documents, replies: Replies): void {
  scope.route({
    method: scope.supportedMethods.filter(name => name !== 'CONNECT'),
    url: `/${documentName}`,
    schema: hidden,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      replies.answer(reply, await answerDocument(request, api, documents))
      return reply
    }
  })
}

// The document does not describe its own URL, and neither does that of @fastify/swagger.
const hidden: FastifySchema & { readonly hide: boolean } = { hide: true }

async function answerDocument (
  request: FastifyRequest, { model, callers, options, own }: Api, documents: Documents
): Promise<Answer> {
  if (request.method === 'OPTIONS') return empty(204, { allow })
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(request.method, allow)
  planFormat(request.headers.accept, undefined)
  const permissions = new Map<string, Permissions>()
  for (const [name, caller] of await callers.all(own.contextOf(request))) permissions.set(name, permissionsOf(caller))
  const permissionsFor = (name: string) => permissions.get(name)
  const visible = viewsOf(permissionsFor, [...model.collections.keys()]).map(({ collection }) => collection.name)
  const chosen = parseDocumentOptions(parsePath(request.raw.url ?? '/').query, visible)
  const text = await documents.text(permissionsFor, chosen)
  const vary = ['Accept', ...options.responseContent.callerHeaders].join(', ')
  const headers = callers.personal ? { 'cache-control': 'private', vary } : {}
  return taggedInParts(ok(text, headers), parseTags(request.headers['if-none-match']))
}

const allow = 'GET, HEAD, OPTIONS'
