import { DataApiError } from './errors.ts'

export const invalidIdempotencyKey = (message: string) => new DataApiError('invalid_idempotency_key', message)

export const idempotencyKeyRequired = () =>
  new DataApiError(
    'idempotency_key_required',
    "This request requires the header 'Idempotency-Key': a new text for each write, and the same one to repeat it."
  )

export const idempotencyMismatch = () =>
  new DataApiError(
    'idempotency_mismatch',
    "Another request was sent with this 'Idempotency-Key'. Send this one with a new key."
  )

/** The error outcome_unknown of a write with a key: when it is sent again, it is answered with what became of it. */
export const outcomeUnknownUnderKey = (cause: unknown) =>
  new DataApiError(
    'outcome_unknown',
    'The connection to the database was lost before it confirmed this write, which may have been done. ' +
      "Send it again with the same 'Idempotency-Key'.",
    { headers: { 'retry-after': '1' }, cause }
  )
