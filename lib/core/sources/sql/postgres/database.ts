import type { AnyContext } from '../../../declare/collection.ts'
import type { Collection } from '../../../model/model.ts'
import { abandoned } from '../../../errors/abandoned.ts'
import { DataApiError, type ErrorCode, unavailable } from '../../../errors/errors.ts'
import type { CatalogCheck } from '../../catalog-check.ts'
import { type Changed, type IsAbandoned, RefusedAtCommit, type Session, type Database } from '../../source.ts'
import { Changes } from '../../changes.ts'
import { openSession, withinLimit, writeInside } from '../../transaction-limit.ts'
import { type CatalogCache, makeCatalogCache } from './catalog-cache.ts'
import type { ChangeLog } from './change-log.ts'
import { askSession, deniedIn, inSession, type RequestSession } from './request-session.ts'
import type { Connection } from './wire/connection.ts'
import { faultOf, hasStalePlan, isPoolExhausted, NotBegun, StalePlan, toFault } from './faults.ts'
import { OpenSessions } from './open-sessions.ts'
import type { withDefaults } from './options.ts'
import type { Replicas } from './replicas.ts'
import { changeAlone, loadCatalog, type LoadedCatalog, makeSession, readOn, refusedAtCommit } from './session.ts'
import { inTransaction, retryRepeatable } from './transaction.ts'
import { makeSource, type SqlDatabase, tablesOf } from '../source.ts'
import type { Dialect } from '../statements/dialect.ts'
import type { PreparedRead, Statements } from '../statements/statements.ts'

/** A server, or a pool of connections to it. */
export interface PoolServer {
  /** Lends a connection to the work until the work is done. */
  use<T> (work: (connection: Connection) => Promise<T>): Promise<T>
  /** Runs single cheap statements, on any connection and in one batch with others. */
  readonly batched?: Pick<Connection, 'prepared'>
  /**
   * Is true where a statement outside of a transaction is answered after its commit. Some drivers do not wait for the
   * commit.
   */
  readonly confirmsStatements: boolean
  readonly dialect: Dialect
  /** Calls the listener for each new connection. */
  onConnect? (listener: () => void): void
}

interface DatabaseOptions extends ReturnType<typeof withDefaults> {
  readonly readOnly?: boolean
  readonly replicas?: Replicas | undefined
  /** The log of changes; undefined where only this process's own changes are told. */
  readonly log?: ChangeLog | undefined
}

export function makePostgresDatabase (server: PoolServer, options: DatabaseOptions): SqlDatabase {
  const { readOnly = false, statementCache, session: sessionOf, log } = options
  const catalog = makeCatalogCache(
    names => server.use(connection => loadCatalog(connection, names, server.dialect, statementCache))
  )
  const open = new OpenSessions()
  const changes = new Changes(log && (() => log.follow(tables => { changes.tell(tables) })))
  const statements = (session?: RequestSession) => {
    const operations = makeOperations({ server, catalog, open, options, session })
    return log === undefined ? tellingOf(changes, operations) : operations
  }
  const askedSession = sessionOf && askSession(sessionOf)
  const catalogCheck = makeCatalogCheck(server, catalog, options)

  const database: SqlDatabase = {
    kind: 'postgres',
    slice: 1000,
    readOnly,
    ping: () => ping(server),
    catalogCheck,
    check: async declared => (await import('../check/check.ts')).checkDeclared(declared, database, catalogCheck),
    table (table, options) {
      const source = makeSource(database, table, options, name => catalog.last()?.find(name))
      catalog.add([{ schema: source.schema, name: source.table }])
      return source
    },
    watch: changes.watch,
    ...log && { clean: () => log.clean() },
    ...askedSession && {
      inSessionOf (context: AnyContext, within?: Session) {
        const session = askedSession(context)
        if (within !== undefined) open.admit(session, within)
        return session === undefined ? database : { ...database, ...statements(session) }
      }
    },
    ...statements()
  }
  return database
}

interface Operating {
  readonly server: PoolServer
  readonly catalog: CatalogCache
  readonly open: OpenSessions
  readonly options: DatabaseOptions
  /** The session of a request; undefined for statements of the connection's own role. */
  readonly session: RequestSession | undefined
}

