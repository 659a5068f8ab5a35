import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { Sql } from '../statements/dialect.ts'
import type { ColumnType } from '../statements/columns.ts'
import { call } from './functions.ts'

// A column of SQLite may hold values of other types than its own: strays. They are shown as text, but sorted as they
// are stored, so that a cursor must say what is stored: U+0001, a letter for the type, and the value.

/** The types of STRICT tables, whose columns hold no others (catalog-tables.ts). */
const certain: ReadonlySet<string> = new Set(['INT', 'INTEGER', 'REAL', 'TEXT', 'BLOB'])

/** Returns the position of a value that is a stray, and null for any other; undefined if the column has no strays. */
export function strayPosition (column: Sql, { kind, type }: ColumnType): Sql | undefined {
  const isRegular = regulars(column, type)[kind]
  return isRegular && sql`case when ${column} is null or ${isRegular} then null else ${mark(column)} end`
}

/** Returns a bound position as it is compared with the column. `operand`: the same for a value that is no stray. */
export function strayOperand (value: Sql, operand: Sql, { kind, type }: ColumnType): Sql {
  if (regulars(value, type)[kind] === undefined) return operand
  const rest = sql`substr(${value}, 3)`
  // @photostructure/sqlite takes no bytes, returned by a function, for null.
  const bytes = sql`case ${rest} when '' then x'' else ${call('data_api_bytes', rest)} end`
  const stored = sql`case substr(${value}, 1, 2) when char(1, 116) then cast(${bytes} as text)
    when char(1, 98) then ${isCastToText(kind, type) ? sql`cast(${bytes} as text)` : bytes}
    when char(1, 110) then cast(${rest} as numeric) else ${operand} end`
  return sql`(${stored})`
}

type Regulars = Readonly<Partial<Record<ValueKind, Sql>>>

/** Returns the condition for the values of a column that are no strays, for the kinds that may have strays. */
function regulars (column: Sql, type: string): Regulars {
  const isBoolean = { boolean: sql`${column} in (0, 1)` }
  if (certain.has(type)) return isBoolean
  const isNumber = sql`typeof(${column}) in ('integer', 'real')`
  const isOfType = isTextType(type) ? sql`typeof(${column}) = 'text'` : sql`typeof(${column}) <> 'blob'`
  // A value that looks like a stray's position, or is no text in a URL, has a position of its own.
  const isText = sql`${isOfType} and substr(${column}, 1, 1) <> char(1) and instr(${column}, char(0)) = 0`
  return {
    ...isBoolean,
    integer: isNumber,
    number: isNumber,
    int64: sql`typeof(${column}) = 'integer'`,
    byte: sql`typeof(${column}) = 'blob'`,
    string: isText,
    date: isText,
    time: isText,
    uuid: isText,
    'date-time': sql`typeof(${column}) <> 'blob' and substr(${column}, 1, 1) <> char(1)`
  }
}

const mark = (column: Sql) => sql`case typeof(${column})
  when 'text' then char(1, 116) || ${call('data_api_base64', sql`cast(${column} as blob)`)}
  when 'blob' then char(1, 98) || ${call('data_api_base64', column)}
  else char(1, 110) || quote(${column}) end`

const textKinds: ReadonlySet<ValueKind> = new Set(['string', 'date', 'time', 'uuid'])

/** Returns true for a field of text over a column of another type, which is compared by its text. */
const isCastToText = (kind: ValueKind, type: string) =>
  !isTextType(type) && (textKinds.has(kind) || (kind === 'date-time' && !isIntegerType(type)))

// The types of columns: catalog.ts.
/** Returns true for a column of text, and for one whose type is unknown. */
export const isTextType = (type: string) => type === '' || /^text\b/i.test(type)
export const isIntegerType = (type: string) => /^int/i.test(type)
