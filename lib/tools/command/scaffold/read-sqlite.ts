import { type CatalogTable, quoteName, type SqliteTables } from '../../../core/sources/sql/tables.ts'
import { beginningsQuery, columnsOfHashes } from './secrets.ts'
import { isKeyless, likelyKeys, proposeKey } from './propose-key.ts'
import { checkSamples, readSamples, type Samples, startClock } from './samples.ts'
import type { Omission, SeenTable, SeenTables } from './tables.ts'

// The shadow tables of a virtual table hold its index.
const listQuery = `
select l.name, l.type from pragma_table_list as l
where l.schema = 'main' and l.name not like 'sqlite!_%' escape '!' and l.type <> 'shadow' order by l.name`

type Driver = SqliteTables['db']['driver']

interface ListRow { readonly name: string, readonly type: string }

/** `tell` is told what is being read. `look`: the seconds in which the rows of all tables are looked at. */
interface Reading { readonly look: number, tell (text: string): void }

/** Reads the tables of a SQLite database, with samples of their rows. Those that `isWanted` refuses are not read. */
export function readSqlite (
  file: SqliteTables, isWanted: (name: string) => boolean, { look, tell }: Reading
): SeenTables {
  const { driver } = file.db
  const rows = driver.prepare(listQuery).all() as readonly ListRow[]
  const omissions: Omission[] = []
  const wanted = rows.filter(({ name, type }) => {
    if (!isWanted(name)) return false
    if (type !== 'virtual') return true
    omissions.push({ place: name, reason: 'is a virtual table' })
    return false
  })
  const longer = new Set<SeenTable>()
  const tables = wanted.flatMap((row, index) => {
    tell(`reading table ${index + 1} of ${wanted.length}: ${row.name}`)
    try {
      const { table, isWhole } = complete(file, row.name, wanted.length)
      if (!isWhole) longer.add(table)
      return [table]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      omissions.push({ place: row.name, reason: `cannot be read: ${reason}` })
      return []
    }
  })
  const { samples, partlySeen } = lookAtAll(driver, longer, { look, tell })
  const seen = tables.map(table => withSamples(table, samples.get(table)))
  return { kind: 'sqlite', tables: withoutOtherCollations(seen, omissions), omissions, partlySeen }
}

/**
 * Looks at all rows of the tables that have more than the first ones, as far as the time suffices: at small tables
 * first. Returns what they hold, and the names of those that were not looked at to the end.
 */
function lookAtAll (
  driver: Driver, tables: ReadonlySet<SeenTable>, { look, tell }: Reading
): { readonly samples: ReadonlyMap<SeenTable, Samples>, readonly partlySeen: readonly string[] } {
  const samples = new Map<SeenTable, Samples>()
  const clock = startClock(driver, look)
  const sizes = new Map([...tables].map(table => [table, sizeOf(driver, table)]))
  const ordered = [...tables].toSorted((one, other) => (sizes.get(one) ?? 0) - (sizes.get(other) ?? 0))
  for (const table of ordered) {
    if (clock.isOver()) break
    tell(`looking at all rows of ${table.name}`)
    const guesses = new Map(table.columns.flatMap(({ name, sample }) => sample === undefined ? [] : [[name, sample]]))
    try {
      samples.set(table, checkSamples(driver, table, guesses, clock))
    } catch {
      // The time is over, or a view fails at a row.
    }
  }
  return { samples, partlySeen: ordered.filter(table => !samples.has(table)).map(({ name }) => name) }
}

/** Returns about how many rows a table has. Those of a view would have to be counted. */
function sizeOf (driver: Driver, { name, kind, hasRowNumber }: SeenTable): number {
  if (kind !== 'table' || !hasRowNumber) return Infinity
  const { most } = driver.prepare(`select max(rowid) as most from main.${quoteName(name)}`).get() as { most: unknown }
  return Number(most)
}

const withSamples = (table: SeenTable, samples: Samples | undefined): SeenTable => samples === undefined
  ? table
  : { ...table, columns: table.columns.map(column => ({ ...column, sample: samples.get(column.name) })) }

