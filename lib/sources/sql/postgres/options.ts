import { Type } from '@sinclair/typebox'
import type { CheckMode } from '../../catalog-check.ts'
import { characters, checkMode, defaultStatementCache, milliseconds } from '../../source-options.ts'
import { type ChangeLogOptions, changesOption } from './change-log.ts'
import type { SessionOf } from './request-session.ts'

/** The options of every database that speaks PostgreSQL's SQL. */
export interface ServerOptions {
  /**
   * What happens at the start if declarations do not fit their tables (docs/databases.md: Declarations and tables).
   * Default `error`.
   */
  check?: CheckMode
  /**
   * How long a transaction may take with its hooks and setters, in milliseconds, before it is rolled back and its
   * request is 503. Default 30000; 0 is no limit.
   */
  transactionTimeout?: number
  /**
   * The most characters of the statements that are remembered for each kind of request. A connection of postgres()
   * keeps a quarter of them prepared, which takes some 20 times their length in the server's memory. Default 1000000.
   */
  statementCache?: number
  /**
   * Returns the role and the settings for the statements of a request (docs/row-level-security.md). Default: all run as
   * the connection's own role.
   */
  session?: SessionOf
  /**
   * Has live documents follow the database's log of changes (docs/live.md: PostgreSQL). Default false: they follow the
   * changes of this process. Not for PGlite, which has no second connection.
   */
  changes?: boolean | ChangeLogOptions
}

/** The schemas of these options. */
export const serverOptions = {
  check: checkMode,
  transactionTimeout: milliseconds,
  statementCache: characters,
  session: Type.Unknown(),
  changes: changesOption
}

/** Returns these options with their defaults. */
export const withDefaults = (
  { check = 'error', transactionTimeout = 30_000, statementCache = defaultStatementCache, session }: ServerOptions
) => ({ check, transactionTimeout, statementCache, session })
