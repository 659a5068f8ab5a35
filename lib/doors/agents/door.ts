import type { CollectionView, Face, Who } from '../../core/api/face.ts'
import type { McpLimits } from '../../core/api/options.ts'
import { DataApiError, methodNotAllowed } from '../../core/errors/errors.ts'
import { type Answer, json } from '../../core/response/answer.ts'
import { type Agent, type Fail, makeAgents } from './agent.ts'
import { describe, isReadCollection, writesOf } from './describe.ts'
import { idOf, ProtocolError, readMessage } from './message.ts'
import { runMethod, type AgentServer } from './methods.ts'
import { instructions, readingTools } from './tools.ts'

/** The door for agents (docs/agents.md): one URL for messages, and a text for agents that only fetch. */
interface AgentDoor {
  /** Answers a request of the URL for messages. */
  answer (request: Who['request'], body: Body): Answer | Promise<Answer>
  /** Returns the text of llms.txt. */
  tell (request: Who['request']): Promise<Answer>
  /** Returns what the caller's agent may do with each collection of which it may know. */
  uses (request: Who['request']): Promise<readonly Use[]>
}

/** What an agent may do with a collection. */
interface Use { readonly collection: CollectionView, readonly isRead: boolean, readonly writes: readonly string[] }

type Body = Who['text']['body']

export function makeAgentDoor (face: Face, limits: McpLimits, fail: Fail): AgentDoor {
  const { info: { title, version }, personal, syntax, site } = face
  // Whether a tool has a key depends on the caller, too.
  const cacheScope = personal || (limits.write !== false && face.takesKeys) ? 'private' : 'public'
  const server: AgentServer = { info: { name: title, version }, tools: readingTools(syntax), cacheScope }
  const agentOf = makeAgents(face, limits, fail)
  const origins = limits.origins ?? (site === undefined ? [] : [site.origin])
  return {
    answer (request, body) {
      const { method, headers } = request
      if (method === 'OPTIONS') return { status: 204, headers: { allow }, links: [], body: undefined }
      if (method !== 'POST') throw methodNotAllowed(method, allow)
      checkOrigin(headers.origin, origins)
      return respond(body, headers, agentOf(request), server)
    },
    async tell (request) {
      const { sight, collections } = await agentOf(request).uses()
      const read = collections.filter(one => isReadCollection(one, sight))
      const text = `${instructions}\n\n${describe(read, undefined)}\n`
      const headers = { 'content-type': 'text/plain; charset=utf-8' }
      return { status: 200, headers, links: [], body: text, ...personal && { personal } }
    },
    async uses (request) {
      const agent = agentOf(request)
      const { sight, collections } = await agent.uses()
      return collections.map(collection => {
        const writes = agent.operations > 0 ? writesOf(collection, sight) : []
        return { collection, isRead: isReadCollection(collection, sight), writes }
      })
    }
  }
}

/**
 * Returns the collections that agents write and whose texts they read, by property: a text of a stranger can make an
 * agent write there what it knows.
 */
export function carriersOf ({ collections }: Face, limits: McpLimits): readonly string[] {
  return collections.filter(({ property, strategies: { create, update }, fields }) => {
    const hasText = fields.some(field => field.kind === 'stored' && field.readable && field.isText)
    return (create || update.length > 0) && hasText && (limits.collections?.includes(property) ?? true)
  }).filter(one => isWritten(one, limits)).map(({ property }) => property)
}

/** Returns the collections in which agents create items and read none, by property: their letter boxes. */
export function letterBoxesOf ({ collections }: Face, limits: McpLimits): readonly string[] {
  return collections.filter(({ property, strategies: { create } }) =>
    create && limits.collections?.includes(property) === false)
    .filter(one => isWritten(one, limits)).map(({ property }) => property)
}

const isWritten = ({ property, strategies: { batch } }: CollectionView, { write }: McpLimits): boolean =>
  batch !== false && (write === true || (Array.isArray(write) && write.includes(property)))

const allow = 'POST, OPTIONS'

/**
 * Refuses pages of other sites. The `Host` of a request says nothing of its page: an attacker's name may lead to this
 * server (DNS rebinding).
 */
function checkOrigin (origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return
  throw new DataApiError('forbidden', "Pages of this origin cannot use this door; 'mcp.origins' lists those that can.")
}

async function respond (
  body: Body, headers: Who['request']['headers'], agent: Agent, server: AgentServer
): Promise<Answer> {
  const { value, refusal } = body
  if (refusal?.code === 'unsupported_media_type') throw refusal
  try {
    if (value === undefined) throw new ProtocolError(-32700, refusal?.message ?? 'The body is empty; send a message.')
    const message = readMessage(value, headers)
    const { id } = message
    if (id === undefined) return { status: 202, headers: {}, links: [], body: undefined }
    return json(200, JSON.stringify({ jsonrpc: '2.0', id, result: await runMethod(message, agent, server) }))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    const { code, message, status, data } = error
    return json(status, JSON.stringify({ jsonrpc: '2.0', id: idOf(value), error: { code, message, data } }))
  }
}
