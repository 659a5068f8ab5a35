import type { ReadPlan } from '../../plan/plan.ts'
import type { Database, Session } from '../source.ts'
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
  const using = async <T>(at: Server, work: (session: Session, connection: Connection) => Promise<T>): Promise<T> => {
    const catalog = await known()
    return at.use(connection => work(makeSession(connection, catalog), connection))
  }
  const writing = async <T>(work: (session: Session, connection: Connection) => Promise<T>): Promise<T> => {
    try {
      return await using(server, work)
    } finally {
      // Whatever came of it: of a connection that is lost nobody knows.
      replicas?.written()
    }
  }
  const reading = (at: Server, plan: ReadPlan) => using(at, session => retrying(async () => session.read(plan)))
  const database: SqlDatabase = {
    kind: 'postgres',
    table: (name, options = {}) => makeSource(database, name, options),
    read: (plan, fresh = false) => replicas === undefined || fresh ? reading(server, plan) : replicas.read(at => reading(at, plan)),
    change: change => writing(session => retrying(async () => session.change(change))),
    transaction: work => writing((session, connection) => inTransaction(connection, () => work(session)))
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
