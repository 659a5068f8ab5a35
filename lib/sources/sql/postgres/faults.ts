import {
  answerTooLarge, DataApiError, internal, outcomeUnknown, statementCancelled, unavailable
} from '../../../errors/errors.ts'
import type { Collection } from '../../../model/model.ts'
import { type Change, type ConstraintViolation, isLinkChange } from '../../source.ts'
import type { FindTable } from './catalog.ts'
import { sourceOf, tableOf } from '../source.ts'

/**
 * The connection ended after a commit was sent and before the server confirmed the commit: the data may or may not have
 * been written. A statement outside of a transaction is a commit too.
 */
export class Unconfirmed extends Error {
  constructor (cause: unknown) { super('the connection ended before a commit was confirmed', { cause }) }
}

/**
 * The connection failed before anything was done on it, so another connection may do the work. `cause` is the driver's
 * error.
 */
export class NotBegun extends Error {
  constructor (cause: unknown) { super('the connection failed before anything was done', { cause }) }
}

/** There was no connection, for a reason that says nothing of what is asked, so it may be over soon. */
class NotConnected extends Error {
  constructor (cause: unknown) { super('no connection could be made', { cause }) }
}

/** A migration made a statement or its plan invalid. The statement is made and prepared anew when it is sent again. */
export class StalePlan extends Error {
  constructor (cause: unknown) { super('a migration made a statement invalid', { cause }) }
}

/** Returns our error for an error of the driver or the server, which becomes its cause (docs/http.md: Errors). */
export function toFault (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  // The text of the answer would be longer than a value can be, 1 GB.
  if (sqlState(error) === '54000') return answerTooLarge(undefined, error)
  if (sqlState(error) === '57014') return statementCancelled(error)
  return isPassing(error) ? unavailable(error) : internal(error)
}

/**
 * Returns our error for an error before a connection was there. Nothing has been done, so each is `unavailable`, as is
 * `connect ENOENT` for a socket, but a refusal: of the user, the database or the encryption.
 */
export function toConnectFault (error: unknown): DataApiError {
  const fault = toFault(error)
  return fault.code === 'internal' && !isRefused(error) ? unavailable(new NotConnected(error)) : fault
}

// An error of the server has an SQLSTATE. The driver ends the exchange itself where it has no password for it.
const isRefused = (error: unknown) =>
  /^\w{5}$/.test(sqlState(error)) || /^SASL|server does not support SSL/.test(messageOf(error))

/**
 * Returns our error for an error of a commit, or of a writing statement outside of a transaction: `outcome_unknown`
 * where the write may have happened.
 */
export function toWriteFault (error: unknown): DataApiError {
  return error instanceof Unconfirmed ? outcomeUnknown(rootOf(error)) : toFault(error)
}

/** Returns the driver's error at the end of the chain of causes of an error, which may be ours or a hook's. */
function rootOf (error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error
}

/**
 * Returns the `code` of the driver's error: a SQLSTATE such as `23505`, or the code of a network error such as
 * `ECONNRESET`. Returns an empty string where there is none.
 */
export function sqlState (error: unknown): string {
  const root = rootOf(error)
  return typeof root === 'object' && root !== null && 'code' in root && typeof root.code === 'string' ? root.code : ''
}

const messageOf = (error: unknown): string => {
  const root = rootOf(error)
  return root instanceof Error ? root.message : ''
}

/**
 * Returns true if the same work may well succeed when it is done again at once: it was in conflict with other work, or
 * its prepared statement was lost or is stale.
 */
export const isRepeatable = (error: unknown) =>
  isConflict(error) || isLostStatement(error) || hasStalePlan(error)

/** Returns true for a conflict with other work: a serialization failure or a deadlock. */
export const isConflict = (error: unknown) => sqlState(error) === '40001' || sqlState(error) === '40P01'

/** Returns true if a pooler lost a prepared statement, or took one for another. */
export const isLostStatement = (error: unknown) => sqlState(error) === '26000' || sqlState(error) === '42P05'

/**
 * Returns true if the server refuses a prepared statement after a migration: "cached plan must not change result type".
 */
export const isStalePlan = (error: unknown) => sqlState(error) === '0A000'

/**
 * Returns true if the statement does not fit the tables, such as `function trim_scale(real) does not exist`: it may be
 * made for columns of other types, which a migration has changed since. A lacking privilege does not count.
 */
