import { type Reply, type Request, request } from './client.ts'
import type { Random } from './random.ts'
import { rowCounts } from './world.ts'

/** How often a write that was done once has left its token at each place. */
export type Traces = Readonly<Record<string, number>>

/** A write that was sent, and what became of it for the client. Times are of `performance.now()`. */
export interface Write extends Reply {
  readonly kind: string
  readonly token: string
  readonly traces: Traces
  readonly began: number
  readonly ended: number
}

interface Draft { readonly request: Request, readonly traces: Traces, readonly token?: string }

interface Drawing {
  readonly token: string
  /** Text that makes a new row large. */
  readonly padding: string
  /** How many items an import has. */
  readonly items: number
  readonly random: Random
  /** The id of a row that no write has named yet. */
  fresh (): number
}

const post = (path: string, body: unknown): Request => ({ method: 'POST', path, body })
const importing = (path: string, lines: readonly unknown[]): Request => ({ method: 'POST', path, lines })
const patch = (path: string, body: unknown): Request => ({ method: 'PATCH', path, body })
const put = (path: string, body: unknown): Request => ({ method: 'PUT', path, body })

const cell = (random: Random) => random.between(1, rowCounts.cells)
const counter = (random: Random) => random.between(1, rowCounts.counters)
/** Half of the upserts create an item of their own; the others meet one another. */
const code = (token: string, random: Random) => random.chance(0.5) ? token : `shared-${random.between(1, 8)}`

/** Every kind of write, as a request and the traces that it leaves. */
const kinds = {
  'single create': ({ token, padding }: Drawing) =>
    ({ request: post('/entries', { token, padding }), traces: { entries: 1 } }),
  'array create': ({ token, padding }: Drawing) =>
    ({ request: post('/entries', Array(3).fill({ token, padding })), traces: { entries: 3 } }),
  import: ({ token, padding, items }: Drawing) =>
    ({ request: importing('/entries', Array(items).fill({ token, padding })), traces: { entries: items } }),
  'create with hook': ({ token, padding }: Drawing) =>
    ({ request: post('/audited', { token, padding }), traces: { entries: 1, audit: 1 } }),
  'create with key': ({ token, padding }: Drawing) =>
    ({ request: { ...post('/entries', { token, padding }), key: token }, traces: { entries: 1 } }),
  'create with hook and key': ({ token, padding }: Drawing) =>
    ({ request: { ...post('/audited', { token, padding }), key: token }, traces: { entries: 1, audit: 1 } }),
  'nested create' ({ token, padding }: Drawing) {
    const parts = [{ token }, { token }]
    return { request: post('/bundles', { token, padding, parts }), traces: { bundles: 1, parts: 2 } }
  },
  update: ({ token, random }: Drawing) =>
    ({ request: patch(`/cells/${cell(random)}`, { token }), traces: { cells: 1 } }),
  'update with hook': ({ token, random }: Drawing) =>
    ({ request: patch(`/ledgers/${cell(random)}`, { token }), traces: { cells: 1, audit: 1 } }),
  'update with setter': ({ token, random }: Drawing) =>
    ({ request: patch(`/counters/${counter(random)}`, { token }), traces: { counters: 1 } }),
  'scalar PUT': ({ token, random }: Drawing) =>
    ({ request: put(`/cells/${cell(random)}/token`, token), traces: { cells: 1 } }),
  upsert: ({ token, random }: Drawing) =>
    ({ request: put(`/slots/${code(token, random)}`, { token }), traces: { slots: 1 } }),
  delete ({ fresh }: Drawing) {
    const id = fresh()
    return { request: { method: 'DELETE', path: `/doomed/${id}` }, token: `doomed ${id}`, traces: { doomed: 1 } }
  },
  link ({ fresh }: Drawing) {
    const id = fresh()
    return { request: patch('/bundles/1', { tags: [{ id }] }), token: `tag ${id}`, traces: { bundle_tags: 1 } }
  }
} as const satisfies Record<string, (drawing: Drawing) => Draft>

