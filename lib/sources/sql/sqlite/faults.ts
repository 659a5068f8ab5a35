import { DataApiError, internal, unavailable } from '../../../errors.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import type { Changed } from '../../source.ts'
import { sourceOf } from '../source.ts'

/** A driver's error in our words, itself as the cause (docs/http.md: Errors). */
export function toFault (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  return passing.has(resultCode(error)) ? unavailable(error) : internal(error)
}

/**
 * SQLite's primary result codes for what may be over soon: busy, locked, out of memory, read-only, interrupted, I/O
 * error, full, cannot open, locking protocol.
 */
const passing: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 9, 10, 13, 14, 15])

const constraint = 19

const namedCodes: Readonly<Record<string, number>> = {
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  INTERRUPT: 9,
  IOERR: 10,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  CONSTRAINT: constraint
}

/** SQLite's primary result code, such as 5 for busy, whichever driver the error is from. */
export function resultCode (error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  // node:sqlite and @photostructure/sqlite give SQLite's extended code, whose last byte is the primary one.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  if (!('code' in error && typeof error.code === 'string')) return undefined
  // all() of @photostructure/sqlite gives SQLite's words only.
  if (error.code === 'ERR_SQLITE_ERROR') return error instanceof Error ? codeOfMessage(error.message) : undefined
  // better-sqlite3 gives its name, such as SQLITE_BUSY_SNAPSHOT.
  return namedCodes[error.code.split('_')[1] ?? '']
}

/** The code of an error that is told in words only; undefined for others than these, such as a trigger's own. */
function codeOfMessage (message: string): number | undefined {
  return messages.find(([words]) => words.test(message))?.[1]
}

const messages: ReadonlyArray<readonly [words: RegExp, code: number]> = [
  [/^(?:(?:UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed|constraint failed$|cannot store )/, constraint],
  [/^database is locked$/, 5],
  [/^database (?:table|schema) is locked/, 6],
  [/^out of memory$/, 7],
  [/^attempt to write a readonly database$/, 8],
  [/^interrupted$/, 9],
  [/^disk I\/O error$/, 10],
  [/^database or disk is full$/, 13],
  [/^unable to open database file$/, 14],
  [/^locking protocol$/, 15]
]

/** Whether the error is told in words only, which may be those of a trigger. */
export function isCodeless (error: unknown): boolean {
  if (resultCode(error) !== undefined) return false
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
}

/** Whether another process holds the lock that is needed. */
export const isBusy = (error: unknown) => resultCode(error) === 5

/** Whether the data would break a rule of the database. */
export const isConstraint = (error: unknown) => resultCode(error) === constraint

/**
 * What the database refused of a change to the collection's table; nothing where the error is another. SQLite names
 * columns in its messages alone.
 */
export function toViolation (error: unknown, collection: Collection): Extract<Changed, { kind: 'refused' }> | undefined {
  if (resultCode(error) !== constraint || !(error instanceof Error)) return undefined
  const [, kind = '', named = ''] = /(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?$/s.exec(error.message) ?? []
  if (kind === 'FOREIGN KEY') return { kind: 'refused', by: 'foreign-key', fields: [] }
  return { kind: 'refused', by: kind === 'UNIQUE' ? 'unique' : 'other', fields: kind === 'CHECK' ? fieldsIn(named, collection) : fieldsOf(named, collection) }
}

/** The fields of a list such as `artists.name, artists.tenant`. */
function fieldsOf (named: string, collection: Collection): readonly StoredField[] {
  const { table, column } = sourceOf(collection)
  const columns = named.split(', ').map(name => name.startsWith(`${table}.`) ? name.slice(table.length + 1) : name)
  return collection.stored.filter(field => columns.includes(column(field.property)))
}

/** The fields whose columns an expression names. */
function fieldsIn (expression: string, collection: Collection): readonly StoredField[] {
  const words = new Set(expression.split(/[^\p{L}\p{N}_$]+/u))
  return collection.stored.filter(field => words.has(sourceOf(collection).column(field.property)))
}
