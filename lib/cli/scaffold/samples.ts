import type { CatalogTable } from '../../sources/sql/catalog.ts'
import type { SqliteDriver } from '../../sources/sql/sqlite/driver.ts'
import { quoteName } from '../../sources/sql/table-name.ts'
import type { Sample } from './tables.ts'

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

/** A timestamp that identifies a row must be written as it is shown: texts of one millisecond would be one key. */
function secondLook (index: number, isUnique: boolean): readonly string[] {
  const column = `c${index}`
  const isZoned = `(${column} glob '*Z' or ${column} glob '*[+-]${digits(2)}:${digits(2)}')`
  const isTimestamp = isUnique
    ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}) is ${column}`
    : `substr(${column}, 11, 1) = 'T' and ${isZoned} and julianday(${column}) is not null`
  return [
    `${ofTexts(index, `date(${column}) is ${column}`)} as d${index}`,
    `${ofTexts(index, isTimestamp)} as m${index}`
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
