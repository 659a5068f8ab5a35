import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/kinds.ts'
import type { ColumnType, Sql, StoredTexts } from '../statements/dialect.ts'
import { isIntegerType, isTextType } from './columns.ts'
import { call } from './functions.ts'
import { sqliteKind, type StoredAs } from './kinds.ts'

// A column of SQLite may hold mistyped values: those of other types than its own, text with NUL, and text that is not
// UTF-8. They are shown as text, but sorted as they are stored, so that a cursor must say what is stored: U+0001, a
// letter for the type, and the value.

/** Returns the position of a mistyped value, and null for any other; undefined if the column has no such values. */
export function mistypedPosition (column: Sql, columnType: ColumnType): Sql | undefined {
  const isRegular = regular(column, columnType)
  if (isRegular === undefined) return undefined
  const isPlain = plainTexts(column, columnType)
  const conditions = [...isPlain === undefined ? [] : [isPlain], sql`${column} is null`, isRegular]
  return sql`case when ${sql.join(conditions, sql` or `)} then null else ${mark(column)} end`
}

/** The mistyped values of columns of text: texts, which their bytes tell, and bytes. */
export const mistypedTexts: StoredTexts = {
  areIn: ({ kind, type }) => sqliteKind(kind).stored === 'texts' && type !== '' && isTextType(type),
  otherPosition (column, { type }) {
    if (type === 'TEXT') return undefined
    const isNone = sql`typeof(${column}) in ('text', 'null')`
    return { sql: sql`case when ${isNone} then null else ${mark(column)} end`, isNone }
  },
  asBytes: text => sql`cast(${text} as blob)`,
  textPosition: (shown, stored) => mistypedText.test(shown) ? `\u0001t${stored().toString('base64')}` : null
}

// The conditions of `positioned`. U+FFFD stands for bytes that are not UTF-8.
// eslint-disable-next-line no-control-regex
const mistypedText = /^\u0001|\u0000|\ufffd/

/**
 * Returns the condition for texts of ASCII without NUL, none of which is mistyped; undefined for other kinds. The
 * functions that find all regular texts take so much longer that with them a page of 100 took 1.6 times the time.
 */
export function plainTexts (column: Sql, { kind, type }: ColumnType): Sql | undefined {
  if (!isTextType(type) || !plain.has(sqliteKind(kind).stored)) return undefined
  // A control character at the start may be the mark of a position.
  const isPlain = sql`${column} >= ' ' collate binary and ${isAscii(column)}`
  return type === 'TEXT' ? sql`(${isPlain})` : sql`(typeof(${column}) = 'text' and ${isPlain})`
}

const plain: ReadonlySet<StoredAs> = new Set(['texts', 'timestamps'])

/** Returns the condition for texts of ASCII: each character is a byte. length() stops at NUL. */
const isAscii = (column: Sql) => sql`length(${column}) = length(cast(${column} as blob))`

/** Returns the condition for values that a path names, and so have a group; undefined if a column has no others. */
export function namedCondition (column: Sql, columnType: ColumnType): Sql | undefined {
  const condition = ofType(column, columnType, named)
  // SQLite has no NaN: it stays text, whose group has its name.
  return condition && columnType.kind === 'number' ? sql`(${condition} or ${column} = 'NaN')` : condition
}

/**
 * Returns a bound position as it is compared with the column. `operand`: the same for a value that is not mistyped.
 * `comparable`: returns a stored value as it is compared.
 */
export function mistypedOperand (
  value: Sql, operand: Sql, columnType: ColumnType, comparable: (stored: Sql) => Sql
): Sql {
  const { kind, type } = columnType
  if (regular(value, columnType) === undefined) return operand
  const rest = sql`substr(${value}, 3)`
  // @photostructure/sqlite takes no bytes, returned by a function, for null.
  const bytes = sql`case ${rest} when '' then x'' else ${call('data_api_bytes', rest)} end`
  const isConverted = sqliteKind(kind).stored === 'converted' || holdsTies(columnType) ||
    (kind === 'date-time' && !isTextType(type) && !isIntegerType(type))
  const compared = isConverted ? comparable : (stored: Sql) => stored
  const isCast = isCastToText(kind, type) && !holdsTies(columnType)
  const number = sql`iif(${rest} glob '*[.e]*', cast(${rest} as real), cast(${rest} as numeric))`
  const stored = sql`case substr(${value}, 1, 2) when char(1, 116) then ${compared(sql`cast(${bytes} as text)`)}
    when char(1, 98) then ${compared(isCast ? sql`cast(${bytes} as text)` : bytes)}
    when char(1, 110) then ${compared(number)} else ${operand} end`
  return sql`(${stored})`
}

