import {
  type CatalogColumn, type CatalogTable, quoteName, type SqliteTables
} from '../../../core/sources/sql/tables.ts'
import type { Sample } from './tables.ts'

// What the rows of a SQLite file hold, since the types of its columns are promises. The first rows give a guess. Then
// one statement a table looks for rows that break it.

type Driver = SqliteTables['db']['driver']

/** The samples of a table, by the names of its columns. */
export type Samples = ReadonlyMap<string, Sample>

/** How much is looked at first. `trusting`: columns of plain types are what they are declared as. */
interface Look { readonly rows: number, readonly trusting: boolean }

/** A large catalogue has many tables to look at, so that each gets less time. */
const lookAt = (tables: number): Look =>
  ({ rows: Math.max(100, Math.min(10_000, Math.floor(200_000 / tables))), trusting: tables > 200 })

/** `isWhole`: true if the table has no further rows. */
interface Guess { readonly samples: Samples, readonly isWhole: boolean }

/**
 * Looks at the first rows of a table: one statement for each hundred columns, and one for those that may be dates.
 * `count`: how many tables there are.
 */
export function readSamples (driver: Driver, table: CatalogTable, count: number): Guess {
  const { rows, trusting } = lookAt(count)
  const isTrusted = ({ type }: CatalogColumn) => trusting && isPlain(type)
  const samples = new Map(table.columns.filter(isTrusted).map(column => [column.name, promised(column)]))
  let isWhole = samples.size === 0
  for (const columns of chunksOf(table.columns.filter(column => !isTrusted(column)))) {
    const read = (texts: readonly string[]) => readRow(driver, table, { columns, texts, rows })
    const row = read(['count(*) as n', ...columns.flatMap(firstLook)])
    // The exact tests take time, so that only columns whose texts begin like dates get them.
    const dates = columns.flatMap(({ name }, index) =>
      Number(row[`h${index}`]) === 1 ? secondLook(index, isUnique(table, name)) : [])
    const exact = dates.length === 0 ? {} : read(dates)
    for (const [index, { name }] of columns.entries()) samples.set(name, settled(sampleOf({ ...row, ...exact }, index)))
    isWhole &&= Number(row['n']) < rows
  }
  return { samples, isWhole }
}

/** Returns the samples with what the rows of the whole table hold besides. Throws when the time of `clock` is over. */
export function checkSamples (driver: Driver, table: CatalogTable, samples: Samples, clock: Clock): Samples {
  const checked = new Map(samples)
  for (const columns of chunksOf(table.columns)) {
    const guesses = columns.map(({ name }) => samples.get(name) ?? unseen)
    const texts = columns.flatMap((column, index) =>
      [...firstLook(column, index), ...secondLook(index, isUnique(table, column.name))])
    const breaks = columns.map((column, index) =>
      breaksGuess(index, guesses[index] ?? unseen, isUnique(table, column.name)))
    const where = `case when ${clock.condition} then ${breaks.join(' or ')} end`
    // The values of the other rows add nothing to the guess.
    const row = readRow(driver, table, { columns, texts, where })
    for (const [index, { name }] of columns.entries()) {
      checked.set(name, joined(guesses[index] ?? unseen, sampleOf(row, index)))
    }
  }
  return checked
}

/** What ends a statement when its time is over. */
interface Clock {
  /** A condition that is true, or throws. */
  readonly condition: string
  isOver (): boolean
}

/** Registers a clock on a connection. `seconds`: from now on. */
export function startClock (driver: Driver, seconds: number): Clock {
  const end = performance.now() + seconds * 1000
  const isOver = () => performance.now() >= end
  driver.function('data_api_in_time', { deterministic: false }, () => {
    if (isOver()) throw new Error('the time to look at rows is over')
    return 1
  })
  // A call for each row would take longer than all else.
  return { condition: 'case when random() & 255 then 1 else data_api_in_time() end', isOver }
}

// SQLite gives at most 2,000 columns, and each column of the table takes seven.
const mostColumns = 100

const chunksOf = (columns: readonly CatalogColumn[]) =>
  Array.from({ length: Math.ceil(columns.length / mostColumns) }, (_, index) =>
    columns.slice(index * mostColumns, (index + 1) * mostColumns))

/** The sample of a column without values, which is what it is declared as. */
const unseen: Sample = {
  classes: new Set(), isDate: undefined, isTimestamp: undefined, isUuid: undefined, isFlag: undefined, isWide: false
}

/** Types that nearly every column keeps to: the others are those of dates, of flags, and without affinity. */
const isPlain = (type: string) => /^(?:INT|INTEGER|REAL|FLOAT|DOUBLE|TEXT|N?VARCHAR)\b/i.test(type)

/** Returns the sample of a column of a plain type that is taken at its word until all rows are looked at. */
function promised ({ type }: CatalogColumn): Sample {
  const classes = /INT/i.test(type) ? ['integer'] : /CHAR|TEXT/i.test(type) ? ['text'] : ['integer', 'real']
  return { ...unseen, classes: new Set(classes), isDate: false, isTimestamp: false, isUuid: false, isFlag: false }
}

/** A column of texts that are not all like dates holds none. */
const settled = (sample: Sample): Sample => sample.classes.has('text')
  ? { ...sample, isDate: sample.isDate ?? false, isTimestamp: sample.isTimestamp ?? false }
  : sample

