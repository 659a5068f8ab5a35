import { Type } from '@sinclair/typebox'
import type { CompiledQuery } from 'kysely'
import type { Declared } from '../../../declare/collection.ts'
import { DeclarationError } from '../../../errors/errors.ts'
import type { CheckMode } from '../../catalog-check.ts'
import { characters, checkMode, compileOptions, defaultStatementCache, milliseconds } from '../../source-options.ts'
import type { Database } from '../../source.ts'
import { type Connection, ConnectionFaults, type Result, type Statement } from './wire/connection.ts'
import { type ChangeLogOptions, changesOption, makeChangeLog } from './change-log.ts'
import { makePostgresDatabase, type Server } from './database.ts'
import { bufferedDialect } from './dialect.ts'
import { faultOf, NotBegun, toConnectFault, Unconfirmed } from './faults.ts'
import { settingsQuery } from './settings.ts'
import { loadKysely } from '../load-kysely.ts'
import { beginSession, type RequestSession, type SessionOf } from './request-session.ts'
import type { SqlSource, TableDefinition, TableOptions } from '../source.ts'

export interface KyselyOptions {
  /**
   * The SQL that the instance speaks. Needed where the name of its dialect's adapter does not say it, such as in
   * bundled code.
   */
  dialect?: 'postgres'
  /**
   * What happens at the start if declarations do not fit their tables (docs/databases.md: Declarations and tables).
   * Default `error`.
   */
  check?: CheckMode
  /**
   * How long a transaction may take with its hooks and setters, in milliseconds, before it is rolled back and its
   * request is 503. Default 30000; 0 is no limit.
   */
  transactionTimeout?: number
  /** The most characters of the statements that are remembered for each kind of request. Default 1000000. */
  statementCache?: number
  /**
   * Returns the role and the settings for the statements of a request (docs/row-level-security.md). Default: all run as
   * the connection's own role.
   */
  session?: SessionOf
  /**
   * Has live documents follow the database's log of changes (docs/live.md: PostgreSQL). Default false: they follow the
   * changes of this process. Not for PGlite, which has no second connection.
   */
  changes?: boolean | ChangeLogOptions
}

/** The parts of an application's Kysely instance that are used, of whichever version. */
export interface KyselyInstance {
  withoutPlugins (): KyselyInstance
  connection (): { execute<T> (work: (connection: KyselyInstance) => Promise<T>): Promise<T> }
  executeQuery (query: CompiledQuery): Promise<{
    readonly rows: unknown[]
    readonly numAffectedRows?: bigint | undefined
  }>
  getExecutor (): { readonly adapter: object }
}

export interface KyselyDatabase extends Database {
  /** Runs a statement. Rejects with `unavailable` if it is not answered. */
  ping (): Promise<void>
  /**
   * A table or view as the source of a collection: by a name such as `music.artists`, or by a definition. Without a
   * schema it is the one in the first schema of the search path that has the name.
   */
  table (table: string | TableDefinition, options?: TableOptions): SqlSource
  /**
   * Compares the declarations with the tables, also where the option `check` is `off`. Returns the warnings. Rejects
   * with a DeclarationError that lists all faults.
   */
  check (collections: Readonly<Record<string, Declared>>): Promise<readonly string[]>
}

/**
 * Serves the database behind an application's Kysely instance, through whichever driver the instance uses. Its plugins
 * are not applied. The application still configures and destroys the instance. Throws a DeclarationError for a dialect
 * whose answers would differ from those of other sources (docs/databases.md).
 */
export function kysely (instance: KyselyInstance, options: KyselyOptions = {}): KyselyDatabase {
  checkOptions(options)
  const {
    dialect, check = 'error', transactionTimeout = 30_000, statementCache = defaultStatementCache, session,
    changes
  } = options
  if (dialect !== 'postgres') requirePostgres(instance)
  const server = serverOf(instance.withoutPlugins())
  return makePostgresDatabase(server, {
    transactionTimeout, statementCache, check, session, log: makeChangeLog(server, changes)
  })
}

const checkOptions = compileOptions<KyselyOptions>('kysely(instance)', Type.Object({
  dialect: Type.Literal('postgres'),
  check: checkMode,
  transactionTimeout: milliseconds,
  statementCache: characters,
  session: Type.Unknown(),
  changes: changesOption
}))

