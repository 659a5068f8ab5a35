import pg from 'pg'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pinned } from './machine.ts'

/** A PostgreSQL server. `pid`: the id of its first process; undefined for a server that this process did not start. */
export interface PostgresServer {
  readonly pid: number | undefined
  /** Returns the URL of the database with that name. */
  url (database: string): string
  stop (): Promise<void>
}

/** Returns the server of DATABASE_URL; without it, starts one in a temporary folder, pinned to the cores. */
export async function startPostgres (cores: string): Promise<PostgresServer> {
  const given = process.env['DATABASE_URL']
  if (given === undefined) return startOwn(cores)
  return { pid: undefined, url: database => withDatabase(given, database), async stop () {} }
}

async function startOwn (cores: string): Promise<PostgresServer> {
  const { freePort, initialize, launch, makeFolder, urlOf } = await loadBinaries()
  const folder = makeFolder()
  const data = join(folder, 'data')
  await initialize(data)
  const port = await freePort()
  // Disk writes and vacuum are not measured, and would disturb some rounds and not others.
  const settings = ['fsync=off', 'autovacuum=off', 'shared_buffers=512MB', 'max_wal_size=4GB', 'checkpoint_timeout=1h']
  const server = await launch({ data, folder, port, settings, wrap: command => pinned(cores, command) })
  process.once('exit', () => { server.kill('SIGINT') })
  return {
    pid: server.pid,
    url: database => withDatabase(urlOf(port), database),
    async stop () {
      const over = new Promise(resolve => { server.once('exit', resolve) })
      server.kill('SIGINT')
      await over
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Runs a statement on a database of the server. */
export async function execute (connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text)
  await client.end()
}

/** Loads a helper of the tests. It is JavaScript, and so is not built next to this file. */
const loadBinaries = async () => await import(new URL(
  '../../test/helpers/postgres-binaries.mjs', import.meta.url
).href) as typeof import('../test/helpers/postgres-binaries.mjs')

function withDatabase (address: string, database: string): string {
  const url = new URL(address)
  url.pathname = `/${database}`
  return url.href
}