function makeOperations (
  { server, catalog, open, options: { replicas, transactionTimeout }, session }: Operating
): Operations {
  const read = makeReader(server, catalog, replicas, session)
  const write = makeWriter(serverInSession(server, session), catalog, replicas, open)
  const transaction = makeTransactions(write, open, transactionTimeout, session)
  return {
    read: (plan, noCache, isAbandoned) =>
      open.current(session)?.read(plan) ?? read(statements => statements.bind(plan), noCache, isAbandoned),
    readJson: (plan, noCache, isAbandoned) =>
      open.current(session)?.read(plan) ?? read(statements => statements.bindJson(plan), noCache, isAbandoned),
    // Without a confirmation after the commit, the change needs a transaction, whose commit is confirmed.
    change: server.confirmsStatements
      ? change => write(isUndoneStatement, (connection, loaded) => changeAlone(connection, loaded, change))
      : change => transaction<Changed>(async opened => opened.change(change)).catch(violationOf),
    transaction
  }
}

function serverInSession (server: PoolServer, session: RequestSession | undefined): PoolServer {
  if (session === undefined) return server
  const { batched } = server
  return {
    ...server,
    use: work => server.use(connection => work(inSession(connection, session))),
    ...batched && {
      batched: { prepared: statement => batched.prepared({ ...statement, session }).catch(deniedIn(session)) }
    }
  }
}

function makeCatalogCheck (server: PoolServer, catalog: CatalogCache, { check, log }: DatabaseOptions): CatalogCheck {
  const load = (collections: readonly Collection[]) => {
    catalog.add(tablesOf(collections))
    return catalog.get()
  }
  return {
    mode: check,
    async prepare (collections) { await load(collections) },
    async run (collections) {
      // Loaded at the start of the application, so that importing the package does not wait for it.
      const { checkOn } = await import('./check.ts')
      // The tables may have changed since. What is read now serves the first requests too.
      catalog.clear()
      return reconnecting(isEnded, () => load(collections).then(tables =>
        server.use(connection => checkOn(connection, collections, tables, log !== undefined))))
    }
  }
}

/** Returns a function that runs work in a transaction of its own, and keeps its session in `open` meanwhile. */
function makeTransactions (write: Writer, open: OpenSessions, timeout: number, request: RequestSession | undefined) {
  return <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const end = performance.now() + (timeout === 0 ? Infinity : timeout)
    return write(isNotBegun, (connection, loaded) => inTransaction(connection, owner => {
      const made = makeSession(owner, loaded, request)
      const opened = openSession(made.session)
      return {
        done: open.run(opened, request, () => withinLimit(opened, work, timeout, end)),
        refusedAtCommit: error => refusedAtCommit(error, made.changes, loaded)
      }
    }))
  }
}

async function ping (server: PoolServer): Promise<void> {
  try {
    // A connection that was lost while it was idle says nothing about the server.
    await reconnecting(isEnded, () => server.use(connection => connection.query('select 1')))
  } catch (error) {
    const fault = toFault(error)
    throw hasCode(fault, 'unavailable') ? fault : unavailable(error)
  }
}

/** Returns the violation for which a commit was refused; throws any other error. */
function violationOf (error: unknown): Changed {
  if (error instanceof RefusedAtCommit) return error.refused
  throw error
}

type Bind<Result> = (statements: Statements) => PreparedRead<Result>

/** Returns a function that runs reads: on a replica where there are any, on the primary if `noCache` is true. */
function makeReader (
  primary: PoolServer, catalog: CatalogCache, replicas: Replicas | undefined, session: RequestSession | undefined
) {
  const readAt = <Result>(asked: PoolServer, bind: Bind<Result>, isAbandoned?: IsAbandoned): Promise<Result> =>
    runRepeatable(catalog, isEnded, async ({ statements }) => {
      const prepared = bind(statements)
      const server = serverInSession(asked, session)
      const { batched } = server
      if (prepared.cardinality === 'item' && batched !== undefined) return readOn(batched, prepared)
      return server.use(connection => {
        // The client may leave while the read waits for a connection.
        if (isAbandoned?.() === true) throw abandoned()
        return readOn(connection, prepared, isAbandoned)
      })
    })
  return <Result>(bind: Bind<Result>, noCache = false, isAbandoned?: IsAbandoned): Promise<Result> =>
    replicas === undefined || noCache
      ? readAt(primary, bind, isAbandoned)
      : replicas.read(server => readAt(server, bind, isAbandoned))
}

