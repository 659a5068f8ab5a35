import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, initialize, launch, makeFolder, urlOf } from './postgres-binaries.mjs'

// One PostgreSQL for the whole run, on a free port and in a temporary folder: started before the tests, stopped after
// them.

const record = new URL('../../.tap/postgres.json', import.meta.url)

/** The tests run on a server of the application's, or leave PostgreSQL out, only where that is said. */
const given = () => process.env.DATABASE_URL !== undefined || process.env.WITHOUT_POSTGRES === '1'

export async function start () {
  if (given()) return
  const folder = makeFolder()
  const data = join(folder, 'data')
  await initialize(data)
  const port = await freePort()
  const server = await launch({
    data,
    folder,
    port,
    detached: true,
    settings: ['fsync=off', 'max_connections=200', 'timezone=Asia/Kolkata', 'datestyle=SQL, DMY']
  })
  mkdirSync(dirname(fileURLToPath(record)), { recursive: true })
  writeFileSync(record, JSON.stringify({ url: urlOf(port), folder, pid: server.pid }))
  server.unref()
}

export async function stop () {
  if (given() || !existsSync(record)) return
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
