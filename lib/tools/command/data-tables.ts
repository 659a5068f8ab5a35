import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { stringType } from '../../core/model/values.ts'
import { readRecord } from '../../core/request/csv.ts'
import {
  type FileColumnType, LongNumber, parseExactJson, type FileValue, storedText, typeOfTexts
} from './data-values.ts'
import { CommandError } from './terminal.ts'

type Value = string | number | boolean | null | object

/** Rows that a file holds. `file`: its name. */
export interface DataTable {
  readonly name: string
  readonly file: string
  readonly columns: readonly DataColumn[]
  readonly rows: ReadonlyArray<readonly FileValue[]>
}

interface DataColumn { readonly name: string, readonly type: FileColumnType }

/**
 * Reads the tables in a file: one in CSV and NDJSON, and in JSON one for an array, or one for each array of an object.
 * Types are those that keep each value as the file has it. Throws a CommandError for a file that cannot be read so.
 */
export function readDataFile (path: string): readonly DataTable[] {
  const file = basename(path)
  const ending = extname(file).toLowerCase()
  const name = basename(file, extname(file))
  const text = readText(path, file)
  if (ending === '.csv' || ending === '.tsv') return [tableOfTexts(name, parseCsv(text, file), file)]
  if (ending === '.json') return tablesOfJson(name, parseJson(text, file), file)
  // A line without anything is no row.
  const lines = text.split('\n').map((line, index) => ({ line, place: `line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '')
  const items = lines.map(({ line, place }) => parseJson(line, `${file}, ${place}`))
  return [tableOfItems(name, items, { file, placeOf: index => lines[index]?.place ?? '' })]
}

function readText (path: string, file: string): string {
  try {
    const bytes = readFileSync(path)
    // Decoded, other bytes would silently become U+FFFD.
    if (!isUtf8(bytes)) throw new CommandError(`${file} is not UTF-8; save it as UTF-8`)
    return bytes.toString()
  } catch (error) {
    if (error instanceof CommandError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const isLong = ['ERR_STRING_TOO_LONG', 'ERR_FS_FILE_TOO_LARGE'].includes(code)
    const reason = isLong ? 'is longer than 512 MB; import it into a SQLite file' : `cannot be read (${code})`
    throw new CommandError(`${file} ${reason}`, { cause: error })
  }
}

function parseJson (text: string, place: string): unknown {
  try {
    return parseExactJson(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch (error) {
    throw new CommandError(`${place} is not JSON: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

function tablesOfJson (name: string, data: unknown, file: string): readonly DataTable[] {
  const table = (its: string, value: unknown, of = '') => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    return tableOfItems(its, items, { file, placeOf: index => `item ${index + 1}${of}` })
  }
  if (!isNested(data) || Array.isArray(data)) return [table(name, data)]
  const lists = Object.entries(data)
  const areLists = lists.length > 0 && lists.every(([, value]) => isNested(value))
  return areLists ? lists.map(([key, value]) => table(key, value, ` of ${key}`)) : [table(name, data)]
}

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof LongNumber)

/** Where the rows of a table stand. */
interface Places { readonly file: string, placeOf (index: number): string }

/** Returns the table of items of JSON. An item that is no object is a `value`. */
function tableOfItems (name: string, items: readonly unknown[], places: Places): DataTable {
  const objects = items.map(item => isNested(item) && !Array.isArray(item)
    ? item as Readonly<Record<string, Value>>
    : { value: item as Value })
  const names = [...new Set(objects.flatMap(item => Object.keys(item)))]
  // A name such as `constructor` may be a member of some items, and is inherited by the others.
  const values = objects.map(item => names.map(key => Object.hasOwn(item, key) ? item[key] ?? null : null))
  const columns = uniqueNames(names).map((column, index) =>
    ({ name: column, type: typeOfValues(values.map(row => row[index] ?? null)) }))
  const rows = values.map(row => row.map((value, index) => stored(value, columns[index]?.type ?? 'TEXT')))
  checkTexts([[name, ...names], ...rows], index => index === 0 ? 'a name' : places.placeOf(index - 1), places.file)
  return { name, file: places.file, columns, rows }
}

function typeOfValues (values: readonly Value[]): FileColumnType {
  const known = values.filter(value => value !== null)
  if (known.some(isNested)) return 'JSON TEXT'
  if (known.every(isNumber)) return typeOfTexts(known.map(String))
  return known.every(value => typeof value === 'boolean') ? 'BOOLEAN' : 'TEXT'
}

const isNumber = (value: Value): boolean => typeof value === 'number' || value instanceof LongNumber

function stored (value: Value, type: FileColumnType): FileValue {
  if (value === null) return null
  return type === 'JSON TEXT' ? JSON.stringify(value) : storedText(String(value), type)
}

/** Throws a CommandError for a text that no request could name (docs/http.md: Query strings). */
function checkTexts (
  rows: ReadonlyArray<readonly FileValue[]>, placeOf: (index: number) => string, file: string
): void {
  const at = rows.findIndex(row =>
    row.some(value => typeof value === 'string' && stringType.parse(value) === undefined))
  if (at < 0) return
  throw new CommandError(`${file}: ${placeOf(at)} holds a NUL or half a surrogate pair; remove it, or write it as text`)
}

/** Returns the table of rows of texts, the names of the columns first. An empty text is no value. */
function tableOfTexts (
  name: string, [names = [], ...rows]: ReadonlyArray<readonly string[]>, file: string
): DataTable {
  const long = rows.findIndex(row => row.slice(names.length).some(text => text !== ''))
  if (long >= 0) {
    const known = names.length === 1 ? 'is 1 column' : `are ${names.length} columns`
    const found = `row ${long + 2} has ${rows[long]?.length} values, but there ${known}`
    const advice = names[0]?.startsWith('#') === true
      ? "remove the comment; the file's first line has the names of the columns"
      : 'put values that hold the delimiter in double quotes'
    throw new CommandError(`${file}: ${found}; ${advice}`)
  }
  checkTexts([names, ...rows], index => `row ${index + 1}`, file)
  const columns = uniqueNames(names).map((column, index) =>
    ({ name: column, type: typeOfTexts(rows.map(row => row[index] ?? '').filter(text => text !== '')) }))
  return { name, file, columns, rows: rows.map(row => columns.map(({ type }, index) => read(row[index] ?? '', type))) }
}

const read = (text: string, type: FileColumnType) => text === '' ? null : storedText(text, type)

/** SQLite compares names without case. */
function uniqueNames (names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((given, index) => {
    const name = given.trim() === '' ? `column${index + 1}` : given.trim()
    let unique = name
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${name}_${number}`
    taken.add(unique.toLowerCase())
    return unique
  })
}

/**
 * Returns the rows of a CSV text (RFC 4180), the names of the columns first. The delimiter is the one of `,` `;` tab
 * and `|` that the first line has most of. Throws a CommandError for a quote that is not closed, or closed too early.
 */
function parseCsv (text: string, file: string): ReadonlyArray<readonly string[]> {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const delimiter = delimiterOf(source)
  const rows: string[][] = []
  for (let at = 0; at < source.length;) {
    const record = readRecord(source, at, true, delimiter)
    // The last record is complete, as no text follows.
    if (record === undefined) break
    const { fields, end, fault } = record
    if (fault !== undefined) {
      throw new CommandError(`${file}: in row ${rows.length + 1}, ${fault}; write a quote in a value twice`)
    }
    // A line without anything is no row.
    if (fields.length > 1 || fields[0] !== null) rows.push(fields.map(field => field ?? ''))
    at = end
  }
  return rows
}

function delimiterOf (text: string): string {
  const end = text.search(/[\r\n]/)
  // Names in quotes may hold any sign.
  const line = (end < 0 ? text : text.slice(0, end)).replaceAll(/"(?:[^"]|"")*"/g, '')
  const [best = ','] = [',', ';', '\t', '|'].map(sign => ({ sign, count: line.split(sign).length }))
    .toSorted((one, other) => other.count - one.count).map(({ sign }) => sign)
  return best
}
