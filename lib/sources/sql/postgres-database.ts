import type { ReadPlan } from '../../plan/plan.ts'
import type { Database } from '../source.ts'
import type { Connection } from './postgres-connection.ts'
import { toFault } from './postgres-faults.ts'
import type { Replicas } from './postgres-replicas.ts'
import { type Known, learn, makeSession } from './postgres-session.ts'
import { inTransaction, retrying } from './postgres-transaction.ts'
import { makeSource, type SqlSource, type TableOptions } from './source.ts'

/** A server, or a pool of connections to it. */
export interface Server {
  /** Lends a connection for the time of the work. */
  use<T> (work: (connection: Connection) => Promise<T>): Promise<T>
}

export interface SqlDatabase extends Database {
  table (name: string, options?: TableOptions): SqlSource
}

/** The database on a server that speaks PostgreSQL's SQL. */
export function makePostgresDatabase (server: Server, replicas?: Replicas): SqlDatabase {
  const known = once(() => server.use(learn))
  const using = async <T>(at: Server, work: (connection: Connection, catalog: Known) => Promise<T>): Promise<T> => {
    const catalog = await known()
    return at.use(connection => work(connection, catalog))
  }
  const writing = async <T>(work: (connection: Connection, catalog: Known) => Promise<T>): Promise<T> => {
    try {
      return await using(server, work)
    } finally {
      // Whatever came of it: of a connection that is lost nobody knows.
      replicas?.written()
    }
  }
  const reading = (at: Server, plan: ReadPlan) => using(at, (connection, catalog) => retrying(async () => makeSession(connection, catalog, false).read(plan)))
  const database: SqlDatabase = {
    kind: 'postgres',
    table: (name, options = {}) => makeSource(database, name, options),
    read: (plan, fresh = false) => replicas === undefined || fresh ? reading(server, plan) : replicas.read(at => reading(at, plan)),
    change: change => writing((connection, catalog) => retrying(async () => makeSession(connection, catalog, false).change(change))),
    transaction: work => writing((connection, catalog) => inTransaction(connection, () => work(makeSession(connection, catalog, true))))
  }
  return database
}

/** Asks until it is answered once; an error is the asker's, and the next one asks again. */
function once (load: () => Promise<Known>): () => Promise<Known> {
  let loaded: Promise<Known> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw toFault(error)
    })
    return loaded
  }
}
