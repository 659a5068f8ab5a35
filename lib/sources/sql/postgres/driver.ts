import { createRequire } from 'node:module'
import { DeclarationError } from '../../../errors.ts'

// What is used of `pg`, so that an application without it needs neither the driver nor its types.

export interface PostgresRows<Row> { readonly rows: Row[], readonly rowCount: number | null }

/** A statement as the driver takes it. */
export interface PostgresQuery { readonly text: string, readonly values?: unknown[] }

/** What the driver takes instead of a text: it sends and is answered by itself. */
export interface Submittable {
  submit (connection: DriverConnection): Error | null
}

/** What is used of a connection under a client: it writes messages of PostgreSQL's protocol. */
export interface DriverConnection {
  readonly stream: { cork (): void, uncork (): void }
  /** The texts of statements that are prepared, by their names, and of those that are being. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse (message: { readonly name: string, readonly text: string }): void
  bind (message: { readonly statement: string, readonly values: ReadonlyArray<string | Buffer | null> }): void
  execute (message: object): void
  sync (): void
  /** Of a prepared statement: `type` is `S`. */
  close (message: { readonly type: 'S', readonly name: string }): void
}

export interface PostgresClient {
  query<Row = unknown> (query: string | PostgresQuery, values?: unknown[]): Promise<PostgresRows<Row>>
  query (query: Submittable): unknown
  on (event: 'error', listener: (error: Error) => void): unknown
}

export interface PooledClient extends PostgresClient {
  /** Gives the connection back, or away for good. */
  release (destroy?: boolean): void
}

export interface PostgresPool {
  /** What new connections are made with. */
  readonly options: Record<string, unknown>
  /** How many connections there are, and how many requests wait for one. */
  readonly totalCount: number
  readonly waitingCount: number
  query<Row = unknown> (query: string | PostgresQuery, values?: unknown[]): Promise<PostgresRows<Row>>
  connect (): Promise<PooledClient>
  end (): Promise<void>
  on (event: 'error', listener: (error: Error) => void): unknown
  on (event: 'connect', listener: (client: PostgresClient) => void): unknown
}

export type PostgresPoolClass = new (config: Readonly<Record<string, unknown>>) => PostgresPool

/** `prepareValue`: makes of a value what the protocol takes. */
export interface PostgresDriver { readonly Pool: PostgresPoolClass, readonly prepareValue: PrepareValue }

export type PrepareValue = (value: unknown) => string | Buffer | null

/** Throws a DeclarationError where `pg` is not installed, or is told to be libpq, which has the protocol to itself. */
export function loadDriver (): PostgresDriver {
  const require = createRequire(import.meta.url)
  try {
    // The modules are the driver that their names say.
    const { Pool } = require('pg') as { readonly Pool: PostgresPoolClass }
    const { prepareValue } = require('pg/lib/utils.js') as { readonly prepareValue: PrepareValue }
    if (process.env['NODE_PG_FORCE_NATIVE'] !== undefined) throw new Error('NODE_PG_FORCE_NATIVE selects libpq, which is not supported')
    return { Pool, prepareValue }
  } catch (error) {
    throw new DeclarationError(`postgres(): the driver 'pg' cannot be used; run npm install pg (${error instanceof Error ? error.message.split('\n', 1).join('') : String(error)})`)
  }
}
