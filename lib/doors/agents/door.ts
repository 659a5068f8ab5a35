import type { Api } from '../../core/api/answer.ts'
import type { McpLimits } from '../../core/api/options.ts'
import type { Context } from '../../core/declare/collection.ts'
import { DataApiError, methodNotAllowed } from '../../core/errors/errors.ts'
import type { Collection, Model } from '../../core/model/model.ts'
import { takenStrategies } from '../../core/model/strategies.ts'
import { stringType } from '../../core/model/values.ts'
import type { Method } from '../../core/plan/path/methods.ts'
import type { Body } from '../../core/request/body.ts'
import { type Answer, empty, hasSpecials, json, ok, personal } from '../../core/response/answer.ts'
import { type Agent, type Fail, makeAgents } from './agent.ts'
import { describe, isRead, writesOf } from './describe.ts'
import { type Headers, idOf, ProtocolError, readMessage } from './message.ts'
import { runMethod, type Server } from './methods.ts'
import { instructions, readingTools } from './tools.ts'

/** The door for agents (docs/mcp.md): one URL for messages, and a text for agents that only fetch. */
export interface AgentDoor {
  /** Answers a request of the URL for messages. */
  answer (request: Context['request'], body: Body): Answer | Promise<Answer>
  /** Returns the text of llms.txt. */
  tell (request: Context['request']): Promise<Answer>
  /** Returns what the caller's agent may do with each collection of which it may know. */
  uses (request: Context['request']): Promise<readonly Use[]>
}

/** What an agent may do with a collection. */
interface Use { readonly collection: Collection, readonly isRead: boolean, readonly writes: readonly Method[] }

/** Makes the door of an API. */
export function makeAgentDoor (api: Api, limits: McpLimits, fail: Fail): AgentDoor {
  const { options, callers, model, keys } = api
  const { title = 'Data API', version = '1.0.0' } = options.openapi?.info ?? {}
  const isPersonal = callers.personal || hasSpecials(model)
  // Whether a tool has a key depends on the caller, too.
  const cacheScope = isPersonal || (limits.write !== false && keys !== undefined) ? 'private' : 'public'
  const server: Server = { info: { name: title, version }, tools: readingTools(options.syntax), cacheScope }
  const agentOf = makeAgents(api, limits, fail)
  const origins = limits.origins ?? (options.site === undefined ? [] : [options.site.origin])
  return {
    answer (request, body) {
      const { method, headers } = request
      if (method === 'OPTIONS') return empty(204, { allow })
      if (method !== 'POST') throw methodNotAllowed(method, allow)
      checkOrigin(headers.origin, origins)
      return respond(body, headers, agentOf(request), server)
    },
    async tell (request) {
      const views = (await agentOf(request).views()).filter(isRead)
      const text = `${instructions}\n\n${describe(views, false)}\n`
      const answer = { ...ok(text), headers: { 'content-type': 'text/plain; charset=utf-8' } }
      return isPersonal ? personal(answer) : answer
    },
    async uses (request) {
      const { operations, views } = agentOf(request)
      return (await views()).map(view =>
        ({ collection: view.collection, isRead: isRead(view), writes: operations > 0 ? writesOf(view) : [] }))
    }
  }
}

/**
 * Returns the collections that agents write and whose texts they read, by property: a text of a stranger can make an
 * agent write there what it knows.
 */
export function carriersOf ({ collections }: Model, { write, collections: read }: McpLimits): readonly string[] {
  return [...collections.values()].filter(({ property, strategies, stored }) => {
    const isWritten = write === true || (Array.isArray(write) && write.includes(property))
    const isTaken = strategies.batch !== false && (strategies.create || strategies.update.length > 0)
    const hasText = stored.some(field => field.readable && field.type === stringType)
    return isWritten && isTaken && hasText && (read?.includes(property) ?? true)
  }).map(({ property }) => property)
}

/** Returns the collections in which agents create items and read none, by property: their letter boxes. */
export function letterBoxesOf ({ collections }: Model, { write, collections: read }: McpLimits): readonly string[] {
  return [...collections.values()].filter(collection => {
    const { property, strategies: { batch } } = collection
    const isWritten = write === true || (Array.isArray(write) && write.includes(property))
    return isWritten && batch !== false && takenStrategies(collection).create && read?.includes(property) === false
  }).map(({ property }) => property)
}

const allow = 'POST, OPTIONS'

/**
 * Refuses pages of other sites. The `Host` of a request says nothing of its page: an attacker's name may lead to this
 * server (DNS rebinding).
 */
function checkOrigin (origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return
  throw new DataApiError('forbidden', "Pages of this origin cannot use this door; 'mcp.origins' lists those that can.")
}

async function respond (body: Body, headers: Headers, agent: Agent, server: Server): Promise<Answer> {
  const { value, refusal } = body
  if (refusal?.code === 'unsupported_media_type') throw refusal
  try {
    if (value === undefined) throw new ProtocolError(-32700, refusal?.message ?? 'The body is empty; send a message.')
    const message = readMessage(value, headers)
    const { id } = message
    if (id === undefined) return { status: 202, headers: {}, links: [], body: undefined }
    return ok(JSON.stringify({ jsonrpc: '2.0', id, result: await runMethod(message, agent, server) }))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    const { code, message, status, data } = error
    return json(status, JSON.stringify({ jsonrpc: '2.0', id: idOf(value), error: { code, message, data } }))
  }
}