type Write<T> = (connection: Connection, catalog: LoadedCatalog) => Promise<T>

type Writer = <T>(isUndone: (error: unknown) => boolean, work: Write<T>) => Promise<T>

/**
 * Returns a function that runs writes. Its `isUndone` returns true for the end of a connection if nothing can have been
 * written before it, so that the work may run again on another connection. `open`: the open sessions, for the log.
 */
function makeWriter (
  server: PoolServer, catalog: CatalogCache, replicas: Replicas | undefined, open: OpenSessions
): Writer {
  return async <T>(isUndone: (error: unknown) => boolean, work: Write<T>): Promise<T> => {
    if (open.current() !== undefined) throw writeInside()
    try {
      const result = await runRepeatable(
        catalog, isUndone, loaded => server.use(connection => work(connection, loaded))
      )
      replicas?.recordWrite()
      return result
    } catch (error) {
      // A write that surely failed is on no replica. A write that may have happened counts: replicas must replay it.
      if (hasCode(error, 'outcome_unknown')) replicas?.recordWrite()
      throw nameOpenTransactions(error, open)
    }
  }
}

/**
 * Runs work that may be run again: after a conflict or a stale plan, and on another connection where `mayReconnect`
 * allows it. Each run gets the catalog as it is known by then, and must take a connection of its own.
 */
function runRepeatable<T> (
  catalog: CatalogCache, mayReconnect: (error: unknown) => boolean, work: (catalog: LoadedCatalog) => Promise<T>
): Promise<T> {
  return reconnecting(mayReconnect, () => retryRepeatable(async () => {
    const known = await catalog.get()
    try {
      return await work(known)
    } catch (error) {
      if (hasStalePlan(error)) catalog.clear()
      else if (faultOf(error).outdated === true && await catalog.isOutdated(known)) throw new StalePlan(error)
      throw error
    }
  }))
}

/**
 * Runs the work on another connection, at most three times in all, where the last connection turned out to have ended.
 */
async function reconnecting<T> (mayReconnect: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === maxTries || !mayReconnect(error)) throw error instanceof NotBegun ? toFault(error.cause) : error
    }
  }
}

const maxTries = 3

const isEnded = (error: unknown) => faultOf(error).ended === true

// A transaction that has begun may have called hooks. A lost connection is no reason to call them again.
const isNotBegun = (error: unknown) => error instanceof NotBegun && isEnded(error)

// A statement alone calls no hooks. Where it may have been committed, its error is outcome_unknown, not unavailable.
const isUndoneStatement = (error: unknown) =>
  (error instanceof NotBegun || hasCode(error, 'unavailable')) && isEnded(error)

const hasCode = (error: unknown, code: ErrorCode) => error instanceof DataApiError && error.code === code

/**
 * Returns the error; where no connection was free, with the open transactions that hold the connections, for the log.
 */
function nameOpenTransactions (error: unknown, open: OpenSessions): unknown {
  const waits = open.waits()
  if (waits.length === 0 || !isPoolExhausted(error)) return error
  const reason =
    `no connection was free: ${waits.length} transactions are open and wait for ${[...new Set(waits)].join(', ')}`
  return unavailable(new Error(reason, { cause: error }))
}

/** The operations of a database in one session. */
type Operations = Required<Pick<Database, 'read' | 'readJson' | 'change' | 'transaction'>>

/**
 * Tells of the changes of these operations. What a deletion cascades to is not known, nor what the statements of a hook
 * change; a write whose commit was not confirmed may have happened.
 */
function tellingOf (changes: Changes, operations: Operations): Operations {
  const tellAll = (error: unknown): never => {
    changes.tell(undefined)
    throw error
  }
  return {
    ...operations,
    async change (change) {
      const changed = await Promise.resolve(operations.change(change)).catch(tellAll)
      if (change.kind === 'delete') changes.tell(undefined)
      else changes.tellOf([{ change }])
      return changed
    },
    async transaction (work) {
      const result = await operations.transaction(work).catch(tellAll)
      changes.tell(undefined)
      return result
    }
  }
}
