import { Type, type TSchema } from '@sinclair/typebox'
import fc from './fast-check.ts'

// Tables of random columns, keys and values, which may fit each other or not.

export interface RandomColumn {
  readonly name: string
  readonly kind: string
  readonly type: string
  readonly schema: TSchema
}

/** A table, its key, and rows as literals of SQL, one for each column. */
export interface RandomTable {
  readonly columns: readonly RandomColumn[]
  readonly key: readonly string[]
  readonly ddl: string
  readonly rows: ReadonlyArray<readonly string[]>
}

/** What a database has. All but the names of types are literals or clauses of SQL. */
export interface Engine {
  readonly types: readonly string[]
  /** Clauses behind the type of a column. */
  readonly suffixes: readonly string[]
  /** Clauses behind the columns of a table. */
  readonly options: readonly string[]
  /** Values that a field shows as values of its kind. */
  readonly fitting: Readonly<Record<string, readonly string[]>>
  /** Any other values. */
  readonly hostile: readonly string[]
  /** Returns the kinds of fields over a column of the type. */
  kindsOf (type: string): readonly string[]
}

const schemas: Readonly<Record<string, (flags: object) => TSchema>> = {
  integer: flags => Type.Integer(flags),
  number: flags => Type.Number(flags),
  boolean: flags => Type.Boolean(flags),
  string: flags => Type.String(flags),
  int64: flags => Type.String({ format: 'int64', ...flags }),
  decimal: flags => Type.String({ format: 'decimal', ...flags }),
  byte: flags => Type.String({ format: 'byte', ...flags }),
  date: flags => Type.String({ format: 'date', ...flags }),
  'date-time': flags => Type.String({ format: 'date-time', ...flags }),
  time: flags => Type.String({ format: 'time', ...flags }),
  uuid: flags => Type.String({ format: 'uuid', ...flags }),
  mixed: flags => Type.Union([Type.Number(), Type.Boolean(), Type.String()], flags)
}

export const kinds = Object.keys(schemas)

/** Returns random tables of an engine, with two to four columns and up to seven rows. */
export function randomTables (engine: Engine): fc.Arbitrary<RandomTable> {
  const column = fc.record({
    type: fc.constantFrom(...engine.types),
    suffix: fc.constantFrom(...engine.suffixes),
    kind: fc.nat(),
    optional: fc.boolean()
  })
  const cell = fc.record({ pick: fc.nat(), luck: fc.integer({ min: 0, max: 3 }) })
  return fc.record({
    columns: fc.array(column, { minLength: 2, maxLength: 4 }),
    keys: fc.integer({ min: 1, max: 2 }),
    cells: fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 7 }),
    option: fc.constantFrom(...engine.options)
  }).map(({ columns, keys, cells, option }) => {
    const made = columns.map((drawn, index) => makeColumn(drawn, index, keys, engine))
    const key = made.slice(0, keys).map(({ name }) => name)
    const definitions = made.map(({ name, type }, index) => `${name} ${type} ${columns[index]?.suffix ?? ''}`)
    return {
      columns: made,
      key,
      ddl: `create table things (${definitions.join(', ')}, primary key (${key.join(', ')}))${option}`,
      rows: cells.map(row => made.map(({ kind }, index) => {
        const { pick = 0, luck = 0 } = row[index] ?? {}
        // Most values fit, in a key all.
        const isFitting = luck > 0 || index < keys
        const values = isFitting ? engine.fitting[kind] ?? [] : engine.hostile
        return values[pick % values.length] ?? 'null'
      }))
    }
  })
}

interface Drawn { readonly type: string, readonly kind: number, readonly optional: boolean }

function makeColumn ({ type, kind, optional }: Drawn, index: number, keys: number, engine: Engine): RandomColumn {
  const suitable = engine.kindsOf(type)
  const picked = suitable[kind % suitable.length] ?? 'string'
  const isKey = index < keys
  const flags = { readable: true, listed: true, ...isKey && keys === 1 && { identifier: true } }
  const schema = schemas[picked]?.(flags) ?? Type.String(flags)
  return { name: `c${index}`, kind: picked, type, schema: optional && !isKey ? Type.Optional(schema) : schema }
}
