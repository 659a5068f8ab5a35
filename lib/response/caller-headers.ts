import { memoize } from '../scheduling/memoize.ts'
import type { Model } from '../model/model.ts'
import type { Answer } from './answer.ts'

/** Returns an answer that tells caches that it depends on the caller (docs/http.md: Rules, Identifiers). */
export const personal = (answer: Answer): Answer => ({ ...answer, personal: true })

/** Returns true for the path of an answer that depends on the request: a segment of it is a special identifier. */
export function hasSpecial ([, ...segments]: readonly string[], model: Model): boolean {
  const specials = specialsOf(model)
  return specials.size > 0 && segments.some(segment => specials.has(segment))
}

/** Returns true if answers of the model depend on special identifiers. */
export const hasSpecials = (model: Model): boolean => specialsOf(model).size > 0

const specialsOf = memoize(({ collections }: Model): ReadonlySet<string> =>
  new Set([...collections.values()].flatMap(({ specials }) => specials.map(({ segment }) => segment))))
