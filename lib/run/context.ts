import type { AnyContext, WriteContext } from '../declare/collection.ts'
import type { Collection } from '../model/model.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'

/** The context of a run: what the application's functions are told, and how they take part in its transaction. */
export type RunContext<C extends AnyContext = AnyContext> = C & {
  readonly log: { error (object: object, message: string): void }
  /** The functions to call after the commit, if the run is part of a transaction that own code began. */
  readonly afterCommit?: AfterCommit | undefined
  /** Makes the context of setters and hooks in a transaction of the collection's database. */
  enter (session: ScopedSession, collection: Collection, afterCommit: AfterCommit): Entered
}

export type AfterCommit = Array<() => Promise<void>>

/** The part that the application's functions take in a transaction. */
export interface Entered {
  readonly context: WriteContext
  /**
   * Waits for the calls of the application that it has not awaited. Throws the error of a call that failed, whether or
   * not the application caught it: nothing may be committed.
   */
  complete (): Promise<void>
}
