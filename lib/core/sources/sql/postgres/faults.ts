import {
  answerTooLarge, DataApiError, internal, outcomeUnknown, statementCancelled, unavailable
} from '../../../errors/errors.ts'
import type { Collection } from '../../../model/model.ts'
import { type Change, type ConstraintViolation, isLinkChange, storedFields } from '../../source.ts'
import type { FindTable } from '../catalog.ts'
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
  const { cancelled, passing } = faultOf(error)
  if (cancelled === true) return statementCancelled(error)
  return passing === true ? unavailable(error) : internal(error)
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
  const code = propertyOf(error, 'code')
  return typeof code === 'string' ? code : ''
}

function propertyOf (error: unknown, name: string): unknown {
  const root = rootOf(error)
  return typeof root === 'object' && root !== null ? Reflect.get(root, name) : undefined
}

const messageOf = (error: unknown) => String(propertyOf(error, 'message') ?? '')

/** What an error of the server, the driver or the system means. */
interface Fault {
  /** It may be over soon. */
  readonly passing?: true
  /** The connection ends with it. */
  readonly ends?: true
  /** The connection ended without a word of the server, or the server does not answer on it. */
  readonly broken?: true
  /** The connection alone ended. A silent or unreachable server would not answer on another connection either. */
  readonly ended?: true
  /** The same work may succeed if it is done again: after a conflict later, with a new statement at once. */
  readonly repeat?: 'later' | 'at once'
  /** A pooler lost a prepared statement, or took one for another. */
  readonly lostStatement?: true
  /** The server refuses a prepared statement after a migration: "cached plan must not change result type". */
  readonly stalePlan?: true
  /** The statement does not fit the tables: it may be made for columns as they were before a migration. */
  readonly outdated?: true
  /** The statement ran too long, or its client left. */
  readonly cancelled?: true
  /** The server takes no writes, such as a former primary after a switchover. */
  readonly readOnly?: true
  /** A read compared a column with a value that its type cannot hold. Only a cursor that is not ours can carry it. */
  readonly unfit?: true
  /** The server refused the data of a change. `value`: for a reason that names no fields. */
  readonly refuses?: 'value' | 'unique' | 'foreign-key' | 'other'
}

const broken = { passing: true, ends: true, broken: true } as const
const brokenAlone = { ...broken, ended: true } as const
const shutDown = { passing: true, ends: true, ended: true } as const
const misfit = { refuses: 'value', unfit: true } as const

/** The faults by their codes: an SQLSTATE or its beginning, or a code of the system or of the driver postgres.js. */
const faults: Readonly<Record<string, Fault>> = {
  '08': { passing: true, ends: true },
  '0A000': { stalePlan: true },
  // For example a number outside of its column's range, which the schema does not know.
  22: { refuses: 'value' },
  22003: misfit,
  22007: misfit,
  22008: misfit,
  22023: misfit,
  '22P02': misfit,
  23: { refuses: 'other' },
  // PostgreSQL 18 has a code of its own for what `on delete restrict` refuses.
  23001: { refuses: 'foreign-key' },
  23503: { refuses: 'foreign-key' },
  23505: { refuses: 'unique' },
  25006: { passing: true, readOnly: true },
  // A transaction was idle or open for too long.
  '25P03': { passing: true, ends: true },
  '25P04': { passing: true, ends: true },
  26000: { repeat: 'at once', lostStatement: true },
  40001: { passing: true, repeat: 'later' },
  '40P01': { passing: true, repeat: 'later' },
  42: { outdated: true },
  // A lacking privilege.
  42501: {},
  '42P05': { outdated: true, repeat: 'at once', lostStatement: true },
  // `with check option`.
  44000: { refuses: 'value' },
  // Out of resources.
  53: { passing: true },
  '55P03': { passing: true },
  57014: { passing: true, cancelled: true },
  '57P': { passing: true, ends: true },
  '57P01': shutDown,
  '57P02': shutDown,
  '57P05': shutDown,
  58000: { passing: true },
  58030: { passing: true },
  CONNECTION_CLOSED: brokenAlone,
  CONNECTION_DESTROYED: brokenAlone,
  CONNECTION_ENDED: brokenAlone,
  ECONNABORTED: brokenAlone,
  ECONNRESET: brokenAlone,
  EPIPE: brokenAlone,
  P0001: { refuses: 'value' }
}

/** The code of an exception that gives itself none: `raise exception 'words'`. */
const raisedState = 'P0001'

/** Returns the meaning of an error, which may be ours or a hook's around the driver's. */
export function faultOf (error: unknown): Fault {
  const state = sqlState(error)
  const known = { ...faults[state] ?? faults[state.slice(0, 3)] ?? faults[state.slice(0, 2)], ...withoutState(error) }
  if (isCausedBy(StalePlan, error)) return { ...known, passing: true, repeat: 'at once' }
  if (isCausedBy(NotConnected, error)) return { ...known, passing: true }
  // A server translates the severity into its own language. There the code alone must do.
  const severity = propertyOf(error, 'severity')
  return severity === 'FATAL' || severity === 'PANIC' ? { ...known, ends: true } : known
}

