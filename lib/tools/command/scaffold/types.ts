import { words } from '../../../core/model/names.ts'
import type { TypeDesign } from './design.ts'
import type { SeenColumn, Sample } from './tables.ts'

/** The type of a column's values, or the reason why they are not served. */
type Typed = { readonly type: TypeDesign } | { readonly reason: string }

/** Returns the type of a column. `shown`: the user asked for it by name, so it is served in some form in any case. */
export function declaredType (column: SeenColumn, shown: boolean): Typed {
  if (column.choices !== undefined) return { type: { kind: 'choice', values: column.choices } }
  return column.sample === undefined ? typeOfFamily(column, shown) : typeOfSample(column, column.sample, shown)
}

const plain = (kind: 'integer' | 'number' | 'boolean' | 'string' | 'json'): Typed => ({ type: { kind } })
const text = (format: Extract<TypeDesign, { kind: 'text' }>['format']): Typed => ({ type: { kind: 'text', format } })

function typeOfFamily (column: SeenColumn, shown: boolean): Typed {
  const { family, type, members, isFine = false } = column
  switch (family) {
    case 'integer': return plain('integer')
    case 'float': return plain('number')
    case 'decimal': return isExactNumber(type) ? plain('number') : text('decimal')
    case 'boolean': return plain('boolean')
    case 'money':
    case 'interval':
    case 'text': return plain('string')
    case 'enum': return members === undefined ? plain('string') : { type: { kind: 'choice', values: members } }
    case 'date': return text('date')
    // As text a timestamp has all of its digits.
    case 'timestamp': return isFine ? plain('string') : text('date-time')
    case 'time': return text('time')
    case 'uuid': return text('uuid')
    case 'json': return plain('json')
    case 'array': return typeOfList(type)
    case 'bytes': return shown ? text('byte') : { reason: 'holds bytes' }
    case 'other':
    case 'any': return shown || isPlainText(type) ? plain('string') : { reason: `is of the type ${type}` }
  }
}

/** Types of PostgreSQL whose texts are short, and are what people write. Those of maps are not. */
const isPlainText = (type: string) =>
  plainTexts.has(type) || /^(?:bit(?: varying)?(?:\(\d+\))?|(?:int4|int8|num|ts|tstz|date)(?:multi)?range)$/.test(type)

const plainTexts: ReadonlySet<string> = new Set([
  'inet', 'cidr', 'macaddr', 'macaddr8', 'ltree', 'hstore', 'pg_lsn', 'oid', 'regclass', 'tsvector', 'tsquery', 'xml',
  'jsonpath', 'point', 'line', 'lseg', 'box', 'path', 'polygon', 'circle'
])

/** A double holds 15 digits of any number, but not of one with hundreds of zeros behind the point. */
function isExactNumber (type: string): boolean {
  const [, precision] = /^numeric\((\d+)(?:,\d{1,2})?\)$/.exec(type) ?? []
  return precision !== undefined && Number(precision) <= 15
}

function typeOfList (type: string): Typed {
  const element = type.replace(/(?:\[\])+$/, '')
  const of: TypeDesign = type.endsWith('[][]') ? { kind: 'json' } : typeOfElement(element)
  return { type: { kind: 'list', of } }
}

function typeOfElement (type: string): TypeDesign {
  if (type.startsWith('numeric')) return isExactNumber(type) ? { kind: 'number' } : { kind: 'text', format: 'decimal' }
  return elements[type.replace(/\(\d+\)/, '')] ?? { kind: 'json' }
}

const elements: Readonly<Record<string, TypeDesign | undefined>> = {
  text: { kind: 'string' },
  'character varying': { kind: 'string' },
  character: { kind: 'string' },
  smallint: { kind: 'integer' },
  integer: { kind: 'integer' },
  bigint: { kind: 'integer' },
  'double precision': { kind: 'number' },
  real: { kind: 'number' },
  boolean: { kind: 'boolean' },
  uuid: { kind: 'text', format: 'uuid' },
  date: { kind: 'text', format: 'date' },
  'timestamp with time zone': { kind: 'text', format: 'date-time' },
  'timestamp without time zone': { kind: 'text', format: 'date-time' }
}

/** Types of SQLite are promises: what the rows hold counts. */
function typeOfSample ({ name, type, range }: SeenColumn, sample: Sample, shown: boolean): Typed {
  const { classes } = sample
  if (classes.has('blob')) return typeOfBytes(classes, shown)
  const declared = type.toUpperCase()
  if (classes.size === 0) return range === 'int64' ? text('int64') : typeOfEmpty(declared)
  if (classes.has('text') && classes.has('real')) {
    return shown ? plain('string') : { reason: `holds values of several types (${[...classes].join(', ')})` }
  }
  if (classes.has('text')) return isOfIntegersAndTexts(sample) ? plain('string') : typeOfText(declared, sample)
  if (classes.has('real')) return plain('number')
  if (sample.isWide) return text('int64')
  if (sample.isFlag === true && (declared.includes('BOOL') || isQuestion(name, declared))) return plain('boolean')
  // A price of 5 in a column of prices is a number, too.
  return /REAL|FLOA|DOUB|DEC|NUM/.test(declared) ? plain('number') : plain('integer')
}

/** Returns true for a column that is compared by its texts: those of integers differ as the integers do. */
const isOfIntegersAndTexts = ({ classes }: Sample): boolean => classes.has('integer') && classes.has('text')

/** `is_open`, `hasSeen` in a column of the size of one bit. */
const isQuestion = (name: string, declared: string) =>
  ['is', 'has', 'can'].includes(words(name)[0] ?? '') && /^(?:TINYINT(?:\(1\))?|BIT)$/.test(declared)

function typeOfBytes (classes: ReadonlySet<string>, shown: boolean): Typed {
  if (classes.size === 1) return shown ? text('byte') : { reason: 'holds bytes' }
  return { reason: `holds bytes and other values (${[...classes].join(', ')})` }
}

function typeOfText (declared: string, { isDate, isTimestamp, isUuid }: Sample): Typed {
  if (declared.includes('JSON')) return plain('json')
  if (isDate === true) return text('date')
  if (isTimestamp === true) return text('date-time')
  return isUuid === true && /UUID|GUID|UNIQUEIDENTIFIER/.test(declared) ? text('uuid') : plain('string')
}

/** A column without values is what it is declared as. */
function typeOfEmpty (declared: string): Typed {
  if (declared.includes('BOOL')) return plain('boolean')
  if (declared.includes('INT')) return plain('integer')
  if (/CHAR|CLOB|TEXT/.test(declared)) return plain('string')
  if (declared.includes('BLOB')) return { reason: 'holds bytes' }
  if (declared.includes('JSON')) return plain('json')
  if (declared === 'DATE') return text('date')
  return /REAL|FLOA|DOUB|DEC|NUM/.test(declared) ? plain('number') : plain('string')
}
