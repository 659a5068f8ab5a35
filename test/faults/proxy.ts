import { connect, createServer, type Server, type Socket } from 'node:net'
import { messages } from '../helpers/frames.ts'

/** A message of PostgreSQL's protocol. `type`: its first byte, such as `Q`; `start` for the first of a connection. */
export interface Frame { readonly from: 'client' | 'server', readonly type: string }

/** What becomes of a frame: the connection is cut before or after it, or it waits with all that follows it that way. */
export type Fate = 'pass' | 'cut before' | 'cut after' | { readonly until: Promise<unknown> }

/** A proxy before a PostgreSQL server. */
export interface Proxy {
  readonly url: string
  /** Has new connections lead to another server; those that are there stay. */
  lead (port: number): void
  /** Decides each frame's fate from now on. */
  decide (fateOf: (frame: Frame) => Fate): void
  close (): Promise<void>
}

export async function startProxy (to: number): Promise<Proxy> {
  let target = to
  let fateOf: (frame: Frame) => Fate = passAll
  const sockets = new Set<Socket>()
  const proxy = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    const server = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    for (const socket of [client, server]) sockets.add(socket.once('close', () => { sockets.delete(socket) }))
    relay({ from: 'client', source: client, into: server, begins: true }, frame => fateOf(frame))
    relay({ from: 'server', source: server, into: client, begins: false }, frame => fateOf(frame))
  })
  const port = await listen(proxy)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    lead (port) { target = port },
    decide (decided) { fateOf = decided },
    close: () => new Promise(resolve => {
      proxy.close(() => { resolve() })
      for (const socket of sockets) socket.destroy()
    })
  }
}

export const passAll = (): Fate => 'pass'

interface Direction {
  readonly from: Frame['from']
  readonly source: Socket
  readonly into: Socket
  /** Whether the first message has no type. */
  readonly begins: boolean
}

function relay ({ from, source, into, begins }: Direction, fateOf: (frame: Frame) => Fate): void {
  let held: Buffer[] | undefined
  let hasEnded = false
  const send = (message: Buffer) => { if (into.writable) into.write(message) }
  const release = () => {
    for (const message of held ?? []) send(message)
    held = undefined
    if (hasEnded) into.end()
  }
  const take = (message: Buffer, type: string) => {
    if (held !== undefined) {
      held.push(message)
      return
    }
    const fate = fateOf({ from, type })
    if (fate === 'pass') send(message)
    else if (fate === 'cut before') cut(source, into)
    else if (fate === 'cut after') {
      // What receives the frame reads it whole before it sees the end.
      into.end(message)
      source.destroy()
    } else {
      held = [message]
      fate.until.then(release, release)
    }
  }
  const typed = messages(1, take)
  const first = messages(0, message => {
    split = typed
    take(message, 'start')
  })
  let split = begins ? first : typed
  const end = () => {
    hasEnded = true
    if (held === undefined) into.end()
  }
  source.on('error', () => {}).on('data', data => { split(data) }).on('end', end).on('close', end)
}

function cut (...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy()
}

const listen = (server: Server) => new Promise<number>(resolve => {
  server.listen(0, '127.0.0.1', () => { resolve((server.address() as { port: number }).port) })
})
