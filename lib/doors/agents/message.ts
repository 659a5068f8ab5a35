import { isObject } from '../../core/errors/is-object.ts'

/** The protocol in which each request says all that it depends on, without a session. */
export const modern = '2026-07-28'

/** The protocols that begin with a handshake, the latest first. */
export const legacy: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']

/** A message of JSON-RPC 2.0. `id`: undefined for a notification. */
export interface Message {
  readonly id: string | number | undefined
  readonly method: string
  readonly params: Params
  /** True if it has the form of the modern protocol. */
  readonly isModern: boolean
}

type Members = Readonly<Record<string, unknown>>

/** What a message is about. The members that name something are texts. */
export type Params = Members & Readonly<Partial<Record<typeof texts[number], string>>>

const texts = ['name', 'uri', 'protocolVersion'] as const

/** The headers that repeat a part of a message, so that proxies need not read it. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** An error of the protocol, in the answer's `error`. */
export class ProtocolError extends Error {
  readonly code: number
  readonly status: number
  readonly data: unknown
  constructor (code: number, message: string, { status = 400, data }: { status?: number, data?: unknown } = {}) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }
}

/** Reads a message. Throws a ProtocolError for one that is none, and for headers that say something else. */
export function readMessage (value: unknown, headers: Headers): Message {
  if (Array.isArray(value)) throw new ProtocolError(-32600, 'Send one message; a batch is not taken.')
  const isMessage = isObject(value) && value['jsonrpc'] === '2.0' && typeof value['method'] === 'string'
  if (!isMessage || !('id' in value ? isId(value['id']) : true)) {
    throw new ProtocolError(-32600, 'Send a request of JSON-RPC 2.0.')
  }
  const { id, method } = value
  const params = readParams(value['params'])
  const isModern = checkVersion(params['_meta'], headers)
  const message = { id: id as Message['id'], method: String(method), params, isModern }
  if (isModern && id !== undefined) checkHeaders(message, headers)
  return message
}

function readParams (params: unknown = {}): Params {
  if (!isObject(params)) throw new ProtocolError(-32602, "'params' must be an object.")
  const wrong = texts.find(name => params[name] !== undefined && typeof params[name] !== 'string')
  if (wrong !== undefined) throw new ProtocolError(-32602, `'params.${wrong}' must be a text.`)
  return params
}

/** Returns the id of what may be a message, for an error; null for one without. */
export const idOf = (value: unknown): Message['id'] | null =>
  isObject(value) && isId(value['id']) ? value['id'] : null

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id)

/** Returns true for a message of the modern protocol. The version of others is in their header, or in the handshake. */
function checkVersion (meta: unknown, headers: Headers): boolean {
  const claimed = versionIn(meta)
  const header = headers['mcp-protocol-version']
  if (claimed === undefined) {
    if (header === undefined || legacy.includes(String(header))) return false
    if (header !== modern) throw unsupported(header)
    throw new ProtocolError(-32602, "'params._meta' must have io.modelcontextprotocol/protocolVersion.")
  }
  if (typeof claimed !== 'string') throw new ProtocolError(-32602, 'The version of the protocol must be a text.')
  if (header !== undefined && header !== claimed) throw mismatch('MCP-Protocol-Version')
  if (claimed !== modern) throw unsupported(claimed)
  return true
}

const versionIn = (meta: unknown): unknown =>
  isObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined

type Version = string | readonly string[]

const unsupported = (version: Version) => new ProtocolError(-32022, 'This version is not supported.', {
  data: { supported: [modern, ...legacy], requested: String(version).slice(0, 100) }
})

const mismatch = (header: string) => new ProtocolError(-32020, `The header '${header}' must be as in the body.`)

function checkHeaders ({ method, params }: Message, headers: Headers): void {
  if (headers['mcp-protocol-version'] === undefined) throw mismatch('MCP-Protocol-Version')
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method')
  const name = method === 'tools/call' ? params.name : method === 'resources/read' ? params.uri : undefined
  if (name !== undefined && decoded(headers['mcp-name']) !== name) throw mismatch('Mcp-Name')
}

/** Decodes a header whose text may be `=?base64?...?=`. */
function decoded (header: unknown): unknown {
  const [, base64] = /^=\?base64\?([\w+/=-]*)\?=$/.exec(String(header)) ?? []
  return base64 === undefined ? header : Buffer.from(base64, 'base64').toString()
}

/** Returns the headers of a message that comes without any; none where it is no request of the modern protocol. */
export function headersFor (message: unknown): Readonly<Record<string, string>> {
  const { method, params } = isObject(message) ? message : {}
  const { _meta: meta, name, uri } = isObject(params) ? params : {}
  const version = versionIn(meta)
  if (version === undefined) return {}
  const printable = (text: unknown) => typeof text === 'string' && /^[!-~]+$/.test(text) ? text : ''
  const named = Buffer.from(String([name, uri].find(text => typeof text === 'string'))).toString('base64')
  return {
    'mcp-protocol-version': printable(version), 'mcp-method': printable(method), 'mcp-name': `=?base64?${named}?=`
  }
}
