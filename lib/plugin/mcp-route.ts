import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Api } from '../core/api/answer.ts'
import type { Face } from '../core/api/face.ts'
import type { McpLimits } from '../core/api/options.ts'
import { DeclarationError, listOf } from '../core/errors/errors.ts'
import { withoutPatch } from '../core/request/body.ts'
import type { Fail } from '../doors/agents/agent.ts'
import type { Answer } from '../core/response/answer.ts'
import { batching } from '../core/scheduling/batching.ts'
import { requestBody, RequestWork, type Serving, whenItsTurn } from './routes.ts'

/** Registers the routes of the door for agents, if the application has opened it (docs/agents.md). */
export async function addAgentRoutes (
  scope: FastifyInstance, serving: Serving, face: Face, fail: Fail
): Promise<void> {
  const { api, pages, replies } = serving
  const { mcp: limits } = api.options
  if (limits === undefined) return
  checkPath(limits, api)
  scope.addHook('onReady', async () => {
    if (api.options.streams()) return
    throw new DeclarationError("option 'mcp': the application's preSerialization hooks and reply serializer do not " +
      "get the data that agents get; set 'rawStreams' if they need not")
  })
  // Most applications have no such door, and need not load it.
  const { carriersOf, letterBoxesOf, makeAgentDoor } = await import('../doors/agents/door.ts')
  warn(carriersOf(face, limits), scope, carrying)
  warn(letterBoxesOf(face, limits), scope, collecting)
  const door = makeAgentDoor(face, limits, fail)
  const schema: FastifySchema & { readonly hide: boolean } = { hide: true }
  const common = { schema, config: { dataApiDoor: 'mcp' as const }, exposeHeadRoute: false }
  const handlerOf = (answer: (request: FastifyRequest) => Answer | Promise<Answer>) =>
    (request: FastifyRequest, reply: FastifyReply) => {
      request.dataApi = { collection: undefined, kind: undefined, door: 'mcp', method: request.method }
      whenItsTurn(request, reply, () => { batching.answer(new AgentWork(serving, request, reply, answer)) })
    }
  scope.route({
    method: scope.supportedMethods.filter(name => name !== 'CONNECT'),
    url: `/${limits.path}`,
    ...common,
    onRequest: serving.closing.trackBody,
    ...limits.resourceMetadata !== undefined && { onSend: challenge(limits.resourceMetadata) },
    handler: handlerOf(request => {
      if (pages === undefined || !isRead(request) || !pages.take(request)) {
        return door.answer(request, withoutPatch(requestBody(request, api.options.writes)))
      }
      return door.uses(request).then(uses => replies.prepare(pages.tellAgents(request, uses)))
    })
  })
  const tell = handlerOf(request => door.tell(request))
  scope.route({ method: ['GET', 'HEAD'], url: '/llms.txt', ...common, handler: tell })
}

const carrying = (names: string) => `option 'mcp.write': agents read texts of ${names} and write there. Who writes ` +
  'such a text can tell an agent what to write (docs/agents.md: Threats)'

const collecting = (names: string) => `option 'mcp.write': agents create items of ${names} and do nothing else ` +
  "there, since 'mcp.collections' does not list it (docs/agents.md: An agent is a caller)"

function warn (collections: readonly string[], { log }: FastifyInstance, tell: (names: string) => string): void {
  if (collections.length > 0) log.warn({ collections }, tell(listOf(collections)))
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

function checkPath ({ path }: McpLimits, { model }: Api): void {
  if (!model.collections.has(path)) return
  throw new DeclarationError(`option 'mcp.path': there is a collection '${path}'; give the door another path`)
}

/** Adds to the challenges of a 401 where clients find how to authorise (RFC 9728, 5.1). */
const challenge = (url: string) => async (_request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
  if (reply.statusCode !== 401) return payload
  const given = [reply.getHeader('www-authenticate') ?? []].flat().join(', ')
  const separator = given === '' || given === 'Bearer' ? ' ' : ', '
  reply.header('www-authenticate', `${given === '' ? 'Bearer' : given}${separator}resource_metadata="${url}"`)
  return payload
}

class AgentWork extends RequestWork {
  private readonly answerWith: (request: FastifyRequest) => Answer | Promise<Answer>

  constructor (
    serving: Serving, request: FastifyRequest, reply: FastifyReply,
    answerWith: (request: FastifyRequest) => Answer | Promise<Answer>
  ) {
    super(serving, request, reply)
    this.answerWith = answerWith
  }

  protected override makeAnswer (): Answer | Promise<Answer> { return this.answerWith(this.request) }
}
