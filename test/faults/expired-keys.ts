import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { firstLines, startApi } from './api.ts'
import { judge } from './judge.ts'
import { makeWriter, type Writer } from './load.ts'
import type { Effort, Outcome } from './outcome.ts'
import { ask, startPostgres } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'
import { inspect, installedDrivers } from './sqlite.ts'
import { sqliteScript } from './world.ts'

// Keys of writes that have expired, as many as a minute has writes, are deleted beside 200 writes a second with keys:
// in the short form at the start, else a minute later.

const supply = 20_000
const rate = 200
const expired = 60 * rate

const fill = (series: string) => `insert into data_api_keys (caller, key, fingerprint, results, at)
  select '', 'expired ' || n, 'f', '[]', '2020-01-01T00:00:00.000Z' from ${series} as numbers`

const countQuery = "select count(*) as count from data_api_keys where key like 'expired %'"

/** Writes with keys beside keys that have expired. These must be gone then. */
export async function expiredKeys (effort: Effort): Promise<readonly Outcome[]> {
  return [await onSqlite(effort), await onPostgres(effort)]
}

async function onPostgres (effort: Effort): Promise<Outcome> {
  const server = await startPostgres(supply)
  const insert = () => ask(server.url, fill(`(select n from generate_series(1, ${expired}) n)`))
  if (effort.quick) await insert()
  const served = await servePostgres({ effort, supply, options: { connectionString: server.url } })
  if (!effort.quick) await insert()
  await writeSteadily(served.writer, effort)
  const wrong = await faultsIn(async () => (await ask(server.url, countQuery))[0]?.['count'])
  const outcome = await served.judge(server.url, { ...seen('PostgreSQL'), wrong })
  await server.close()
  return outcome
}

async function onSqlite (effort: Effort): Promise<Outcome> {
  const { random, folder, quick } = effort
  const [driver] = installedDrivers()
  if (driver === undefined) throw new Error('no driver of SQLite is installed')
  const [file, log] = [join(folder, 'keys.db'), join(folder, 'keys.log')]
  const insert = fill(
    `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${expired}) select n from s)`
  )
  const script = quick ? `${sqliteScript(supply)}; ${insert}` : sqliteScript(supply)
  const api = await startApi({ kind: 'sqlite', log, file, driver, script })
  if (!quick) await api.execute(insert)
  const writer = makeWriter({ port: () => api.port, random, supply })
  await writeSteadily(writer, effort)
  const reader = openDriver(file, undefined)
  const wrong = await faultsIn(() => (reader.prepare(countQuery).all()[0] as { count: number }).count)
  reader.close()
  await api.stop()
  return { ...seen('SQLite'), verdict: judge(writer.writes, inspect(file, driver).marks), log: firstLines(log), wrong }
}

const seen = (source: string) => ({ name: `expired keys, ${source}`, struck: expired, heals: [] })

/** Sends 200 writes a second, or as many as are answered, until the keys were deleted once more. */
async function writeSteadily (writer: Writer, { quick }: Effort): Promise<void> {
  const end = performance.now() + (quick ? 2000 : 70_000)
  while (performance.now() < end) {
    const second = setTimeout(100)
    await Promise.all(Array.from({ length: rate / 10 }, () => writer.write('create with key')))
    await second
  }
}

async function faultsIn (count: () => unknown): Promise<readonly string[]> {
  const end = performance.now() + 20_000
  while (Number(await count()) > 0 && performance.now() < end) await setTimeout(50)
  const left = Number(await count())
  return left === 0 ? [] : [`${left} keys that have expired are left`]
}
