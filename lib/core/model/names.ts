import { memoizeRecent } from '../scheduling/memoize.ts'

/** The convention that turns names of the application into names on the wire. */
export type Naming = 'snake_case' | 'camelCase' | 'kebab-case' | 'PascalCase' | 'none' | ((name: string) => string)

/**
 * Returns the name on the wire of a property or collection: `startDate`, `StartDate` -> `start_date` (docs/http.md: The
 * wire).
 */
export function toName (naming: Naming, property: string): string {
  if (typeof naming === 'function') return naming(property)
  switch (naming) {
    case 'snake_case': return snakeCase(property)
    case 'kebab-case': return words(property).join('-')
    case 'PascalCase': return words(property).map(capitalize).join('')
    case 'camelCase': return words(property).map((word, index) => index === 0 ? word : capitalize(word)).join('')
    case 'none': return property
  }
}

// The collections of an application have the same names again and again.
const snakeCase = memoizeRecent(name => words(name).join('_'), { most: 10_000, longest: 100 })

/**
 * Returns the words of a name in lower case: `HTTPListener` -> `http`, `listener`; `artistID` -> `artist`, `id`. A
 * digit belongs to the word before it.
 */
export function words (name: string): string[] {
  return name
    .replace(/(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[\s_-]+/)
    .filter(word => word !== '')
    .map(word => word.toLowerCase())
}

/** The names on the wire of what people know items by. */
export const likeName = /^(name|title|label)$|_(name|title)$/i

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
