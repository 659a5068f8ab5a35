import { memoizeRecent } from '../../../core/scheduling/memoize.ts'
import { toName, words } from '../../../core/model/names.ts'
import { type ColumnNames, columnNaming } from '../../../core/sources/sql/tables.ts'

/** A cache of names: a large catalogue has the same ones again and again. */
export const mostNames = { most: 20_000, characters: 2_000_000 }

/** Returns the words of a column or table as a property: `artist_id`, `ArtistId`, `Artist ID` -> `artistId`. */
export const propertyOf = memoizeRecent(name => {
  const parts = wordsOf(name)
  const property = toName('camelCase', parts.join('_'))
  // Such as `a_b_c` and `address_2`: as `aBC` and `address2` their words would be others.
  return words(property).join('_') === parts.join('_') ? property : parts.join('_')
}, mostNames)

/** Returns the words of a name without what no URL or query string takes. */
function wordsOf (name: string): readonly string[] {
  const parts = words(name.replaceAll(/[^\p{L}\p{N}\p{M}_\s-]+/gu, ' '))
  return parts.length > 0 ? parts : ['unnamed']
}

/** Returns the name of the item that a column refers to: `artist_id`, `ArtistID` -> `artist`; `boss` -> `boss`. */
export function relationName (column: string): string {
  const parts = wordsOf(column)
  const isId = parts.length > 1 && ['id', 'fk', 'key'].includes(parts.at(-1) ?? '')
  return propertyOf((isId ? parts.slice(0, -1) : parts).join('_'))
}

const wire = (property: string) => toName('snake_case', property)

/** Gives out properties that differ on the wire, too. */
export interface Names {
  /** Returns the first of the names that is free, or the last of them with a number. */
  take (...wanted: readonly string[]): string
  has (property: string): boolean
}

/** `reserved`: names on the wire that must not be given. */
export function makeNames (reserved: ReadonlySet<string>): Names {
  const taken = new Set<string>()
  const isFree = (property: string) => {
    const name = wire(property)
    return !taken.has(name) && !reserved.has(name)
  }
  return {
    has: property => !isFree(property),
    take (...wanted) {
      const last = wanted.at(-1) ?? 'unnamed'
      const candidates = [...wanted, `${last}Value`]
      let found = candidates.slice(0, reserved.has(wire(last)) ? undefined : -1).find(isFree)
      for (let number = 2; found === undefined; number++) {
        const candidate = propertyOf(`${last}_${number}`)
        if (isFree(candidate)) found = candidate
      }
      taken.add(wire(found))
      return found
    }
  }
}

const conventions = ['none', 'snake_case', 'PascalCase'] as const

/**
 * Returns the shortest way to say which columns store the properties: a convention that is true of all, else the one
 * with the fewest exceptions.
 */
export function namesOfColumns (columns: ReadonlyMap<string, string>): ColumnNames {
  let [best, least]: [typeof conventions[number], ReadonlyArray<[string, string]>] = ['none', [...columns]]
  for (const convention of conventions) {
    const { column: columnOf } = columnNaming(convention)
    const exceptions = [...columns].filter(([property, column]) => columnOf(property) !== column)
    if (exceptions.length === 0) return convention
    if (exceptions.length < least.length) [best, least] = [convention, exceptions]
  }
  return { ...best !== 'none' && { convention: best }, ...Object.fromEntries(least) }
}
