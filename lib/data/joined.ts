import type { AnyContext } from '../declare/collection.ts'
import type { Collection } from '../model/model.ts'
import type { AfterCommit } from '../run/context.ts'
import { type Database, databaseOf, type Session } from '../sources/source.ts'
import { transactionEnded } from '../sources/transaction-limit.ts'

/** A transaction that several calls share. */
export interface Joined {
  readonly afterCommit: AfterCommit
  /** Returns the database as the transaction sees it. Throws a TypeError for a collection of another database. */
  databaseFor (collection: Collection): Database
  /** Runs a call that may change data. Rejects with a TypeError after `complete`. */
  follow<T> (call: () => Promise<T>): Promise<T>
  /** Records the error of a call that failed: what it has written until then must not be committed. */
  fail (error: unknown): void
  /** Throws an Error if a call has failed, with that error as its cause. */
  check (): void
  /**
   * Waits for the calls that nobody has awaited, so that none is committed in part. Throws the error of the first call
   * that failed: what it has written must not be committed.
   */
  complete (): Promise<void>
}

/** Joins the transaction of a session. */
export function joinTransaction (session: Session, database: Database, afterCommit: AfterCommit): Joined {
  const joined = databaseIn(session, database)
  const running = new Set<Promise<unknown>>()
  let failed: { readonly error: unknown } | undefined
  let isComplete = false
  return {
    afterCommit,
    databaseFor (collection) {
      if (databaseOf(collection) === database) return joined
      throw new TypeError(`collection '${collection.property}' is in another database than the transaction`)
    },
    async follow (call) {
      if (isComplete) throw transactionEnded()
      const done = call()
      running.add(done)
      try {
        return await done
      } finally {
        running.delete(done)
      }
    },
    fail (error) { failed ??= { error } },
    check () {
      if (failed === undefined) return
      throw new Error('the transaction is rolled back: a call in it failed', { cause: failed.error })
    },
    async complete () {
      // Each may have begun others meanwhile.
      while (running.size > 0) await Promise.allSettled(running)
      isComplete = true
      if (failed !== undefined) throw failed.error
    }
  }
}

/** Returns the database whose statements belong to a transaction. */
function databaseIn (session: Session, database: Database): Database {
  const joined: Database = {
    kind: database.kind,
    read: plan => session.read(plan),
    change: change => session.change(change),
    transaction: work => work(session),
    ...database.inSessionOf && {
      inSessionOf (context: AnyContext) {
        database.inSessionOf?.(context, session)
        return joined
      }
    }
  }
  return joined
}
