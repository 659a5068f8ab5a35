import { sql } from '../load-kysely.ts'
import { memoize } from '../../../scheduling/memoize.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { ColumnType } from '../statements/columns.ts'
import type { Dialect, FastForms, Sql } from '../statements/dialect.ts'
import { NeedsExactForm } from '../statements/compiled-read.ts'
import { sqliteDialect } from './dialect.ts'
import type { SqliteDriver } from './driver.ts'
import { isIntegerType, isTextType } from './mistyped-values.ts'

/**
 * Returns the dialect of the fast forms of a driver's reads. They skip conversions that only unusual values
 * need: texts of bytes or with NUL, numbers in columns of text, integers beyond 2^53.
 */
export function fastDialect (driver: SqliteDriver): Dialect {
  return {
    ...sqliteDialect,
    fetch (column, type) {
      if (decoderOf(type) === undefined) return sqliteDialect.fetch(column, type)
      return isText(type) && !keepsTexts(driver) ? bytesWithNul(column) : column
    },
    decoder: type => decoderOf(type) ?? sqliteDialect.decoder(type),
    fast: guards
  }
}

/** Returns true for a driver that returns texts with NUL whole. */
const keepsTexts = memoize((driver: SqliteDriver): boolean => {
  const { text } = driver.prepare("select 'a' || char(0) || 'b' as text").get() as { readonly text: string }
  return text.length === 3
})

const textKinds: ReadonlySet<ValueKind> = new Set(['string', 'date', 'time', 'uuid'])
const isText = ({ kind, type }: ColumnType) => textKinds.has(kind) && type !== '' && isTextType(type)

/** Returns the decoder of a type whose usual values drivers return as they are shown; undefined for any other type. */
const decoderOf = (type: ColumnType) => isText(type) ? text : decoders[type.kind]

const bytesWithNul = (column: Sql) =>
  sql`case when instr(${column}, char(0)) then cast(${column} as blob) else ${column} end`

const guards: FastForms = {
  isGuarded: type => isText(type) || (isNumber(type) && type.type !== ''),
  guard: (json, column, { kind, type }) => type === 'TEXT'
    ? json
    : sql`case when typeof(${column}) in (${sql.raw(numbers[kind] ?? "'text'")}, 'null') then ${json} else json('') end`
}

const isNumber = ({ kind, type }: ColumnType) => kind === 'number' || (kind === 'integer' && isIntegerType(type))

/** The types as which numbers without a position are stored. */
const numbers: Readonly<Partial<Record<ValueKind, string>>> = { integer: "'integer'", number: "'integer', 'real'" }

function text (value: unknown): unknown {
  if (typeof value === 'string' || value === null) return value
  throw new NeedsExactForm()
}

/** Not every driver fails for an integer that a double cannot hold. */
function number (value: unknown): unknown {
  if (value === null || Number.isSafeInteger(value)) return toPositiveZero(value)
  if (Number.isFinite(value) && !Number.isInteger(value)) return value
  throw new NeedsExactForm()
}

function integer (value: unknown): unknown {
  if (value === null || Number.isSafeInteger(value)) return toPositiveZero(value)
  throw new NeedsExactForm()
}

const toPositiveZero = (value: unknown) => value === 0 ? 0 : value

function boolean (value: unknown): unknown {
  if (value === null) return value
  if (value === 0 || value === 1) return value === 1
  throw new NeedsExactForm()
}

const decoders: Readonly<Partial<Record<ValueKind, (value: unknown) => unknown>>> = { number, integer, boolean }
