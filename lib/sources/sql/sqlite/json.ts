import { sql } from 'kysely'
import type { ValueKind } from '../../../model/values.ts'
import type { Sql, Writer } from '../statements/dialect.ts'
import { writeMarked } from '../statements/exact-numbers.ts'

/**
 * JSON as SQLite writes it. Strings, and integers that a double holds, are written as JSON.stringify would write them, and so are doubles of few
 * decimals; any other number stands as `["<what quote() gives>"]` (marked.ts).
 */
export const sqliteWriter: Writer = {
  value: (column, { kind, type }, once) => (once ? single : ofType[type] ?? values)[kind]?.(column),
  object: members => sql`json_object(${sql.join(members.flatMap(([name, value]) => [sql.lit(name), value]))})`,
  array: object => sql`json_group_array(${object})`,
  join: (object, separator) => sql`group_concat(${object}, ${sql.lit(separator)})`,
  finish: writeMarked
}

type Maker = (column: Sql) => Sql

const mark: Maker = column => sql`json_array(quote(${column}))`
// What is no number shows nothing.
const isNumber: Maker = column => sql`typeof(${column}) in ('integer', 'real')`
const text: Maker = column => sql`cast(${column} as text)`
const boolean: Maker = column => sql`json(case cast(${column} as integer) <> 0 when 1 then 'true' when 0 then 'false' end)`

const safe = sql.raw(`between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`)
const whole: Maker = column => sql`case when typeof(${column}) = 'integer' and ${column} ${safe} then ${column} when ${isNumber(column)} then ${mark(column)} end`
const surelyWhole: Maker = column => sql`case when ${column} ${safe} then ${column} when ${column} is not null then ${mark(column)} end`

/**
 * A double that is a number of ten-thousandths has so few digits that SQLite's 15 are all of them, and none that JavaScript would write with an
 * exponent, between the bounds.
 */
const double: Maker = column => sql`case
  when cast(${column} * 1e4 + 0.5 as integer) / 1e4 = ${column} and ${column} between -1e10 and 1e10
    then case when ${column} = cast(${column} as integer) then cast(${column} as integer) else ${column} end
  when ${isNumber(column)} then ${mark(column)} end`

const texts = { string: text, date: text, 'date-time': text, time: text, uuid: text, boolean } as const

const values: Readonly<Partial<Record<ValueKind, Maker>>> = { ...texts, integer: whole, number: double }

const asIs: Maker = column => column

/** Of columns that hold nothing but their type: a sixteenth of a page's time goes into looking at what the values are. */
const ofType: Readonly<Record<string, typeof values>> = {
  INT: { ...values, integer: surelyWhole, number: surelyWhole },
  INTEGER: { ...values, integer: surelyWhole, number: surelyWhole },
  TEXT: { ...values, string: asIs, date: asIs, 'date-time': asIs, time: asIs, uuid: asIs }
}

const marked: Maker = column => sql`(select ${mark(sql.id('n'))} from (select ${column} as ${sql.id('n')}) where ${isNumber(sql.id('n'))})`

const single: typeof values = { ...texts, integer: marked, number: marked }
