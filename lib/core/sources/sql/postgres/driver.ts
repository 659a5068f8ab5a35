import { createRequire } from 'node:module'
import { DeclarationError } from '../../../errors/errors.ts'

// The parts of `pg` that are used, declared here so that an application without `pg` needs neither it nor its types.

export interface PostgresRows<Row> { readonly rows: Row[], readonly rowCount: number | null }

/** A statement in the driver's form. */
export interface PostgresQuery { readonly text: string, readonly values?: unknown[] }

/** An object that the driver accepts in place of a text. It sends its own messages and handles the answers itself. */
export interface Submittable {
  submit (connection: DriverConnection): Error | null
}

/** The connection under a client. Each method writes a message of PostgreSQL's protocol. */
export interface DriverConnection {
  readonly stream: { cork (): void, uncork (): void }
  /** The texts of the prepared statements, by name. */
  readonly parsedStatements: Record<string, string>
  /** The texts of the statements that have been sent to be prepared, by name. */
  readonly submittedNamedStatements: Record<string, string>
  parse (message: { readonly name: string, readonly text: string }): void
  bind (message: { readonly statement: string, readonly values: ReadonlyArray<string | Buffer | null> }): void
  execute (message: object): void
  sync (): void
  /** Begins a session. */
  startup (config: object): void
  /** Asks the server to cancel the statement of another session. */
  cancel (processID: number, secretKey: number): void
  /** Closes a prepared statement; `type` is always `S`. */
  close (message: { readonly type: 'S', readonly name: string }): void
}

export interface PostgresClient {
  query<Row = unknown> (query: string | PostgresQuery, values?: unknown[]): Promise<PostgresRows<Row>>
  query (query: Submittable): unknown
  on (event: 'error', listener: (error: Error) => void): unknown
}

export interface PooledClient extends PostgresClient {
  readonly connection: DriverConnection
  /** With the secret key, names the session to the server. */
  readonly processID: number
  readonly secretKey: number
  connect (): Promise<unknown>
  /** Returns the connection to the pool, or closes it where `destroy` is true. */
  release (destroy?: boolean): void
}

export interface PostgresPool {
  readonly Client: new (config: Readonly<Record<string, unknown>>) => PooledClient
  /** The options for new connections. */
  readonly options: Record<string, unknown>
  /** The number of connections. */
  readonly totalCount: number
  /** The number of requests that wait for a connection. */
  readonly waitingCount: number
  query<Row = unknown> (query: string | PostgresQuery, values?: unknown[]): Promise<PostgresRows<Row>>
  connect (): Promise<PooledClient>
  end (): Promise<void>
  on (event: 'error', listener: (error: Error) => void): unknown
  on (event: 'connect', listener: (client: PostgresClient) => void): unknown
}

export type PostgresPoolClass = new (config: Readonly<Record<string, unknown>>) => PostgresPool

interface PostgresDriver { readonly Pool: PostgresPoolClass, readonly prepareValue: PrepareValue }

/** Converts a value to the protocol's form. */
export type PrepareValue = (value: unknown) => string | Buffer | null

/**
 * Loads `pg`. Throws a DeclarationError if `pg` is not installed, or if NODE_PG_FORCE_NATIVE makes it use libpq, which
 * gives no access to the protocol.
 */
export function loadDriver (): PostgresDriver {
  const require = createRequire(import.meta.url)
  try {
    // The types describe the modules of these names.
    const { Pool } = require('pg') as { readonly Pool: PostgresPoolClass }
    const { prepareValue } = require('pg/lib/utils.js') as { readonly prepareValue: PrepareValue }
    if (process.env['NODE_PG_FORCE_NATIVE'] !== undefined) {
      throw new Error('NODE_PG_FORCE_NATIVE selects libpq, which is not supported')
    }
    return { Pool, prepareValue }
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1).join('') : String(error)
    throw new DeclarationError(`postgres(): the driver 'pg' cannot be used; run npm install pg (${reason})`)
  }
}
