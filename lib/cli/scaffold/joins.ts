import type { CatalogForeignKey } from '../../sources/sql/catalog.ts'
import type { Draft } from './relations.ts'
import type { Column, Table } from './tables.ts'

type Candidate = Pick<Draft, 'table' | 'readable' | 'key'>

/** The two foreign keys of a join table. */
export type Sides = readonly [CatalogForeignKey, CatalogForeignKey]

/**
 * Returns the join tables: those whose key is exactly two foreign keys of one column each, and which hold nothing else
 * but times. Both tables that they join are served.
 */
export function findJoins (candidates: readonly Candidate[]): ReadonlyMap<Table, Sides> {
  const found = new Map<Table, Sides>()
  const byName = new Map(candidates.map(candidate => [keyOfTarget(candidate.table), candidate]))
  for (const { table } of candidates) {
    const sides = sidesOf(table)
    if (sides === undefined || table.kind !== 'table') continue
    // A relation names its join table as a text, in which a dot ends the schema.
    if (table.name.includes('.') || sides.some(({ target }) => target.schema !== table.schema)) continue
    if (sides.every(side => refersToKey(side, byName))) found.set(table, sides)
  }
  // A join table of a join table is a table.
  const targets = candidates.flatMap(({ table }) => table.foreignKeys.map(({ target }) => keyOfTarget(target)))
  const referred = new Set(targets)
  for (const table of found.keys()) if (referred.has(keyOfTarget(table))) found.delete(table)
  return found
}

function sidesOf ({ primaryKey, foreignKeys, columns }: Table): Sides | undefined {
  const single = foreignKeys.filter(one => one.columns.length === 1)
  const [first, second, ...others] = single.filter(one => primaryKey.includes(one.columns.join()))
    .toSorted((one, other) => primaryKey.indexOf(one.columns.join()) - primaryKey.indexOf(other.columns.join()))
  if (primaryKey.length !== 2 || first === undefined || second === undefined) return undefined
  if (others.length > 0 || first.columns[0] === second.columns[0] || foreignKeys.length > 2) return undefined
  const rest = columns.filter(({ name }) => !primaryKey.includes(name))
  return rest.every(isTime) ? [first, second] : undefined
}

const isTime = ({ name, family, type }: Column) => family === 'timestamp' || family === 'date' ||
  /DATE|TIME/i.test(type) || (/(?:_at|_on|At|On|update|date|time)$/.test(name) && !/BLOB/i.test(type))

/** Returns true if a foreign key refers to the whole key of a table that is served. */
function refersToKey (
  { target, targetColumns }: CatalogForeignKey, candidates: ReadonlyMap<string, Candidate>
): boolean {
  const found = candidates.get(keyOfTarget(target))
  if (found === undefined || found.key.length !== 1) return false
  const [column = found.table.primaryKey[0]] = targetColumns
  return column?.toLowerCase() === found.key[0]?.toLowerCase()
}

/** Returns a text that differs for every two tables. SQLite compares their names without case. */
export const keyOfTarget = ({ schema, name }: CatalogForeignKey['target']): string =>
  JSON.stringify([schema, schema === 'main' ? name.toLowerCase() : name])
