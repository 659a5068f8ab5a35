import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { Api } from '../api/answer.ts'
import { methodNotAllowed } from '../errors/errors.ts'
import { type Documents, parseDocumentOptions } from '../openapi/documents.ts'
import { viewsOf } from '../openapi/describing.ts'
import { planFormat } from '../plan/media.ts'
import type { Permissions } from '../plan/request.ts'
import type { Replies } from './replies.ts'
import { parseTags } from '../request/conditions.ts'
import { parsePath } from '../request/path.ts'
import { type Answer, empty, ok } from '../response/answer.ts'
import { documentName } from '../response/render.ts'
import { taggedInParts } from '../response/tag.ts'
import { permissionsOf } from '../rules/methods.ts'

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
