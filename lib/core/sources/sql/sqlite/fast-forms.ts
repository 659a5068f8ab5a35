import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { ColumnType, FastForms } from '../statements/dialect.ts'
import { isIntegerType, isTextType } from './mistyped-values.ts'

/** The fast forms of reads of pages: those of columns whose values at the ends of the page have no position. */
export const fastForms: FastForms = {
  isGuarded: type => isText(type) || (isNumber(type) && type.type !== ''),
  guard: (json, column, { kind, type }) => type === 'TEXT'
    ? json
    : sql`case when typeof(${column}) in (${sql.raw(numbers[kind] ?? "'text'")}, 'null') then ${json}
      else json('') end`,
  isUsual (value, { kind }) {
    if (value === null || typeof value === 'bigint') return true
    if (textKinds.has(kind)) return typeof value === 'string'
    return kind === 'integer' ? Number.isSafeInteger(value) : typeof value === 'number'
  }
}

const textKinds: ReadonlySet<ValueKind> = new Set(['string', 'date', 'time', 'uuid'])
const isText = ({ kind, type }: ColumnType) => textKinds.has(kind) && type !== '' && isTextType(type)

const isNumber = ({ kind, type }: ColumnType) => kind === 'number' || (kind === 'integer' && isIntegerType(type))

/** The types as which numbers without a position are stored. */
const numbers: Readonly<Partial<Record<ValueKind, string>>> = { integer: "'integer'", number: "'integer', 'real'" }