function requirePostgres (instance: KyselyInstance): void {
  const names = classesOf(instance.getExecutor().adapter)
  if (names.includes('PostgresAdapter')) return
  const reason = names.map(name => unsupported[name]).find(text => text !== undefined) ??
    `${names[0] ?? 'the adapter of its dialect'} is not known; ` +
    "if its SQL is that of PostgreSQL, use kysely(instance, { dialect: 'postgres' })"
  throw new DeclarationError(`kysely(): ${reason}`)
}

/**
 * Returns the names of an object's class and of the classes that it extends. Names, because the instance may come from
 * another copy of Kysely, for which `instanceof` is false.
 */
function classesOf (object: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (typeof prototype !== 'object' || prototype === null || prototype === Object.prototype) return []
  return [prototype.constructor.name, ...classesOf(prototype)]
}

/** The reason why a dialect is not served, by the name of its adapter. docs/databases.md says what was tried. */
const unsupported: Readonly<Record<string, string>> = {
  SqliteAdapter: 'SQLite is not supported here; use sqlite(file, { driver }) with the database ' +
    'that the instance has open',
  MysqlAdapter: 'MySQL and MariaDB are not supported, because their answers would differ from those of other sources ' +
    '(see docs/databases.md)',
  MssqlAdapter: 'Microsoft SQL Server is not supported, because it cannot build JSON arrays of rows'
}

function serverOf (instance: KyselyInstance): Server {
  let mustAdjust = true
  return {
    // The error of a statement's commit follows the statement's result. Some drivers, such as postgres.js, do not wait
    // for it.
    confirmsStatements: false,
    dialect: bufferedDialect,
    async use (work) {
      let connected = false
      try {
        return await instance.connection().execute(async lent => {
          connected = true
          const connection = connectionOf(lent)
          // Kysely does not say which connection this is, so each one is adjusted, until one needs no adjustment: then
          // the server's own settings are the wanted ones.
          if (mustAdjust) mustAdjust = await adjust(connection)
          return work(connection)
        })
      } catch (error) {
        throw connected ? error : toConnectFault(error)
      }
    }
  }
}

/** Adjusts the settings of a connection. Returns true if at least one had another value. Throws NotBegun. */
async function adjust (connection: Connection): Promise<boolean> {
  try {
    return (await connection.query(settingsQuery)).length > 0
  } catch (error) {
    throw new NotBegun(error)
  }
}

function connectionOf (instance: KyselyInstance): Connection {
  const faults = new ConnectionFaults()
  // After an error in a transaction the server answers `commit` with ROLLBACK, which Kysely does not show.
  let isAborted = false
  const execute = async (text: string, values: readonly unknown[] = []) => {
    try {
      const { rows, numAffectedRows } = await instance.executeQuery(loadKysely().CompiledQuery.raw(text, [...values]))
      // The rows of every driver are objects, by the names of the columns.
      return { rows: rows as ReadonlyArray<Readonly<Record<string, unknown>>>, count: Number(numAffectedRows ?? 0) }
    } catch (error) {
      isAborted = true
      throw faults.add(error)
    }
  }
  const connection: Connection = {
    query: async (text, values) => (await execute(text, values)).rows,
    async run (...texts) {
      for (const text of texts) {
        await execute(text)
        if (text.startsWith('rollback')) isAborted = false
      }
    },
    begin: () => connection.run('begin'),
    async prepared (statement) {
      const { session, text, values } = statement
      if (session !== undefined) return readInSession(connection, session, statement)
      const { rows, count } = await execute(text, values)
      return { rows: rows.map(row => Object.values(row)), count }
    },
    async commit () {
      if (isAborted) throw new Error('the transaction was not committed, because a statement had failed')
      await execute('commit').catch((error: unknown) => {
        // The server may have committed before the connection ended.
        throw faultOf(error).ends === true ? faults.add(new Unconfirmed(error)) : error
      })
    },
    isGone: () => faults.gone,
    isSpent: () => faults.spent,
    raised: error => faults.has(error)
  }
  return connection
}

/** Runs a read in a transaction of its own, which begins with the session. */
async function readInSession (
  connection: Connection, session: RequestSession, { text, values }: Statement
): Promise<Result> {
  await beginSession(connection, session)
  try {
    const result = await connection.prepared({ text, values })
    await connection.run('commit')
    return result
  } catch (error) {
    if (!connection.isGone()) await connection.run('rollback').catch(() => {})
    throw error
  }
}
