import type { FastifyInstance } from 'fastify'
import dataApi, { type DataApiOptions, sqlite } from 'fastify-data-api'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { fill } from '../../examples/solar-system/fill.ts'
import Fastify from './fastify.ts'

/** A result of a method, or the error of the protocol. */
export interface Told {
  readonly status: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number, readonly message: string, readonly data?: unknown }
}

/** The result of a tool: its text, and the JSON in it. */
export interface Called { readonly text: string, readonly isError: boolean, readonly data: unknown }

type Headers = Readonly<Record<string, string>>

/** Returns functions that send messages of the older protocol to the door of an application. */
export function agentOf (app: FastifyInstance, url = '/mcp', headers: Headers = {}) {
  const rpc = async (method: string, params?: object): Promise<Told> => {
    const payload = { jsonrpc: '2.0', id: 1, method, params }
    const response = await app.inject({ method: 'POST', url, payload, headers })
    return { status: response.statusCode, ...response.json<Omit<Told, 'status'>>() }
  }
  return {
    app,
    rpc,
    /** Sends a message of the modern protocol. */
    modern: (...given: Parameters<typeof modernRequest>) => app.inject({ ...modernRequest(...given), url }),
    async call (name: string, given: object = {}): Promise<Called> {
      const { result } = await rpc('tools/call', { name, arguments: given })
      const [{ text = '' } = {}] = (result?.['content'] ?? []) as ReadonlyArray<{ readonly text?: string }>
      return { text, isError: result?.['isError'] === true, data: text.startsWith('{') ? JSON.parse(text) : undefined }
    }
  }
}

/** The solar system, with a door for agents. */
export async function serveSolarSystem (options: Partial<DataApiOptions> = {}): Promise<FastifyInstance> {
  const db = sqlite(':memory:')
  fill(db, new URL('../../examples/solar-system/data', import.meta.url).pathname)
  const app = Fastify()
  await app.register(dataApi, { collections: solarSystem(db), mcp: true, ...options })
  app.addHook('onClose', () => { db.close() })
  return app
}

/** A request of the modern protocol, with its headers. */
export function modernRequest (method: string, params: Readonly<Record<string, unknown>> = {}, id: unknown = 1) {
  const meta = 'io.modelcontextprotocol/'
  const _meta = { [`${meta}protocolVersion`]: '2026-07-28', [`${meta}clientCapabilities`]: {} }
  const name = params['name'] ?? params['uri']
  const headers: Record<string, string> = {
    'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...typeof name === 'string' && { 'mcp-name': name }
  }
  const payload = { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
  return { method: 'POST' as const, url: '/mcp', headers, payload }
}
