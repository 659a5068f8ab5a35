import { ExactJson } from '../../../model/exact-json.ts'
import { showInteger } from '../../../model/numbers.ts'
import type { ColumnType } from '../statements/dialect.ts'
import { readInteger, readNumber } from '../statements/exact-numbers.ts'
import { parseScalar, parseText } from '../statements/parse-json.ts'
import { decodeArray, elementOf, isArray } from './arrays.ts'
import { isJson, numberMember } from './codecs.ts'

// What values of PostgreSQL are in JavaScript. Some drivers give texts where others give values.

export function decode (encoded: unknown, columnType: ColumnType): unknown {
  const { kind, type } = columnType
  if (kind === 'json' && isArray(type)) {
    const element = elementOf(columnType)
    return decodeArray(encoded, element, value => decode(value, element))
  }
  if (kind === 'number' && type.startsWith('numeric')) return nearest(encoded)
  if (kind === 'integer') return decodeInteger(encoded)
  if (kind === 'number') {
    return typeof encoded === 'number' ? encoded + 0 : encoded === null ? null : readNumber(String(encoded))
  }
  if (kind === 'mixed' && typeof encoded === 'object' && encoded !== null && numberMember in encoded) {
    return parseScalar(String(encoded[numberMember]))
  }
  // A column of type json or jsonb gives JSON values. JSON in a column of text arrives as a string.
  if (typeof encoded !== 'string' || isJson(type)) return encoded
  return kind === 'json' ? parseText(encoded) : kind === 'mixed' ? parseScalar(encoded) : encoded
}

/** A driver gives a double as a number, and an integer that a double may not hold as text. */
export function decodeInteger (value: unknown): number | string | null {
  if (typeof value === 'number') return showInteger(value)
  return value === null ? null : readInteger(String(value))
}

/**
 * Returns the date of a number of days since 1970-01-01. Cached: a few dates come often, and a Date is slow to make.
 */
function dayOf (days: number): string {
  const cached = cachedDays.get(days)
  if (cached !== undefined) return cached
  if (cachedDays.size >= maxDays) cachedDays.clear()
  const day = formatDay(days)
  cachedDays.set(days, day)
  return day
}

/** Returns a date as PostgreSQL writes it: `0044-03-15 BC`, `12024-01-01`, `infinity`. */
function formatDay (days: number): string {
  if (days === 2147483647) return 'infinity'
  if (days === -2147483648) return '-infinity'
  // The calendar repeats itself every 400 years, and Date does not reach as far as PostgreSQL.
  const eras = Math.floor((days - firstDay) / daysOfEra)
  const date = new Date((days - eras * daysOfEra) * 86_400_000)
  const year = date.getUTCFullYear() + eras * 400
  const day = `${String(year > 0 ? year : 1 - year).padStart(4, '0')}${date.toISOString().slice(4, 10)}`
  return year > 0 ? day : `${day} BC`
}

const daysOfEra = 146_097
// 2000-01-01: the days of the 400 years from then on are those of all eras.
const firstDay = 10_957

const cachedDays = new Map<number, string>()
// The days of a hundred years.
const maxDays = 36_525

/** Decodes the number of a column as a field of numbers shows it. */
export function decodeNumber (value: unknown, { type }: ColumnType): unknown {
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  return type.startsWith('numeric') ? nearest(value) : exact(value)
}

export const decodeBoolean = (value: unknown): boolean | null =>
  value === null ? null : value === true || value === 't' || value === 'true'

/** Decodes JSON that was fetched as text. */
export const decodeJson = (value: unknown, columnType: ColumnType): unknown =>
  value === null ? null : decode(JSON.parse(String(value)), columnType)

/** Decodes JSON that was fetched as the text that is stored, or as that of an array. */
export function decodeExactJson (value: unknown, columnType: ColumnType): unknown {
  if (value === null) return null
  const text = String(value)
  const isOfArray = isArray(columnType.type)
  return new ExactJson(text, isOfArray ? decodeJson(text, { ...columnType, kind: 'json' }) : parseText(text))
}

/** Decodes a date, which a column of dates gives as a number of days. */
export const decodeDate = (value: unknown, { type }: ColumnType): unknown =>
  type !== 'date' || value === null ? value : dayOf(Number(value))

const exact = (value: unknown) => value === null ? null : readNumber(String(value))

/** Returns the nearest double of a `numeric`, as a field of type Number shows it. */
function nearest (value: unknown): number | string | null {
  if (value === null) return null
  const number = Number(value)
  return Number.isFinite(number) ? number + 0 : String(number)
}
