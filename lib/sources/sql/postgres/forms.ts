import { sql } from '../load-kysely.ts'
import type { ColumnType } from '../statements/columns.ts'
import type { Sql } from '../statements/dialect.ts'

/**
 * The SQL forms of a column type. `type`: the type that a bound value is cast to. `comparable`: for comparing and
 * ordering. `encode`: inside of JSON. `fetch`: outside of JSON.
 */
export interface Form {
  readonly type: string
  comparable (column: Sql): Sql
  encode (column: Sql): Sql
  fetch (column: Sql): Sql
}

const asIs = (column: Sql) => column
export const text = (column: Sql) => sql`(${column})::text`
const byCodePoint = (column: Sql) => sql`(${column})::text collate "C"`
const inMillis = (column: Sql) => sql`date_trunc('milliseconds', ${column})`
const moment = (column: Sql) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const momentInZone = (column: Sql) => moment(sql`(${column}) at time zone 'UTC'`)

const plain = (type: string, fetch = asIs): Form => ({ type, comparable: asIs, encode: asIs, fetch })

// A number takes less time to make, send and read than a text, and does not depend on DateStyle. On the wire a year has
// four digits; a day outside of them is null.
const fourDigits = (column: Sql) => sql`${column} between '0001-01-01' and '9999-12-31'`
const days = (column: Sql) => sql`case when ${fourDigits(column)} then ${column} - '1970-01-01'::date end`

// JSON has one form for days and moments, independent of DateStyle. UTC makes it independent of TimeZone.
const isoText = (column: Sql) => sql`(to_json(${column}) #>> '{}')`
const isoMoment = (column: Sql) => sql`(to_json((${column}) at time zone 'UTC') #>> '{}') || '+00:00'`
const asText = (toText: (column: Sql) => Sql): Form => ({
  type: 'text',
  comparable: column => sql`(${toText(column)}) collate "C"`,
  encode: toText,
  fetch: toText
})

export const forms = {
  isoText: asText(isoText),
  isoMoment: asText(isoMoment),
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

/** Returns the form for a column: the form of the field's kind, unless the column's own type needs another. */
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

/** Returns the form for a field of plain text, whose column may still be of days or moments. */
export function textForm (type: string): Form {
  if (type === 'date' || /^timestamp.* without time zone$/.test(type)) return forms.isoText
  return type.startsWith('timestamp') ? forms.isoMoment : forms.text
}

const isInteger = (type: string) => type === 'smallint' || type === 'integer' || type === 'bigint'

function momentForm (type: string): Form {
  if (!type.startsWith('timestamp')) return forms.text
  // The wire has milliseconds. A column with finer moments is compared by the milliseconds that clients see.
  const comparable = /^timestamp\([0-3]\)/.test(type) ? asIs : inMillis
  return type.endsWith('with time zone')
    ? { type: 'timestamptz', comparable, encode: momentInZone, fetch: momentInZone }
    : { type: 'timestamp', comparable, encode: moment, fetch: moment }
}

export const isJson = (type: string) => type === 'json' || type === 'jsonb'
