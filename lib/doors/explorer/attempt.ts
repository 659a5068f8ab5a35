import { DataApiError } from '../../core/errors/errors.ts'

/** Returns what `make` returns, or `other` if it throws. */
export function orElse<T> (make: () => T, other: T): T {
  try {
    return make()
  } catch {
    return other
  }
}

/** Returns what `ask` gives; the error of the API by which it refuses that, if `is` takes the error. */
export async function orRefusal<T> (
  ask: () => Promise<T>, is = (error: DataApiError) => error.statusCode < 500
): Promise<T | DataApiError> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof DataApiError && is(error)) return error
    throw error
  }
}
