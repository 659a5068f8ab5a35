import { createRequire } from 'node:module'
import { DeclarationError } from '../../errors.ts'

// What is used of `pg`, so that an application without it needs neither the driver nor its types.

export interface PostgresRows<Row> { readonly rows: Row[], readonly rowCount: number | null }

/** A statement as the driver takes it. `name`: under which it is prepared. */
export interface PostgresQuery {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
  readonly rowMode?: 'array'
  readonly types?: { getTypeParser (oid: number, format?: string): (value: string) => unknown }
}

export interface PostgresClient {
  query<Row = unknown> (query: string | PostgresQuery, values?: unknown[]): Promise<PostgresRows<Row>>
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

/** The driver's pool. Throws a DeclarationError where `pg` is not installed. */
export function loadPool (): PostgresPoolClass {
  try {
    // The module is the driver that its name says.
    return (createRequire(import.meta.url)('pg') as { readonly Pool: PostgresPoolClass }).Pool
  } catch (error) {
    throw new DeclarationError(`postgres(): its driver cannot be loaded; npm install pg (${error instanceof Error ? error.message.split('\n', 1).join('') : String(error)})`)
  }
}
