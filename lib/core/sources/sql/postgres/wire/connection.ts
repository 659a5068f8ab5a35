import { abandoned } from '../../../../errors/abandoned.ts'
import { answerTooLarge } from '../../../../errors/errors.ts'
import type { IsAbandoned } from '../../../source.ts'
import { unwatch, watch } from './cancel.ts'
import { StatementBatch, type BatchResult } from './batch.ts'
import type { PostgresClient, PrepareValue } from '../driver.ts'
import { faultOf, isLostByPooler, StalePlan, Unconfirmed } from '../faults.ts'
import { type RequestSession, refusedSession } from '../request-session.ts'
import { PreparedStatements } from './prepared.ts'

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/**
 * One connection to a server that speaks PostgreSQL's SQL, independent of the driver. Its errors are the driver's own,
 * or have the driver's error as their cause.
 */
export interface Connection {
  /** Runs a statement of the application. */
  query (text: string, values?: readonly unknown[]): Promise<Rows>
  /** Runs statements without parameters and without results, one after the other. */
  run (...texts: readonly string[]): Promise<void>
  begin (): Promise<void>
  /**
   * Runs a statement whose text will be used again. Outside of a transaction the statement is a transaction of its own:
   * the promise rejects with Unconfirmed if its commit may or may not have happened. Where the driver can, a statement
   * is cancelled once `isAbandoned` returns true. Where the driver can, it throws answer_too_large for rows that are
   * too many for an answer of its `longest` characters, and does not hold them.
   */
  prepared (statement: Statement, isAbandoned?: IsAbandoned): Promise<StatementResult>
  /**
   * Runs several reads of one session, in one packet each way. The result list ends at the first read that fails.
   * Rejects if the connection is broken.
   */
  batch?: (statements: readonly Statement[]) => Promise<readonly StatementResult[]>
  /** Commits the transaction. Rejects with Unconfirmed if the commit may or may not have happened. */
  commit (): Promise<void>
  /** Returns true once the connection has ended, and with it every statement and transaction on it. */
  isGone (): boolean
  /**
   * Returns true once the connection must not be used again: it has ended, or its server takes no writes, such as a
   * former primary after a switchover.
   */
  isSpent (): boolean
  /** Returns true if the error, or an error in its chain of causes, was raised by a statement on this connection. */
  raised (error: unknown): boolean
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** The most characters of the answer that is made of its rows; undefined for no limit. */
  readonly longest?: number | undefined
  /** The session of its request, where that has one: the statement's transaction begins with it. */
  readonly session?: RequestSession | undefined
}

/**
 * `rows`: the values of each row, in the order of the statement's columns; some drivers give texts. `count`: the number
 * of rows that the statement read or changed.
 */
export interface StatementResult { readonly rows: ReadonlyArray<readonly unknown[]>, readonly count: number }

/** `on`: statements are prepared by name. Switched off for good when a pooler turns out to lose prepared statements. */
interface StatementNaming { on: boolean }

/**
 * The options that all connections of a pool share. `responseTimeout`: how long the server may stay silent, in
 * milliseconds; undefined for no limit.
 */
export interface ConnectionOptions {
  readonly naming: StatementNaming
  readonly prepareValue: PrepareValue
  readonly responseTimeout: number | undefined
  /** The most characters of the statements that are prepared on a connection. */
  readonly preparedCharacters: number
}

/**
 * Returns the connection behind a client of the driver `pg`. `cancel` asks the server to cancel the statement that runs
 * on it.
 */
export const driverConnection = (
  client: PostgresClient, options: ConnectionOptions, cancel: () => void = () => {}
): Connection => new DriverConnection(client, options, cancel)

class DriverConnection implements Connection {
  private readonly options: ConnectionOptions
  private readonly cancel: () => void
  private readonly sender: ReturnType<typeof makeSender>
  private readonly faults = new ConnectionFaults()
  private readonly statements: PreparedStatements