/** Returns a table with samples of its rows. `count`: how many tables there are. */
function complete (
  { db: { driver }, describe, refusal }: SqliteTables, name: string, count: number
): { readonly table: SeenTable, readonly isWhole: boolean } {
  const table = describe(name)
  if (table === undefined) throw new Error('it is gone')
  const { samples, isWhole } = readSamples(driver, table, count)
  const withNull = keysWithNull(driver, table)
  const hashes = findHashes(driver, table)
  const columns = table.columns.map(column => ({
    ...column,
    sample: samples.get(column.name),
    nullable: column.nullable || withNull.has(column.name),
    holdsHash: hashes.has(column.name)
  }))
  const more = {
    isPlain: true,
    hasRowNumber: hasRowNumber(table),
    unwritable: table.kind === 'table' ? refusal(table) : undefined,
    proposedKey: isKeyless(table) ? findKey(driver, table) : undefined
  }
  return { table: { ...more, ...table, columns, unique: withoutRowNumber(table) }, isWhole }
}

function findHashes (driver: Driver, { name, columns }: CatalogTable): ReadonlySet<string> {
  const query = beginningsQuery(`main.${quoteName(name)}`, columns)
  return columnsOfHashes(query, driver.prepare(query.text).all() as ReadonlyArray<Readonly<Record<string, unknown>>>)
}

function findKey (driver: Driver, { name, columns }: CatalogTable): readonly string[] | undefined {
  const likely = likelyKeys(columns)
  if (likely.length === 0) return undefined
  const query = beginningsQuery(`main.${quoteName(name)}`, likely)
  return proposeKey(query, driver.prepare(query.text).all() as ReadonlyArray<Readonly<Record<string, unknown>>>)
}

/** Returns the columns of a primary key that hold a null, which SQLite allows in most of them. */
function keysWithNull (driver: Driver, { name, primaryKey }: CatalogTable): ReadonlySet<string> {
  if (primaryKey.length === 0) return new Set()
  const found = primaryKey.map((column, index) =>
    `exists (select 1 from main.${quoteName(name)} where ${quoteName(column)} is null) as n${index}`)
  const row = driver.prepare(`select ${found.join(', ')}`).get() as Readonly<Record<string, number>>
  return new Set(primaryKey.filter((_, index) => row[`n${index}`] === 1))
}

const isRowNumber = (unique: readonly string[]) => unique.length === 1 && unique[0] === 'rowid'

/** The number of the row is not declared, but the catalog tells that it is unique. */
const hasRowNumber = ({ unique, columns }: CatalogTable) =>
  unique.some(isRowNumber) && !columns.some(({ name }) => name.toLowerCase() === 'rowid')

const withoutRowNumber = ({ unique, columns }: CatalogTable) =>
  unique.filter(names => !isRowNumber(names) || columns.some(({ name }) => name === 'rowid'))

/**
 * Returns the tables of SQLite without the foreign keys whose columns have another collation than those that they refer
 * to, and notes them: such a relation would have other items from one side than from the other.
 */
function withoutOtherCollations (
  tables: readonly SeenTable[], notes: Omission[]
): readonly SeenTable[] {
  const byName = new Map(tables.map(table => [table.name.toLowerCase(), table]))
  return tables.map(table => {
    const foreignKeys = table.foreignKeys.filter(({ columns, target, targetColumns }) => {
      const other = byName.get(target.name.toLowerCase())
      const names = targetColumns.length > 0 ? targetColumns : other?.primaryKey
      const isLike = other === undefined || columns.every((column, index) =>
        collationOf(table, column) === collationOf(other, names?.[index] ?? column))
      const reason = `the relation to ${target.name} is left out: its texts have another collation than the key`
      if (!isLike) notes.push({ place: `${table.name}.${columns.join(', ')}`, reason })
      return isLike
    })
    return { ...table, foreignKeys }
  })
}

/** Returns undefined for a column that is not there, or whose collation the connection does not have. */
const collationOf = ({ columns }: SeenTable, name: string) =>
  columns.find(column => column.name.toLowerCase() === name.toLowerCase())?.collation