/** Returns the condition for a row in which a column has a value that its guess does not allow. */
function breaksGuess (
  index: number, { classes, isDate, isTimestamp, isUuid, isFlag, isWide }: Sample, isUnique: boolean
): string {
  const column = `c${index}`
  const known = ['null', ...classes].map(name => `'${name}'`).join(', ')
  const not = (storage: string, test: string) => `typeof(${column}) = '${storage}' and not (${test})`
  return [
    `typeof(${column}) not in (${known})`,
    ...classes.has('integer') && !isWide ? [not('integer', isSafe(column))] : [],
    ...isFlag === true ? [not('integer', isFlagValue(column))] : [],
    ...isDate === true ? [not('text', isDay(column))] : [],
    ...isTimestamp === true ? [not('text', isMoment(column, isUnique))] : [],
    ...isUuid === true ? [not('text', isUuidText(column))] : []
  ].join(' or ')
}

function joined (one: Sample, other: Sample): Sample {
  const both = (name: 'isDate' | 'isTimestamp' | 'isUuid' | 'isFlag') =>
    one[name] === undefined ? other[name] : one[name] && other[name] !== false
  return {
    classes: new Set([...one.classes, ...other.classes]),
    isDate: both('isDate'),
    isTimestamp: both('isTimestamp'),
    isUuid: both('isUuid'),
    isFlag: both('isFlag'),
    isWide: one.isWide || other.isWide
  }
}

interface Asked {
  readonly columns: readonly CatalogColumn[]
  readonly texts: readonly string[]
  /** The first rows alone. */
  readonly rows?: number
  readonly where?: string
}

function readRow (driver: Driver, { name }: CatalogTable, { columns, texts, rows, where = '1' }: Asked) {
  const names = columns.map((column, index) => `${quoteName(column.name)} as c${index}`).join(', ')
  const all = `select ${names} from main.${quoteName(name)}`
  // A limit would have SQLite read long values for their types alone.
  const from = rows === undefined ? all : `${all} limit ${rows}`
  return driver.prepare(`select ${texts.join(', ')} from (${from}) where ${where}`).get() as Row
}

type Row = Readonly<Record<string, unknown>>

/** What is asked of each column: only what can matter for its declared type. */
function firstLook ({ type }: CatalogColumn, index: number): readonly string[] {
  const declared = type.toUpperCase()
  const column = `c${index}`
  const isText = /CHAR|CLOB|TEXT/.test(declared)
  return [
    `group_concat(distinct typeof(${column})) as k${index}`,
    `${ofTexts(column, likeDay(column))} as h${index}`,
    ...isText ? [] : [`max(typeof(${column}) = 'integer' and not (${isSafe(column)})) as w${index}`],
    ...isFlagLike(declared)
      ? [`min(case typeof(${column}) when 'integer' then ${isFlagValue(column)} end) as b${index}`]
      : [],
    ...isUuidLike(declared) ? [`${ofTexts(column, isUuidText(column))} as u${index}`] : []
  ]
}

/** What tells days and timestamps from texts that begin like them. */
function secondLook (index: number, isUnique: boolean): readonly string[] {
  const column = `c${index}`
  const test = (exact: string) => ofTexts(column, `case when ${likeDay(column)} then ${exact} else 0 end`)
  return [`${test(isDay(column))} as d${index}`, `${test(isMoment(column, isUnique))} as m${index}`]
}

const isFlagLike = (declared: string) => /BOOL|BIT|TINYINT/.test(declared)
const isUuidLike = (declared: string) => /UUID|GUID|UNIQUEIDENTIFIER/.test(declared)

const isUnique = ({ unique }: CatalogTable, column: string) => unique.some(names => names.includes(column))

const ofTexts = (column: string, test: string) => `min(case typeof(${column}) when 'text' then ${test} end)`
const digits = (count: number) => '[0-9]'.repeat(count)

const isSafe = (column: string) => `${column} between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`
const isFlagValue = (column: string) => `${column} in (0, 1)`
// In capitals, a UUID would not be found by the form in which clients write it.
const uuidGlob = [8, 4, 4, 4, 12].map(count => '[0-9a-f]'.repeat(count)).join('-')
const isUuidText = (column: string) => `${column} glob '${uuidGlob}'`
const likeDay = (column: string) => `${column} glob '${digits(4)}-[0-9]*'`

/** A filter takes the years 1 to 9999, in UTC. */
const isTaken = (column: string) => `ifnull(date(${column}), '') between '0001-01-01' and '9999-12-31'`

const isDay = (column: string) => `(date(${column}) is ${column} and ${isTaken(column)})`

/** A timestamp that identifies a row must be written as it is shown: texts of one millisecond would be one key. */
function isMoment (column: string, isUnique: boolean): string {
  const isZoned = `(${column} glob '*Z' or ${column} glob '*[+-]${digits(2)}:${digits(2)}')`
  const isWritten = isUnique
    ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}) is ${column}`
    : `substr(${column}, 11, 1) = 'T' and ${isZoned}`
  // SQLite takes days that their month does not have, and the hour 24.
  const day = `substr(${column}, 1, 10)`
  return `(${isWritten} and ${isTaken(column)} and date(${day}) is ${day} and substr(${column}, 12, 2) < '24')`
}

function sampleOf (row: Row, index: number): Sample {
  const is = (letter: string) => {
    const value = row[`${letter}${index}`]
    return value === null || value === undefined ? undefined : Number(value) === 1
  }
  const classes = new Set(String(row[`k${index}`] ?? '').split(',').filter(name => name !== '' && name !== 'null'))
  return {
    classes, isDate: is('d'), isTimestamp: is('m'), isUuid: is('u'), isFlag: is('b'), isWide: is('w') === true
  }
}