  constructor (client: PostgresClient, options: ConnectionOptions, cancel: () => void) {
    this.options = options
    this.cancel = cancel
    this.sender = makeSender(client, options.responseTimeout)
    this.statements = new PreparedStatements(options.preparedCharacters)
  }

  query (text: string, values: readonly unknown[] = []): Promise<Rows> {
    return this.sendText(text, values)
  }

  async run (...texts: readonly string[]): Promise<void> {
    await this.sendText(texts.join('; '))
  }

  begin (): Promise<void> {
    return this.run('begin')
  }

  async prepared (statement: Statement, isAbandoned?: IsAbandoned): Promise<BatchResult> {
    if (isAbandoned === undefined) return this.execute(statement)
    let isCancelled = false
    const watched = watch(isAbandoned, () => {
      isCancelled = true
      // The cancellation may reach the server after the statement's end. No other statement may be on it by then.
      this.faults.spent = true
      this.cancel()
    })
    try {
      return await this.execute(statement)
    } catch (error) {
      throw isCancelled ? abandoned(error) : error
    } finally {
      unwatch(watched)
    }
  }

  async batch (queries: readonly Statement[]): Promise<readonly BatchResult[]> {
    const session = queries[0]?.session
    const batch = this.makeBatch(queries, session)
    const error = await this.sender.sendBatch(batch)
    if (error !== null) this.faults.add(error)
    if (faultOf(error).broken === true) throw error
    return session === undefined ? batch.results : batch.results.slice(1)
  }

  async commit (): Promise<void> {
    checkCommitted(await this.execute({ text: 'commit', values: [] }, true))
  }

  isGone (): boolean {
    return this.faults.gone
  }

  isSpent (): boolean {
    return this.faults.spent
  }

  raised (error: unknown): boolean {
    return this.faults.has(error)
  }

  private sendText (text: string, values?: readonly unknown[]): Promise<Rows> {
    return this.sender.sendText(text, values).catch((error: unknown) => { throw this.faults.add(error) })
  }

  private async execute (statement: Statement, isCommit = false): Promise<BatchResult> {
    const { session } = statement
    const batch = this.makeBatch([statement], session)
    const error = await this.sender.sendBatch(batch)
    if (batch.length > longestIn(statement)) throw answerTooLarge(statement.longest, error ?? undefined)
    if (error === null) return lastResult(batch)
    if (batch.named && faultOf(error).lostStatement === true) stopNaming(this.options.naming)
    const refused = session !== undefined && batch.results.length === 0 ? refusedSession(error) : undefined
    if (refused !== undefined) throw this.faults.add(refused)
    const fault = interpretError(error, batch, isCommit)
    if (fault instanceof StalePlan) this.statements.forget(statement.text)
    throw this.faults.add(fault)
  }

  private makeBatch (queries: readonly Statement[], session: RequestSession | undefined): StatementBatch {
    const { naming, prepareValue } = this.options
    const all = session === undefined ? queries : [session, ...queries]
    return new StatementBatch(all.map(({ text, values }) => ({
      name: naming.on ? this.statements.nameOf(text) : '', text, values: values.map(prepareValue)
    })), this.statements.takeClosing(), queries.reduce((sum, query) => sum + longestIn(query), 0))
  }
}

/** Returns the most bytes of the rows: a character has up to three, and the fourth is for values that are not shown. */
const longestIn = ({ longest = Infinity }: Statement) => 4 * longest

/**
 * Returns the two ways to send to a client, both under one response timeout. `sendBatch` resolves with the batch's
 * error, null for none. `sendText` takes several statements where there are no `values`.
 */
function makeSender (client: PostgresClient, responseTimeout: number | undefined) {
  const timeout = responseTimeout === undefined ? undefined : makeResponseTimeout(responseTimeout)
  return {
    sendBatch: (batch: StatementBatch) => new Promise<Error | null>(resolve => {
      timeout?.begin(resolve)
      batch.callback = error => {
        timeout?.end(resolve)
        resolve(error)
      }
      client.query(batch)
    }),
    sendText: (text: string, values?: readonly unknown[]) => new Promise<Rows>((resolve, reject) => {
      timeout?.begin(reject)
      client.query<Record<string, unknown>>(values === undefined ? { text } : { text, values: [...values] })
        .finally(() => { timeout?.end(reject) })
        .then(({ rows }) => { resolve(rows) }, reject)
    })
  }
}

