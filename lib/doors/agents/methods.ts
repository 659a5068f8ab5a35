import { isObject } from '../../core/errors/is-object.ts'
import type { Agent } from './agent.ts'
import { isReadCollection } from './describe.ts'
import { legacy, type Message, modern, type Params, ProtocolError } from './message.ts'
import { callTool, instructions, writingTools } from './tools.ts'

/** What the door says of itself. `cacheScope`: `private` where the answers depend on the caller. */
export interface AgentServer {
  readonly info: { readonly name: string, readonly version: string }
  readonly tools: readonly object[]
  readonly cacheScope: 'public' | 'private'
}

interface Method {
  readonly run: (params: Params, agent: Agent, server: AgentServer) => object | Promise<object>
  /** The only protocol that has it. Default: both. */
  readonly only?: 'modern' | 'legacy'
  /** How long its result may be kept, in milliseconds. Default: not at all. */
  readonly ttlMs?: number
}

const capabilities = { tools: {}, resources: {} }

const ttlMs = 300_000

const methods: Readonly<Record<string, Method>> = {
  'server/discover': {
    run: () => ({ supportedVersions: [modern, ...legacy], capabilities, instructions }), only: 'modern', ttlMs
  },
  initialize: {
    run: ({ protocolVersion }, _agent, { info: serverInfo }) => ({
      protocolVersion: legacy.find(version => version === protocolVersion) ?? legacy[0],
      capabilities,
      serverInfo,
      instructions
    }),
    only: 'legacy'
  },
  ping: { run: () => ({}), only: 'legacy' },
  'tools/list': {
    run: async (_params, agent, { tools }) => ({
      tools: [...tools, ...await orRefused(agent, () => writingTools(agent))]
    }),
    ttlMs
  },
  'tools/call': { run: runTool },
  'resources/list': {
    run: async (_params, agent) => ({
      resources: (await namesFor(agent)).map(name => ({ uri: uriOf(name), name, mimeType }))
    }),
    ttlMs
  },
  'resources/templates/list': {
    run: async (_params, agent) => ({
      resourceTemplates: (await namesFor(agent)).map(name => ({ uriTemplate: `${uriOf(name)}{+path}`, name, mimeType }))
    }),
    ttlMs
  },
  'resources/read': { run: readResource, ttlMs: 0 }
}

/** Rejects with a ProtocolError. */
export async function runMethod (
  { method, params, isModern }: Message, agent: Agent, server: AgentServer
): Promise<object> {
  const { run, only, ttlMs } = (Object.hasOwn(methods, method) ? methods[method] : undefined) ?? none
  if (run === undefined || only === (isModern ? 'legacy' : 'modern')) {
    throw new ProtocolError(-32601, 'There is no such method.', { status: isModern ? 404 : 200 })
  }
  const result = await run(params, agent, server)
  if (!isModern) return result
  return {
    resultType: 'complete',
    ...result,
    ...ttlMs !== undefined && { ttlMs, cacheScope: server.cacheScope },
    _meta: { 'io.modelcontextprotocol/serverInfo': server.info }
  }
}

const none: Partial<Method> = {}

function runTool ({ name = '', arguments: given = {} }: Params, agent: Agent): Promise<object> {
  if (!isObject(given)) throw new ProtocolError(-32602, "'arguments' must be an object.", { status: 200 })
  const result = callTool(name, given, agent)
  if (result === undefined) throw new ProtocolError(-32602, 'There is no such tool.', { status: 200 })
  return result
}

async function readResource ({ uri }: Params, agent: Agent): Promise<object> {
  if (uri?.startsWith(scheme) !== true) {
    throw new ProtocolError(-32602, `'uri' must begin with '${scheme}'.`, { status: 200 })
  }
  const found = await orRefused(agent, () => agent.get(uri.slice(scheme.length), false))
  return { contents: [{ uri, mimeType, text: JSON.stringify(found) }] }
}

const namesFor = (agent: Agent): Promise<readonly string[]> => orRefused(agent, async () => {
  const { sight, collections } = await agent.uses()
  return collections.filter(one => isReadCollection(one, sight)).map(({ name }) => name)
})

/** An error of the API becomes one of the protocol, with the body of the former as its data. */
async function orRefused<T> (agent: Agent, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const { status, body } = agent.fail(thrown)
    const code = status < 500 ? -32602 : -32603
    const data: unknown = JSON.parse(String(body))
    throw new ProtocolError(code, 'It cannot be read.', { status: 200, data })
  }
}

const scheme = 'data-api:'

const mimeType = 'application/json'

const uriOf = (name: string): string => `${scheme}/${encodeURIComponent(name)}`
