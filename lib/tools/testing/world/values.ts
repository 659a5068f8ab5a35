import type { ValueKind } from '../../../core/model/kinds.ts'
import type { ColumnKind } from './table.ts'

/** Returns the n-th UUID of a sequence. */
export const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

/**
 * Values on which databases have been seen to differ, or may differ; the simplest first. All are in canonical form, so
 * that a database can store them.
 */
export const pools: Readonly<Record<ColumnKind, readonly unknown[]>> = {
  key: [1, 2, 3, 4, 5, 7, 10, 2 ** 31, 2 ** 53 - 1],
  text: [
    'a', 'b', 'A', 'B', 'ab', 'aB', 'abc', 'z', '', ' ', 'a ', 'a  ', ' a', '\t', '\n', 'a\nb', '\r\n',
    // Letter case beyond ASCII, and characters that look the same but are different.
    'é', 'É', 'e\u0301', 'ß', 'ẞ', 'ss', 'İ', 'ı', 'i', 'I', 'Σ', 'ς', 'σ', 'ǅ', '\u212A', 'k', 'ﬃ',
    // In UTF-16 order the first two sort after the others; by code point they sort before them. Neither U+FFFD nor
    // U+0001 at the start: SQLite's cursors have another form for texts that the drivers cut off or change.
    '\uE000', '\uFFFF', '\u{1F600}', '\u{10000}', '\u{10FFFF}', '\u{1D4B3}', '\u{10400}', '\u{10428}',
    // Wildcards, quotes and other texts with a meaning in SQL, URLs, JSON, CSV or JavaScript.
    '%', '_', 'a%', 'a_c', '*', '?', '[a]', '[', '\\', '\\\\', "'", "''", '"', 'a"b', '`', '$1', ':a', '?1', '--', '/*',
    ';', '{}', '{a}',
    'null', 'NULL', 'true', '1', '01', '-0', '1e3', '0x1F', 'NaN', 'a,b', 'a;b', 'a|b', '(a)', '!(', 'a&b=c', 'a+b',
    '#', '/', 'a/b', '.', '..', 'by_name', 'me',
    '=1+1', '+1', '@x', '-1', '__proto__', 'constructor', '\u0002', '\u007F', '\u0085', '\u00A0', '\u200B', '\u2028',
    '\uFEFFa', '2001-12-31', uuid(1)
  ],
  integer: [1, 0, 2, 3, -1, 5, 7, 10, 100, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1, -(2 ** 53 - 1)],
  number: [
    1, 0, 2, -1, 0.5, -1.5, 0.1, 0.30000000000000004, 1 / 3, 100, 1e21, 1e-7, 123456789.123, 2 ** 53, 2 ** 53 - 1,
    1.7976931348623157e308, -1.7976931348623157e308, -0, 1e15, 1e16, 0.000001,
    5e-324, 2.2250738585072014e-308, 1e-20, 1.0000000000000002
  ],
  boolean: [true, false],
  date: [
    '2001-12-31', '2024-02-29', '1970-01-01', '0001-01-01', '9999-12-31', '1582-10-10', '0099-12-31', '2000-02-29',
    '1900-03-01', 'infinity', '-infinity'
  ],
  'date-time': [
    '2001-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z', '2024-02-29T12:00:00.500Z',
    '2024-02-29T12:00:00.501Z', '0099-12-31T00:00:00.000Z', '1582-10-10T00:00:00.000Z', 'infinity',
    '-infinity'
  ],
  time: [
    '12:30:00', '23:59:59', '00:00:00', '12:30:00Z', '12:30:00+05:30', '12:30:00.5', '12:30:00.123456789', '23:59:60Z'
  ],
  uuid: [
    ...Array.from({ length: 12 }, (_, n) => uuid(n + 1)),
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '00000000-0000-0000-0000-000000000000',
    'abcdef01-2345-6789-abcd-ef0123456789'
  ],
  json: [
    [],
    ['a'],
    'null',
    '1',
    'text',
    '"q"',
    5,
    true,
    [1, null, 'x'],
    {},
    { b: 1, a: 2 },
    { a: { b: [[]] } },
    ['\u{1F600}', '\uE000'],
    [1e21, 5e-324, 0.1],
    [true],
    { '': '"\\' },
    { 2: 1, 1: 2 }
  ],
  int64: [
    '1', '0', '2', '10', '9', '-1', '-10', '100', '9007199254740991', '9007199254740992', '9007199254740993',
    '-9007199254740993', '9223372036854775806', '9223372036854775807', '-9223372036854775808'
  ],
  decimal: [
    '1', '1.0', '1.5', '1.50', '0', '0.00', '10', '9', '-1.5', '-1.55', '-9', '0.1', '19.90', '100',
    '1000000000000000.1', '123456789012345678901234567890.123', '123456789012345678901234567890.124',
    '0.000000000000000000000000000001'
  ],
  // Numbers of 32 bits.
  real: [
    1, 0, 2, 0.1, 0.2, 1.1, -1.5, 0.5, 100, 16777216, 123456.79, 1e10, 1e21, 1e-7, 1e-45, 1.1754944e-38, 3.4028235e38,
    -3.4028235e38
  ],
  // Databases show decimals below 1e-320 as 0.
  numeric: [
    1, 0, 2, -1, 0.5, -1.5, 0.1, 0.30000000000000004, 1 / 3, 19.9, 100, 1e21, 1e-7, 123456789.123, 2 ** 53,
    2 ** 53 - 1, 1.7976931348623157e308, -1.7976931348623157e308, 1e15, 1e16, 0.000001, 2.2250738585072014e-308, 1e-20,
    1.0000000000000002
  ],
  byte: ['AA==', '', 'AQ==', '/wA=', '++/v', 'AAE=', '/w==', 'bnVsbA==']
}

