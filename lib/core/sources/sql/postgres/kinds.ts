import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/kinds.ts'
import type { TypeFamily } from '../catalog.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'
import { elementOf, encodeArray, isArray } from './arrays.ts'
import { decodeBoolean, decodeDate, decodeInteger, decodeJson, decodeNumber } from './decoders.ts'
import {
  type Form, forms, integerForm, isInteger, isJson, numberForm, text, textForm, timeForm, timestampForm
} from './forms.ts'
import { real } from './inexact.ts'

/** What PostgreSQL needs of a kind of values. */
interface Kind {
  /** The type of a new column. It holds all values exactly (docs/databases.md: Types of columns). */
  readonly column: string
  /** The families of the columns that can hold the values; undefined where the schema says more. */
  readonly families: readonly TypeFamily[] | undefined
  /** Returns the forms of a column in SQL. */
  form (columnType: ColumnType): Form
  /** Returns what a fetched value is in JavaScript. */
  decode (value: unknown, columnType: ColumnType): unknown
  /** Returns what sums add of a column. `filtered`: the column as filters compare it. */
  add (column: Sql, filtered: Sql, type: string): Sql
}

const asIs = (value: unknown) => value

/** A number is added as the text that a client sees, which is that of the filtered column. */
const asText = (filtered: Sql) => sql`${filtered}::text::numeric`

const plain = { decode: asIs, add: (_column: Sql, filtered: Sql) => asText(filtered) } as const
/** Numbers whose columns hold what is shown of them. */
const exact = {
  ...plain,
  add: (column: Sql, filtered: Sql, type: string) =>
    isInteger(type) || type.startsWith('numeric') ? column : asText(filtered)
} as const

const kinds: Readonly<Record<ValueKind, Kind>> = {
  string: {
    ...plain,
    column: 'text',
    // All but bytes.
    families: [
      'integer', 'decimal', 'float', 'money', 'boolean', 'text', 'enum', 'date', 'timestamp', 'time', 'interval',
      'uuid', 'json', 'array', 'other'
    ],
    form: ({ type }) => textForm(type)
  },
  integer: {
    ...exact,
    column: 'bigint',
    families: ['integer', 'decimal', 'float'],
    form: ({ type }) => integerForm(type),
    decode: decodeInteger
  },
  number: {
    column: 'double precision',
    families: ['integer', 'decimal', 'float'],
    form: ({ type }) => numberForm(type),
    decode: decodeNumber,
    add: (column, filtered, type) => isInteger(type) ? column : asText(filtered)
  },
  boolean: { ...plain, column: 'boolean', families: ['boolean'], form: () => forms.boolean, decode: decodeBoolean },
  date: {
    ...plain,
    column: 'date',
    families: ['date', 'text'],
    form: ({ type }) => type === 'date' ? forms.date : forms.text,
    decode: decodeDate
  },
  'date-time': {
    ...plain,
    // Clients see milliseconds.
    column: 'timestamp(3) with time zone',
    families: ['timestamp', 'text'],
    form: ({ type }) => timestampForm(type)
  },
  time: { ...plain, column: 'text', families: ['time', 'text'], form: ({ type }) => timeForm(type) },
  uuid: {
    ...plain,
    column: 'uuid',
    families: ['uuid', 'text'],
    form: ({ type }) => type === 'uuid' ? forms.uuid : forms.text
  },
  int64: {
    ...exact,
    column: 'bigint',
    families: ['integer', 'decimal'],
    form: ({ type }) => type.startsWith('numeric') ? forms.integerNumeric : forms.int64
  },
  decimal: { ...exact, column: 'numeric', families: ['integer', 'decimal'], form: () => forms.decimal },
  byte: {
    ...plain,
    column: 'bytea',
    families: ['bytes', 'text'],
    form: ({ type }) => type === 'bytea' ? forms.bytes : forms.text
  },
  mixed: {
    ...plain,
    column: 'text',
    families: undefined,
    decode: decodeJson,
    form ({ type, nullable = false }) {
      if (!isJson(type)) return forms.mixed
      return nullable ? forms.nullableMixedJson : forms.mixedJson
    }
  },
  json: {
    ...plain,
    // Unlike jsonb it keeps the order of members, as memory() and SQLite do.
    column: 'json',
    families: undefined,
    decode: decodeJson,
    form: columnType => isArray(columnType.type) ? arrayForm(columnType) : forms.json
  }
}

export const postgresKind = (kind: ValueKind): Kind => kinds[kind]

/** Returns the form for a column: the form of the field's kind, unless the column's own type needs another. */
export const columnForm = (columnType: ColumnType): Form => kinds[columnType.kind].form(columnType)

function arrayForm (columnType: ColumnType): Form {
  const element = elementOf(columnType)
  const encode = (column: Sql) => encodeArray(column, element, columnForm(element).encode)
  return { ...forms.json, encode, fetch: column => text(encode(column)) }
}

/** Returns true if a value that is shown may differ from the one that is stored. */
export function isLossy (columnType: ColumnType): boolean {
  const { inexact } = columnForm(columnType)
  // The text of a `real` stands for it alone.
  return inexact !== undefined && inexact !== real
}