export const mayBeOutdated = (error: unknown) => /^42(?!501)/.test(sqlState(error))

/** Returns true for a StalePlan, and for an error with a StalePlan in its chain of causes. */
export const hasStalePlan = (error: unknown) => isCausedBy(StalePlan, error)

const isCausedBy = (kind: typeof StalePlan | typeof NotConnected, error: unknown): boolean =>
  error instanceof kind || (error instanceof Error && isCausedBy(kind, error.cause))

// In this order: cancelled; read-only; a transaction that was idle or open for too long; conflicts, after all tries;
// out of resources; shutting down; no connection; a lock that took too long; I/O errors.
const passing = /^(?:57014|25006|25P0[34]|40001|40P01|53\w{3}|57P\w\d|08\w{3}|55P03|58030|58000)$/

/** Returns true if the fault may be over soon. */
function isPassing (error: unknown): boolean {
  return passing.test(sqlState(error)) || isBroken(error) || hasStalePlan(error) || isCausedBy(NotConnected, error)
}

/** Returns true if no connection was free in time. */
export const isPoolExhausted = (error: unknown) => /timeout exceeded when trying to connect/i.test(messageOf(error))

/** Returns true if the connection cannot be used any more: it has ended, or the server does not answer on it. */
export function isBroken (error: unknown): boolean {
  return networkError.test(sqlState(error)) ||
    /connection terminated|connection error|client was closed|query read timeout/i.test(messageOf(error))
}

// Of the operating system, or of the driver postgres.js.
const networkError = /^(?:E(?!RR_)[A-Z_]+$|CONNECTION_)/

/** Returns true if the connection ends with the error: it is broken, or the server or a pooler says that it ends. */
export function endsConnection (error: unknown): boolean {
  return isBroken(error) || /^(?:57P\w\d|08\w{3}|25P0[34])$/.test(sqlState(error)) || isFatal(rootOf(error))
}

// A server translates the severity into its own language. There the code alone must do.
const isFatal = (error: unknown) => typeof error === 'object' && error !== null && 'severity' in error &&
  (error.severity === 'FATAL' || error.severity === 'PANIC')

/**
 * Returns true if a pooler says that it lost the server, perhaps in the middle of a statement. Poolers have one code
 * for all of their errors, so the message must show that the statement was not sent.
 */
export const isLostByPooler = (error: unknown) => sqlState(error).startsWith('08') && !notSent.test(messageOf(error))

const notSent = /query_wait_timeout|cannot connect|login|no more connections|startup|max_client_conn/i

/**
 * Returns true if the connection alone had ended, so that another connection may well work. A server that is silent or
 * unreachable does not count: it would not answer on another connection either.
 */
export function isEnded (error: unknown): boolean {
  return endedState.test(sqlState(error)) ||
    /connection terminated|connection error|client was closed/i.test(messageOf(error))
}

const endedState = /^(?:57P0[125]|ECONNRESET|ECONNABORTED|EPIPE|CONNECTION_(?:CLOSED|ENDED|DESTROYED))$/

/** Returns true if the server takes no writes, such as a former primary after a switchover. */
export const isReadOnly = (error: unknown) => sqlState(error) === '25006'

/** Returns true if a pooler refuses the `statement_timeout` with which a connection starts. */
export const isUntimed = (error: unknown) =>
  sqlState(error) === '08P01' && messageOf(error).includes('statement_timeout')

/**
 * Returns true if another server may still answer the read: this one is gone, is starting, has no free connection, or
 * is a replica that cancelled the read because of the changes that it replays. A statement that ran too long does not
 * count.
 */
export const isLost = (error: unknown) => isPassing(error) && sqlState(error) !== '57014'

/** Returns the collection that a violation of the change is about: for a link the target, as a join table has none. */
export const collectionOf = (change: Change) => isLinkChange(change) ? change.field.target : change.collection

/**
 * Returns the violation if the database refused the data of a change; undefined for any other error. A trigger refuses
 * by raising an exception. The columns are looked up by the name of the constraint, because messages come in any
 * language.
 */
