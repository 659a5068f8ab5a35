import type { FastifyInstance } from 'fastify'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap from 'tap'
import { makeApp, sessionOf } from '../../lib/tools/command/serve.ts'
import { parseFlags } from '../../lib/tools/command/flags.ts'
import { runCommand } from '../../lib/tools/command/run.ts'
import { prepare, preparingFlags } from '../../lib/tools/command/prepare.ts'
import type { Design } from '../../lib/tools/command/scaffold/design.ts'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'

const folder = mkdtempSync(join(tmpdir(), 'data-api-command-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })
let files = 0

/** Returns a path that nothing has. */
export const newPath = (name = 'x.db') => join(folder, `${files++}`.padStart(4, '0') + name)

/** Makes a SQLite file by a script, and returns its path. */
export function makeFile (script: string): string {
  const file = newPath()
  const driver = openDriver(file, undefined)
  driver.exec(script)
  driver.close()
  return file
}

const opened = new Set<() => Promise<void>>()
tap.afterEach(async () => { for (const close of opened) await close() })

export interface Prepared { readonly design: Design, readonly app: FastifyInstance, close (): Promise<void> }

/** Serves a database as the command does, but for the port, until it is closed or the test ends. */
export async function serveTarget (...given: readonly string[]): Promise<Prepared> {
  const flags = parseFlags(given, { ...preparingFlags, role: 'text', claims: 'text', write: 'switch' })
  const terminal = { out () {}, error () {}, isTerminal: false }
  const write = flags.has('write')
  const { database, design } = await prepare(flags, { write, session: sessionOf(flags) }, terminal)
  const app = await makeApp(database, design, { host: '127.0.0.1', prefix: '', write }, terminal)
  const close = async () => {
    if (!opened.delete(close)) return
    await app.close()
    await database.db.close()
  }
  opened.add(close)
  return { design, app, close }
}

/** Runs a command line. Returns its exit code and what it printed. */
export async function runLine (...given: readonly string[]) {
  let [out, error] = ['', '']
  const code = await runCommand(given, {
    out: text => { out += text }, error: text => { error += text }, isTerminal: false
  })
  return { code, out, error }
}