/** The driver puts U+FFFD in the place of bytes that are not UTF-8. */
const isNotUtf8 = (column: Sql) => sql`(typeof(${column}) = 'text' and not ${call('data_api_is_unicode', column)}
  and instr(${column}, char(65533)) = 0)`

/**
 * Returns the condition for the values of a column that are not mistyped; undefined for a column that has none: the
 * types of STRICT tables hold no others (columns.ts), and neither is JSON compared.
 */
const regular = (column: Sql, columnType: ColumnType) => ofType(column, columnType, positioned)

/** The conditions for texts: for those that are whole in a URL, and for those that are UTF-8. */
interface TextConditions {
  isPlain (column: Sql): Sql
  isUnicode (column: Sql): Sql
  /** True if values are told apart that are shown as one text. */
  readonly tellsTies: boolean
}

const named: TextConditions = {
  isPlain: column => sql`instr(${column}, char(0)) = 0`,
  isUnicode: column => sql`not ${isNotUtf8(column)}`,
  tellsTies: false
}

const positioned: TextConditions = {
  // A value that looks like a mistyped value's position, or that is no text in a URL, has a position of its own.
  isPlain: column => sql`substr(${column}, 1, 1) <> char(1) and ${named.isPlain(column)}`,
  isUnicode: column => call('data_api_is_unicode', column),
  tellsTies: true
}

function ofType (column: Sql, { kind, type }: ColumnType, texts: TextConditions): Sql | undefined {
  const isNumbers = type === 'INT' || type === 'INTEGER' || type === 'REAL'
  switch (sqliteKind(kind).stored) {
    case 'flags': return sql`${column} in (0, 1)`
    case 'integers': return isNumbers && type !== 'REAL' ? undefined : isIntegral(column)
    case 'numbers': return isNumbers ? undefined : sql`typeof(${column}) in ('integer', 'real')`
    case 'bytes': return type === 'BLOB' ? undefined : sql`typeof(${column}) = 'blob'`
    case 'converted': return isNumbers ? undefined : texts.isPlain(column)
    case 'json': return undefined
    case 'timestamps': return isText(column, { kind, type }, texts)
    case 'texts': return isNumbers ? undefined : isText(column, { kind, type }, texts)
  }
}

const isIntegral = (column: Sql) => sql`(typeof(${column}) = 'integer'
  or typeof(${column}) = 'real' and ${column} = cast(${column} as integer))`

function isText (column: Sql, { kind, type }: ColumnType, texts: TextConditions): Sql {
  const { isPlain, isUnicode, tellsTies } = texts
  const isOfType = (kind !== 'date-time' && isTextType(type)) || (tellsTies && holdsTies({ kind, type }))
    ? sql`typeof(${column}) = 'text'`
    : sql`typeof(${column}) <> 'blob'`
  // A call of JavaScript takes more time than the comparison of two lengths.
  return sql`${isOfType} and ${isPlain(column)} and (${isAscii(column)} or ${isUnicode(column)})`
}

const mark = (column: Sql) => sql`case typeof(${column})
  when 'text' then char(1, 116) || ${call('data_api_base64', sql`cast(${column} as blob)`)}
  when 'blob' then char(1, 98) || ${call('data_api_base64', column)}
  else char(1, 110) || quote(${column}) end`

/** Returns true for a field of text over a column of another type, which is compared by its text. */
function isCastToText (kind: ValueKind, type: string): boolean {
  const { stored } = sqliteKind(kind)
  if (stored === 'converted') return true
  return !isTextType(type) && (stored === 'texts' || (stored === 'timestamps' && !isIntegerType(type)))
}

/** Returns true for a field of text over a column without affinity, which may hold the text `1` beside the number. */
export const holdsTies = ({ kind, type }: ColumnType): boolean => kind === 'string' && /^(?:blob|any)$/i.test(type)
