import { Batch, type BatchResult } from './batch.ts'
import type { PostgresClient, PrepareValue } from './driver.ts'
import { endsConnection, isBroken, isLostByPooler, isLostStatement, isReadOnly, isStalePlan, StalePlan, Unconfirmed } from './faults.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { makeResponseTimeout } from './timeout.ts'

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** One connection to a server that speaks PostgreSQL's SQL, whichever driver made it. Its errors are the driver's, or wrap those. */
export interface Connection {
  /** Runs a statement of the application. */
  query (text: string, values?: readonly unknown[]): Promise<Rows>
  /** Runs statements without parameters or results one after the other. */
  run (...texts: readonly string[]): Promise<void>
  /** Runs a statement whose text will be used again. Outside of a transaction it is one: it rejects with Unconfirmed where its commit is not known. */
  prepared (text: string, values: readonly unknown[]): Promise<Result>
  /** Runs several reads, in one packet each way. Those behind an error get no result. Rejects where the connection is gone. */
  together?: (statements: readonly Statement[]) => Promise<readonly Result[]>
  /** Ends the transaction. Rejects with Unconfirmed where it is not known whether it was committed. */
  commit (): Promise<void>
  /** Whether the connection has ended, with whatever was under way on it. */
  isGone (): boolean
  /** Whether the connection must not be used any more: it is gone, or its server takes no writes, as after a switchover. */
  isSpent (): boolean
  /** Whether the error, or one that caused it, came from a statement on this connection. */
  raised (error: unknown): boolean
}

export interface Statement { readonly text: string, readonly values: readonly unknown[] }

/** `rows`: the values of each, in the order of the statement's columns; of some drivers as texts. `count`: of the rows that were read or changed. */
export interface Result { readonly rows: ReadonlyArray<readonly unknown[]>, readonly count: number }

/** Whether statements are named. Switched off for good where a pooler turns out to lose them. */
export interface Naming { on: boolean }

/** What all connections of a pool have in common. `patience`: how long the server may say nothing, in milliseconds; undefined where without end. */
export interface Setup { readonly naming: Naming, readonly prepareValue: PrepareValue, readonly responseTimeout: number | undefined }

/** A connection of the driver `pg`. */
export function driverConnection (client: PostgresClient, { naming, prepareValue, responseTimeout: patience }: Setup): Connection {
  const watch = patience === undefined ? undefined : makeResponseTimeout(patience)
  const faults = new Faults()
  const statements = new PreparedStatements()

  const send = (batch: Batch) => new Promise<Error | null>(resolve => {
    watch?.begin(resolve)
    batch.callback = error => {
      watch?.end(resolve)
      resolve(error)
    }
    client.query(batch)
  })
  const batchOf = (asked: readonly Statement[]) => new Batch(asked.map(({ text, values }) => ({
    name: naming.on ? statements.nameOf(text) : '', text, values: values.map(prepareValue)
  })), statements.takeClosing())

  /** The error of a batch of one statement, as what it means. */
  const failure = (error: Error, { sent, reused, results }: Batch, text: string, commits: boolean): Error => {
    if (reused && isStalePlan(error)) {
      statements.forget(text)
      return new StalePlan(error)
    }
    if (sent && (commits ? endsConnection(error) : isBroken(error) || isLostByPooler(error))) return new Unconfirmed(error)
    // In the extended query protocol a statement is complete before it is committed, and an error of the commit comes behind its result.
    return results.length > 0 && endsConnection(error) ? new Unconfirmed(error) : error
  }

  const ask = async (text: string, values: readonly unknown[], commits = false): Promise<BatchResult> => {
    const batch = batchOf([{ text, values }])
    const error = await send(batch)
    const [result] = batch.results
    if (error === null && result !== undefined) return result
    if (error === null) throw new TypeError('a statement that has no error has a result')
    if (batch.named && isLostStatement(error)) stopNaming(naming)
    throw faults.add(failure(error, batch, text, commits))
  }
  const simple = (text: string, values?: readonly unknown[]) => new Promise<Rows>((resolve, reject) => {
    const refuse = (error: Error) => { reject(faults.add(error)) }
    watch?.begin(refuse)
    client.query<Record<string, unknown>>(values === undefined ? { text } : { text, values: [...values] })
      .finally(() => { watch?.end(refuse) })
      .then(({ rows }) => { resolve(rows) }, refuse)
  })

  return {
    query: (text, values = []) => simple(text, values),
    async run (...texts) { await simple(texts.join('; ')) },
    prepared: (text, values) => ask(text, values),
    async together (asked) {
      const batch = batchOf(asked)
      const error = await send(batch)
      if (error !== null) faults.add(error)
      if (isBroken(error)) throw error
      return batch.results
    },
    async commit () {
      const { command } = await ask('commit', [], true)
      checkCommitted(command)
    },
    isGone: () => faults.gone,
    isSpent: () => faults.spent,
    raised: error => faults.has(error)
  }
}

/** A server answers the commit of a transaction that had failed with ROLLBACK, and no error. */
function checkCommitted (command: string): void {
  if (command.startsWith('COMMIT')) return
  throw new Error(`the transaction was not committed: the server answered 'commit' with ${command}, because a statement had failed`)
}

function stopNaming (naming: Naming): void {
  if (!naming.on) return
  naming.on = false
  process.emitWarning('A pooler between this process and PostgreSQL loses prepared statements, so they are no longer used. ' +
    'Set postgres({ prepare: false }), or use a pooler that tracks prepared statements.', 'DataApiWarning')
}

/** The errors of one connection: a hook can fail with an error of another database, which looks alike and says nothing of this one. */
export class Faults {
  readonly #errors = new WeakSet<Error>()
  gone = false
  spent = false

  add<E> (error: E): E {
    if (error instanceof Error) this.#errors.add(error)
    if (endsConnection(error)) this.gone = true
    if (this.gone || isReadOnly(error)) this.spent = true
    return error
  }

  has (error: unknown): boolean {
    return error instanceof Error && (this.#errors.has(error) || this.has(error.cause))
  }
}
