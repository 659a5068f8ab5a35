import type { Database } from '../source.ts'
import { openSession, withinLimit } from '../transaction-limit.ts'
import type { Connection } from './postgres-connection.ts'
import { toFault } from './postgres-faults.ts'
import type { Replicas } from './postgres-replicas.ts'
import { type Known, learn, makeSession, readOn } from './postgres-session.ts'
import { inTransaction, retrying } from './postgres-transaction.ts'
import { makeSource, type SqlSource, type TableOptions } from './source.ts'
import type { BoundRead, Statements } from './statements.ts'

/** A server, or a pool of connections to it. */
export interface Server {
  /** Lends a connection for the time of the work. */
  use<T> (work: (connection: Connection) => Promise<T>): Promise<T>
  /** For single statements that cost next to nothing: on whichever connection, together with others. */
  readonly gathered?: Pick<Connection, 'prepared'>
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
  const readAt = async <Result>(at: Server, bind: (statements: Statements) => BoundRead<Result>): Promise<Result> => {
    const { statements } = await known()
    const bound = bind(statements)
    const { gathered } = at
    if (bound.gives === 'item' && gathered !== undefined) return retrying(() => readOn(gathered, bound))
    return at.use(connection => retrying(() => readOn(connection, bound)))
  }
  const reading = <Result>(bind: (statements: Statements) => BoundRead<Result>, fresh = false): Promise<Result> =>
    replicas === undefined || fresh ? readAt(server, bind) : replicas.read(at => readAt(at, bind))
  const database: SqlDatabase = {
    kind: 'postgres',
    table: (name, options = {}) => makeSource(database, name, options),
    read: (plan, fresh) => reading(statements => statements.bind(plan), fresh),
    readWritten: (plan, fresh) => reading(statements => statements.bindWritten(plan), fresh),
    change: change => writing((connection, catalog) => retrying(async () => makeSession(connection, catalog, false).change(change))),
    transaction: work => writing((connection, catalog) => inTransaction(connection, () => withinLimit(openSession(makeSession(connection, catalog, true)), work, 30_000)))
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
