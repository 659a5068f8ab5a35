import type { FastifyInstance } from 'fastify'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** An event as it was sent. */
export interface SentEvent { readonly event: string, readonly data: unknown, readonly id: string | undefined }

/** What a client has kept of an earlier stream. */
interface Kept { readonly document?: unknown, readonly tag?: string | undefined }

/** A client that follows a document, and patches it as docs/live.md shows. */
export class Follower {
  readonly response: IncomingMessage
  readonly events: SentEvent[] = []
  /** All that was sent. */
  text = ''
  document: unknown
  tag: string | undefined
  isClosed = false
  private rest = ''

  constructor (response: IncomingMessage, before: Kept = {}) {
    this.response = response
    this.document = before.document
    this.tag = before.tag
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => { this.read(chunk) })
    response.on('error', () => {})
    response.on('close', () => { this.isClosed = true })
  }

  get status () { return this.response.statusCode }

  private read (chunk: string): void {
    this.text += chunk
    const parts = (this.rest + chunk).split('\n\n')
    this.rest = parts.pop() ?? ''
    for (const part of parts) this.take(part)
  }

  private take (part: string): void {
    const fields = new Map(part.split('\n').map(line => {
      const [name = '', ...value] = line.split(': ')
      return [name, value.join(': ')] as const
    }))
    const event = fields.get('event')
    if (event === undefined) return
    const data: unknown = JSON.parse(fields.get('data') ?? 'null')
    const id = fields.get('id')
    this.events.push({ event, data, id })
    if (event === 'snapshot') this.document = data
    if (event === 'patch') this.document = patched(this.document, data as readonly Operation[])
    if (id !== undefined) this.tag = id
  }

  async leave (): Promise<void> {
    this.response.destroy()
    while (!this.isClosed) await sleep(1)
  }
}

interface Operation { readonly op: 'add' | 'remove' | 'replace', readonly path: string, readonly value?: unknown }

/** Applies a patch to a document. */
function patched (document: unknown, operations: readonly Operation[]): unknown {
  const root = { '': structuredClone(document) } as Record<string, unknown>
  for (const { op, path, value } of operations) {
    const names = ['', ...path.split('/').slice(1)].map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop() ?? ''
    const parent = names.reduce<unknown>((one, name) => (one as Record<string, unknown>)[name], root)
    if (Array.isArray(parent)) parent.splice(Number(last), op === 'add' ? 0 : 1, ...op === 'remove' ? [] : [value])
    else if (op === 'remove') delete (parent as Record<string, unknown>)[last]
    else (parent as Record<string, unknown>)[last] = value
  }
  return root['']
}

/** Listens, and returns a function that follows a document of the application. */
export async function listen (app: FastifyInstance) {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return (path: string, headers: Record<string, string> = {}, before?: Kept) =>
    new Promise<Follower>((resolve, reject) => {
      const url = `http://127.0.0.1:${port}${path}`
      get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } }, response => {
        resolve(new Follower(response, before))
      }).on('error', reject)
    })
}

/** Waits until the condition holds. Fails after 20 seconds: a browser waits up to five before it connects anew. */
export async function eventually (isThere: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const end = performance.now() + 20_000
  while (!await isThere()) {
    if (performance.now() > end) throw new Error(`it did not happen: ${what()}`)
    await sleep(5)
  }
}
