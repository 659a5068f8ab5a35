import { DataApiError, type ErrorCode, unavailable } from '../../../errors.ts'
import type { Change, Changed, Database, Session } from '../../source.ts'
import { openSession, type OpenSession, withinLimit } from '../../transaction-limit.ts'
import type { Connection } from './connection.ts'
import { hasStalePlan, isEnded, isPoolExhausted, NotBegun, toFault } from './faults.ts'
import type { Replicas } from './replicas.ts'
import { type Known, learn, makeSession, readOn, refusedAtCommit } from './session.ts'
import { inTransaction, retrying } from './transaction.ts'
import { makeSource, type SqlSource, type TableOptions } from '../source.ts'
import type { BoundRead, Statements } from '../statements/statements.ts'

/** A server, or a pool of connections to it. */
export interface Server {
  /** Lends a connection for the time of the work. */
  use<T> (work: (connection: Connection) => Promise<T>): Promise<T>
  /** For single statements that cost next to nothing: on whichever connection, together with others. */
  readonly batched?: Pick<Connection, 'prepared'>
  /** Whether the answer to a statement outside of a transaction comes after its commit. Not every driver waits for that. */
  readonly confirmsStatements: boolean
}

export interface SqlDatabase extends Database {
  table (name: string, options?: TableOptions): SqlSource
}

/** `transactionTimeout`: how long a transaction may take, in milliseconds, before it is rolled back; 0 is no limit. */
export interface DatabaseOptions { readonly transactionTimeout: number, readonly replicas?: Replicas | undefined }

/** The database on a server that speaks PostgreSQL's SQL. */
export function makePostgresDatabase (server: Server, { transactionTimeout, replicas }: DatabaseOptions): SqlDatabase {
  const known = makeKnown(() => server.use(learn))
  const open = new Set<OpenSession>()

  /** Work that may be done again: on a connection of its own each time, with what is known of the database then. */
  const persisting = <T>(mayRepeat: (error: unknown) => boolean, work: (catalog: Known) => Promise<T>): Promise<T> => repeating(mayRepeat, () => retrying(async () => {
    try {
      return await work(await known.get())
    } catch (error) {
      if (hasStalePlan(error)) known.forget()
      throw error
    }
  }))
  const readAt = <Result>(at: Server, bind: (statements: Statements) => BoundRead<Result>): Promise<Result> => persisting(isEnded, async ({ statements }) => {
    const bound = bind(statements)
    const { batched: gathered } = at
    if (bound.cardinality === 'item' && gathered !== undefined) return readOn(gathered, bound)
    return at.use(connection => readOn(connection, bound))
  })
  const reading = <Result>(bind: (statements: Statements) => BoundRead<Result>, fresh = false): Promise<Result> =>
    replicas === undefined || fresh ? readAt(server, bind) : replicas.read(at => readAt(at, bind))

  const writing = async <T>(isUndone: (error: unknown) => boolean, work: (connection: Connection, catalog: Known) => Promise<T>): Promise<T> => {
    try {
      const result = await persisting(isUndone, catalog => server.use(connection => work(connection, catalog)))
      replicas?.written()
      return result
    } catch (error) {
      // What was not written is on no replica; what may have been is waited for.
      if (hasCode(error, 'outcome_unknown')) replicas?.written()
      throw namingCulprits(error, open)
    }
  }
  const transaction = <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const end = performance.now() + (transactionTimeout === 0 ? Infinity : transactionTimeout)
    return writing(isNotBegun, (connection, catalog) => inTransaction(connection, () => {
      const { session, changes } = makeSession(connection, catalog, true)
      const opened = openSession(session)
      open.add(opened)
      return {
        done: withinLimit(opened, work, transactionTimeout, end).finally(() => open.delete(opened)),
        refusedAtCommit: error => refusedAtCommit(error, changes, catalog)
      }
    }))
  }
  const changeAlone = (change: Change): Promise<Changed> =>
    writing(isUndoneStatement, async (connection, catalog) => makeSession(connection, catalog, false).session.change(change))

  const database: SqlDatabase = {
    kind: 'postgres',
    table: (name, options = {}) => makeSource(database, name, options),
    read: (plan, fresh) => reading(statements => statements.bind(plan), fresh),
    readJson: (plan, fresh) => reading(statements => statements.bindJson(plan), fresh),
    change: server.confirmsStatements ? changeAlone : change => transaction<Changed>(async session => session.change(change)),
    transaction
  }
  return database
}

/** Does the work again, on another connection, where one turns out to have ended. */
async function repeating<T> (mayRepeat: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === mostTries || !mayRepeat(error)) throw error instanceof NotBegun ? toFault(error.cause) : error
    }
  }
}

const mostTries = 3

// What a transaction has begun may have called hooks, which are not called again for that.
const isNotBegun = (error: unknown) => error instanceof NotBegun && isEnded(error)

const isUndoneStatement = (error: unknown) => (error instanceof NotBegun || hasCode(error, 'unavailable')) && isEnded(error)

const hasCode = (error: unknown, code: ErrorCode) => error instanceof DataApiError && error.code === code

/** Where no connection was free, the log says which transactions have them. */
function namingCulprits (error: unknown, open: ReadonlySet<OpenSession>): unknown {
  if (open.size === 0 || !isPoolExhausted(error)) return error
  const waits = [...new Set([...open].map(one => one.waitsFor()))].join(', ')
  return unavailable(new Error(`no connection was free: ${open.size} transactions are open and wait for ${waits}`, { cause: error }))
}

/** Asks until it is answered once, and again when that is out of date; an error is the asker's, and the next one asks again. */
function makeKnown (load: () => Promise<Known>): { get (): Promise<Known>, forget (): void } {
  let loaded: Promise<Known> | undefined
  const forget = () => { loaded = undefined }
  return {
    forget,
    get () {
      loaded ??= load().catch((error: unknown) => {
        forget()
        throw toFault(error)
      })
      return loaded
    }
  }
}
