import { join } from 'node:path'
import { firstLines, startApi } from './api.ts'
import { type Reply, type Request, request } from './client.ts'
import { judge, nameOf } from './judge.ts'
import type { Traces, Write } from './load.ts'
import type { Effort, Outcome } from './outcome.ts'
import { inspectPostgres, startPostgres } from './postgres.ts'
import type { Setting } from './server.ts'
import { inspect, installedDrivers } from './sqlite.ts'
import { type Mark, sqliteScript } from './world.ts'

// Constraints that the database checks at the commit: a foreign key that is deferred and, on PostgreSQL, a unique key.
// What they refuse is 409, and nothing of it is written; what breaks no constraint is written.

/** Writes what a constraint refuses at the commit, and what none refuses, on each database. */
export async function deferredConstraints (effort: Effort): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const driver of installedDrivers()) {
    const file = join(effort.folder, `${outcomes.length}.db`)
    const setting: Setting = { kind: 'sqlite', log: `${file}.log`, file, driver, script: sqliteScript(1) }
    outcomes.push(await attemptAll(`deferred constraints, ${driver}`, setting, async () => inspect(file, driver).marks))
  }
  const server = await startPostgres(1)
  const log = join(effort.folder, 'postgres.log')
  const setting: Setting = { kind: 'postgres', log, options: { connectionString: server.url } }
  const marksOf = async () => (await inspectPostgres(server.url)).marks
  outcomes.push(await attemptAll('deferred constraints, PostgreSQL', setting, marksOf))
  await server.close()
  return outcomes
}

/** A write, the traces that it leaves if it is done, and whether a constraint refuses it. */
interface Attempt {
  readonly name: string
  readonly request: Request
  readonly token: string
  readonly traces: Traces
  readonly isRefused: boolean
}

async function attemptAll (name: string, setting: Setting, marksOf: () => Promise<readonly Mark[]>): Promise<Outcome> {
  const api = await startApi(setting)
  const wrong: string[] = []
  const writes: Write[] = []
  for (const { name: kind, request: asked, token, traces, isRefused } of [...firstRows, ...attempts]) {
    const began = performance.now()
    const reply = await request(api.port, asked)
    writes.push({ ...reply, kind, token, traces, began, ended: performance.now() })
    if (isRefused !== isConflict(reply)) wrong.push(`${kind}: ${nameOf({ kind, ...reply })}`)
  }
  const verdict = judge(writes, await marksOf())
  await api.stop()
  const struck = attempts.filter(({ isRefused }) => isRefused).length
  const allowed = ['409 duplicate', '409 reference']
  return { name, struck, verdict, log: firstLines(setting.log), heals: [], wrong, allowed }
}

const isConflict = ({ status, code }: Reply) => status === 409 && (code === 'reference' || code === 'duplicate')

/** A row to update, and one whose code is taken. */
const firstRows = ['own', 'taken'].map((code): Attempt => ({
  name: 'first rows',
  request: { method: 'POST', path: '/kids', body: { token: code, code, parent_id: 1 } },
  token: code,
  traces: { kids: 1 },
  isRefused: false
}))

const contents = [
  { of: 'what is right', isRefused: false, make: (token: string) => ({ token, code: token, parent_id: 1 }) },
  { of: 'a reference to nothing', isRefused: true, make: (token: string) => ({ token, code: token, parent_id: 99 }) },
  { of: 'a code that is taken', isRefused: true, make: (token: string) => ({ token, code: 'taken', parent_id: 1 }) }
]

type Content = ReturnType<typeof contents[number]['make']>

const ways = [
  { by: 'POST', request: (path: string, content: Content) => ({ method: 'POST', path, body: content }) },
  {
    by: 'POST of an array',
    request (path: string, content: Content) {
      return { method: 'POST', path, body: [{ ...content, code: `${content.token} 1`, parent_id: 1 }, content] }
    },
    rows: 2
  },
  { by: 'PATCH', request: (path: string, content: Content) => ({ method: 'PATCH', path: `${path}/1`, body: content }) },
  { by: 'PUT', request: (path: string, content: Content) => ({ method: 'PUT', path: `${path}/1`, body: content }) }
]

/** Each content by each way, with hooks and without. */
const attempts = [false, true].flatMap(hasHooks => ways.flatMap(({ by, request, rows = 1 }) =>
  contents.map(({ of, isRefused, make }): Attempt => {
    const token = `${by} of ${of}${hasHooks ? ' with hooks' : ''}`
    return {
      name: token,
      request: request(hasHooks ? '/watched' : '/kids', make(token)),
      token,
      traces: { kids: rows, ...hasHooks && { audit: rows } },
      isRefused
    }
  })))
