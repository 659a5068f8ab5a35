import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillPostgres } from './postgres-data.ts'
import { execute, type PostgresServer, startPostgres } from './postgres-server.ts'
import { type Cores, treeCpu } from './machine.ts'
import { type ServerProcess, startServer } from './process.ts'
import type { Contestant } from './servers/protocol.ts'
import type { Setting, SourceName } from './servers/setting.ts'
import { fillSqlite } from './sqlite-data.ts'
import { makeWorld, type Sizes } from './world.ts'

/** The servers of a benchmark, each in its own process with its own copy of the same data. */
export interface Stage {
  /** Returns the server of a subject; starts it at the first call. */
  server (subject: Contestant, source: SourceName): Promise<ServerProcess>
  /**
   * Returns the CPU time of the database's processes in microseconds; undefined for sources without such processes, and
   * for a server that was running before.
   */
  databaseCpu (source: SourceName): number | undefined
  /** Stops the servers, but not the databases. */
  clear (): Promise<void>
  close (): Promise<void>
}

/** Creates the data, and the databases of the given sources. `checkout`: the folder of the other checkout. */
export async function openStage (
  sizes: Sizes, sources: readonly SourceName[], cores: Cores, checkout?: string
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-bench-'))
  // Also at an interrupt.
  const remove = () => { rmSync(folder, { recursive: true, force: true }) }
  process.once('exit', remove)
  const world = makeWorld(sizes)
  const original = join(folder, 'original.db')
  if (sources.includes('sqlite')) fillSqlite(original, world)
  const postgres = sources.includes('postgres')
    ? await openPostgres(cores, original => fillPostgres(original, world))
    : undefined
  const servers = new Map<string, Promise<ServerProcess>>()

  const settingOf = async (subject: Contestant, source: SourceName): Promise<Setting> => {
    if (source === 'memory' || subject === 'floor') return { source: 'memory', sizes }
    if (postgres !== undefined && source === 'postgres') return { source, url: await postgres.copy(subject) }
    const file = join(folder, `${subject.replaceAll(' ', '-')}.db`)
    copyFileSync(original, file)
    return { source: 'sqlite', file }
  }
  const clear = async () => {
    // A server that failed to start needs no stop, and its error has been reported.
    for (const started of await Promise.allSettled(servers.values())) {
      if (started.status === 'fulfilled') await started.value.stop()
    }
    servers.clear()
  }

  return {
    async server (subject, source) {
      const name = subject === 'floor' ? subject : `${subject} ${source}`
      const server = servers.get(name) ?? settingOf(subject, source).then(setting => subject === 'other checkout'
        ? startServer({ subject: 'plugin', setting }, cores.server, checkout)
        : startServer({ subject, setting }, cores.server))
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
  /** Returns the URL of a copy of the database; creates it at the first call. */
  copy (subject: Contestant): Promise<string>
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
      const copy = `${name}_${subject.replaceAll(' ', '_')}`
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
