import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/kinds.ts'
import type { TypeFamily } from '../catalog.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'
import { elementOf, encodeArray, isArray } from './arrays.ts'
import { decodeBoolean, decodeDate, decodeExactJson, decodeInteger, decodeJson, decodeNumber } from './decoders.ts'
import {
  type ColumnCodec, codecs, integerCodec, isInteger, isJson, jsonCodec, numberCodec, text,
  textCodec, timeCodec, timestampCodec
} from './codecs.ts'
import { real } from './inexact.ts'

/** What PostgreSQL needs of a kind of values. */
interface Kind {
  /** The type of a new column. It holds all values exactly (docs/databases.md: Types of columns). */
  readonly column: string
  /** The families of the columns that can hold the values; undefined where the schema says more. */
  readonly families: readonly TypeFamily[] | undefined
  codec (columnType: ColumnType): ColumnCodec
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
    codec: ({ type }) => textCodec(type)
  },
  integer: {
    ...exact,
    column: 'bigint',
    families: ['integer', 'decimal', 'float'],
    codec: ({ type }) => integerCodec(type),
    decode: decodeInteger
  },
  number: {
    column: 'double precision',
    families: ['integer', 'decimal', 'float'],
    codec: ({ type }) => numberCodec(type),
    decode: decodeNumber,
    add: (column, filtered, type) => isInteger(type) ? column : asText(filtered)
  },
  boolean: { ...plain, column: 'boolean', families: ['boolean'], codec: () => codecs.boolean, decode: decodeBoolean },
  date: {
    ...plain,
    column: 'date',
    families: ['date', 'text'],
    codec: ({ type }) => type === 'date' ? codecs.date : codecs.text,
    decode: decodeDate
  },
  'date-time': {
    ...plain,
    // Clients see milliseconds.
    column: 'timestamp(3) with time zone',
    families: ['timestamp', 'text'],
    codec: ({ type }) => timestampCodec(type)
  },
  time: { ...plain, column: 'text', families: ['time', 'text'], codec: ({ type }) => timeCodec(type) },
  uuid: {
    ...plain,
    column: 'uuid',
    families: ['uuid', 'text'],
    codec: ({ type }) => type === 'uuid' ? codecs.uuid : codecs.text
  },
  int64: {
    ...exact,
    column: 'bigint',
    families: ['integer', 'decimal'],
    codec: ({ type }) => type.startsWith('numeric') ? codecs.integerNumeric : codecs.int64
  },
  decimal: {
    ...exact,
    column: 'numeric',
    families: ['integer', 'decimal'],
    codec: ({ type }) => type === 'double precision' ? codecs.decimalOfDouble : codecs.decimal
  },
  byte: {
    ...plain,
    column: 'bytea',
    families: ['bytes', 'text'],
    codec: ({ type }) => type === 'bytea' ? codecs.bytes : codecs.text
  },
  mixed: {
    ...plain,
    column: 'text',
    families: undefined,
    decode: decodeJson,
    codec ({ type, nullable = false }) {
      if (!isJson(type)) return codecs.mixed
      return nullable ? codecs.nullableMixedJson : codecs.mixedJson
    }
  },
  json: {
    ...plain,
    // Unlike jsonb it keeps the order of members, as memory() and SQLite do.
    column: 'json',
    families: undefined,
    decode: decodeJson,
    codec: columnType => isArray(columnType.type) ? arrayCodec(columnType) : jsonCodec(columnType.type)
  },
  exact_json: {
    ...plain,
    column: 'json',
    families: undefined,
    decode: decodeExactJson,
    codec: columnType => isArray(columnType.type) ? arrayCodec(columnType) : codecs.text
  }
}

export const postgresKind = (kind: ValueKind): Kind => kinds[kind]

/** Returns the codec of a column: that of the field's kind, unless the column's own type needs another. */
export const columnCodec = (columnType: ColumnType): ColumnCodec => kinds[columnType.kind].codec(columnType)

function arrayCodec (columnType: ColumnType): ColumnCodec {
  const element = elementOf(columnType)
  const encode = (column: Sql) => encodeArray(column, element, columnCodec(element).encode)
  return { ...codecs.json, encode, fetch: column => text(encode(column)) }
}

/** Returns true if a value that is shown may differ from the one that is stored. */
export function isLossy (columnType: ColumnType): boolean {
  const { inexact } = columnCodec(columnType)
  // The text of a `real` stands for it alone.
  return inexact !== undefined && inexact !== real
}
