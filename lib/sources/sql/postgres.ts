import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Transaction } from '../../collection.ts'
import { deferredReference } from '../../errors.ts'
import type { ReadPlan } from '../../plan/plan.ts'
import type { Changed, Database, ReadResult, Session } from '../source.ts'
import { type Catalog, columnsQuery, constraintsQuery, readCatalog, type CatalogRows } from './postgres-catalog.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { loadPool, type PooledClient, type PostgresClient, type PostgresPool, type PostgresRows } from './postgres-driver.ts'
import { isConflict, isUnprepared, sqlState, toFault, toRefusal } from './postgres-faults.ts'
import { nameCulprits } from './culprits.ts'
import type { Output } from './read.ts'
import { makeSource, type SqlSource, type TableOptions } from './source.ts'
import { makeStatements, type Statements } from './statements.ts'

export interface PostgresOptions {
  /** Where the server is, as in `postgres://user:password@host:5432/database`. Default: what `PGHOST` and its like say. */
  connectionString?: string
  /** The most connections. Default 10. */
  max?: number
  /** How long a request waits for a connection, in milliseconds, before it is 503. Default 5000. */
  connectionTimeout?: number
  /** How long a statement may run, in milliseconds, before it is 503. Default 30000; 0 is no limit. */
  statementTimeout?: number
  /** Whether statements are prepared by name on each connection, which is 1.5 to 2 times as fast. Switch it off for a pooler that does not know of them. Default true. */
  prepare?: boolean
  /** What else `pg` takes, such as `ssl`. */
  driver?: Readonly<Record<string, unknown>>
}

export interface PostgresDatabase extends Database {
  readonly kind: 'postgres'
  /** The pool of connections, for the application's own statements. */
  readonly pool: PostgresPool
  /** A table or view as the source of a collection, in the first schema of the search path that has one of that name. */
  table (name: string, options?: TableOptions): SqlSource
  close (): Promise<void>
}

/** Serves a PostgreSQL database, from version 14. Connects when the first request asks for data. Throws a DeclarationError where `pg` is not installed. */
export function postgres (options: PostgresOptions = {}): PostgresDatabase {
  const { connectionString, max = 10, connectionTimeout = 5000, statementTimeout = 30_000, prepare = true, driver = {} } = options
  const Pool = loadPool()
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
  const naming = { on: prepare }
  const catalog = once(() => loadCatalog(pool))

  const database: PostgresDatabase = {
    kind: 'postgres',
    pool,
    table: (name, tableOptions = {}) => makeSource(database, name, tableOptions),
    close: () => pool.end(),
    async read (plan) {
      const known = await catalog()
      return onClient(pool, client => makeSession(client, known, naming).read(plan))
    },
    async change (change) {
      const known = await catalog()
      return onClient(pool, client => makeSession(client, known, naming).change(change))
    },
    async transaction (work) {
      const known = await catalog()
      return onClient(pool, client => retrying(() => inTransaction(client, () => work(makeSession(client, known, naming)))))
    }
  }
  return database
}

interface Known extends Catalog { readonly statements: Statements }

/** Asks until it is answered once; an error is the asker's, and the next one asks again. */
function once<T> (load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw toFault(error)
    })
    return loaded
  }
}

async function loadCatalog (pool: PostgresPool): Promise<Known> {
  const columns = await pool.query<CatalogRows['columns'][number]>(columnsQuery)
  const constraints = await pool.query<CatalogRows['constraints'][number]>(constraintsQuery)
  const catalog = readCatalog({ columns: columns.rows, constraints: constraints.rows })
  return { ...catalog, statements: makeStatements(postgresDialect, catalog.types) }
}

async function onClient<T> (pool: PostgresPool, work: (client: PostgresClient) => T | Promise<T>): Promise<T> {
  const client = await connect(pool)
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    // A connection that has failed is not used again.
    client.release(error instanceof Error && 'cause' in error && isBroken(error.cause))
    throw error
  }
}

async function connect (pool: PostgresPool): Promise<PooledClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toFault(error)
  }
}

const isBroken = (cause: unknown) => cause instanceof Error && !('severity' in cause)

async function inTransaction<T> (client: PostgresClient, work: () => Promise<T>): Promise<T> {
  await run(client, 'begin')
  try {
    const result = await work()
    await commit(client)
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function commit (client: PostgresClient): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    throw sqlState(error) === '23503' ? deferredReference(error) : toFault(error)
  }
}

async function run (client: PostgresClient, text: string): Promise<void> {
  try {
    await client.query(text)
  } catch (error) {
    throw toFault(error)
  }
}

/** Transactions that got in each other's way are done again, as distributed databases ask for, a few times and not in step. */
async function retrying<T> (work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      if (!isConflict(cause) || tries === mostTries) throw error
      await setTimeout(Math.random() * 10 * 2 ** tries)
    }
  }
}

const mostTries = 6

function makeSession (client: PostgresClient, { statements, constraints }: Known, naming: Naming): Session {
  const read = async (plan: ReadPlan, locking: boolean): Promise<ReadResult> => {
    const { text, parameters, decode } = statements.bind(plan, locking)
    try {
      const { rows: [output] } = await query(client, text, parameters, naming)
      return decode(output as Output)
    } catch (error) {
      throw toFault(error)
    }
  }
  return {
    transaction: { kind: 'postgres', query: querying(client) },
    read: plan => read(plan, false),
    lock: plan => read(plan, true),
    async change (change): Promise<Changed> {
      const { text, parameters, key } = statements.bindChange(change)
      try {
        const { rows: [row], rowCount } = await query(client, text, parameters, naming)
        if (key === undefined) return rowCount !== 0 || change.kind === 'link' ? { kind: 'changed' } : { kind: 'unchanged' }
        return row === undefined ? { kind: 'unchanged' } : { kind: 'changed', key: key((row as { readonly key: string }).key) }
      } catch (error) {
        const refused = toRefusal(error, change, constraints)
        if (refused === undefined) throw toFault(error)
        // After an error the server answers nothing before the transaction is over, and this one can only be undone.
        await client.query('rollback')
        return nameCulprits(refused, change, plan => read(plan, false))
      }
    }
  }
}

/** Whether statements are named. Switched off for good where a pooler turns out to lose them. */
interface Naming { on: boolean }

// What the server sends is JSON or a count; neither is for the driver to convert.
const asText = { getTypeParser: () => (value: unknown) => value }

async function query (client: PostgresClient, text: string, values: readonly unknown[], naming: Naming): Promise<PostgresRows<unknown>> {
  const name = naming.on ? nameOf(text) : undefined
  try {
    return await client.query({ text, values: [...values], types: asText, ...name !== undefined && { name } })
  } catch (error) {
    if (name === undefined || !isUnprepared(error)) throw error
    naming.on = false
    process.emitWarning('A pooler between this process and PostgreSQL loses prepared statements; they are not used any more. Say postgres({ prepare: false }), or use a pooler that tracks them.', 'DataApiWarning')
    return await client.query({ text, values: [...values], types: asText })
  }
}

// A server keeps what is prepared as long as the connection lasts, and clients choose the shapes: the first thousand texts have names, the others are sent whole.
const names = new Map<string, string>()
const mostNames = 1000

function nameOf (text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  const name = `data_api_${hash('sha1', text, 'hex').slice(0, 20)}`
  names.set(text, name)
  return name
}

function querying (client: PostgresClient): Transaction['query'] {
  return async (text, parameters = []) => {
    const { rows } = await client.query<Record<string, unknown>>(text, [...parameters])
    return rows
  }
}
