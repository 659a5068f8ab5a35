import { after } from '../../../after.ts'
import { memoizeRecent, RecentMap } from '../../../memoize.ts'
import type { JsonResult, ReadResult } from '../../source.ts'
import type { WriteLock } from '../../write-lock.ts'
import type { BoundRead } from '../statements/statements.ts'
import type { Connection } from './connection.ts'
import { isTransactionOpen, type SqliteDriver, toArrays } from './driver.ts'
import { clockFunction } from './clock.ts'
import type { Read } from './reader.ts'

type Result = ReadResult | JsonResult

/** Runs a read whose result is JSON text. */
export type ReadJson = (bind: () => BoundRead<Result>) => Result | Promise<Result>

/** `unchanging`: a connection that never writes; undefined if there is none, and so no cache. */
export interface CachedReads {
  readonly main: Connection
  readonly unchanging: Connection | undefined
  readonly lock: WriteLock
  readonly bytes: number
}

/**
 * Returns `read` with a cache of JSON texts by bound statement (docs/sqlite.md: A cache for SQLite). SQLite's
 * `data_version` of a connection changes with each commit of any other connection, in this process or another: while it
 * is the same on a connection that never writes, so is every row. Statements whose result depends on more than rows are
 * not cached, nor is what is read inside of a transaction.
 */
export function cacheReads (read: Read, { main, unchanging, lock, bytes }: CachedReads): ReadJson {
  if (bytes === 0 || unchanging === undefined) return read
  const versionOf = versionReader(unchanging.driver)
  const isCacheable = cacheableBy(unchanging.driver)
  let entries = makeEntries(bytes)
  let version: unknown

  const keep = (key: string, result: Result, before: unknown): Result => {
    // A commit meanwhile may or may not be part of the result.
    const isKept = before === version && versionOf() === version && !isTransactionOpen(main.driver)
    return isKept ? kept(result, (found, length) => { add(entries, key, found, length, bytes) }) : result
  }
  return bind => {
    // The main connection shows what its open transaction has written, whoever has begun it.
    if (lock.isInside() || isTransactionOpen(main.driver)) return read(bind)
    const now = versionOf()
    const bound = now === undefined ? undefined : boundBy(bind)
    const key = bound && keyOf(bound)
    if (bound === undefined || key === undefined || !isCacheable(bound.text)) return read(bind)
    if (now !== version) {
      version = now
      entries = makeEntries(bytes)
    }
    return entries.get(key) ?? after(read(() => bound), result => keep(key, result, now))
  }
}

// An entry takes some 500 bytes besides its texts.
const overhead = 500
const makeEntries = (bytes: number) => new RecentMap<JsonResult>(Math.ceil(bytes / overhead), bytes)

/** Adds a result, unless it would drive most others out. A character counts two bytes. */
function add (entries: RecentMap<JsonResult>, key: string, result: JsonResult, length: number, most: number): void {
  const size = overhead + 2 * (key.length + length)
  if (size < most / 4 && entries.get(key) === undefined) entries.set(key, result, size)
}

/** Returns the result. Calls `add` with the form that is cached, at once or when the text of a listing is made. */
function kept (result: Result, add: (found: JsonResult, length: number) => void): Result {
  if (result.kind === 'values') {
    add(result, result.values.reduce((sum, text) => sum + text.length, 0))
    return result
  }
  if (result.kind !== 'items') return result
  const { ends, more, total } = result
  return {
    ...result,
    text: reversed => after(result.text(reversed), text => {
      const rows = ends && { first: ends.first(), last: ends.last() }
      // The rows of the statement are not kept, only their text.
      const found: JsonResult = {
        kind: 'items',
        text: again => again === reversed ? text : `[${elementsOf(text).toReversed().join(',')}]`,
        ends: rows && { first: () => ({ ...rows.first }), last: () => ({ ...rows.last }) },
        more,
        ...total !== undefined && { total }
      }
      add(found, text.length + 1000)
      return text
    })
  }
}

