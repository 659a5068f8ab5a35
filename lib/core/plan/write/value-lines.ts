import { DataApiError } from '../../errors/errors.ts'
import { atLine } from '../../errors/place.ts'

/** The values of lines of an import, and the numbers of these. */
export interface ValueLines { readonly values: readonly unknown[], readonly numbers: readonly number[] }

/** Runs the work; its error tells the line. */
export function onLine<T> (line: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof DataApiError ? atLine(error, line) : error
  }
}
