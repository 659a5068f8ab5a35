import type { Ajv, Options } from 'ajv'
import type addFormats from 'ajv-formats'
import { createRequire } from 'node:module'
import { operatorsOf } from './operators.ts'
import type { ValueType } from './values.ts'

/**
 * Returns Ajv's own check of a format, which is compiled at its first use. Bodies are checked with the parsers below
 * (model/schema-validators.ts).
 */
function isFormat (format: string): (text: string) => boolean {
  let check: ((text: string) => boolean) | undefined
  return text => {
    check ??= sharedAjv().compile<string>({ type: 'string', format })
    return check(text)
  }
}

const isDate = isFormat('date')
const isDateTime = isFormat('date-time')
const isTime = isFormat('iso-time')
const isUuid = isFormat('uuid')

type Parse = (text: string) => string | undefined

export function takeText (parse: Parse): ValueType['take'] {
  return value => typeof value === 'string' ? parse(value) : undefined
}

/** Returns a parser that also takes the days and timestamps before and after all others, as PostgreSQL spells them. */
const orInfinity = (parse: Parse): Parse => text => text === 'infinity' || text === '-infinity' ? text : parse(text)

// The calendars of databases begin with the year 1.
const parseDate = orInfinity(text => isDate(text) && !text.startsWith('0000') ? text : undefined)

// The canonical form is UTC with three digits of milliseconds: its texts sort in the order of the instants.
const parseTimestamp = orInfinity(text => {
  const full = inFull(text)
  if (!isDateTime(full) || /\.\d{4,}/.test(full)) return undefined
  const instant = new Date(full)
  const canonical = Number.isNaN(instant.getTime()) ? '' : instant.toISOString()
  // The year has four digits: a longer text would break the order of the texts.
  return /^(?!0000)\d{4}-/.test(canonical) ? canonical : undefined
})

/** Without zeros behind milliseconds (Python writes them), with the minutes of a zone (PostgreSQL leaves them out). */
const inFull = (text: string) => text.replace(/(\.\d{3})0+(?=[Zz+-])/, '$1').replace(/(:\S*[+-]\d\d)$/, '$1:00')

const parseTime: Parse = text => isTime(text) ? text : undefined

const parseUuid: Parse = text =>
  isUuid(text) && !text.toLowerCase().startsWith('urn:') ? text.toLowerCase() : undefined

/** The days outside of the years 1 to 9999, as PostgreSQL writes them. They can be found, but not written. */
const isFarDay = (text: string) => /^\d{4}-\d\d-\d\d BC$|^\d{5,7}-\d\d-\d\d$/.test(text)
const isFarTimestamp = (text: string) =>
  /^(?:\d{4}(?=.* BC$)|\d{5,6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?: BC)?$/.test(text)

/** The end of a day, and zones that count seconds, as PostgreSQL writes them. They can be found, but not written. */
const isFarTime = (text: string) => /^24:00:00(?:[-+](?:0\d|1[0-5])(?::[0-5]\d){0,2})?$/.test(text) ||
  /^(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?[-+](?:0\d|1[0-5])(?::[0-5]\d){2}$/.test(text)

function parseInt64 (text: string): string | undefined {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? text : undefined
}

// Databases limit the digits of a number: PostgreSQL to 131,072 before the point and 16,383 after it.
const parseDecimal: Parse = text => {
  if (!/^-?(?:0|[1-9]\d{0,999})(?:\.\d{1,999})?$/.test(text)) return undefined
  return /^-0(?:\.0+)?$/.test(text) ? text.slice(1) : text
}

const isSpecial = (text: string) => text === 'NaN' || text === 'Infinity' || text === '-Infinity'

/** Takes base64 with all its padding, and with no bits set beyond the last byte, so that bytes have one text. */
function parseBytes (text: string): string | undefined {
  return Buffer.from(text, 'base64').toString('base64') === text ? text : undefined
}

/** In a URL `+` is a space and `/` separates segments, so the alphabet for URLs is accepted too (RFC 4648, 5). */
const parseUrlBytes: Parse = text => {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  return parseBytes(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='))
}

const ordered = operatorsOf('equality', 'ordering')

export const formatTypes = {
  date: {
    kind: 'date',
    expected: 'a date such as 2001-12-31',
    operators: ordered,
    parse: text => isFarDay(text) ? text : parseDate(text),
    take: takeText(parseDate)
  },
  'date-time': {
    kind: 'date-time',
    expected: 'a date and time with a time zone and at most milliseconds, such as 2001-12-31T23:59:59.999Z',
    operators: ordered,
    parse: text => isFarTimestamp(text) ? text : parseTimestamp(text),
    take: takeText(parseTimestamp)
  },
  time: {
    kind: 'time',
    expected: 'a time such as 23:59:59',
    operators: ordered,
    parse: text => isFarTime(text) ? text : parseTime(text),
    take: takeText(parseTime)
  },
  uuid: {
    kind: 'uuid',
    expected: 'a UUID',
    operators: operatorsOf('equality'),
    parse: parseUuid,
    take: takeText(parseUuid)
  },
  int64: {
    kind: 'int64',
    expected: `an integer between ${-(2n ** 63n)} and ${2n ** 63n - 1n}, written as text`,
    operators: ordered,
    parse: parseInt64,
    take: takeText(parseInt64)
  },
  decimal: {
    kind: 'decimal',
    expected: 'a decimal number such as 19.90, written as text',
    operators: ordered,
    parse: text => isSpecial(text) ? text : parseDecimal(text),
    take: takeText(parseDecimal)
  },
  byte: {
    kind: 'byte',
    expected: 'bytes in base64',
    operators: ordered,
    parse: parseUrlBytes,
    take: takeText(parseBytes)
  }
} as const satisfies Readonly<Record<string, ValueType>>

type Format = keyof typeof formatTypes

/** Returns the type of strings with a format; undefined for a format that only bodies are checked by. */
export const typeOfFormat = (format: unknown): ValueType | undefined =>
  typeof format === 'string' && Object.hasOwn(formatTypes, format) ? formatTypes[format as Format] : undefined

const require = createRequire(import.meta.url)

let made: Ajv | undefined

/** Returns the Ajv that checks options and formats, which is made at its first use. */
export function sharedAjv (): Ajv {
  // With strictNumbers, Ajv would refuse Infinity, which means that there is no limit. The schemas are the plugin's own
  // and tested, so Ajv need not check them: that would take 60 ms. What it compiles runs a few times, so it need not be
  // optimized: that would take as long as all else of compiling.
  made ??= makeAjvWithFormats({
    strictNumbers: false,
    meta: false,
    validateSchema: false,
    verbose: true,
    discriminator: true,
    code: { optimize: false }
  }).addVocabulary(['expected', 'noun']).addKeyword({
    keyword: 'isFunction', errors: false, validate: (_: true, value: unknown) => isFunction(value)
  })
  return made
}

/** What a member that is undefined must be, it need not be. */
const isFunction = (value: unknown) => value === undefined || typeof value === 'function'

/** Makes an Ajv. Ajv is loaded at the first call: loading the plugin must not cost what only a registration needs. */
function makeAjv (options: Options): Ajv {
  // The types describe the module of this name.
  const { Ajv } = require('ajv') as typeof import('ajv')
  return new Ajv(options)
}

export function makeAjvWithFormats (options: Options): Ajv {
  const formats = require('ajv-formats') as typeof addFormats
  return formats.default(makeAjv(options))
}
