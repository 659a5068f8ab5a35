import { DeclarationError, describeValue } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { didYouMean, suggest } from '../errors/suggest.ts'

/** Lists each key of a type; a key that is missing here does not compile. */
export type Keys<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>

/**
 * Throws a DeclarationError for what is no object, and for a member that has no known name. `what`: what a member is,
 * such as `an option`.
 */
export function checkNames (place: string, given: unknown, known: object, what: string): void {
  if (given === undefined) return
  if (!isObject(given)) throw new DeclarationError(`${place}: expected an object; found ${describeGiven(given)}`)
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue
    const near = suggest(name, Object.keys(known))
    const list = near === undefined ? ` Use one of ${Object.keys(known).join(', ')}.` : didYouMean(near)
    throw new DeclarationError(`${place}: '${name}' is not ${what}.${list}`)
  }
}

/** Describes what an application gave in a wrong place. */
export const describeGiven = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : describeValue(value)
