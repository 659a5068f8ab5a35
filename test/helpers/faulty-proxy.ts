import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { serverUrl } from './sources.ts'

/** A TCP proxy in front of the PostgreSQL server that a test can close, pause and delay. */
export interface FaultyProxy {
  readonly url: string
  /** Breaks all connections and accepts no new ones. */
  close (): Promise<void>
  /** Accepts connections again, on the same port. */
  reopen (): Promise<number>
  /** Holds back all data in both directions; the connections stay open. */
  pause (): void
  resume (): void
  /** Delays all data by a time in milliseconds. */
  setDelay (delay: number): void
  /**
   * Forwards the next message that contains the text, but loses the server's answer to it: breaks the connection as
   * soon as the server has answered. Resolves then.
   */
  loseAnswer (text: string): Promise<void>
}

/** Makes a proxy in front of the server of that URL; the test's teardown closes it. */
export async function makeFaultyProxy (t: Test, to: string = serverUrl()): Promise<FaultyProxy> {
  const { hostname, port, username, password, pathname } = new URL(to)
  const state: ProxyState = { sockets: new Set(), isPaused: false, delay: 0, lossy: undefined }
  const proxy = createServer(client => {
    const server = connect(Number(port), hostname)
    forward(client, server, state)
    forward(server, client, state)
  })
  const listen = (at: number) => new Promise<number>(resolve => {
    proxy.listen(at, '127.0.0.1', () => { resolve((proxy.address() as { port: number }).port) })
  })
  const ownPort = await listen(0)
  const close = () => new Promise<void>(resolve => {
    proxy.close(() => { resolve() })
    for (const socket of state.sockets) socket.destroy()
  })
  t.teardown(() => proxy.listening ? close() : undefined)
  return {
    url: `postgres://${username}${password && `:${password}`}@127.0.0.1:${ownPort}${pathname}`,
    close,
    reopen: () => listen(ownPort),
    pause () {
      state.isPaused = true
      for (const socket of state.sockets) socket.pause()
    },
    resume () {
      state.isPaused = false
      for (const socket of state.sockets) socket.resume()
    },
    setDelay (delay) { state.delay = delay },
    loseAnswer: text => new Promise(resolve => { state.lossy = { text, done: resolve } })
  }
}

interface ProxyState {
  readonly sockets: Set<Socket>
  isPaused: boolean
  /** In milliseconds. */
  delay: number
  /** The text of the message whose answer is to be lost, and the callback to call then. */
  lossy: { readonly text: string, done (): void } | undefined
}

function forward (from: Socket, to: Socket, state: ProxyState): void {
  from.on('data', data => {
    if (state.lossy !== undefined && data.includes(state.lossy.text)) {
      const { done } = state.lossy
      state.lossy = undefined
      to.removeAllListeners('data').once('data', () => {
        from.destroy()
        done()
      })
    }
    if (state.delay === 0) to.write(data)
    else setTimeout(() => to.write(data), state.delay)
  })
  from.on('error', () => {}).on('close', () => { to.destroy() })
  state.sockets.add(from.once('close', () => { state.sockets.delete(from) }))
  if (state.isPaused) from.pause()
}
