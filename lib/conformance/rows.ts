import { words } from '../model/names.ts'
import type { ValueGenerator } from './generator.ts'
import type { Column, Table } from './table.ts'
import type { CollectionDraft } from './world.ts'

/** Generates a column's value for a row; undefined where the row cannot exist. */
export type Fill = (generator: ValueGenerator) => unknown

/** Adds a row, unless it would violate a constraint of its table. */
export function addRow (generator: ValueGenerator, { columns, fills, rows }: CollectionDraft): void {
  const row: Record<string, unknown> = {}
  for (const column of columns) {
    const value = column.kind === 'key' ? nextKey(generator, column, rows) : fills.get(column)?.(generator)
    if (value === undefined || (column.unique && value !== null && rows.some(one => one[column.name] === value))) return
    row[column.name] = value
  }
  rows.push(row)
}

/** Returns the next key; at times it skips some. */
const nextKey = (generator: ValueGenerator, { name }: Column, rows: ReadonlyArray<Record<string, unknown>>) =>
  Number(rows.at(-1)?.[name] ?? 0) + generator.weighted([8, 1], [2, 2], [1, 100])

/** A many-to-many relation whose join table is not generated yet. */
export interface JoinRelation {
  readonly generator: ValueGenerator
  /** The join table's name. */
  readonly name: string
  readonly own: CollectionDraft
  readonly other: CollectionDraft
  /** Properties of the join table. */
  readonly foreignKey: string
  readonly otherKey: string
}

/**
 * Returns the join table with its rows. Without constraints some of the rows refer to rows that do not exist, and some
 * occur twice.
 */
export function fillJoin (
  { generator, name, own, other, foreignKey, otherKey }: JoinRelation,
  { naming, constrained }: { readonly naming: string, readonly constrained: boolean }
): Table {
  const columns = ([[foreignKey, own], [otherKey, other]] as const).map(([property, side]) =>
    joinColumn(property, side, naming, constrained))
  const rows: Array<Record<string, unknown>> = []
  for (let left = generator.below(16); left > 0; left--) {
    const values = [own, other].map(side => keyOf(generator, side, constrained))
    const row = Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]))
    const isKnown = rows.some(one => columns.every(column => one[column.name] === row[column.name]))
    if (!values.includes(undefined) && !(constrained && isKnown)) rows.push(row)
  }
  return {
    name,
    columns,
    primaryKey: constrained ? columns.map(one => one.name) : [],
    naming: naming === 'snake_case' ? naming : 'none',
    rows
  }
}

function joinColumn (
  property: string, { table, key, columns: [keyColumn] }: CollectionDraft, naming: string, constrained: boolean
): Column {
  const name = naming === 'snake_case' ? words(property).join('_') : property
  const references = { table, column: keyColumn?.name ?? '', cascade: true }
  return {
    name,
    property,
    kind: key.kind === 'key' ? 'integer' : key.kind,
    nullable: false,
    unique: false,
    ...constrained && { references }
  }
}

function keyOf (
  generator: ValueGenerator, { rows, columns: [column], key }: CollectionDraft, constrained: boolean
): unknown {
  if (!constrained && generator.chance(20)) return generator.of(key.pool)
  return generator.from(rows)?.[column?.name ?? '']
}
