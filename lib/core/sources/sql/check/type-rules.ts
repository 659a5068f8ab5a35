import type { ValueKind } from '../../../model/kinds.ts'
import type { CatalogColumn, Engine, TypeFamily } from '../catalog.ts'
import type { Literal } from '../choices.ts'
import { isLossy, postgresKind } from '../postgres/kinds.ts'
import { sqliteKind } from '../sqlite/kinds.ts'

/** The values that a database's types can hold, and the comparison of the types. */
export interface TypeRules {
  /** Returns the families of columns that can hold the values of a kind; undefined where its schema says more. */
  suits (kind: ValueKind): readonly TypeFamily[] | undefined
  /** Returns the type of a new column that holds all values of a kind exactly (docs/databases.md: Types of columns). */
  column (kind: ValueKind): string
  /** True if the database compares values of different families, as SQLite does. */
  readonly comparesAll: boolean
  /** True if the insert of a row through a trigger of a view returns the key that the trigger has made. */
  readonly returnsViewKeys: boolean
  /** Columns that every table has without declaring them. */
  readonly systemColumns: ReadonlySet<string>
  /**
   * Returns the advice for a column whose values are finer than the kind shows, so that they name no item; undefined
   * for any other column.
   */
  adviseOnDigits (kind: ValueKind, column: CatalogColumn): string | undefined
}

const postgresRules: TypeRules = {
  suits: kind => postgresKind(kind).families,
  column: kind => postgresKind(kind).column,
  comparesAll: false,
  returnsViewKeys: true,
  systemColumns: new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']),
  adviseOnDigits (kind, { type }) {
    if (!isLossy({ kind, type })) return undefined
    const ofMilliseconds = type.replace(/^timestamp(\(\d\))?/, 'timestamp(3)')
    return kind === 'date-time'
      ? `declare Type.String(), which shows all digits, or make the column ${ofMilliseconds}`
      : "declare Type.String({ format: 'decimal' }), which shows all digits"
  }
}

const sqliteRules: TypeRules = {
  suits: kind => sqliteKind(kind).families,
  column: kind => sqliteKind(kind).column,
  comparesAll: true,
  returnsViewKeys: false,
  systemColumns: new Set(),
  adviseOnDigits: () => undefined
}

export const typeRules: Readonly<Record<Engine, TypeRules>> = { sqlite: sqliteRules, postgres: postgresRules }

/** The families whose values PostgreSQL compares with each other. */
const comparable: ReadonlyArray<ReadonlySet<TypeFamily>> = [
  new Set(['integer', 'decimal', 'float']), new Set(['date', 'timestamp'])
]

/** Returns true if the database surely cannot compare the columns of a foreign key and of the key it refers to. */
export function areForeign (one: CatalogColumn, other: CatalogColumn, { comparesAll }: TypeRules): boolean {
  if (comparesAll || isUnknown(one) || isUnknown(other)) return false
  if (one.family === 'enum' || other.family === 'enum') return one.type !== other.type
  return one.family !== other.family && !comparable.some(set => set.has(one.family) && set.has(other.family))
}

const isUnknown = ({ family }: CatalogColumn) => family === 'other' || family === 'any'

/** Returns a declaration that suits a column. */
export function declarationOf ({ family, members, choices }: CatalogColumn): string {
  if (choices !== undefined) return unionOf(choices)
  switch (family) {
    case 'integer': return 'Type.Integer()'
    case 'decimal': return "Type.String({ format: 'decimal' }) or Type.Number()"
    case 'float': return 'Type.Number()'
    case 'boolean': return 'Type.Boolean()'
    case 'enum': return unionOf(members ?? [])
    case 'date': return "Type.String({ format: 'date' })"
    case 'timestamp': return "Type.String({ format: 'date-time' })"
    case 'time': return "Type.String({ format: 'time' })"
    case 'uuid': return "Type.String({ format: 'uuid' })"
    case 'bytes': return "Type.String({ format: 'byte' })"
    case 'json': return 'Type.Unknown()'
    case 'array': return 'Type.Array(...)'
    default: return 'Type.String()'
  }
}

const unionOf = (values: readonly Literal[]) =>
  `Type.Union([${values.map(one => `Type.Literal(${JSON.stringify(one)})`).join(', ')}])`
