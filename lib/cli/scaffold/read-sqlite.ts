import type { RowChange } from '../../declare/source.ts'
import type { CatalogTable } from '../../sources/sql/catalog.ts'
import { makeReadTable } from '../../sources/sql/sqlite/catalog.ts'
import { compileError } from '../../sources/sql/sqlite/compiled-changes.ts'
import type { SqliteDriver } from '../../sources/sql/sqlite/driver.ts'
import { quoteName } from '../../sources/sql/table-name.ts'
import { beginningsQuery, columnsOfHashes } from './secrets.ts'
import { isKeyless, likelyKeys, proposeKey } from './propose-key.ts'
import type { Omission, Sample, Table, Tables } from './tables.ts'

// The shadow tables of a virtual table hold its index.
const listQuery = `
select l.name, l.type from pragma_table_list as l
where l.schema = 'main' and l.name not like 'sqlite!_%' escape '!' and l.type <> 'shadow' order by l.name`

interface ListRow { readonly name: string, readonly type: string }

/**
 * Reads the tables of a SQLite database, with samples of their rows. Those that `isWanted` refuses are not read. `tell`
 * is told what is being read.
 */
export function readSqlite (
  driver: SqliteDriver, isWanted: (name: string) => boolean, tell: (text: string) => void
): Tables {
  const rows = driver.prepare(listQuery).all() as readonly ListRow[]
  const omissions: Omission[] = []
  const wanted = rows.filter(({ name, type }) => {
    if (!isWanted(name)) return false
    if (type !== 'virtual') return true
    omissions.push({ place: name, reason: 'is a virtual table' })
    return false
  })
  // Each table is asked the same.
  const read = makeReadTable({ prepare: memoizeText(text => driver.prepare(text)) })
  const tables = wanted.flatMap((row, index) => {
    tell(`reading table ${index + 1} of ${wanted.length}: ${row.name}`)
    try {
      return [complete(driver, read({ schema: 'main', name: row.name }), wanted.length)]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      omissions.push({ place: row.name, reason: `cannot be read: ${reason}` })
      return []
    }
  })
  return { kind: 'sqlite', tables: withoutOtherCollations(tables, omissions), omissions }
}

/** Adds the samples to a table. `count`: how many tables there are. */
function complete (driver: SqliteDriver, table: CatalogTable | undefined, count: number): Table {
  if (table === undefined) throw new Error('it is gone')
  const samples = readSamples(driver, table, lookAt(count))
  const withNull = keysWithNull(driver, table)
  const hashes = findHashes(driver, table)
  const columns = table.columns.map(column => ({
    sample: samples.get(column.name) ?? unseen,
    ...column,
    nullable: column.nullable || withNull.has(column.name),
    holdsHash: hashes.has(column.name)
  }))
  const more = {
    isPlain: true,
    hasRowNumber: hasRowNumber(table),
    unwritable: unwritable(driver, table),
    proposedKey: isKeyless(table) ? findKey(driver, table) : undefined
  }
  return { ...more, ...table, columns, unique: withoutRowNumber(table) }
}

function findHashes (driver: SqliteDriver, { name, columns }: CatalogTable): ReadonlySet<string> {
  const query = beginningsQuery(`main.${quoteName(name)}`, columns)
  return columnsOfHashes(query, driver.prepare(query.text).all() as ReadonlyArray<Readonly<Record<string, unknown>>>)
}

function findKey (driver: SqliteDriver, { name, columns }: CatalogTable): readonly string[] | undefined {
  const likely = likelyKeys(columns)
  if (likely.length === 0) return undefined
  const query = beginningsQuery(`main.${quoteName(name)}`, likely)
  return proposeKey(query, driver.prepare(query.text).all() as ReadonlyArray<Readonly<Record<string, unknown>>>)
}

