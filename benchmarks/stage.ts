import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillPostgres } from './postgres-data.ts'
import { execute, type PostgresServer, startPostgres } from './postgres-server.ts'
import { type Cores, treeCpu } from './machine.ts'
import { type ServerProcess, startServer } from './process.ts'
import type { Subject } from './servers/protocol.ts'
import type { Setting, SourceName } from './servers/setting.ts'
import { fillSqlite } from './sqlite-data.ts'
import { makeWorld, type Sizes } from './world.ts'

/** Where a benchmark plays: servers in processes of their own, each with its own copy of the same data. */
export interface Stage {
  /** The server of a subject, started when it is first asked for. */
  server (subject: Subject, source: SourceName): Promise<ServerProcess>
  /** CPU time that the database's processes have used, in microseconds; undefined where there are none, or none of ours. */
  databaseCpu (source: SourceName): number | undefined
  /** Stops the servers, but not the databases. */
  clear (): Promise<void>
  close (): Promise<void>
}

/** Makes the data, and opens what serves it for these sources. */
export async function openStage (sizes: Sizes, sources: readonly SourceName[], cores: Cores): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-bench-'))
  // Also where somebody has had enough of waiting.
  const remove = () => { rmSync(folder, { recursive: true, force: true }) }
  process.once('exit', remove)
  const world = makeWorld(sizes)
  const original = join(folder, 'original.db')
  if (sources.includes('sqlite')) fillSqlite(original, world)
  const postgres = sources.includes('postgres')
    ? await openPostgres(cores, original => fillPostgres(original, world))
    : undefined
  const servers = new Map<string, Promise<ServerProcess>>()

  const settingOf = async (subject: Subject, source: SourceName): Promise<Setting> => {
    if (source === 'memory' || subject === 'floor') return { source: 'memory', sizes }
    if (postgres !== undefined && source === 'postgres') return { source, url: await postgres.copy(subject) }
    const file = join(folder, `${subject.replace(' ', '-')}.db`)
    copyFileSync(original, file)
    return { source: 'sqlite', file }
  }
  const clear = async () => {
    // One that did not start has nothing to stop, and has been told of.
    for (const started of await Promise.allSettled(servers.values())) {
      if (started.status === 'fulfilled') await started.value.stop()
    }
    servers.clear()
  }

  return {
    async server (subject, source) {
      const name = subject === 'floor' ? subject : `${subject} ${source}`
      const server = servers.get(name) ?? settingOf(subject, source)
        .then(setting => startServer({ subject, setting }, cores.server))
      servers.set(name, server)
      return server
    },
    databaseCpu: source => source === 'postgres' ? treeCpu(postgres?.server.pid) : undefined,
    clear,
    async close () {
      await clear()
      await postgres?.close()
      process.off('exit', remove)
      remove()
    }
  }
}

interface Postgres {
  readonly server: PostgresServer
  /** Gives the address of a new database with the same data. */
  copy (subject: Subject): Promise<string>
  close (): Promise<void>
}

async function openPostgres (cores: Cores, fill: (url: string) => Promise<void>): Promise<Postgres> {
  const server = await startPostgres(cores.database)
  const name = `data_api_bench_${process.pid}`
  const made: string[] = []
  const make = async (database: string, statement: string) => {
    await execute(server.url('postgres'), statement)
    made.push(database)
    return server.url(database)
  }
  await fill(await make(name, `create database ${name}`))
  return {
    server,
    async copy (subject) {
      const copy = `${name}_${subject.replace(' ', '_')}`
      if (made.includes(copy)) return server.url(copy)
      return make(copy, `create database ${copy} template ${name}`)
    },
    async close () {
      for (const database of made.toReversed()) {
        await execute(server.url('postgres'), `drop database ${database} with (force)`)
      }
      await server.stop()
    }
  }
}