/** Returns the meaning that a message has, or the code of an error that is not the server's. */
function withoutState (error: unknown): Fault {
  const message = messageOf(error)
  if (/connection terminated|connection error|client was closed/i.test(message)) return brokenAlone
  const isBroken = /^(?:E(?!RR_)[A-Z_]+$|CONNECTION_)/.test(sqlState(error)) || /query read timeout/i.test(message)
  return isBroken ? broken : {}
}

/** Returns true for a StalePlan, and for an error with a StalePlan in its chain of causes. */
export const hasStalePlan = (error: unknown) => isCausedBy(StalePlan, error)

const isCausedBy = (kind: typeof StalePlan | typeof NotConnected, error: unknown): boolean =>
  error instanceof kind || (error instanceof Error && isCausedBy(kind, error.cause))

/** Returns true if no connection was free in time. */
export const isPoolExhausted = (error: unknown) => /timeout exceeded when trying to connect/i.test(messageOf(error))

/**
 * Returns true if a pooler says that it lost the server, perhaps in the middle of a statement. Poolers have one code
 * for all of their errors, so the message must show that the statement was not sent.
 */
export const isLostByPooler = (error: unknown) => sqlState(error).startsWith('08') && !notSent.test(messageOf(error))

const notSent = /query_wait_timeout|cannot connect|login|no more connections|startup|max_client_conn/i

/** Returns true if a pooler refuses the `statement_timeout` with which a connection starts. */
export const isUntimed = (error: unknown) =>
  sqlState(error) === '08P01' && messageOf(error).includes('statement_timeout')

/** Returns the collection that a violation of the change is about: for a link the target, as a join table has none. */
export const changedCollection = (change: Change) => isLinkChange(change) ? change.field.target : change.collection

/**
 * Returns the violation if the database refused the data of a change; undefined for any other error. A trigger refuses
 * by raising an exception. The columns are looked up by the name of the constraint, because messages come in any
 * language.
 */
export function toViolation (
  error: unknown, change: Change, findTable: FindTable
): ConstraintViolation | undefined {
  const { refuses } = faultOf(error)
  if (sqlState(error) === raisedState) return { kind: 'refused', by: 'other', fields: [], raised: messageOf(error) }
  if (refuses === 'value' || isBadText(error)) return { kind: 'refused', by: 'other', fields: [] }
  if (isDeniedByPolicy(error)) return { kind: 'refused', by: 'policy', fields: [] }
  if (refuses === undefined) return undefined
  const fields = violatedFields(error, change, findTable)
  if (refuses !== 'foreign-key') return { kind: 'refused', by: refuses, fields }
  return { kind: 'refused', by: refersToChanged(error, change, findTable) ? 'referred' : 'foreign-key', fields }
}

/**
 * Returns true if a type such as `tsquery` or `hstore` does not take a text. The code is that of a statement with a
 * syntax error, but of that the server tells the position.
 */
const isBadText = (error: unknown) => sqlState(error) === '42601' && propertyOf(error, 'position') === undefined

/** Returns true if the role of the statement has no privilege for it. */
export const isPrivilegeMissing = (error: unknown) => sqlState(error) === '42501' && !isDeniedByPolicy(error)

/**
 * Returns true if a policy of row-level security refuses a new row. A missing privilege has the same code, but is
 * reported by another function of the server.
 */
const isDeniedByPolicy = (error: unknown) =>
  sqlState(error) === '42501' && propertyOf(error, 'routine') === 'ExecWithCheckOptions'

/** Returns true for a foreign key of another table, or of this one where an item is deleted: it refers to the item. */
function refersToChanged (error: unknown, change: Change, findTable: FindTable): boolean {
  if (isLinkChange(change)) return false
  const table = tableNamed(error, findTable)
  return change.kind === 'delete' || shardOf(table, sourceOf(change.collection).table) === undefined
}

function violatedFields (error: unknown, change: Change, findTable: FindTable) {
  const { constraint, column } = constraintOf(error)
  const collection = changedCollection(change)
  const shard = shardOf(tableNamed(error, findTable), sourceOf(collection).table)
  if (shard === undefined || change.kind === 'delete') return []
  const plain = (name: string) => name.endsWith(shard) ? name.slice(0, name.length - shard.length) : name
  const known = findTable(tableOf(collection))
  const columns = column === '' ? known?.constraints.get(plain(constraint)) ?? [] : [column]
  const fields = fieldsOf(columns, collection)
  // A foreign key of this table that the change did not write refers to this table as well.
  if (isLinkChange(change) || faultOf(error).refuses !== 'foreign-key') return fields
  return fields.filter(field => storedFields(change).includes(field))
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

/** Returns what the server names in the error; an empty text for what it does not name. */
function constraintOf (error: unknown) {
  // Some drivers say `constraint`, others `constraint_name`.
  const named = (name: string) => String(propertyOf(error, name) ?? propertyOf(error, `${name}_name`) ?? '')
  return { constraint: named('constraint'), schema: named('schema'), table: named('table'), column: named('column') }
}
