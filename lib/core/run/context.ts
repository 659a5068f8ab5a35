import type { Http2ServerRequest } from 'node:http2'
import type { AnyContext, Context, Door, Saved, ItemValues, WriteContext } from '../declare/collection.ts'
import type { Collection } from '../model/model.ts'
import type { Caller } from '../rules/caller.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'
import type { IsAbandoned } from '../sources/source.ts'

/** The context of a run: what the application's functions are told, and how they take part in its transaction. */
export type RunContext<C extends AnyContext = AnyContext> = C & {
  readonly log: { error (object: object, message: string): void }
  /** Returns true once nobody waits for what is read. Default: once the client of the request has left. */
  readonly isAbandoned?: IsAbandoned | undefined
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

/** The transaction of a write. */
export interface UnitOfWork {
  readonly session: ScopedSession
  /** The caller, by whose rules every value and link is authorised. */
  readonly caller: Caller
  readonly context: WriteContext
  /** True if the body is the value of one field, so that no pointer leads to a member of it. */
  readonly scalar: boolean
  /** The saved items, each reported to its collection's hook `saved` after the commit. */
  readonly saved: Array<{ readonly collection: Collection, readonly saved: Saved<ItemValues> }>
}

/**
 * Returns the way by which a request came. Its route tells it, which was found before any hook of the application could
 * have asked a rule.
 */
export const doorOf = ({ routeOptions }: Context['request']): Door => routeOptions.config?.dataApiDoor ?? 'http'

/** Returns true once the client of a request has left. In HTTP/2 it ends the stream, and the connection remains. */
export const hasLeft = ({ raw }: Context['request']): boolean =>
  raw.httpVersionMajor === 2 ? (raw as unknown as Http2ServerRequest).stream.destroyed : raw.socket.destroyed
