import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Setting, Told } from './server.ts'

/** A process that has loaded the plugin, and serves nothing yet. */
export interface Loaded {
  /** Has it serve, and resolves when it listens. Rejects where the process ends before. */
  serve (setting: Setting): Promise<Api>
  kill (): Promise<void>
}

/** A process that serves the world. */
export interface Api {
  readonly port: number
  /** Whether the process has ended without having been struck. */
  hasEnded (): boolean
  /** Runs a script on the database that the process has open. */
  execute (script: string): Promise<void>
  kill (): Promise<void>
  stop (): Promise<void>
}

/** Where a process runs. */
export interface Surroundings {
  /** The size that no file of it may exceed, in blocks of 512 bytes. */
  readonly fileLimit?: number
  /** Its folder for temporary files. */
  readonly temporary?: string
}

/** Starts a process. */
export async function load (surroundings: Surroundings = {}): Promise<Loaded> {
  const child = start(surroundings)
  const exited = once(child, 'exit')
  let struck = false
  const tell = (told: Told) => { child.send(told) }
  const kill = async () => {
    struck = true
    child.kill('SIGKILL')
    await exited
  }
  await answer(child)
  return {
    kill,
    async serve (setting) {
      tell({ serve: setting })
      return {
        port: Number(await answer(child)),
        hasEnded: () => !struck && (child.exitCode !== null || child.signalCode !== null),
        kill,
        async execute (script) {
          tell({ execute: script })
          await answer(child)
        },
        async stop () {
          struck = true
          if (child.connected) child.disconnect()
          await exited
        }
      }
    }
  }
}

/** Starts a process that serves. */
export async function startApi (setting: Setting, surroundings: Surroundings = {}): Promise<Api> {
  return (await load(surroundings)).serve(setting)
}

const script = fileURLToPath(new URL('server.js', import.meta.url))

function start ({ fileLimit, temporary }: Surroundings): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit', 'ipc']
  const env = temporary === undefined ? process.env : { ...process.env, TMPDIR: temporary }
  if (fileLimit === undefined) return spawn(process.execPath, [script], { stdio, env })
  // A write beyond the limit is an error, as on a full disk, where the signal is ignored.
  const limited = `trap '' XFSZ; ulimit -f ${fileLimit}; exec "$0" "$@"`
  return spawn('sh', ['-c', limited, process.execPath, script], { stdio, env })
}

/** The next message of the process. */
async function answer (child: ChildProcess): Promise<unknown> {
  const over = new AbortController()
  const message = once(child, 'message', { signal: over.signal }).then(([received]) => received as unknown)
  const exit = once(child, 'exit', { signal: over.signal })
    .then(([code]) => { throw new Error(`the server ended (${String(code)})`) })
  try {
    return await Promise.race([message, exit])
  } finally {
    over.abort()
    await Promise.allSettled([message, exit])
  }
}

interface Line { readonly msg?: string, readonly err?: { readonly code?: string, readonly message?: string } }

/** What the log says: of each message the first line, with the error behind it. Empty where it says nothing. */
export function firstLines (log: string): string {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
  const first = new Map<string, string>()
  for (const { msg = '', err } of lines.flatMap(parseLine)) {
    if (!first.has(msg)) first.set(msg, [err?.code, err?.message].filter(Boolean).join(': '))
  }
  return [...first].map(([message, error]) => error === '' ? message : `${message} (${error})`).join('; ')
}

/** Of a file that has reached its limit, the last line is cut off. */
function parseLine (line: string): readonly Line[] {
  try {
    return [JSON.parse(line) as Line]
  } catch {
    return []
  }
}

/** Loads the next process while the one before it serves. */
export function makeSpare (): { take (): Promise<Loaded>, close (): Promise<void> } {
  let next = load()
  return {
    async take () {
      const loaded = await next
      next = load()
      return loaded
    },
    async close () { await (await next).kill() }
  }
}