export function toViolation (
  error: unknown, change: Change, findTable: FindTable
): ConstraintViolation | undefined {
  const code = sqlState(error)
  // For example a number outside of its column's range, which the schema does not know.
  if (/^22\w{3}$/.test(code) || code === raisedException || code === outsideOfView || isBadText(error)) {
    return { kind: 'refused', by: 'other', fields: [] }
  }
  if (isDeniedByPolicy(error)) return { kind: 'refused', by: 'policy', fields: [] }
  if (!/^23\w{3}$/.test(code)) return undefined
  const fields = violatedFields(error, change, findTable)
  if (code === uniqueViolation) return { kind: 'refused', by: 'unique', fields }
  if (!foreignKeyViolations.has(code)) return { kind: 'refused', by: 'other', fields }
  return { kind: 'refused', by: refersToChanged(error, change, findTable) ? 'referred' : 'foreign-key', fields }
}

/**
 * Returns true if a type such as `tsquery` or `hstore` does not take a text. The code is that of a statement with a
 * syntax error, but of that the server tells the position.
 */
function isBadText (error: unknown): boolean {
  const root = rootOf(error)
  return sqlState(error) === '42601' && typeof root === 'object' && root !== null && !('position' in root &&
    root.position !== undefined)
}

/**
 * Returns true if a policy of row-level security refuses a new row. A missing privilege has the same code, but is
 * reported by another function of the server.
 */
function isDeniedByPolicy (error: unknown): boolean {
  const root = rootOf(error)
  return sqlState(error) === '42501' && typeof root === 'object' && root !== null && 'routine' in root &&
    root.routine === 'ExecWithCheckOptions'
}

const raisedException = 'P0001'
// PostgreSQL 18 has a code of its own for what `on delete restrict` refuses.
const foreignKeyViolations: ReadonlySet<string> = new Set(['23503', '23001'])
const uniqueViolation = '23505'
// `with check option`.
const outsideOfView = '44000'

/** Returns true for a foreign key of another table, or of this one where an item is deleted: it refers to the item. */
function refersToChanged (error: unknown, change: Change, findTable: FindTable): boolean {
  if (isLinkChange(change)) return false
  const table = tableNamed(error, findTable)
  return change.kind === 'delete' || shardOf(table, sourceOf(change.collection).table) === undefined
}

function violatedFields (error: unknown, change: Change, findTable: FindTable) {
  const { constraint, column } = constraintOf(error)
  const collection = collectionOf(change)
  const shard = shardOf(tableNamed(error, findTable), sourceOf(collection).table)
  if (shard === undefined || change.kind === 'delete') return []
  const plain = (name: string) => name.endsWith(shard) ? name.slice(0, name.length - shard.length) : name
  const known = findTable(tableOf(collection))
  const columns = column === '' ? known?.constraints.get(plain(constraint)) ?? [] : [column]
  const fields = fieldsOf(columns, collection)
  // A foreign key of this table that the change did not write refers to this table as well.
  if (isLinkChange(change) || !foreignKeyViolations.has(sqlState(error))) return fields
  return fields.filter(field => change.values.has(field))
}

/**
 * Returns the end of the name by which an error names a table: empty for the table's own name, `_102008` for a shard of
 * Citus, whose constraints end alike. Returns undefined for the name of another table.
 */
function shardOf (named: string, table: string): string | undefined {
  if (!named.startsWith(table)) return undefined
  const rest = named.slice(table.length)
  return /^(?:_\d+)?$/.test(rest) ? rest : undefined
}

const fieldsOf = (columns: readonly string[], collection: Collection) =>
  collection.stored.filter(field => columns.includes(sourceOf(collection).column(field.property)))

/** Returns the name of the table that an error is about: the server names a partition instead of its table. */
export function tableNamed (error: unknown, findTable: FindTable): string {
  const { schema, table } = constraintOf(error)
  return findTable({ schema, name: table })?.name ?? table
}

/** What the server names in an error. */
type Named = Readonly<Record<'constraint' | 'schema' | 'table' | 'column', string>>

/** Returns what the server names in the error; an empty string for each name that is missing. */
export function constraintOf (error: unknown): Named {
  const properties = rootOf(error) as { readonly [name: string]: string | undefined }
  // Some drivers say `constraint`, others `constraint_name`.
  const named = (name: string) => properties[name] ?? properties[`${name}_name`] ?? ''
  return { constraint: named('constraint'), schema: named('schema'), table: named('table'), column: named('column') }
}

/**
 * Returns true if a read compared a column with a value that its type cannot hold. Only a cursor can carry such a
 * value, and that cursor is from no link of ours.
 */
export const isUnfit = (error: unknown) => /^22(P02|007|008|003|023)$/.test(sqlState(error))
