import { DataApiError, internal, outcomeUnknown, unavailable } from '../../../errors.ts'
import type { Collection } from '../../../model/model.ts'
import type { Change, Changed } from '../../source.ts'
import type { Constraints } from './catalog.ts'
import { sourceOf } from '../source.ts'

/**
 * The connection ended after a commit was sent and before the server confirmed it: what was written may be there or not. A commit is a statement outside
 * of a transaction too.
 */
export class Unconfirmed extends Error {
  constructor (cause: unknown) { super('the connection ended before a commit was confirmed', { cause }) }
}

/** The connection failed before anything was done on it, so that another one may do it. `cause` is the driver's error. */
export class NotBegun extends Error {
  constructor (cause: unknown) { super('the connection failed before anything was done', { cause }) }
}

/** A migration has made the plan of a prepared statement invalid. It is prepared anew when it is sent again. */
export class StalePlan extends Error {
  constructor (cause: unknown) { super('a migration made the plan of a prepared statement invalid', { cause }) }
}

/** An error of the driver or the server in our words, itself as the cause (docs/http.md: Errors). */
export function toFault (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  return isPassing(error) ? unavailable(error) : internal(error)
}

/** The error of a statement outside of a transaction that writes, or of a commit. */
export function toWriteFault (error: unknown): DataApiError {
  return error instanceof Unconfirmed ? outcomeUnknown(rootOf(error)) : toFault(error)
}

/** The driver's error behind one that may be ours, or a hook's. */
function rootOf (error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error
}

/** PostgreSQL's code of an error, such as 23505; empty for an error of other origin. */
export function sqlState (error: unknown): string {
  const root = rootOf(error)
  return typeof root === 'object' && root !== null && 'code' in root && typeof root.code === 'string' ? root.code : ''
}

const messageOf = (error: unknown): string => {
  const root = rootOf(error)
  return root instanceof Error ? root.message : ''
}

/** Whether the same work may well succeed if it is done again at once: it met another's, or its prepared statement is gone or invalid. */
export const isRepeatable = (error: unknown) => isConflict(error) || isLostStatement(error) || hasStalePlan(error)

/** Whether the work met another's: a serialization failure or a deadlock. */
export const isConflict = (error: unknown) => sqlState(error) === '40001' || sqlState(error) === '40P01'

/** Whether a pooler between has lost or confused prepared statements. */
export const isLostStatement = (error: unknown) => sqlState(error) === '26000' || sqlState(error) === '42P05'

/** Whether the server refuses a prepared statement for what a migration did: "cached plan must not change result type". */
export const isStalePlan = (error: unknown) => sqlState(error) === '0A000'

export const hasStalePlan = (error: unknown): boolean => error instanceof StalePlan || (error instanceof Error && hasStalePlan(error.cause))

// Cancelled; read-only; conflicts after all tries; a lock or a transaction that took too long; out of resources; I/O errors; shutting down; no connection.
const passing = /^(?:57014|25006|25P0[34]|40001|40P01|53\w{3}|57P\w\d|08\w{3}|55P03|58030|58000)$/

/** Whether the fault may be over soon. */
function isPassing (error: unknown): boolean {
  return passing.test(sqlState(error)) || isBroken(error) || hasStalePlan(error) ||
    isPoolExhausted(error) || /cannot use a pool after/i.test(messageOf(error))
}

/** Whether no connection was free in time. */
export const isPoolExhausted = (error: unknown) => /timeout exceeded when trying to connect/i.test(messageOf(error))

/** Whether the connection cannot be used any more: it is gone, or the server does not answer on it. */
export function isBroken (error: unknown): boolean {
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|CONNECTION_|CONNECT_TIMEOUT)/.test(sqlState(error))) return true
  return /connection terminated|connection error|client was closed|query read timeout/i.test(messageOf(error))
}

/** Whether the connection ends with the error: it is broken, or the server, or a pooler before it, says so. */
export function endsConnection (error: unknown): boolean {
  return isBroken(error) || /^(?:57P\w\d|08\w{3}|25P0[34])$/.test(sqlState(error)) || isFatal(rootOf(error))
}

// Where the server speaks another language, the code must do.
const isFatal = (error: unknown) => typeof error === 'object' && error !== null && 'severity' in error && (error.severity === 'FATAL' || error.severity === 'PANIC')

/** Whether a pooler says that it lost the server, perhaps in the middle of a statement. It has one code for all of its errors. */
export const isLostByPooler = (error: unknown) => sqlState(error).startsWith('08') && !notSent.test(messageOf(error))

const notSent = /query_wait_timeout|cannot connect|login|no more connections|startup|max_client_conn/i

/** Whether the connection had ended by itself, so that another one may well do. A server that is silent or gone is none that answers elsewhere. */
export function isEnded (error: unknown): boolean {
  if (/^(?:57P0[125]|ECONNRESET|ECONNABORTED|EPIPE|CONNECTION_(?:CLOSED|ENDED|DESTROYED))$/.test(sqlState(error))) return true
  return /connection terminated|connection error|client was closed/i.test(messageOf(error))
}

/** Whether the server is one that takes no writes, such as a primary after a switchover. */
export const isReadOnly = (error: unknown) => sqlState(error) === '25006'

/** Whether a pooler does not take the limit of a statement's time that a connection begins with. */
export const isUntimed = (error: unknown) => sqlState(error) === '08P01' && messageOf(error).includes('statement_timeout')

/** Whether another server may still answer: this one is gone, starting, out of connections, or had to give up the read for what it replays. */
export const isLost = (error: unknown) => isPassing(error) && sqlState(error) !== '57014'

/**
 * What the database refused of a change; undefined where the error is another. A trigger refuses by raising an exception. Columns are looked up by the
 * constraint's name: messages come in any language.
 */
export function toViolation (error: unknown, change: Change, constraints: Constraints): Extract<Changed, { kind: 'refused' }> | undefined {
  const code = sqlState(error)
  // Such as a number beyond its column, which the schema does not know of.
  if (/^22\w{3}$/.test(code) || code === raisedException) return { kind: 'refused', by: 'other', fields: [] }
  if (!/^23\w{3}$/.test(code)) return undefined
  const { constraint, table, column } = constraintOf(error)
  const collection = change.kind === 'link' ? change.field.target : change.collection
  const columns = column === '' ? constraints.get(constraint) ?? [] : [column]
  // A foreign key of another table is one that refers to this, and so is one of this where it was not written.
  const own = table === sourceOf(collection).table && change.kind !== 'delete'
  const fields = own ? fieldsOf(columns, collection).filter(field => change.kind === 'link' || code !== '23503' || change.values.has(field)) : []
  if (code === '23505') return { kind: 'refused', by: 'unique', fields }
  return { kind: 'refused', by: code === '23503' ? 'foreign-key' : 'other', fields }
}

const raisedException = 'P0001'

/** What the server names. Drivers have it under names of their own. */
export function constraintOf (error: unknown): { readonly constraint: string, readonly table: string, readonly column: string } {
  const told = rootOf(error) as { readonly [name: string]: string | undefined }
  const named = (name: string) => told[name] ?? told[`${name}_name`] ?? ''
  return { constraint: named('constraint'), table: named('table'), column: named('column') }
}

/** Whether a value of a read cannot be one of its column's: only a position can hold such a value, which is then from no link of ours. */
export const isUnfit = (error: unknown) => /^22(P02|007|008|003)$/.test(sqlState(error))

const fieldsOf = (columns: readonly string[], collection: Collection) => collection.stored.filter(field => columns.includes(sourceOf(collection).column(field.property)))
