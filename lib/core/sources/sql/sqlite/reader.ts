import { LruMap } from 'toad-cache'
import { DataApiError } from '../../../errors/errors.ts'
import { beginStatement, endStatement } from '../../statement-events.ts'
import type { WriteLock } from '../../write-lock.ts'
import type { PreparedRead } from '../statements/statements.ts'
import { eventLoopBudget, Overdue } from './clock.ts'
import type { Connection } from './connection.ts'
import { isBusy, toFault, TooLong } from './faults.ts'
import type { ReadingThreads } from './reading-threads.ts'
import { retryWhileBusy } from './transaction.ts'

/**
 * Runs a read of committed data; inside of the work of the write lock's holder, of the data that it has written. `bind`
 * may look up the types of columns in the database, which may be busy.
 */
export type ReadCommitted = <Result>(bind: () => PreparedRead<Result>) => Result | Promise<Result>

/** The parts of a database that run its reads. */
interface Readers {
  /** The connection that writes. Transactions have it to themselves. */
  readonly main: Connection
  /** Reads while a transaction is open on the main connection; undefined if there is no such connection. */
  readonly snapshotConnection: Connection | undefined
  /** Undefined if reads cannot run in threads. */
  readonly threads: ReadingThreads | undefined
  readonly lock: WriteLock
}

/** In milliseconds. */
interface ReadLimits { readonly busyTimeout: number, readonly statementTimeout: number }

/**
 * Returns a function that runs reads (docs/databases.md: Reads that take long on SQLite). A read begins on a connection
 * of this thread: most reads end before a message has reached another thread. A read that takes longer than
 * `eventLoopBudget` is interrupted and begins again in a reading thread, and so do the next reads of its statement,
 * until one of them is quick. The time that it waits for a thread does not count: else a statement that the system has
 * interrupted once could never come back on a busy server, where reads in threads wait for each other.
 */
export function makeReader ({ main, snapshotConnection, threads, lock }: Readers, limits: ReadLimits): ReadCommitted {
  const { busyTimeout, statementTimeout } = limits
  const here = readHere({ main, snapshotConnection, lock }, busyTimeout)
  const whenPrepared = bindWhileBusy(busyTimeout)
  if (threads === undefined) {
    return bind => whenPrepared(bind, prepared => failing(() => here(prepared, statementTimeout)))
  }
  const slow = new LruMap<true>(mostSlow)
  const refused = new LruMap<true>(mostSlow)
  const readInThread = makeThreadReader(threads, statementTimeout, ({ text }) => slow.delete(text), (read, error) => {
    // Any other error may be over at the next read: a file that is away, a column that a migration has not made yet.
    if (needsMain(error)) {
      refused.set(read.text, true)
      warnOfMain(read.collection, error)
    }
    return failing(() => here(read, statementTimeout))
  })

  const readPrepared = <Result>(prepared: PreparedRead<Result>): Result | Promise<Result> => {
    const { text } = prepared
    if (prepared.cardinality === 'item' || lock.isInside() || (refused.size > 0 && refused.get(text) === true)) {
      return failing(() => here(prepared, statementTimeout))
    }
    if (slow.size > 0 && slow.get(text) === true) return readInThread(prepared)
    return failing(() => here(prepared, eventLoopBudget), error => {
      if (!(error instanceof Overdue)) throw toFault(error)
      slow.set(text, true)
      return readInThread(prepared)
    })
  }
  return bind => whenPrepared(bind, readPrepared)
}

// Texts.
const mostSlow = 500

/** Returns true for a statement that needs what only a connection of this thread has. */
const needsMain = (error: unknown): error is Error =>
  error instanceof Error && /^no such (?:function|collation sequence|module)|^not authorized/.test(error.message)

function warnOfMain (collection: string, { message }: Error): void {
  const reason = `Long reads of '${collection}' hold up all other requests, as no thread can run them: ${message}.`
  process.emitWarning(reason, 'DataApiWarning')
}

/**
 * Returns a function that reads in a thread. `quick`: called for a read that needed no thread. `rescue`: runs a read
 * that needs what only a connection of this thread has, such as a function of the application.
 */
