import { setTimeout } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import { comparableKey } from '../../../plan/needs.ts'
import type { ChangedRow, Tell } from '../../changes.ts'
import { milliseconds } from '../../source-options.ts'
import { changesQuery, forgettingQuery } from './change-log-sql.ts'
import type { PoolServer } from './database.ts'
import type { Connection } from './wire/connection.ts'

/** How the log of changes in the database is read (docs/live.md: PostgreSQL). */
export interface ChangeLogOptions {
  /** The time between two looks at the log, in milliseconds, while anybody follows a document. Default 50. */
  poll?: number
  /** The least time for which changes stay in the log, in seconds. Default 3600. */
  keep?: number
}

/** The schema of the option `changes`. */
export const changesOption = Type.Union([Type.Boolean(), Type.Object({
  poll: Type.Optional(milliseconds), keep: Type.Optional(Type.Integer({ minimum: 1, title: 'seconds' }))
}, { additionalProperties: false })])

/** The log of changes of a database. */
export interface ChangeLog {
  /** Tells of all changes that are committed, until the function that it returns is called. */
  follow (tell: Tell): () => void
  /** Has old changes deleted, whether or not somebody follows, until the function that it returns is called. */
  clean (): () => void
  /** Ends what follows and what deletes, so that the connections can be closed. */
  close (): void
}

/**
 * Returns the log of a primary; undefined where the option does not ask for one. It takes one connection while it is
 * followed. A replica shows its own transactions, so it is never asked.
 */
export function makeChangeLog (
  { use }: Pick<PoolServer, 'use'>, given: boolean | ChangeLogOptions | undefined, readOnly = false
): ChangeLog | undefined {
  if (given === undefined || given === false) return undefined
  const { poll = 50, keep = 3600 } = given === true ? {} : given
  let following = new AbortController()
  const cleaning = new AbortController()
  const run = async (signal: AbortSignal, tell: Tell) => {
    while (!signal.aborted) {
      // On a lost connection the documents are as old as it, until the next one tells of everything.
      await use(connection => followOn(connection, poll, signal, tell)).catch(() => {})
      await pause(reconnectAfter, signal)
    }
  }
  return {
    follow (tell) {
      const own = following = new AbortController()
      run(own.signal, tell).catch(() => {})
      return () => { own.abort() }
    },
    clean: () => readOnly ? () => {} : cleanEachMinute({ use }, keep, cleaning.signal),
    close () {
      following.abort()
      cleaning.abort()
    }
  }
}

// In milliseconds.
const reconnectAfter = 250
const forgetAfter = 60_000

/**
 * Tells of changes as long as the connection holds. Nothing is known of what came before it: another server may have
 * been promoted, whose transactions have the numbers of lost ones. A pooler keeps the connection over that.
 */
async function followOn (connection: Connection, poll: number, signal: AbortSignal, tell: Tell): Promise<void> {
  let [position, server]: readonly unknown[] = [null]
  for (; !signal.aborted; await pause(poll, signal)) {
    const { rows: [row = []] } = await connection.prepared({ text: changesQuery, values: [position] })
    const [now, tables, complete, asked] = row
    if (signal.aborted) return
    const changed = toldBy(String(tables))
    if (complete !== '1' || asked !== server) tell(undefined)
    else if (changed.size > 0) tell(changed)
    position = now
    server = asked
  }
}

/** Reads what the log has by tables: lists of rows for each transaction, or null for any row. */
function toldBy (text: string): Map<unknown, readonly ChangedRow[] | undefined> {
  const told = new Map<unknown, readonly ChangedRow[] | undefined>()
  for (const [name, lists] of Object.entries(JSON.parse(text) as Readonly<Record<string, NotedRows[] | null>>)) {
    const table = name.toLowerCase()
    const known = told.has(table) ? told.get(table) : []
    told.set(table, known && lists?.flat().map(toRow).concat(known))
  }
  return told
}

type NotedRows = ReadonlyArray<Readonly<Record<string, string | null>>>

const toRow = (noted: NotedRows[number]): ChangedRow =>
  new Map(Object.entries(noted).map(([column, value]) => [column.toLowerCase(), comparableKey(value)]))

/** Deletes old changes at once, and then each minute. Returns the function that ends it, as the signal does. */
function cleanEachMinute ({ use }: Pick<PoolServer, 'use'>, keep: number, closed: AbortSignal): () => void {
  const ended = new AbortController()
  const signal = AbortSignal.any([closed, ended.signal])
  let isCleaning = false
  const clean = async () => {
    if (isCleaning || signal.aborted) return
    isCleaning = true
    // What was not deleted is deleted in a minute.
    await forget({ use }, keep, signal).catch(() => {})
    isCleaning = false
  }
  const timer = setInterval(() => { clean().catch(() => {}) }, forgetAfter).unref()
  signal.addEventListener('abort', () => { clearInterval(timer) })
  clean().catch(() => {})
  return () => { ended.abort() }
}

/** Deletes old changes, as many at a time as the log deletes. Requests have the connection between two of these. */
async function forget ({ use }: Pick<PoolServer, 'use'>, keep: number, signal: AbortSignal): Promise<void> {
  const statement = { text: forgettingQuery, values: [String(keep)] }
  for (let deleted = forgottenAtOnce; deleted >= forgottenAtOnce && !signal.aborted;) {
    const { rows: [[count] = []] } = await use(connection => connection.prepared(statement))
    deleted = Number(count)
  }
}

// As many rows as data_api.forget_changes() deletes.
const forgottenAtOnce = 1000

const pause = (time: number, signal: AbortSignal) => setTimeout(time, undefined, { ref: false, signal }).catch(() => {})