const day = 86_400_000
const moment = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * day).toISOString()

/** The n-th of many values of each format. */
export const numbered = {
  date: (n: number) => moment(n).slice(0, 10),
  'date-time': moment,
  time: (n: number) => `${String(n % 24).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00`,
  uuid: (n: number) => uuid(n + 1),
  int64: (n: number) => String(n + 1),
  decimal: (n: number) => `${n}.5`,
  byte: (n: number) => Buffer.from(`bytes ${n}`).toString('base64')
} as const satisfies Partial<Record<ColumnKind, (n: number) => string>>

const special = ['NaN', 'Infinity', '-Infinity']

/** Values that columns can hold, and that items show and clients filter by, but that no client can write. */
export const unwritable: Readonly<Partial<Record<ColumnKind, readonly unknown[]>>> = {
  integer: ['9007199254740993', '9007199254740992', '-9007199254740993', '9223372036854775807'],
  number: special,
  real: special,
  numeric: special,
  decimal: special
}

/** A long text for columns that are not unique: some databases cannot index it. */
export const longText = 'long text '.repeat(10_000)

/** Other spellings of values, with the same meaning. */
export const spellings: Readonly<Partial<Record<ColumnKind | ValueKind, readonly string[]>>> = {
  'date-time': [
    '2001-12-31T23:59:59.999+00:00', '2002-01-01T05:29:59.999+05:30', '1970-01-01T00:00:00Z', '2024-02-29T12:00:00.5Z',
    '2024-02-29t12:00:00.5z', '9999-12-31T23:59:59.9-00:00'
  ],
  uuid: [uuid(1).toUpperCase(), 'ABCDEF01-2345-6789-abcd-ef0123456789'],
  number: ['1.0', '1e0', '10e-1', '-0', '0.10', '1E21', '100000000000000000000000'],
  integer: ['-0'],
  decimal: ['1.00', '1.500', '-1.50', '-0', '-0.0', '10.0', '0.100'],
  byte: ['_wA', '--_v', 'AA']
}

/** Texts that no field accepts, or only fields of some types. */
export const oddTexts: readonly string[] = [
  '9007199254740993', '9007199254740992', '-9007199254740992', '1e400', '-1e400', '99999999999999999999999999', '01',
  '1.5', '+1', '0x10', 'Infinity', 'NaN', ' 1', '1 ', '', 'null', 'TRUE', 'yes',
  'a\0b', '\0', '2001-02-30', '2001-12-31T23:59:59', '0000-01-01', '10000-01-01', '2001-12-31T24:00:00Z',
  '9999-12-31T23:59:59-01:00', '24:00:00', 'urn:uuid:' + uuid(1), '{}', '[]', '"', '"a', '"a"b', '*', '(', ')', '!(',
  'a,b'
]

/** JSON texts that no field accepts, or only fields of some types. */
export const oddJson: readonly string[] = [
  'null', '0', '1', '-1', '"a"', '""', 'true', '[]', '{}', '[null]', '[[]]', '{"id":1}', '[{"id":1}]', '-0', '-0.0',
  '1.0', '1e0', '1.5', '1e400', '-1e400', '9007199254740993', '9007199254740992', '1e21', '2e-324',
  '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"x\\udc00"', '"\\ud83d\\ude00"', '["\\u0000"]', '{"\\ud800":1}', '[1e400]',
  '"1"', '"true"', '"null"', '"2001-02-30"', '"0000-01-01"', '"2001-12-31"', '"2001-12-31T23:59:59Z"',
  '"2001-12-31T23:59:59.1234Z"',
  '"9999-12-31T23:59:59-01:00"', '"0001-01-01T00:00:00+01:00"', '"1990-12-31T23:59:60Z"', '"24:00:00"',
  `"${uuid(1).toUpperCase()}"`, '{"__proto__":1}', '{"a":1,"a":2}'
]
