import type { CatalogColumn, CatalogTable } from '../../../core/sources/sql/tables.ts'
import { type BeginningsQuery, looksSecret } from './secrets.ts'
import type { SeenColumn } from './tables.ts'

/** Returns true for a table whose catalogue names nothing that identifies its rows. */
export const isKeyless = ({ primaryKey, unique }: Pick<CatalogTable, 'primaryKey' | 'unique'>): boolean =>
  primaryKey.length === 0 && unique.length === 0

/** Returns the columns that may be a key, the likely ones first: `id`, then `artist_id`. */
export const likelyKeys = (columns: readonly SeenColumn[]): readonly SeenColumn[] => columns
  .filter(({ name, family, isForbidden }) => families.has(family) && isForbidden !== true && !looksSecret(name))
  .toSorted((one, other) => rank(one) - rank(other))
  // Pairs of more columns would take long, and nobody would read them.
  .slice(0, 12)

const families: ReadonlySet<CatalogColumn['family']> =
  new Set(['integer', 'decimal', 'text', 'enum', 'date', 'timestamp', 'time', 'uuid', 'any'])

const rank = ({ name }: { readonly name: string }) => /^id$/i.test(name) ? 0 : /id$/i.test(name) ? 1 : 2

/** Returns a column, or else two, whose values differ in all rows of the query; undefined where there is none. */
export function proposeKey (
  { columns }: BeginningsQuery, rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): readonly string[] | undefined {
  if (rows.length === 0) return undefined
  const filled = [...columns.keys()].filter(index => rows.every(row => row[`c${index}`] !== null))
  const pairs = filled.flatMap((one, at) => filled.slice(at + 1).map(other => [one, other]))
  const found = [...filled.map(index => [index]), ...pairs].find(key =>
    new Set(rows.map(row => JSON.stringify(key.map(index => row[`c${index}`])))).size === rows.length)
  return found?.map(index => columns[index] ?? '')
}
