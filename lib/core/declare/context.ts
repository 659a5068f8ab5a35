import type { FastifyRequest } from 'fastify'
import type { RequestData } from './data.ts'

/**
 * The application's facts about the caller of a request, which its option `caller` returns (docs/rules.md: Facts about
 * the caller). The application declares them by declaration merging:
 *
 *     declare module 'fastify-data-api' { interface Caller { id: number, roles: readonly string[] } }
 */
export interface Caller {}

/** Returns the facts about the caller of a request; undefined or null for a caller who is not known. */
export type CallerOf = (request: FastifyRequest) => Caller | undefined | null

/** The way by which a request came: a URL of the API, or the door for agents (docs/agents.md). */
export type Door = 'http' | 'mcp'

/** The context in which the application's own functions are called. */
export interface Context {
  /** The request, with everything that the host's hooks have added to it. */
  readonly request: FastifyRequest
  /** The facts about the caller; undefined for a caller who is not known. */
  readonly caller: Caller | undefined
  /** False: the function is called for a request. */
  readonly system: false
  /** The way by which the request came. */
  readonly door: Door
}

/** The context of a call of own code as the system, which has no request (docs/own-code.md: As the system). */
export interface SystemContext {
  readonly request: undefined
  readonly caller: undefined
  readonly system: true
  readonly door: undefined
}

/** The context of a write: it has a request, or it is a call as the system. */
export type AnyContext = Context | SystemContext

/** The transaction of a write request: its statements are committed or rolled back with the request. */
export interface Transaction {
  /** The kind of the database, such as `sqlite`. */
  readonly kind: string
  /**
   * Runs a statement of the application and returns its rows. Placeholders of parameters are those of the database,
   * such as `?` in SQLite. Rejects with the driver's error, and over memory() with a TypeError.
   */
  query (text: string, parameters?: readonly unknown[]): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

/** The context in which setters and hooks are called. */
export type WriteContext = AnyContext & {
  readonly transaction: Transaction
  /** The data of the same caller, within the same transaction (docs/own-code.md: In setters and hooks). */
  readonly data: RequestData
}
