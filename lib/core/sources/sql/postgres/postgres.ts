import { Type } from '@sinclair/typebox'
import { DeclarationError } from '../../../errors/errors.ts'
import { memoize } from '../../../scheduling/memoize.ts'
import { compileSourceOptions, milliseconds } from '../../source-options.ts'
import { type Connection, type ConnectionOptions, driverConnection } from './wire/connection.ts'
import { cancelStatement } from './wire/cancel.ts'
import { makeChangeLog } from './change-log.ts'
import { makePostgresDatabase, type PoolServer } from './database.ts'
import { postgresDialect } from './dialect.ts'
import { loadDriver, type PooledClient, type PostgresPool, type PostgresPoolClass } from './driver.ts'
import { isUntimed, NotBegun, toConnectFault } from './faults.ts'
import { batchReads } from './batching.ts'
import { readOnlyConfig, type ServerOptions, serverOptions, settingsQuery, withDefaults } from './options.ts'
import { makeReplicas } from './replicas.ts'
import type { SqlDatabase } from '../source.ts'

export interface PostgresOptions extends ServerOptions {
  /** The server's address, such as `postgres://user:password@host:5432/database`. Default: `PGHOST` and its like. */
  connectionString?: string
  /** The primary's address: another name for `connectionString`, for use with `replicas`. */
  primary?: string
  /**
   * The addresses of the primary's streaming replicas. Reads go to a replica that has replayed every write of this
   * process; a read with `Cache-Control: no-cache` goes to the primary. Default none.
   */
  replicas?: readonly string[]
  /** The largest number of connections to each server. Default 10. */
  max?: number
  /** How long a request waits for a connection, in milliseconds, before it is 503. Default 5000. */
  connectionTimeout?: number
  /** How long a statement may run, in milliseconds, before it is 503. Default 30000; 0 is no limit. */
  statementTimeout?: number
  /**
   * Prepares statements by name on each connection, which is 1.5 to 2 times as fast. Set it to false for a pooler that
   * does not support prepared statements. Default true.
   */
  prepare?: boolean
  /**
   * Only reads: every connection begins with `default_transaction_read_only`, and clients cannot write, whatever the
   * declarations allow (docs/databases.md: Reading only). Default false.
   */
  readOnly?: boolean
  /** Further options of `pg`, such as `ssl`. */
  driver?: Readonly<Record<string, unknown>>
}

export interface PostgresDatabase extends SqlDatabase {
  readonly kind: 'postgres'
  readonly readOnly: boolean
  /** The pool of connections to the primary, for the application's own statements. */
  readonly pool: PostgresPool
  /** Closes all connections, once they are not in use. The second call waits for the first. */
  close (): Promise<void>
}

/**
 * Serves a PostgreSQL database, from version 14. Connects when the first request needs data. Throws a DeclarationError
 * for a wrong option, if `pg` cannot be used, if `connectionString` and `primary` differ, or if `driver` has
 * `pipeline`.
 *
 * @param given the options, or the server's address alone
 */
export function postgres (given: PostgresOptions | string = {}): PostgresDatabase {
  const options = typeof given === 'string' ? { connectionString: given } : given
  checkOptions(options)
  const { primary = options.connectionString, replicas = [], readOnly = false } = options
  const common = withDefaults(options)
  const { Pool, prepareValue } = loadDriver()
  const pool = openPool(Pool, primary, options)
  const connectionOptions: ConnectionOptions = {
    naming: { on: options.prepare ?? true },
    prepareValue,
    responseTimeout: responseTimeoutOf(options),
    preparedCharacters: Math.floor(common.statementCache / 4)
  }
  const replicaPools = replicas.map(replica => openPool(Pool, replica, options))
  const server = serverOf(pool, connectionOptions)
  const replicaServers = replicaPools.map(replicaPool => serverOf(replicaPool, connectionOptions))
  const log = makeChangeLog(server, options.changes, readOnly)
  const database = makePostgresDatabase(server, {
    ...common,
    readOnly,
    log,
    replicas: replicaServers.length === 0 ? undefined : makeReplicas(server, replicaServers)
  })
  let closing: Promise<unknown> | undefined
  return {
    ...database,
    kind: 'postgres',
    readOnly,
    pool,
    async close () {
      log?.close()
      closing ??= Promise.all([pool, ...replicaPools].map(one => one.end()))
      await closing
    }
  }
}

