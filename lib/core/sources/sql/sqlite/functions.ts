import { sql } from '../load-kysely.ts'
import { decimalKey, plainDecimal } from '../../../model/numbers.ts'
import { foldCase } from '../../fold-case.ts'
import type { Sql } from '../statements/dialect.ts'
import { parseScalar } from '../statements/parse-json.ts'
import type { SqliteDriver } from './driver.ts'
import { registerSums } from './sums.ts'

// The SQL functions that each connection registers: what SQLite itself cannot compute. All take and give text, because
// drivers differ in how they pass large integers; a value that is no text is passed on.

const ofText = (body: (text: string) => unknown) => (value: unknown) => typeof value === 'string' ? body(value) : value

const functions = {
  /** Folds case: SQLite's lower() changes ASCII only. */
  data_api_fold_case: ofText(foldCase),
  /** Returns the key by which a decimal is compared (decimalKey). */
  data_api_decimal_key: ofText(decimalKey),
  /** Returns the text of a number without exponent. */
  data_api_plain_decimal: ofText(text => text.endsWith('.0') ? text.slice(0, -2) : plainDecimal(String(Number(text)))),
  /** Returns a number's text as JavaScript writes it. */
  data_api_number_text: ofText(text => String(Number(text))),
  /** Returns the text by which a mixed scalar is compared. */
  data_api_mixed_text: ofText(text => String(parseScalar(text))),
  /** Returns 1 for text that holds no character in the place of bytes that are not UTF-8. */
  data_api_is_unicode: ofText(text => text.includes('\ufffd') ? 0 : 1),
  data_api_base64: (value: unknown) => value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  data_api_bytes: ofText(text => Buffer.from(text, 'base64'))
} as const

type FunctionName = keyof typeof functions

export function registerFunctions (driver: SqliteDriver): void {
  for (const [name, body] of Object.entries(functions)) driver.function(name, { deterministic: true }, body)
  registerSums(driver)
}

export const call = (name: FunctionName, argument: Sql): Sql => sql`${sql.id(name)}(${argument})`

/** Returns a column's text as a scalar of several types; that of a double as JavaScript writes it. */
export const mixedText = (column: Sql): Sql => sql`case typeof(${column})
  when 'real' then ${call('data_api_number_text', sql`quote(${column})`)} else cast(${column} as text) end`

/** Returns a column's text as an integer. A column of reals holds integers as reals. */
export const integerText = (column: Sql): Sql => sql`cast(case
  when typeof(${column}) = 'real' and ${column} = cast(${column} as integer) then cast(${column} as integer)
  else ${column} end as text)`

/** Returns a column's text as a decimal; that of a double is the shortest one that stands for it. */
export const decimalText = (column: Sql): Sql => sql`case typeof(${column})
  when 'real' then ${call('data_api_plain_decimal', sql`quote(${column})`)} else cast(${column} as text) end`
