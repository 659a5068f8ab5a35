import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pinned } from './machine.ts'
import type { Asked, Served, Usage } from './servers/protocol.ts'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string
  ask (asked: Asked): Promise<Usage>
  stop (): Promise<void>
}

const script = fileURLToPath(new URL('servers/serve.js', import.meta.url))

/** Starts a server on the cores given, and waits until it listens. `DATA_API_BENCH_NODE` holds options for its Node.js, such as `--cpu-prof`. */
export async function startServer (served: Served, cores: string): Promise<ServerProcess> {
  const options = process.env['DATA_API_BENCH_NODE']?.split(' ') ?? []
  const [command, ...args] = pinned(cores, [
    process.execPath,
    '--expose-gc',
    ...options,
    script,
    JSON.stringify(served)
  ])
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const port = await receive(child)
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async ask (asked) {
      child.send(asked)
      return await receive(child) as Usage
    },
    async stop () {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    }
  }
}

/** The next message; one question is asked at a time. */
async function receive (child: ChildProcess): Promise<unknown> {
  const over = new AbortController()
  const message = once(child, 'message', { signal: over.signal }).then(([received]) => received as unknown)
  const exit = once(child, 'exit', { signal: over.signal })
    .then(([code]) => { throw new Error(`a server ended by itself (${String(code)})`) })
  try {
    return await Promise.race([message, exit])
  } finally {
    over.abort()
    await Promise.allSettled([message, exit])
  }
}
