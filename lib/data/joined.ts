import type { Collection } from '../model/model.ts'
import type { AfterCommit } from '../run/context.ts'
import { type Database, databaseOf, type Session } from '../sources/source.ts'

/** A transaction that several calls share. */
export interface Joined {
  readonly afterCommit: AfterCommit
  /** Returns the database as the transaction sees it. Throws a TypeError for a collection of another database. */
  databaseFor (collection: Collection): Database
  /** Records the error of a call that failed: what it has written until then must not be committed. */
  fail (error: unknown): void
  /** Throws an Error if a call has failed, with that error as its cause. */
  check (): void
  /** Returns the error of the first call that failed, or undefined. */
  failure (): { readonly error: unknown } | undefined
}

/** Joins the transaction of a session. */
export function joinTransaction (session: Session, database: Database, afterCommit: AfterCommit): Joined {
  const joined: Database = {
    kind: database.kind,
    read: plan => session.read(plan),
    change: change => session.change(change),
    transaction: work => work(session)
  }
  let failed: { readonly error: unknown } | undefined
  return {
    afterCommit,
    databaseFor (collection) {
      if (databaseOf(collection) === database) return joined
      throw new TypeError(`collection '${collection.property}' is in another database than the transaction`)
    },
    fail (error) { failed ??= { error } },
    check () {
      if (failed === undefined) return
      throw new Error('the transaction is rolled back: a call in it failed', { cause: failed.error })
    },
    failure: () => failed
  }
}