/** Returns the texts of the elements of a JSON array. */
function elementsOf (text: string): readonly string[] {
  const elements: string[] = []
  let depth = 0
  let start = 1
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (character === '"') index = endOfString(text, index)
    else if (character === '[' || character === '{') depth++
    else if ((character === ']' || character === '}') && --depth === 0 && index > start) {
      elements.push(text.slice(start, index))
    } else if (character === ',' && depth === 1) {
      elements.push(text.slice(start, index))
      start = index + 1
    }
  }
  return elements
}

function endOfString (text: string, start: number): number {
  let index = start + 1
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}

/** Returns undefined while another process holds the file: the read itself waits for it. */
function versionReader (driver: SqliteDriver): () => unknown {
  const statement = toArrays(driver.prepare('pragma data_version'))
  return () => {
    try {
      return statement.get()?.[0]
    } catch {
      return undefined
    }
  }
}

/** Returns undefined for a read that cannot be bound now. The read itself tells why. */
function boundBy (bind: () => BoundRead<Result>): BoundRead<Result> | undefined {
  try {
    return bind()
  } catch {
    return undefined
  }
}

/** Returns the key of a read; undefined for values that JSON does not tell apart, such as bytes. */
function keyOf ({ statement, longest, parameters }: BoundRead<Result>): string | undefined {
  let key = `${statement} ${longest}`
  for (const value of parameters) {
    if (typeof value === 'string') key += ` ${JSON.stringify(value)}`
    else if (value === null || typeof value === 'number' || typeof value === 'bigint') key += ` ${typeof value}${value}`
    else return undefined
  }
  return key
}

/**
 * Returns a function that tells if the result of a statement depends on the rows of the main file alone. SQLite's own
 * program of the statement shows what it calls, in views too: no function but those below, no virtual table, and no
 * table of an attached database or a temporary one.
 */
function cacheableBy (driver: SqliteDriver): (text: string) => boolean {
  return memoizeRecent(text => {
    try {
      const program = toArrays(driver.prepare(`explain ${text.replaceAll(draws, '1')}`)).all()
      return (program as readonly Instruction[]).every(isOfRows)
    } catch {
      return false
    }
  }, { most: 500, characters: 1_000_000 })
}

// The dialect's clock and its measure of length draw a number for each row, which changes no result.
const draws = new RegExp(`random\\(\\) & 63(?=\\)? or "${clockFunction}"\\()`, 'g')

/** `parameters`: p1 to p5 (sqlite.org/opcode.html). */
type Instruction = readonly [address: number, opcode: string, ...parameters: readonly unknown[]]

function isOfRows ([, opcode, database, , , called]: Instruction): boolean {
  if (opcode.startsWith('V') && opcode !== 'Variable') return false
  if (opcode === 'Transaction') return Number(database) === 0
  if (!/Func|Agg/.test(opcode)) return true
  const [, name = ''] = /^([^(]*)\(/.exec(String(called)) ?? []
  return name.startsWith('data_api_') || pure.has(name)
}

// Functions whose result depends on their arguments alone.
const pure: ReadonlySet<string> = new Set([
  'abs', 'avg', 'char', 'coalesce', 'concat', 'concat_ws', 'count', 'format', 'glob', 'group_concat', 'hex', 'ifnull',
  'iif', 'instr', 'json', 'json_array', 'json_array_length', 'json_extract', 'json_group_array', 'json_group_object',
  'json_object', 'json_quote', 'json_type', 'json_valid', 'length', 'like', 'lower', 'ltrim', 'max', 'min', 'nullif',
  'printf', 'quote', 'replace', 'round', 'rtrim', 'sign', 'string_agg', 'substr', 'substring', 'sum', 'total', 'trim',
  'typeof', 'unhex', 'unicode', 'upper'
])
