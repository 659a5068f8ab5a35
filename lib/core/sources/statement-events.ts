import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'

/** One statement that a database ran, as subscribers of the channel see it (docs/running.md: Statements). */
export interface StatementEvent {
  /** The kind of the database, such as `sqlite`. */
  readonly database: string
  readonly kind: StatementKind
  /** The collection that it reads or changes, by its name in the application; undefined for one of a hook. */
  readonly collection: string | undefined
  /** The text, with placeholders. The values are not told: they are the application's data. */
  readonly text: string
  /** The start, in milliseconds since 1970-01-01. */
  readonly startTime: number
  /** In milliseconds. */
  readonly duration: number
  /** The rows that it returned or changed; undefined for one that failed. */
  readonly rows: number | undefined
  readonly error: unknown
}

export type StatementKind = 'read' | 'insert' | 'update' | 'delete' | 'link' | 'unlink' | 'query'

export type About = Pick<StatementEvent, 'database' | 'kind' | 'collection' | 'text'>

/** The sum of the statements of one request, and a function that each of them is told to. */
export interface StatementTotals {
  count: number
  duration: number
  statement? (event: StatementEvent): void
}

/** The totals of the request that a statement belongs to, where a registration counts them. */
export const statementTotals = new AsyncLocalStorage<StatementTotals>()

/** The name of the channel on which each statement is published when it has ended. */
export const statementChannelName = 'fastify-data-api:statement'

const statementChannel = channel(statementChannelName)
let counting = 0

/** Has the statements counted in `statementTotals` until the returned function is called. */
export function countStatements (): () => void {
  counting++
  return () => { counting-- }
}

/** Returns true if somebody observes statements. If nobody does, they cost no more than this question. */
const isObserved = (): boolean => statementChannel.hasSubscribers || counting > 0

/** Returns the time at which an observed statement begins; 0 if nobody observes. */
export const beginStatement = (): number => isObserved() ? performance.now() : 0

/** Tells the observers of a statement that has ended. `begun`: the result of beginStatement. */
export function endStatement (about: About, begun: number, rows: number | undefined, error?: unknown): void {
  if (error instanceof Error) failedStatements.set(error, about.text)
  if (begun === 0) return
  const startTime = performance.timeOrigin + begun
  const event = { startTime, duration: performance.now() - begun, rows, error, ...about }
  statementChannel.publish(event)
  const totals = statementTotals.getStore()
  if (totals === undefined) return
  totals.count++
  totals.duration += event.duration
  totals.statement?.(event)
}

const failedStatements = new WeakMap<Error, string>()

/** Returns the text of the statement that failed with this error, or with a cause of it; undefined for other errors. */
export function failedStatement (error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return failedStatements.get(error) ?? failedStatement(error.cause)
}
