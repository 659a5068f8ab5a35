import { DeclarationError, describeValue } from '../errors.ts'

/** The longest time that a timer can have: 24 days, in milliseconds. */
export const longestDelay = 2 ** 31 - 1

/** Throws a DeclarationError for an option that is no time. `place`: names the option in the message. */
export function checkMilliseconds (
  place: (name: string) => string, options: Readonly<Record<string, number | undefined>>
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || (Number.isInteger(value) && value >= 0 && value <= longestDelay)) continue
    const found = typeof value === 'number' ? String(value) : describeValue(value)
    throw new DeclarationError(`${place(name)}: expected whole milliseconds from 0 to ${longestDelay}; found ${found}`)
  }
}