function lastResult ({ results }: StatementBatch): BatchResult {
  const result = results.at(-1)
  if (result === undefined) throw new TypeError('a statement that has no error has a result')
  return result
}

/**
 * Returns the error of a batch of one statement, with its session if it has one, as StalePlan, as Unconfirmed, or
 * unchanged. An unchanged error means that the statement was surely not done.
 */
function interpretError (error: Error, { sent, reused, results }: StatementBatch, isCommit: boolean): Error {
  const { broken, ends, stalePlan } = faultOf(error)
  if (reused && stalePlan === true) return new StalePlan(error)
  // Every end of the connection after a commit was sent leaves the commit unknown.
  if (sent && isCommit && ends === true) return new Unconfirmed(error)
  // A server that says before the result that it ends the connection has not done the statement. A connection that
  // breaks without a word, and a pooler that lost its server, leave the statement unknown.
  if (sent && !isCommit && (broken === true || isLostByPooler(error))) return new Unconfirmed(error)
  // In the extended query protocol the result of a statement arrives before the statement is committed. An error after
  // the result is an error of the commit.
  return results.length > 0 && ends === true ? new Unconfirmed(error) : error
}

/** Throws if the transaction had failed before: the server then answers `commit` with ROLLBACK, and with no error. */
function checkCommitted ({ command }: BatchResult): void {
  if (command.startsWith('COMMIT')) return
  throw new Error(
    `the transaction was not committed: the server answered 'commit' with ${command}, because a statement had failed`
  )
}

function stopNaming (naming: StatementNaming): void {
  if (!naming.on) return
  naming.on = false
  process.emitWarning(
    'A pooler between this process and PostgreSQL loses prepared statements, so they are no longer used. ' +
    'Set postgres({ prepare: false }), or use a pooler that tracks prepared statements.', 'DataApiWarning'
  )
}

/**
 * The errors of one connection, and its state after them. A hook can fail with an error of another database, which
 * looks the same and says nothing about this connection; so the errors are remembered by identity.
 */
export class ConnectionFaults {
  readonly #errors = new WeakSet<Error>()
  /** Is true once the connection has ended. */
  gone = false
  /** Is true once the connection must not be used again. */
  spent = false

  /** Records the error and returns it. */
  add<E> (error: E): E {
    if (error instanceof Error) this.#errors.add(error)
    const { ends, readOnly } = faultOf(error)
    if (ends === true) this.gone = true
    if (this.gone || readOnly === true) this.spent = true
    return error
  }

  /** Returns true if the error, or an error in its chain of causes, was recorded. */
  has (error: unknown): boolean {
    return error instanceof Error && (this.#errors.has(error) || this.has(error.cause))
  }
}

type Reject = (error: Error) => void

/**
 * Returns the response timeout of one connection: every caller that waits is rejected after that many milliseconds of
 * silence. `begin` adds a caller; the same function is given to `end`. The driver's own `query_timeout` sets a timer
 * for each statement, which keeps what the statement has read from being collected early: with it, pages of 20 rows
 * cost Node a quarter more. This is one timer for all statements.
 */
function makeResponseTimeout (milliseconds: number) {
  const waiting = new Set<Reject>()
  const timer = setTimeout(() => {
    for (const reject of waiting) {
      reject(new Error(`query read timeout: the server has sent nothing for ${milliseconds} ms`))
    }
    waiting.clear()
  }, milliseconds)
  // The timer does not keep the process alive; the open connection does.
  timer.unref()
  return {
    begin (reject: Reject) {
      waiting.add(reject)
      timer.refresh()
    },
    end (reject: Reject) {
      waiting.delete(reject)
      if (waiting.size > 0) timer.refresh()
    }
  }
}
