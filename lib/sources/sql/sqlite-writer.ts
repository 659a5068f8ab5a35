import { sql } from 'kysely'
import type { ValueKind } from '../../model/values.ts'
import type { Sql, Writer } from './dialect.ts'
import { writeMarked } from './marked.ts'

/**
 * JSON as SQLite writes it. Strings, and integers that a double holds, are written as JSON.stringify would write them, and so are doubles of few
 * decimals; any other number stands as `["<what quote() gives>"]` (marked.ts).
 */
export const sqliteWriter: Writer = {
  value: (column, { kind }, once) => (once ? single : values)[kind]?.(column),
  object: members => sql`json_object(${sql.join(members.flatMap(([name, value]) => [sql.lit(name), value]))})`,
  array: object => sql`json_group_array(${object})`,
  join: (object, separator) => sql`group_concat(${object}, ${sql.lit(separator)})`,
  finish: writeMarked
}

type Maker = (column: Sql) => Sql

const marked: Maker = column => sql`json_array(quote(${column}))`
const text: Maker = column => sql`cast(${column} as text)`
const boolean: Maker = column => sql`json(case cast(${column} as integer) <> 0 when 1 then 'true' when 0 then 'false' end)`

const safe = sql.raw(`between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`)
const whole: Maker = column => sql`case when typeof(${column}) = 'integer' and ${column} ${safe} then ${column} when ${column} is not null then ${marked(column)} end`

/**
 * A double that is a number of ten-thousandths has so few digits that SQLite's 15 are all of them, and none that JavaScript would write with an
 * exponent, between the bounds.
 */
const double: Maker = column => sql`case
  when cast(${column} * 1e4 + 0.5 as integer) / 1e4 = ${column} and ${column} between -1e10 and 1e10
    then case when ${column} = cast(${column} as integer) then cast(${column} as integer) else ${column} end
  when ${column} is not null then ${marked(column)} end`

const texts = { string: text, date: text, 'date-time': text, time: text, uuid: text, boolean } as const

const values: Readonly<Partial<Record<ValueKind, Maker>>> = { ...texts, integer: whole, number: double }

const single: Readonly<Partial<Record<ValueKind, Maker>>> = { ...texts, integer: marked, number: marked }
