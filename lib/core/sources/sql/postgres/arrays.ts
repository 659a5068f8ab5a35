import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'

// Arrays of scalars: JSON, whose elements are shown as values of their type are in a column of their own.

export const isArray = (type: string) => type.endsWith('[]')

/** Returns the type of an array's elements: as the field declares them, or else as suits their type. */
export function elementOf ({ type, element }: ColumnType): ColumnType {
  const own = type.slice(0, -2)
  return { kind: element === undefined || isAny(element) ? kindOf(own) : element, type: own, nullable: true }
}

const isAny = (kind: ValueKind) => kind === 'json' || kind === 'mixed'

function kindOf (type: string): ValueKind {
  if (type === 'bigint') return 'integer'
  if (type.startsWith('numeric')) return 'decimal'
  if (type.startsWith('timestamp')) return 'date-time'
  return type === 'bytea' ? 'byte' : 'json'
}

/** `encode` returns an element as a scalar is encoded. */
export function encodeArray (column: Sql, element: ColumnType, encode: (value: Sql) => Sql): Sql {
  if (areTexts(element)) return sql`to_json(${column}::text[])`
  if (!/^(?:timestamp|bytea)/.test(element.type)) return sql`to_json(${column})`
  const value = sql.id('(element)')
  const elements = sql`array(select ${encode(value)} from unnest(${column}) as ${value})`
  // An array of arrays is shown as PostgreSQL writes it.
  return sql`case when array_ndims(${column}) = 1 then to_json(${elements}) else to_json(${column}) end`
}

/** Decodes an array that encodeArray() put into JSON. `decode` decodes an element. */
export function decodeArray (array: unknown, element: ColumnType, decode: (value: unknown) => unknown): unknown {
  const decodeAll = (value: unknown): unknown => Array.isArray(value) ? value.map(decodeAll) : decode(value)
  return areTexts(element) ? decodeAll(array) : array
}

/** Returns true for numbers of which JSON.parse() may change the digits, or that are shown as texts. */
const areTexts = ({ kind, type }: ColumnType) => /^(?:bigint|numeric)/.test(type) ||
  (texts.has(kind) && /^(?:smallint|integer|real|double precision|boolean)/.test(type))

const texts: ReadonlySet<ValueKind> = new Set(['string', 'int64', 'decimal'])

/** Returns an array of JSON as a column of that type stores it. `store` returns the text of an element as a scalar. */
export function storeArray (json: Sql, type: string, store: (text: Sql) => Sql): Sql {
  const [element, place] = [sql.id('(element)'), sql.id('(place)')]
  const elements = sql`json_array_elements_text(${json}) with ordinality as ${sql.id('(all)')}(${element}, ${place})`
  const array = sql`array(select ${store(element)} from ${elements} order by ${place})`
  return sql`case when ${json} is not null then ${array}::${sql.raw(type)} end`
}
