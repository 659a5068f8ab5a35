import { CompiledQuery } from 'kysely'
import { DeclarationError } from '../../../errors.ts'
import type { Database } from '../../source.ts'
import { type Connection, Faults } from './connection.ts'
import { makePostgresDatabase, type Server } from './database.ts'
import { endsConnection, NotBegun, toFault, Unconfirmed } from './faults.ts'
import { settingsQuery } from './settings.ts'
import type { SqlSource, TableOptions } from '../source.ts'

export interface KyselyOptions {
  /** What the instance speaks, where its dialect's adapter does not tell, such as in bundled code. */
  dialect?: 'postgres'
  /** How long a transaction may take, in milliseconds, before it is rolled back and its request is 503: its hooks and setters included. Default 30000; 0 is no limit. */
  transactionTimeout?: number
}

/** What is used of an application's Kysely, whichever version of it that is. */
export interface KyselyInstance {
  withoutPlugins (): KyselyInstance
  connection (): { execute<T> (work: (connection: KyselyInstance) => Promise<T>): Promise<T> }
  executeQuery (query: CompiledQuery): Promise<{ readonly rows: unknown[], readonly numAffectedRows?: bigint | undefined }>
  getExecutor (): { readonly adapter: object }
}

export interface KyselyDatabase extends Database {
  /** A table or view as the source of a collection, in the first schema of the search path that has one of that name. */
  table (name: string, options?: TableOptions): SqlSource
}

/**
 * Serves the database behind a Kysely instance that the application has, through whichever driver that uses. Its plugins are not applied; it stays the
 * application's to configure and to destroy. Throws a DeclarationError for a dialect whose answers would not be those of other sources (docs/databases.md).
 */
export function kysely (instance: KyselyInstance, { dialect, transactionTimeout = 30_000 }: KyselyOptions = {}): KyselyDatabase {
  if (dialect !== 'postgres') requirePostgres(instance)
  return makePostgresDatabase(serverOf(instance.withoutPlugins()), { transactionTimeout })
}

function requirePostgres (instance: KyselyInstance): void {
  const names = classesOf(instance.getExecutor().adapter)
  if (names.includes('PostgresAdapter')) return
  const reason = names.map(name => refusals[name]).find(text => text !== undefined)
  throw new DeclarationError(`kysely(): ${reason ?? `${names[0] ?? 'the adapter of its dialect'} is not known; if its SQL is that of PostgreSQL, use kysely(instance, { dialect: 'postgres' })`}`)
}

/** The names of an object's class and those it extends: the instance may come from another copy of Kysely, so that `instanceof` does not tell. */
function classesOf (object: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (typeof prototype !== 'object' || prototype === null || prototype === Object.prototype) return []
  return [prototype.constructor.name, ...classesOf(prototype)]
}

/** Why a dialect is not served, by its adapter. What was tried is in docs/databases.md. */
const refusals: Readonly<Record<string, string>> = {
  SqliteAdapter: 'SQLite is not supported here; use sqlite(file, { driver }) with the database that the instance has open',
  MysqlAdapter: 'MySQL and MariaDB are not supported, because their answers would differ from those of other sources (see docs/databases.md)',
  MssqlAdapter: 'Microsoft SQL Server is not supported, because it cannot build JSON arrays of rows'
}

function serverOf (instance: KyselyInstance): Server {
  let adjusts = true
  return {
    // Some drivers, such as postgres.js, do not wait for what follows the result of a statement, where the error of its commit stands.
    confirmsStatements: false,
    async use (work) {
      let connected = false
      try {
        return await instance.connection().execute(async lent => {
          connected = true
          const connection = connectionOf(lent)
          // Which connection this is Kysely does not tell. Where the server's settings are as they come, one look is enough.
          if (adjusts) adjusts = await adjust(connection)
          return work(connection)
        })
      } catch (error) {
        throw connected ? error : toFault(error)
      }
    }
  }
}

/** Whether there was something to adjust. */
async function adjust (connection: Connection): Promise<boolean> {
  try {
    return (await connection.query(settingsQuery)).length > 0
  } catch (error) {
    throw new NotBegun(error)
  }
}

function connectionOf (instance: KyselyInstance): Connection {
  const faults = new Faults()
  const execute = async (text: string, values: readonly unknown[] = []) => {
    try {
      const { rows, numAffectedRows } = await instance.executeQuery(CompiledQuery.raw(text, [...values]))
      // A statement gives rows by the names it says.
      return { rows: rows as ReadonlyArray<Readonly<Record<string, unknown>>>, count: Number(numAffectedRows ?? 0) }
    } catch (error) {
      throw faults.add(error)
    }
  }
  return {
    query: async (text, values) => (await execute(text, values)).rows,
    async run (...texts) { for (const text of texts) await execute(text) },
    async prepared (text, values) {
      const { rows, count } = await execute(text, values)
      return { rows: rows.map(row => Object.values(row)), count }
    },
    // Once it is sent, the server may have committed before the connection ended.
    async commit () { await execute('commit').catch((error: unknown) => { throw endsConnection(error) ? faults.add(new Unconfirmed(error)) : error }) },
    isGone: () => faults.gone,
    isSpent: () => faults.spent,
    raised: error => faults.has(error)
  }
}
