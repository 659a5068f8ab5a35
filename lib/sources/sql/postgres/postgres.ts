import { DeclarationError } from '../../../errors.ts'
import { memoize } from '../../../memoize.ts'
import type { Database } from '../../source.ts'
import { type Connection, driverConnection, type Setup } from './connection.ts'
import { makePostgresDatabase, type Server } from './database.ts'
import { loadDriver, type PooledClient, type PostgresPool, type PostgresPoolClass } from './driver.ts'
import { isUntimed, NotBegun, toFault } from './faults.ts'
import { batchReads } from './batching.ts'
import { makeReplicas } from './replicas.ts'
import { settingsQuery } from './settings.ts'
import type { SqlSource, TableOptions } from '../source.ts'

export interface PostgresOptions {
  /** Where the server is, as in `postgres://user:password@host:5432/database`. Default: what `PGHOST` and its like say. */
  connectionString?: string
  /** The same, where there are replicas. */
  primary?: string
  /** Where its streaming replicas are. Reads go to one that has all that this process has written; a read that asks for `Cache-Control: no-cache` goes to the primary. Default none. */
  replicas?: readonly string[]
  /** The most connections to each server. Default 10. */
  max?: number
  /** How long a request waits for a connection, in milliseconds, before it is 503. Default 5000. */
  connectionTimeout?: number
  /** How long a statement may run, in milliseconds, before it is 503. Default 30000; 0 is no limit. */
  statementTimeout?: number
  /** How long a transaction may take, in milliseconds, before it is rolled back and its request is 503: its hooks and setters included. Default 30000; 0 is no limit. */
  transactionTimeout?: number
  /** Whether statements are prepared by name on each connection, which is 1.5 to 2 times as fast. Switch it off for a pooler that does not know of them. Default true. */
  prepare?: boolean
  /** What else `pg` takes, such as `ssl`. */
  driver?: Readonly<Record<string, unknown>>
}

export interface PostgresDatabase extends Database {
  readonly kind: 'postgres'
  /** The pool of connections to the primary, for the application's own statements. */
  readonly pool: PostgresPool
  /** A table or view as the source of a collection, in the first schema of the search path that has one of that name. */
  table (name: string, options?: TableOptions): SqlSource
  close (): Promise<void>
}

/**
 * Serves a PostgreSQL database, from version 14. Connects when the first request asks for data.
 * Throws a DeclarationError where `pg` is not installed or is told to be another, or where it is not said which server is the primary.
 */
export function postgres (options: PostgresOptions = {}): PostgresDatabase {
  const { connectionString, primary = connectionString, replicas = [] } = options
  if (connectionString !== undefined && connectionString !== primary) throw new DeclarationError("postgres(): 'connectionString' and 'primary' name different servers; give only one of them")
  if (options.driver?.['pipeline'] === true) throw new DeclarationError("postgres(): the plugin batches statements itself; remove 'pipeline' from 'driver'")
  const { Pool, prepareValue } = loadDriver()
  const pool = openPool(Pool, primary, options)
  const setup: Setup = { naming: { on: options.prepare ?? true }, prepareValue, responseTimeout: responseTimeoutOf(options) }
  const readers = replicas.map(replica => openPool(Pool, replica, options))
  const server = serverOf(pool, setup)
  const database = makePostgresDatabase(server, {
    transactionTimeout: options.transactionTimeout ?? 30_000,
    replicas: readers.length === 0 ? undefined : makeReplicas(server, readers.map(reader => serverOf(reader, setup)))
  })
  return {
    ...database,
    kind: 'postgres',
    pool,
    async close () { await Promise.all([pool, ...readers].map(one => one.end())) }
  }
}

function openPool (Pool: PostgresPoolClass, connectionString: string | undefined, { max = 10, connectionTimeout = 5000, statementTimeout = defaultStatementTimeout, driver = {} }: PostgresOptions): PostgresPool {
  const pool = new Pool({
    ...connectionString !== undefined && { connectionString },
    max,
    connectionTimeoutMillis: connectionTimeout,
    ...statementTimeout > 0 && { statement_timeout: statementTimeout },
    ...driver
  })
  // A connection that is lost while nobody asks anything of it is replaced by the next request that needs one. Whoever asks is told by the question.
  pool.on('error', () => {})
  pool.on('connect', client => { client.on('error', () => {}) })
  return pool
}

/** The server is to end a statement itself; one that answers nothing any more is not waited for. */
const responseTimeoutOf = ({ statementTimeout = defaultStatementTimeout }: PostgresOptions) => statementTimeout > 0 ? statementTimeout + 1000 : undefined

const defaultStatementTimeout = 30_000

function serverOf (pool: PostgresPool, setup: Setup): Server {
  const connectionOf = memoize((client: PooledClient) => adjusted(driverConnection(client, setup)))
  const use: Server['use'] = async work => {
    const client = await connect(pool)
    const { connection, settle } = connectionOf(client)
    try {
      await settle()
      return await work(connection)
    } finally {
      client.release(connection.isSpent())
    }
  }
  return { use, batched: { prepared: batchReads({ use }) }, confirmsStatements: true }
}

/** A connection whose settings are looked at once. Where that fails, nothing has been done on it yet. */
function adjusted (connection: Connection): { readonly connection: Connection, settle (): Promise<void> | undefined } {
  let settled = false
  const settle = async () => {
    try {
      await connection.query(settingsQuery)
      settled = true
    } catch (error) {
      throw new NotBegun(error)
    }
  }
  return { connection, settle: () => settled ? undefined : settle() }
}

function connect (pool: PostgresPool): Promise<PooledClient> {
  return pool.connect().catch(async (error: unknown) => {
    if (!isUntimed(error)) throw toFault(error)
    connectUntimed(pool)
    return pool.connect().catch((other: unknown) => { throw toFault(other) })
  })
}

function connectUntimed (pool: PostgresPool): void {
  if (pool.options['statement_timeout'] === undefined) return
  delete pool.options['statement_timeout']
  process.emitWarning('A pooler between this process and PostgreSQL does not accept statement_timeout when a connection begins, so the server does not limit the time of statements. Set the limit on the server: alter role ... set statement_timeout.', 'DataApiWarning')
}
