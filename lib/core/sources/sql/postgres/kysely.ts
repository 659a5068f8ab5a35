import { Type } from '@sinclair/typebox'
import type { CompiledQuery } from 'kysely'
import { DeclarationError } from '../../../errors/errors.ts'
import { compileSourceOptions } from '../../source-options.ts'
import { type Connection, ConnectionFaults, type StatementResult, type Statement } from './wire/connection.ts'
import { makeChangeLog } from './change-log.ts'
import { makePostgresDatabase, type PoolServer } from './database.ts'
import { bufferedDialect } from './dialect.ts'
import { faultOf, NotBegun, toConnectFault, Unconfirmed } from './faults.ts'
import { type ServerOptions, serverOptions, settingsQuery, withDefaults } from './options.ts'
import { loadKysely } from '../load-kysely.ts'
import { beginSession, type RequestSession } from './request-session.ts'
import type { SqlDatabase } from '../source.ts'

export interface KyselyOptions extends ServerOptions {
  /**
   * The SQL that the instance speaks. Needed where the name of its dialect's adapter does not say it, such as in
   * bundled code.
   */
  dialect?: 'postgres'
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

export type KyselyDatabase = SqlDatabase

/**
 * Serves the database behind an application's Kysely instance, through whichever driver the instance uses. Its plugins
 * are not applied. The application still configures and destroys the instance. Throws a DeclarationError for a dialect
 * whose answers would differ from those of other sources (docs/databases.md).
 */
export function kysely (instance: KyselyInstance, options: KyselyOptions = {}): KyselyDatabase {
  checkOptions(options)
  if (options.dialect !== 'postgres') requirePostgres(instance)
  const server = serverOf(instance.withoutPlugins())
  return makePostgresDatabase(server, { ...withDefaults(options), log: makeChangeLog(server, options.changes) })
}

const checkOptions = compileSourceOptions<KyselyOptions>('kysely(instance)', Type.Object({
  dialect: Type.Literal('postgres'), ...serverOptions
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

function serverOf (instance: KyselyInstance): PoolServer {
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
): Promise<StatementResult> {
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
