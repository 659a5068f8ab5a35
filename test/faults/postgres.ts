import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort, initialize, launch, makeFolder, urlOf } from '../helpers/postgres-binaries.mjs'
import { clientOf } from '../helpers/postgres-client.ts'
import { end } from '../helpers/streaming-replica.ts'
import { driftQuery, type Mark, marksQuery, postgresScript } from './world.ts'

/** A PostgreSQL server of an experiment's own. */
export interface Postgres {
  readonly port: number
  readonly url: string
  start (): Promise<void>
  /** Stops it by a signal: SIGQUIT at once, SIGINT without waiting for clients. */
  stop (signal: 'SIGQUIT' | 'SIGINT'): Promise<void>
  /** Stops all its processes where they are, and resolves with what lets them go on. */
  freeze (): Promise<() => void>
  /** Everything that it has logged. */
  log (): string
  close (): Promise<void>
}

/** The name that the connections of the API have on the server. */
export const apiName = 'data-api-faults'
const ofApi = `application_name = '${apiName}'`

/** Starts a server that holds the world, with `supply` rows to delete and as many to link. */
export async function startPostgres (supply: number, settings: readonly string[] = []): Promise<Postgres> {
  const folder = makeFolder()
  const [data, port] = [join(folder, 'data'), await freePort()]
  const url = urlOf(port)
  await initialize(data)
  let server: ChildProcess = await launch({ data, folder, port, settings })
  const atExit = () => { server.kill('SIGQUIT') }
  process.once('exit', atExit)
  await ask(url, postgresScript(supply))
  return {
    port,
    url,
    async start () { server = await launch({ data, folder, port, settings }) },
    stop: signal => end(server, signal),
    async freeze () {
      const rows = await askPatiently(url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
      const pids = [server.pid ?? 0, ...rows.map(({ pid }) => Number(pid))]
      for (const pid of pids) signal(pid, 'SIGSTOP')
      return () => { for (const pid of pids) signal(pid, 'SIGCONT') }
    },
    log () {
      const logs = readdirSync(folder).filter(name => name.startsWith('log-'))
      return logs.map(name => readFileSync(join(folder, name), 'utf8')).join('')
    },
    async close () {
      await end(server, 'SIGINT')
      process.off('exit', atExit)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Sends a signal to a process, which may have ended by now. */
export function signal (pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Runs a statement on a connection of its own. */
export async function ask (url: string, text: string): Promise<Rows> {
  const client = clientOf(url)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** The same, again and again until the server answers. Throws its last error after 30 seconds. */
export async function askPatiently (url: string, text: string): Promise<Rows> {
  const end = performance.now() + 30_000
  for (;;) {
    try {
      return await ask(url, text)
    } catch (error) {
      if (performance.now() > end) throw error
      await setTimeout(20)
    }
  }
}

/** The processes on the server that the API's connections have. */
export async function backends (url: string): Promise<readonly number[]> {
  const rows = await askPatiently(url, `select pid from pg_stat_activity where ${ofApi}`)
  return rows.map(({ pid }) => Number(pid))
}

/** Makes another database that holds the world, and gives its URL. */
export async function makeDatabase (url: string, name: string, supply: number): Promise<string> {
  await ask(url, `create database ${name}`)
  const made = withDatabase(url, name)
  await ask(made, postgresScript(supply))
  return made
}

/** The URL of another database behind the same address. */
export function withDatabase (url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Ends all connections of the API. */
export async function endBackends (url: string): Promise<void> {
  await askPatiently(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${ofApi}`)
}

interface Content { readonly marks: readonly Mark[], readonly drift: number }

/** Waits until the server has nothing left to do for the API, then reads what stands in the database. */
export async function inspectPostgres (url: string): Promise<Content> {
  const busy = `select 1 from pg_stat_activity where ${ofApi} and state <> 'idle' and datname = current_database()`
  for (let tries = 0; tries < 600 && (await askPatiently(url, busy)).length > 0; tries++) await setTimeout(50)
  const [drift] = await askPatiently(url, driftQuery)
  const rows = await askPatiently(url, marksQuery)
  return { marks: rows.map(markOf), drift: Number(drift?.['drift']) }
}

function markOf ({ place, token, count }: Rows[number]): Mark {
  return { place: String(place), token: String(token), count: Number(count) }
}
