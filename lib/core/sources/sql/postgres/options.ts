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
   * Returns the role and the settings for the statements of a request (docs/rules.md: Row-level security). Default: all
   * run as the connection's own role.
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

export const withDefaults = (
  { check = 'error', transactionTimeout = 30_000, statementCache = defaultStatementCache, session }: ServerOptions
) => ({ check, transactionTimeout, statementCache, session })

// With fewer digits, a double would be shown as another number.
const wanted = "('extra_float_digits', '1'), ('bytea_output', 'hex'), ('intervalstyle', 'postgres')"

/**
 * Sets the settings that shape the text of values, where the server, the database or the role has others, and returns a
 * row for each setting that it changed. It leaves alone the settings that change the meaning of values in the
 * application's own statements: TimeZone, DateStyle, search_path.
 */
export const settingsQuery = `
select set_config(wanted.name, wanted.value, false) from (values ${wanted}) as wanted(name, value)
where current_setting(wanted.name) <> wanted.value`

/**
 * Returns the configuration of a pool whose connections begin with `default_transaction_read_only`. Further settings
 * that connections begin with are kept, from wherever `pg` takes them.
 */
export function readOnlyConfig (config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const readOnly = '-c default_transaction_read_only=on'
  const address = config['connectionString']
  // The settings in the address would replace all others.
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  const given = url?.searchParams.get('options') ?? config['options'] ?? process.env['PGOPTIONS'] ?? ''
  const options = `${String(given)} ${readOnly}`.trim()
  if (url?.searchParams.has('options') !== true) return { ...config, options }
  url.searchParams.delete('options')
  return { ...config, connectionString: url.href, options }
}