/** Returns the error with which SQLite refuses a write of the table; undefined if it takes all writes. */
function unwritable (driver: SqliteDriver, table: CatalogTable): string | undefined {
  if (table.kind !== 'table') return undefined
  const columns = table.columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const errors = changes.map(change => compileError({ change, table, columns }, driver))
  return errors.find(error => error !== undefined)?.message
}

const changes: readonly RowChange[] = ['insert', 'update', 'delete']

/** Returns the columns of a primary key that hold a null, which SQLite allows in most of them. */
function keysWithNull (driver: SqliteDriver, { name, primaryKey }: CatalogTable): ReadonlySet<string> {
  if (primaryKey.length === 0) return new Set()
  const found = primaryKey.map((column, index) =>
    `exists (select 1 from main.${quoteName(name)} where ${quoteName(column)} is null) as n${index}`)
  const row = driver.prepare(`select ${found.join(', ')}`).get() as Readonly<Record<string, number>>
  return new Set(primaryKey.filter((_, index) => row[`n${index}`] === 1))
}

function memoizeText<T> (make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>()
  return text => {
    const one = made.get(text) ?? make(text)
    made.set(text, one)
    return one
  }
}

/** A large catalogue has many tables to look at, so that each gets less time. */
const lookAt = (tables: number): Look =>
  ({ rows: Math.max(100, Math.min(10_000, Math.floor(200_000 / tables))), trusting: tables > 200 })

/** The sample of a column without values, which is what it is declared as. */
const unseen: Sample = {
  classes: new Set(), isDate: undefined, isTimestamp: undefined, isUuid: undefined, isFlag: undefined, isWide: false
}

const isRowNumber = (unique: readonly string[]) => unique.length === 1 && unique[0] === 'rowid'

/** The number of the row is not declared, but makeReadTable() tells that it is unique. */
const hasRowNumber = ({ unique, columns }: CatalogTable) =>
  unique.some(isRowNumber) && !columns.some(({ name }) => name.toLowerCase() === 'rowid')

const withoutRowNumber = ({ unique, columns }: CatalogTable) =>
  unique.filter(names => !isRowNumber(names) || columns.some(({ name }) => name === 'rowid'))

/**
 * Returns the tables of SQLite without the foreign keys whose columns have another collation than those that they refer
 * to, and notes them: such a relation would have other items from one side than from the other.
 */
