import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/kinds.ts'
import type { ColumnType, Sql, Writer } from '../statements/dialect.ts'
import { integerMark, writeMarked } from '../statements/exact-numbers.ts'
import { asText, isSafe, sqliteKind } from './kinds.ts'

/**
 * Writes JSON in SQLite as JSON.stringify would write it: strings, integers that a double holds exactly, and doubles of
 * few decimals. Any other number is marked as `["<its text from quote()>"]` (exact-numbers.ts).
 */
export const sqliteWriter: Writer = {
  value (column, columnType, once) {
    const write = expressionOf(columnType)
    return once && write !== undefined ? onceOf(write)(column) : write?.(column)
  },
  object: members => members.some(([, , isNested]) => isNested) ? nesting(members) : flat(members),
  row: values => sql`json_array(${sql.join(values)})`,
  // json() has a row around the array take it for JSON, and reads the whole text.
  rows: row => sql`json(${arrayOf(row)})`,
  allRows: arrayOf,
  text: json => json,
  array: arrayOf,
  join: (object, separator) => sql`group_concat(${object}, ${sql.lit(separator)})`,
  finish: writeMarked
}

/** The driver limits the length that group_concat() makes; json_group_array() looks at it when it has all rows. */
function arrayOf (json: Sql): Sql {
  return sql`'[' || coalesce(group_concat(${json}, ','), '') || ']'`
}

type Members = Parameters<Writer['object']>[0]

const flat = (members: Members) =>
  sql`json_object(${sql.join(members.flatMap(([name, value]) => [sql.lit(name), value]))})`

/** Writes an object by parts: what nests is text, which json_object() would write as a string. */
function nesting (members: Members): Sql {
  const parts = members.map(([name, value, isNested], index) => {
    const label = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    return sql`${sql.lit(label)} || ${isNested ? sql`coalesce(${value}, 'null')` : sql`json_quote(${value})`}`
  })
  return sql`${sql.join(parts, sql` || `)} || '}'`
}

type Expression = (column: Sql) => Sql

const mark: Expression = column => sql`json_array(quote(${column}))`
// A value that is not a number is written as text.
const isNumber: Expression = column => sql`typeof(${column}) in ('integer', 'real')`
const boolean: Expression = column =>
  sql`case ${column} when 1 then json('true') when 0 then json('false') else ${asText(column)} end`

const markInteger: Expression = column => sql`json_array(${sql.lit(integerMark)} || quote(${column}))`
const integer: Expression = column => {
  const isSafeInteger = sql`typeof(${column}) = 'integer' and ${isSafe(column)}`
  return sql`case when ${isSafeInteger} then ${column} when ${isNumber(column)} then ${markInteger(column)}
    else ${asText(column)} end`
}
const strictInteger: Expression = column =>
  sql`case when ${isSafe(column)} then ${column} when ${column} is not null then ${mark(column)} end`

/**
 * Writes a double. A double between the bounds that is a whole number of ten-thousandths has no more digits than the 15
 * that SQLite writes, and JavaScript writes it without an exponent.
 */
const double: Expression = column => sql`case
  when cast(${column} * 1e4 + 0.5 as integer) / 1e4 = ${column} and ${column} between -1e10 and 1e10
    then case when ${column} = cast(${column} as integer) then cast(${column} as integer) else ${column} end
  when ${isNumber(column)} then ${mark(column)} else ${asText(column)} end`

type Expressions = Readonly<Partial<Record<ValueKind, Expression>>>

/** The expressions for kinds that JSON has values of their own for; the others are written as texts. */
const expressions: Expressions = { boolean, integer, number: double }

const asIs: Expression = column => column

/**
 * The expressions for columns of STRICT tables, by type. To check the types of values takes a sixteenth of a page's
 * time.
 */
const expressionsOfType: Readonly<Record<string, Expressions>> = {
  INT: { integer: strictInteger, number: strictInteger },
  INTEGER: { integer: strictInteger, number: strictInteger },
  TEXT: { string: asIs, date: asIs, time: asIs, uuid: asIs }
}

/** Returns the expression for a column; undefined for JSON, and for what may be any scalar. */
function expressionOf ({ kind, type }: ColumnType): Expression | undefined {
  if (kind === 'json' || kind === 'mixed') return undefined
  return expressionsOfType[type]?.[kind] ?? expressions[kind] ?? sqliteKind(kind).encode
}

/** Returns an expression that contains the column's own SQL only once. */
const onceOf = (expression: Expression): Expression => column => {
  const value = sql.id('n')
  return sql`(select ${expression(value)} from (select ${column} as ${value}))`
}
