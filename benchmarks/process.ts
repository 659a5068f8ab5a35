import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinned } from './machine.ts'
import type { Question, ServerSettings, Usage } from './servers/protocol.ts'

/** A server in another process. */
export interface ServerProcess {
  readonly url: string
  /** How many requests of a load it has answered. */
  served: number
  ask (question: Question): Promise<Usage>
  stop (): Promise<void>
}

const ownScript = fileURLToPath(new URL('servers/serve.js', import.meta.url))

/**
 * Starts a server, pinned to the cores, and waits until it listens. `checkout`: the folder of another checkout, which
 * must be built, whose server is to be started. The environment variable `DATA_API_BENCH_NODE` has
 * options for its Node.js, such as `--cpu-prof`.
 */
export async function startServer (
  settings: ServerSettings, cores: string, checkout?: string
): Promise<ServerProcess> {
  const options = process.env['DATA_API_BENCH_NODE']?.split(' ') ?? []
  const [command, ...args] = pinned(cores, [
    process.execPath,
    '--expose-gc',
    ...options,
    checkout === undefined ? ownScript : join(resolve(checkout), 'dist/benchmarks/servers/serve.js'),
    JSON.stringify(settings)
  ])
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const port = await receive(child)
  return {
    url: `http://127.0.0.1:${String(port)}`,
    served: 0,
    async ask (question) {
      child.send(question)
      return await receive(child) as Usage
    },
    async stop () {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    }
  }
}

/** Resolves to the next message of the server, which answers one question at a time. Rejects when the server ends. */
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
