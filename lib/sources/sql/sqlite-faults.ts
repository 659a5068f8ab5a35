import { DataApiError, internal, unavailable } from '../../errors.ts'

/** A driver's error in our words, itself as the cause (docs/http.md: Errors). */
export function toFault (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  return passing.has(resultCode(error)) ? unavailable(error) : internal(error)
}

/** SQLite's primary result codes for what may be over soon: busy, locked, out of memory, I/O error, full, cannot open. */
const passing: ReadonlySet<number | undefined> = new Set([5, 6, 7, 10, 13, 14])

const namedCodes: Readonly<Record<string, number>> = { BUSY: 5, LOCKED: 6, NOMEM: 7, IOERR: 10, FULL: 13, CANTOPEN: 14 }

/** SQLite's primary result code, such as 5 for busy, whichever driver the error is from. */
export function resultCode (error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  // node:sqlite and @photostructure/sqlite give SQLite's extended code, whose last byte is the primary one.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  // better-sqlite3 gives its name, such as SQLITE_BUSY_SNAPSHOT.
  return 'code' in error && typeof error.code === 'string' ? namedCodes[error.code.split('_')[1] ?? ''] : undefined
}
