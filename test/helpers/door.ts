import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { serverUrl } from './sources.ts'

/** A door to the server that can be shut, held and slowed. */
export interface Door {
  readonly url: string
  /** Breaks all connections and takes no new one. */
  shut (): Promise<void>
  open (): Promise<number>
  /** Lets nothing through in either direction; connections stay. */
  hold (): void
  release (): void
  /** Everything takes so long to pass, in milliseconds. */
  slow (delay: number): void
  /** Lets the next message that holds the text through, and breaks its connection once the server has answered, so that the answer is lost. Resolves then. */
  cutAnswer (text: string): Promise<void>
}

export async function makeDoor (t: Test, to: string = serverUrl()): Promise<Door> {
  const { hostname, port, username, password, pathname } = new URL(to)
  const sockets = new Set<Socket>()
  let held = false
  let delay = 0
  let cut: { readonly text: string, done (): void } | undefined
  const pass = (from: Socket, into: Socket) => {
    from.on('data', data => {
      if (cut !== undefined && data.includes(cut.text)) {
        const { done } = cut
        cut = undefined
        into.removeAllListeners('data').once('data', () => {
          from.destroy()
          done()
        })
      }
      if (delay === 0) into.write(data)
      else setTimeout(() => into.write(data), delay)
    })
    from.on('error', () => {}).on('close', () => { into.destroy() })
    sockets.add(from.once('close', () => { sockets.delete(from) }))
    if (held) from.pause()
  }
  const door = createServer(client => {
    const server = connect(Number(port), hostname)
    pass(client, server)
    pass(server, client)
  })
  const listen = (at: number) => new Promise<number>(resolve => { door.listen(at, '127.0.0.1', () => { resolve((door.address() as { port: number }).port) }) })
  const own = await listen(0)
  const shut = () => new Promise<void>(resolve => {
    door.close(() => { resolve() })
    for (const socket of sockets) socket.destroy()
  })
  t.teardown(() => door.listening ? shut() : undefined)
  return {
    url: `postgres://${username}${password && `:${password}`}@127.0.0.1:${own}${pathname}`,
    shut,
    open: () => listen(own),
    hold () {
      held = true
      for (const socket of sockets) socket.pause()
    },
    release () {
      held = false
      for (const socket of sockets) socket.resume()
    },
    slow (milliseconds) { delay = milliseconds },
    cutAnswer: text => new Promise(resolve => { cut = { text, done: resolve } })
  }
}