export function withoutOtherCollations (
  tables: readonly Table[], notes: Omission[]
): readonly Table[] {
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
const collationOf = ({ columns }: Table, name: string) =>
  columns.find(column => column.name.toLowerCase() === name.toLowerCase())?.collation

/** How much is looked at. `trusting`: columns of plain types are what they are declared as. */
export interface Look { readonly rows: number, readonly trusting: boolean }

/**
 * Looks at the first rows of a table: one statement for each hundred columns, and one for those that may be dates.
 * Returns the samples by the name of the column.
 */
export function readSamples (
  driver: SqliteDriver, table: CatalogTable, { rows, trusting }: Look
): ReadonlyMap<string, Sample> {
  const samples = new Map<string, Sample>()
  const asked = table.columns.filter(({ type }) => !trusting || !isPlain(type))
  for (let at = 0; at < asked.length; at += mostColumns) {
    const columns = asked.slice(at, at + mostColumns)
    const read = (texts: readonly string[]) => readRow(driver, { table: table.name, columns, texts, rows })
    const first = columns.map(firstLook)
    const row = read(first.flat())
    // The exact tests take time, so that only columns whose texts begin like dates get them.
    const dates = columns.flatMap(({ name }, index) =>
      Number(row[`h${index}`]) === 1 ? secondLook(index, isUnique(table, name)) : [])
    const exact = dates.length === 0 ? {} : read(dates)
    for (const [index, { name }] of columns.entries()) samples.set(name, sampleOf({ ...row, ...exact }, index))
  }
  return samples
}

/** Types that nearly every column keeps to: the others are those of dates, of flags, and without affinity. */
const isPlain = (type: string) => /^(?:INT|INTEGER|BIGINT|REAL|FLOAT|DOUBLE|TEXT|N?VARCHAR)\b/i.test(type)

interface Asked {
  readonly table: string
  readonly columns: CatalogTable['columns']
  readonly texts: readonly string[]
  readonly rows: number
}

function readRow (driver: SqliteDriver, { table, columns, texts, rows }: Asked) {
  const names = columns.map(({ name }, index) => `${quoteName(name)} as c${index}`).join(', ')
  const first = `select ${names} from main.${quoteName(table)} limit ${rows}`
  return driver.prepare(`select ${texts.join(', ')} from (${first})`).get() as Readonly<Record<string, unknown>>
}

// SQLite gives at most 2,000 columns, and each column of the table takes five.
const mostColumns = 100

const ofTexts = (index: number, test: string) => `min(case typeof(c${index}) when 'text' then ${test} end)`
const digits = (count: number) => '[0-9]'.repeat(count)
// In capitals, a UUID would not be found by the form in which clients write it.
const uuidGlob = [8, 4, 4, 4, 12].map(count => '[0-9a-f]'.repeat(count)).join('-')
const most = Number.MAX_SAFE_INTEGER

/** What is asked of each column: only what can matter for its declared type. */
function firstLook ({ type }: CatalogTable['columns'][number], index: number): readonly string[] {
  const declared = type.toUpperCase()
  const column = `c${index}`
  const isText = /CHAR|CLOB|TEXT/.test(declared)
  return [
    `group_concat(distinct typeof(${column})) as k${index}`,
    `${ofTexts(index, `${column} glob '[0-9][0-9][0-9][0-9]-[0-9]*'`)} as h${index}`,
    ...isText ? [] : [`max(typeof(${column}) = 'integer' and ${column} not between ${-most} and ${most}) as w${index}`],
    ...isFlagLike(declared)
      ? [`min(case typeof(${column}) when 'integer' then ${column} in (0, 1) end) as b${index}`]
      : [],
    ...isUuidLike(declared) ? [`${ofTexts(index, `${column} glob '${uuidGlob}'`)} as u${index}`] : []
  ]
}

const isFlagLike = (declared: string) => /BOOL|BIT|TINYINT/.test(declared)
const isUuidLike = (declared: string) => /UUID|GUID|UNIQUEIDENTIFIER/.test(declared)

const isUnique = ({ unique }: CatalogTable, column: string) => unique.some(names => names.includes(column))

/**
 * Days and timestamps are those that a filter takes: of the years 1 to 9999 in UTC, with days that their month has. A
 * timestamp that identifies a row must be written as it is shown: texts of one millisecond would be one key.
 */
function secondLook (index: number, isUnique: boolean): readonly string[] {
  const column = `c${index}`
  const day = `substr(${column}, 1, 10)`
  const isZoned = `(${column} glob '*Z' or ${column} glob '*[+-]${digits(2)}:${digits(2)}')`
  const isWritten = isUnique
    ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}) is ${column}`
    : `substr(${column}, 11, 1) = 'T' and ${isZoned}`
  const isTaken = `ifnull(date(${column}), '') between '0001-01-01' and '9999-12-31'`
  return [
    `${ofTexts(index, `date(${column}) is ${column} and ${isTaken}`)} as d${index}`,
    `${ofTexts(index, `${isWritten} and ${isTaken} and date(${day}) is ${day} and substr(${column}, 12, 2) < '24'`)}
      as m${index}`
  ]
}

function sampleOf (row: Readonly<Record<string, unknown>>, index: number): Sample {
  const is = (letter: string) => {
    const value = row[`${letter}${index}`]
    return value === null || value === undefined ? undefined : Number(value) === 1
  }
  const classes = new Set(String(row[`k${index}`] ?? '').split(',').filter(name => name !== '' && name !== 'null'))
  return {
    classes, isDate: is('d'), isTimestamp: is('m'), isUuid: is('u'), isFlag: is('b'), isWide: is('w') === true
  }
}
