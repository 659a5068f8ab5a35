import { sql } from 'kysely'
import type { ColumnType } from '../statements/columns.ts'
import type { Sql } from '../statements/dialect.ts'

/** How values are cast, compared, encoded in JSON and fetched outside of it. */
export interface Form { readonly type: string, comparable (column: Sql): Sql, encode (column: Sql): Sql, fetch (column: Sql): Sql }

const asIs = (column: Sql) => column
export const text = (column: Sql) => sql`(${column})::text`
const byCodePoint = (column: Sql) => sql`(${column})::text collate "C"`
const inMillis = (column: Sql) => sql`date_trunc('milliseconds', ${column})`
const moment = (column: Sql) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const momentInZone = (column: Sql) => moment(sql`(${column}) at time zone 'UTC'`)

const plain = (type: string, fetch = asIs): Form => ({ type, comparable: asIs, encode: asIs, fetch })
// A number is made, sent and read in less time than a text, and whatever DateStyle says. A year has four digits on the wire.
const days = (column: Sql) => sql`case when ${column} between '0001-01-01' and '9999-12-31' then ${column} - '1970-01-01'::date end`

// JSON has one form for days and moments, whatever DateStyle says; in UTC, whatever TimeZone says.
const isoText = (column: Sql) => sql`(to_json(${column}) #>> '{}')`
const isoMoment = (column: Sql) => sql`(to_json((${column}) at time zone 'UTC') #>> '{}') || '+00:00'`
const shownAs = (show: (column: Sql) => Sql): Form => ({ type: 'text', comparable: column => sql`(${show(column)}) collate "C"`, encode: show, fetch: show })

export const forms = {
  isoText: shownAs(isoText),
  isoMoment: shownAs(isoMoment),
  text: { type: 'text', comparable: byCodePoint, encode: text, fetch: text },
  json: { type: 'text', comparable: byCodePoint, encode: asIs, fetch: column => sql`to_json(${column})::text` },
  uuid: plain('uuid', text),
  integer: plain('bigint'),
  number: plain('double precision'),
  numeric: plain('numeric'),
  boolean: plain('boolean'),
  date: plain('date', days),
  time: plain('time', text)
} as const satisfies Record<string, Form>

/** By their kind, unless the column's own type asks for something else. */
export function formOf ({ kind, type }: ColumnType): Form {
  switch (kind) {
    case 'string': return textForm(type)
    case 'json': return forms.json
    case 'boolean': return forms.boolean
    case 'uuid': return type === 'uuid' ? forms.uuid : forms.text
    case 'date': return type === 'date' ? forms.date : forms.text
    case 'time': return type.startsWith('time ') || type.startsWith('time(') ? forms.time : forms.text
    case 'date-time': return momentForm(type)
    case 'number': return type.startsWith('numeric') || isInteger(type) ? forms.numeric : forms.number
    case 'integer': return type === '' || isInteger(type) ? forms.integer : forms.numeric
  }
}

/** A column of days or moments may be declared as plain text. */
export function textForm (type: string): Form {
  if (type === 'date' || /^timestamp.* without time zone$/.test(type)) return forms.isoText
  return type.startsWith('timestamp') ? forms.isoMoment : forms.text
}

const isInteger = (type: string) => type === 'smallint' || type === 'integer' || type === 'bigint'

function momentForm (type: string): Form {
  if (!type.startsWith('timestamp')) return forms.text
  // The wire tells milliseconds. A column of finer moments is compared by what is told of it.
  const comparable = /^timestamp\([0-3]\)/.test(type) ? asIs : inMillis
  return type.endsWith('with time zone')
    ? { type: 'timestamptz', comparable, encode: momentInZone, fetch: momentInZone }
    : { type: 'timestamp', comparable, encode: moment, fetch: moment }
}

export const isJson = (type: string) => type === 'json' || type === 'jsonb'
