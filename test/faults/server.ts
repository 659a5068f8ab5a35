import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import dataApi, { postgres, type PostgresOptions, sqlite, type SqlSource } from '../../lib/index.ts'
import type { DriverName } from './sqlite.ts'
import { worldOf } from './world.ts'

// A process of its own that serves the world; api.ts starts it, tells it what to serve, and strikes it.

/** What is served, and the file that the log goes to. */
export type Setting = { readonly log: string } & (
  | { readonly kind: 'sqlite', readonly file: string, readonly driver: DriverName, readonly script?: string }
  | { readonly kind: 'postgres', readonly options: PostgresOptions })

/** What the process is told: to serve, or to run a script on the database that it serves. */
export type Told = { readonly serve: Setting } | { readonly execute: string }

let execute: (script: string) => void = () => {}

process.on('message', (told: Told) => {
  if ('serve' in told) {
    serve(told.serve).catch((error: unknown) => { throw error })
    return
  }
  execute(told.execute)
  process.send?.('executed')
})
process.on('disconnect', () => { process.exit() })
if (!process.connected) process.exit()
process.send?.('loaded')

async function serve (setting: Setting): Promise<void> {
  const logger = { level: 'error', stream: logTo(setting.log) }
  // A busy machine starts plugins in more than Fastify's limit of 10 seconds.
  const app = Fastify({ forceCloseConnections: true, pluginTimeout: 0, logger })
  const table = open(setting)
  await app.register(dataApi, {
    collections: worldOf(table),
    imports: true,
    idempotency: { table: table('data_api_keys') },
    live: { interval: 5, recheck: 3_600_000 }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.((app.server.address() as AddressInfo).port)
}

function open (setting: Setting): (name: string) => SqlSource {
  if (setting.kind === 'postgres') {
    const db = postgres(setting.options)
    return name => db.table(name)
  }
  const db = sqlite(setting.file, { driver: setting.driver })
  if (setting.script !== undefined) db.exec(setting.script)
  execute = script => { db.exec(script) }
  return name => db.table(name)
}

/** Written at once, so that a process that is killed has said everything. A full disk may be full for the log too. */
const logTo = (file: string) => ({
  write (line: string) {
    try {
      appendFileSync(file, line)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && ['EFBIG', 'ENOSPC'].includes(String(error.code)))) throw error
    }
  }
})