export type Kind = keyof typeof kinds
export const everyKind = Object.keys(kinds) as readonly Kind[]

/** Sends writes to one database, and remembers them. */
export interface Writer {
  readonly writes: readonly Write[]
  /** Sends one write and waits for its answer. */
  write (kind: Kind): Promise<Write>
}

/** How a database is written to. `port`: where it is served at the moment. */
export interface Target {
  port (): number
  readonly random: Random
  /** The length of the text in each new row, in characters. Default 0. */
  readonly padding?: number
  /** How many items an import has. Default 20. */
  readonly items?: number
  /** How many rows there are to delete, and to link. */
  readonly supply: number
}

export function makeWriter ({ port, random, padding: length = 0, items = 20, supply }: Target): Writer {
  const writes: Write[] = []
  const padding = 'x'.repeat(length)
  let last = 0
  let used = 0
  const draw = (kind: Kind): Draft & { readonly token: string } => {
    const token = `t${++last}`
    // Where no row is left to delete or to link, one is created instead.
    const isSpent = (kind === 'delete' || kind === 'link') && used >= supply
    const drawing = { token, padding, items, random, fresh: () => ++used }
    return { token, ...kinds[isSpent ? 'single create' : kind](drawing) }
  }
  return {
    writes,
    async write (kind) {
      const { request: asked, token, traces } = draw(kind)
      const began = performance.now()
      const reply = await send(port(), asked)
      const write = { ...reply, kind, token, traces, began, ended: performance.now() }
      writes.push(write)
      return write
    }
  }
}

/** Sends a request. One that has a key is repeated until it is answered with what became of it: four times at most. */
async function send (port: number, asked: Request): Promise<Reply> {
  const replies = [await request(port, asked)]
  for (;;) {
    const last = replies.at(-1)
    const isOver = last === undefined || (last.status > 0 && last.status < 500) || replies.length === 4
    if (asked.key === undefined || isOver) break
    await new Promise(resolve => { setTimeout(resolve, 20) })
    replies.push(await request(port, asked))
  }
  const [first] = replies
  const last = replies.at(-1) ?? first
  if (last === undefined) throw new TypeError('there is one reply at least')
  // If a repetition is refused, what became of an earlier one is still not known.
  return isAcknowledged(last) ? last : replies.find(isUnknown) ?? last
}

/** Whether the client was told, or must assume, that a write may have been done. */
export const isUnknown = ({ status, code }: Reply) => status === 0 || code === 'outcome_unknown'

/** Clients that write without pause. */
export interface Load {
  /** Resolves when the clients have had their last answers. */
  stop (): Promise<void>
}

interface Mix { readonly random: Random, readonly clients: number, readonly of?: readonly Kind[] }

/** Starts clients, each of which sends writes of the kinds given, drawn at random, one after another. */
export function startLoad (writer: Writer, { random, clients, of = everyKind }: Mix): Load {
  const stopped = new AbortController()
  const run = async () => {
    while (!stopped.signal.aborted) {
      const { status } = await writer.write(random.of(of))
      // A server that refuses everything at once would otherwise be asked thousands of times a second.
      if (status === 0 || status >= 500) await new Promise(resolve => { setTimeout(resolve, 10) })
    }
  }
  const done = Promise.all(Array.from({ length: clients }, run))
  return {
    async stop () {
      stopped.abort()
      await done
    }
  }
}

export const isAcknowledged = ({ status }: Reply) => status >= 200 && status < 300

/** Sends writes until one is acknowledged, which it resolves with; undefined where none is within 15 seconds. */
export async function writeUntilAcknowledged (writer: Writer, kind: Kind): Promise<Write | undefined> {
  const end = performance.now() + 15_000
  while (performance.now() < end) {
    const write = await writer.write(kind)
    if (isAcknowledged(write)) return write
    await new Promise(resolve => { setTimeout(resolve, 20) })
  }
  return undefined
}
