import { type Expression, postgres, type Source, sqlite } from 'fastify-data-api'
import { readFile } from 'node:fs/promises'

/** Tables of SQLite or of PostgreSQL, which the declarations use alike. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  table (name: string): Source
  ping (): Promise<void>
  /** Creates the tables where they are missing. */
  createTables (): Promise<void>
  close (): Promise<void>
}

const scriptOf = (dialect: Database['dialect']) => readFile(new URL(`${dialect}.sql`, import.meta.url), 'utf8')

/** Opens the PostgreSQL server of a URL, such as `postgres://desk@db/desk`; otherwise a file of SQLite. */
export function openDatabase (place: string): Database {
  const columns = { columns: 'snake_case' } as const
  if (/^postgres(ql)?:/.test(place)) {
    const db = postgres(place)
    return {
      dialect: 'postgres',
      table: name => db.table(name, columns),
      ping: () => db.ping(),
      async createTables () { await db.pool.query(await scriptOf('postgres')) },
      close: () => db.close()
    }
  }
  const db = sqlite(place)
  return {
    dialect: 'sqlite',
    table: name => db.table(name, columns),
    ping: () => db.ping(),
    async createTables () { db.exec(await scriptOf('sqlite')) },
    async close () { db.close() }
  }
}

/** Is the time in a column before now? Both databases have a clock, and no common name for it. */
export function isPast ({ dialect }: Database, eb: Builder, column: string) {
  const clock = dialect === 'postgres'
    ? eb.fn('now')
    : eb.fn('strftime', [eb.val('%Y-%m-%dT%H:%M:%fZ'), eb.val('now')])
  return eb(column, '<', clock)
}

type Builder = Parameters<NonNullable<Expression['sql']>>[0]
