import { DeclarationError, describeValue } from '../../errors.ts'

/**
 * The default of the option `statementCache`, in characters of the texts of statements. Each kind of request (rows,
 * JSON, changes, items that are locked) remembers as many, of 500 statements at most.
 */
export const defaultStatementCache = 1_000_000

/** Checks the option. Throws a DeclarationError unless it is a whole number. */
export function checkStatementCache (place: string, characters: unknown): void {
  if (characters === undefined || (Number.isSafeInteger(characters) && Number(characters) >= 0)) return
  const found = typeof characters === 'number' ? String(characters) : describeValue(characters)
  throw new DeclarationError(`${place}: expected a whole number of characters; found ${found}`)
}
