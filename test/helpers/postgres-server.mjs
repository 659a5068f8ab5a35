import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { treeSeconds } from './cpu-seconds.mjs'
import { noteCosts, postgresCosts } from './costs.mjs'
import { freePort, initialize, launch, makeFolder, urlOf } from './postgres-binaries.mjs'

// One PostgreSQL for the whole run, on a free port and in a temporary folder: started before the tests, stopped after
// them.

const record = new URL('../../.tap/postgres.json', import.meta.url)

/** The tests run on a server of the application's, or leave PostgreSQL out, only where that is said. */
const given = () => process.env.DATABASE_URL !== undefined || process.env.WITHOUT_POSTGRES === '1'

/** Starts the server, and returns its URL; undefined where none is needed. */
export async function start () {
  if (given()) return undefined
  const folder = makeFolder()
  const data = join(folder, 'data')
  await initialize(data)
  const port = await freePort()
  const server = await launch({
    data,
    folder,
    port,
    detached: true,
    settings: ['fsync=off', 'autovacuum=off', 'max_connections=200', 'timezone=Asia/Kolkata', 'datestyle=SQL, DMY']
  })
  mkdirSync(dirname(fileURLToPath(record)), { recursive: true })
  writeFileSync(record, JSON.stringify({ url: urlOf(port), folder, pid: server.pid }))
  server.unref()
  return urlOf(port)
}

export async function stop () {
  if (given() || !existsSync(record)) return
  const { folder, pid } = JSON.parse(readFileSync(record, 'utf8'))
  rmSync(record)
  noteCosts('PostgreSQL', { [postgresCosts]: treeSeconds(pid) ?? 0 })
  await end(pid, join(folder, 'data', 'postmaster.pid'))
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** Ends the server at once, without a checkpoint: its data is thrown away. */
async function end (pid, lockFile) {
  signal(pid, 'SIGQUIT')
  for (let tries = 0; tries < 1200; tries++) {
    // Where nothing collects a process without a parent, it stays known after its end.
    if (!signal(pid, 0) || !existsSync(lockFile)) return
    await setTimeout(25)
  }
  signal(pid, 'SIGKILL')
}

/** Returns false if there is no such process any more. */
function signal (pid, name) {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
    return false
  }
}