function makeThreadReader (
  threads: ReadingThreads,
  limit: number,
  quick: (prepared: PreparedRead<unknown>) => void,
  rescue: <Result>(prepared: PreparedRead<Result>, error: unknown) => Result | Promise<Result>
) {
  return async <Result>(prepared: PreparedRead<Result>): Promise<Result> => {
    const { text, collection, parameters, cardinality, longest, longValues, decode } = prepared
    const about = { database: 'sqlite', kind: 'read', collection, text } as const
    const begun = beginStatement()
    try {
      const { rows, milliseconds } = await threads.read({ text, parameters, cardinality, longest, longValues, limit })
      if (begun !== 0) endStatement(about, begun, rows.length)
      if (milliseconds < eventLoopBudget / 2) quick(prepared)
      return decode(rows)
    } catch (error) {
      endStatement(about, begun, undefined, error)
      const isOwn = error instanceof Overdue || error instanceof TooLong || error instanceof DataApiError
      if (isOwn) throw toFault(error)
      return rescue(prepared, error)
    }
  }
}

/** Returns the result of `read`, or of `rescue` if it fails, as a promise only where one of them returns one. */
function failing<Result> (
  read: () => Result | Promise<Result>, rescue: (error: unknown) => Result | Promise<Result> = rethrow
): Result | Promise<Result> {
  try {
    const result = read()
    return result instanceof Promise ? result.catch(rescue) : result
  } catch (error) {
    return rescue(error)
  }
}

function rethrow (error: unknown): never { throw toFault(error) }

/** Returns a function that binds a read and passes it on. While the database is busy, it binds the read again. */
function bindWhileBusy (busyTimeout: number) {
  return <Result>(
    bind: () => PreparedRead<Result>, read: (prepared: PreparedRead<Result>) => Result | Promise<Result>
  ) => {
    let prepared: PreparedRead<Result>
    try {
      prepared = bind()
    } catch (error) {
      if (!isBusy(error)) throw toFault(error)
      return retryWhileBusy(bind, { remaining: busyTimeout, holder: () => '' }).then(read)
    }
    return read(prepared)
  }
}

/**
 * Returns a function that reads in this thread: on the main connection while the write lock is free, or inside of its
 * holder's work; otherwise beside it. If the database is busy, the read is repeated until `busyTimeout` is over.
 */
function readHere ({ main, snapshotConnection, lock }: Omit<Readers, 'threads'>, busyTimeout: number) {
  // During a transaction of ours, the main connection would show its uncommitted changes. So without a connection
  // beside it, the read waits for the write lock.
  const readWhileBusy = <Result>(read: (connection: Connection) => Result): Promise<Result> => {
    if (snapshotConnection === undefined) return lock.runExclusive(hold => retryWhileBusy(() => read(main), hold))
    return retryWhileBusy(() => read(snapshotConnection), { remaining: busyTimeout, holder: () => '' })
  }

  return <Result>(prepared: PreparedRead<Result>, limit: number): Result | Promise<Result> => {
    const read = (connection: Connection) => readFresh(connection, prepared, limit)
    try {
      return lock.runShared(() => read(main), () => {
        return snapshotConnection === undefined ? readWhileBusy(read) : read(snapshotConnection)
      })
    } catch (error) {
      if (isBusy(error)) return readWhileBusy(read)
      throw error
    }
  }
}

/**
 * Reads on a connection that may know an older schema. While another process holds the file, SQLite cannot look at the
 * schema again, and takes a new table for one that is not there. Throws the driver's error for a busy database then.
 */
function readFresh<Result> (connection: Connection, prepared: PreparedRead<Result>, limit: number): Result {
  try {
    return connection.read(prepared, limit)
  } catch (error) {
    const cause = error instanceof DataApiError ? error.cause : undefined
    if (!(cause instanceof Error && /^no such (?:table|column|view)/.test(cause.message))) throw error
    connection.driver.exec('select count(*) from sqlite_schema')
    return connection.read(prepared, limit)
  }
}