const checkForms = compileSourceOptions<PostgresOptions>('postgres()', Type.Object({
  connectionString: Type.String(),
  primary: Type.String(),
  replicas: Type.Array(Type.String()),
  max: Type.Integer({ minimum: 1 }),
  connectionTimeout: milliseconds,
  statementTimeout: milliseconds,
  prepare: Type.Boolean(),
  readOnly: Type.Boolean(),
  driver: Type.Object({}),
  ...serverOptions
}))

function checkOptions (options: PostgresOptions): void {
  checkForms(options)
  const { connectionString, primary = connectionString, driver, changes = false, max } = options
  if (connectionString !== undefined && connectionString !== primary) {
    const reason = "'connectionString' and 'primary' name different servers; give only one of them"
    throw new DeclarationError(`postgres(): ${reason}`)
  }
  if (changes !== false && max === 1) {
    throw new DeclarationError("postgres(): the option 'changes' takes a connection of its own; set 'max' to 2 or more")
  }
  if (driver?.['pipeline'] === true) {
    const message = "postgres(): the plugin batches statements itself; remove 'pipeline' from 'driver'"
    throw new DeclarationError(message)
  }
}

function openPool (
  Pool: PostgresPoolClass, connectionString: string | undefined, options: PostgresOptions
): PostgresPool {
  const { max = 10, connectionTimeout = 5000, statementTimeout = defaultStatementTimeout, driver = {} } = options
  const config = {
    ...connectionString !== undefined && { connectionString },
    max,
    connectionTimeoutMillis: connectionTimeout,
    ...statementTimeout > 0 && { statement_timeout: statementTimeout },
    ...driver
  }
  const pool = new Pool(options.readOnly === true ? readOnlyConfig(config) : config)
  // An idle connection that is lost is replaced when a request needs one. A lost connection in use rejects its
  // statement. So there is nothing to do for the events, but without a listener they would end the process.
  pool.on('error', () => {})
  pool.on('connect', client => { client.on('error', () => {}) })
  return pool
}

/** Returns a little more than the statement timeout: the server is to end a statement itself, unless it is silent. */
const responseTimeoutOf = ({ statementTimeout = defaultStatementTimeout }: PostgresOptions) =>
  statementTimeout > 0 ? statementTimeout + 1000 : undefined

const defaultStatementTimeout = 30_000

function serverOf (pool: PostgresPool, options: ConnectionOptions): PoolServer {
  const connectionOf = memoize((client: PooledClient) =>
    adjustOnce(driverConnection(client, options, () => { cancelStatement(client, pool) })))
  const use: PoolServer['use'] = async work => {
    const client = await connect(pool)
    const { connection, adjust } = connectionOf(client)
    try {
      await adjust()
      return await work(connection)
    } finally {
      client.release(connection.isSpent())
    }
  }
  return {
    use,
    batched: { prepared: batchReads({ use }) },
    confirmsStatements: true,
    dialect: postgresDialect,
    onConnect (listener) { pool.on('connect', listener) }
  }
}

/**
 * Returns the connection with a function that adjusts its settings at the first successful call and does nothing
 * afterwards. It throws NotBegun: no work has been done on the connection by then.
 */
function adjustOnce (
  connection: Connection
): { readonly connection: Connection, adjust (): Promise<void> | undefined } {
  let adjusted = false
  const adjust = async () => {
    try {
      await connection.query(settingsQuery)
      adjusted = true
    } catch (error) {
      throw new NotBegun(error)
    }
  }
  return { connection, adjust: () => adjusted ? undefined : adjust() }
}

function connect (pool: PostgresPool): Promise<PooledClient> {
  return pool.connect().catch(async (error: unknown) => {
    if (!isUntimed(error)) throw toConnectFault(error)
    connectUntimed(pool)
    return pool.connect().catch((other: unknown) => { throw toConnectFault(other) })
  })
}

/** Has new connections start without a statement timeout, for a pooler that refuses it. */
function connectUntimed (pool: PostgresPool): void {
  if (pool.options['statement_timeout'] === undefined) return
  delete pool.options['statement_timeout']
  process.emitWarning(
    'A pooler between this process and PostgreSQL does not accept statement_timeout when a connection begins, ' +
    'so the server does not limit the time of statements. Set the limit on the server: ' +
    'alter role ... set statement_timeout.',
    'DataApiWarning'
  )
}
