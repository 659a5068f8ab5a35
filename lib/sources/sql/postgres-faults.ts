import { DataApiError, internal, unavailable } from '../../errors.ts'
import type { Collection } from '../../model/model.ts'
import type { Change, Changed } from '../source.ts'
import type { Constraints } from './postgres-catalog.ts'
import { sourceOf } from './source.ts'

/** An error of the driver or the server in our words, itself as the cause (docs/http.md: Errors). */
export function toFault (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  return isPassing(error) ? unavailable(error) : internal(error)
}

/** PostgreSQL's code of an error, such as 23505; empty for an error of other origin. */
export const sqlState = (error: unknown): string => typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Whether the same work may well succeed if it is done again at once: it got in the way of another's, or a pooler lost its statement. */
export const isRepeatable = (error: unknown) => sqlState(error) === '40001' || sqlState(error) === '40P01' || isUnprepared(error)

/** Whether a pooler between has lost or confused prepared statements. */
export const isUnprepared = (error: unknown) => sqlState(error) === '26000' || sqlState(error) === '42P05'

/** Cancelled, read-only, conflicts after all tries, out of resources, shutting down, or no connection. */
function isPassing (error: unknown): boolean {
  const code = sqlState(error)
  if (/^(57014|25006|40001|40P01|53\w{3}|57P\w\d|080\d{2}|55P03)$/.test(code)) return true
  return isBroken(error) || (error instanceof Error && /timeout exceeded when trying to connect|cannot use a pool after/i.test(error.message))
}

/** Whether the connection cannot be used any more: it is gone, or the server does not answer on it. */
export function isBroken (error: unknown): boolean {
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|CONNECTION_)/.test(sqlState(error))) return true
  return error instanceof Error && /connection terminated|connection error|query read timeout/i.test(error.message)
}

/** What the driver threw, of an error that may be our own. */
export const causeOf = (error: unknown): unknown => error instanceof Error && error.cause !== undefined ? error.cause : error

/** Whether a pooler does not take the limit of a statement's time that a connection begins with. */
export const isUntimed = (error: unknown) => sqlState(error) === '08P01' && error instanceof Error && error.message.includes('statement_timeout')

/** Whether another server may still answer: this one is gone, starting, out of connections, or had to give up the read for what it replays. */
export function isLost (error: unknown): boolean {
  const cause = causeOf(error)
  return isPassing(cause) && sqlState(cause) !== '57014'
}

/** What the database refused of a change; nothing where the error is another. Columns are looked up by the constraint's name: messages come in any language. */
export function toRefusal (error: unknown, change: Change, constraints: Constraints): Extract<Changed, { kind: 'refused' }> | undefined {
  const code = sqlState(error)
  // Such as a number beyond its column, which the schema does not know of.
  if (/^22\w{3}$/.test(code)) return { kind: 'refused', by: 'other', fields: [] }
  if (!/^23\w{3}$/.test(code)) return undefined
  const { constraint, table, column } = culprit(error)
  const collection = change.kind === 'link' ? change.field.target : change.collection
  const columns = column === '' ? constraints.get(constraint) ?? [] : [column]
  // A foreign key of another table is one that refers to this, and so is one of this where it was not written.
  const own = table === sourceOf(collection).table && change.kind !== 'delete'
  const fields = own ? fieldsOf(columns, collection).filter(field => change.kind === 'link' || code !== '23503' || change.values.has(field)) : []
  if (code === '23505') return { kind: 'refused', by: 'unique', fields }
  return { kind: 'refused', by: code === '23503' ? 'foreign-key' : 'other', fields }
}

/** What the server names. Drivers have it under names of their own. */
function culprit (error: unknown): { readonly constraint: string, readonly table: string, readonly column: string } {
  const told = error as { readonly [name: string]: string | undefined }
  const named = (name: string) => told[name] ?? told[`${name}_name`] ?? ''
  return { constraint: named('constraint'), table: named('table'), column: named('column') }
}

/** Whether a value of a read cannot be one of its column's: only a position can hold such a value, which is then from no link of ours. */
export const isUnfit = (error: unknown) => /^22(P02|007|008|003)$/.test(sqlState(error))

const fieldsOf = (columns: readonly string[], collection: Collection) => collection.stored.filter(field => columns.includes(sourceOf(collection).column(field.property)))
