import { answerTooLarge, DataApiError, internal, readTimedOut, unavailable } from '../../../errors/errors.ts'
import { Overdue } from './clock.ts'

/** The error of a statement whose rows became too long. */
export class TooLong extends Error {
  readonly longest: number
  constructor (longest: number, cause?: unknown) {
    super(`the rows of a statement became too long for an answer of ${longest} characters`, { cause })
    this.longest = longest
  }
}

/** Returns our error for a driver's error, which becomes its cause (docs/http.md: Errors). */
export function toFault (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  if (error instanceof Overdue) return readTimedOut(error.milliseconds, error)
  if (error instanceof TooLong) return answerTooLarge(error.longest, error)
  if (isTooBig(error)) return answerTooLarge(undefined, error)
  return passing.has(resultCode(error)) ? unavailable(error) : internal(error)
}

/**
 * SQLite's primary result codes for faults that may be over soon: busy, locked, out of memory, read-only, interrupted,
 * I/O error, full, cannot open, locking protocol, misuse of a closed connection.
 */
const passing: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 9, 10, 13, 14, 15, 21])

/** Returns true for a value longer than SQLite, or a string of JavaScript, can be: some 500 MB to 1 GB. */
export const isTooBig = (error: unknown) => resultCode(error) === 18 ||
  (error instanceof Error && /string or blob too big|Cannot create a string longer/.test(error.message))

const constraint = 19

const namedCodes: Readonly<Record<string, number>> = {
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  INTERRUPT: 9,
  IOERR: 10,
  FULL: 13,
  TOOBIG: 18,
  CANTOPEN: 14,
  PROTOCOL: 15,
  CONSTRAINT: constraint
}

/**
 * Returns SQLite's primary result code of an error, such as 5 for busy, from any of the drivers; undefined for an error
 * without one.
 */
export function resultCode (error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if (isOfClosed(error)) return 21
  // node:sqlite and @photostructure/sqlite give the extended result code, whose last byte is the primary one.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  if (!('code' in error && typeof error.code === 'string')) return undefined
  // The errors of all() in @photostructure/sqlite have SQLite's message only.
  if (error.code === 'ERR_SQLITE_ERROR') return error instanceof Error ? codeOfMessage(error.message) : undefined
  // better-sqlite3 gives the name of the code, such as SQLITE_BUSY_SNAPSHOT.
  return namedCodes[error.code.split('_')[1] ?? '']
}

/** Returns true for the error of a driver whose connection is closed: it does not ask SQLite, so there is no code. */
const isOfClosed = (error: object) => ('code' in error && error.code === 'ERR_INVALID_STATE') ||
  (error instanceof TypeError && error.message === 'The database connection is not open')

/** Returns the result code for a message of SQLite; undefined for any other message, such as a trigger's own. */
function codeOfMessage (message: string): number | undefined {
  return messages.find(([pattern]) => pattern.test(message))?.[1]
}

const messages: ReadonlyArray<readonly [pattern: RegExp, code: number]> = [
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

/** Returns true for an error of SQLite that has a message only, which may be the message of a trigger. */
export function isCodeless (error: unknown): boolean {
  if (resultCode(error) !== undefined) return false
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
}

/** Returns true if another connection holds the lock that the statement needs. */
export const isBusy = (error: unknown) => resultCode(error) === 5

/** Returns true if the data would violate a constraint of the database. */
export const isConstraint = (error: unknown) => resultCode(error) === constraint

/**
 * Returns true if `raise()` of a trigger refused the data: one of the application, or that by which SQLite itself
 * restricts a deletion to what no foreign key refers to.
 */
export const isRaised = (error: Error): boolean =>
  ('errcode' in error && error.errcode === constraintOfTrigger) ||
  ('code' in error && error.code === 'SQLITE_CONSTRAINT_TRIGGER')

const constraintOfTrigger = constraint | (7 << 8)
