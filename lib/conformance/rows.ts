import { words } from '../model/names.ts'
import type { ValueGenerator } from './generator.ts'
import type { Column, Table } from './table.ts'
import type { CollectionDraft } from './draft.ts'

/** Generates a column's value for a row with values of the columns before; undefined where the row cannot exist. */
export type Fill = (generator: ValueGenerator, row: Readonly<Record<string, unknown>>) => unknown

/** Adds a row, unless it would violate a constraint of its table. */
export function addRow (generator: ValueGenerator, { columns, keys, fills, rows }: CollectionDraft): void {
  const row: Record<string, unknown> = {}
  for (const column of columns) {
    const value = column.kind === 'key' ? nextKey(generator, column, rows) : fills.get(column)?.(generator, row)
    if (value === undefined || (column.unique && value !== null && rows.some(one => one[column.name] === value))) return
    row[column.name] = value
  }
  const key = columns.slice(0, keys.length)
  if (!rows.some(one => key.every(({ name }) => one[name] === row[name]))) rows.push(row)
}

/** Returns the next key; at times it skips some. */
const nextKey = (generator: ValueGenerator, { name }: Column, rows: ReadonlyArray<Record<string, unknown>>) =>
  Number(rows.at(-1)?.[name] ?? 0) + generator.weighted([8, 1], [2, 2], [1, 100])

/** A many-to-many relation whose join table is not generated yet. */
export interface JoinRelation {
  readonly generator: ValueGenerator
  /** The join table's name. */
  readonly name: string
  /** Both collections, with the properties of the join table that hold their keys. */
  readonly sides: readonly JoinSide[]
}

interface JoinSide { readonly draft: CollectionDraft, readonly properties: readonly string[] }

/**
 * Returns the join table with its rows. Without constraints some of the rows refer to rows that do not exist, and some
 * occur twice.
 */
export function fillJoin (
  { generator, name, sides }: JoinRelation,
  { naming, constrained }: { readonly naming: string, readonly constrained: boolean }
): Table {
  const columns = sides.flatMap(side => joinColumns(side, naming, constrained))
  const rows: Array<Record<string, unknown>> = []
  for (let left = generator.below(16); left > 0; left--) {
    const values = sides.flatMap(({ draft }) => keyOf(generator, draft, constrained))
    const row = Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]))
    const isKnown = rows.some(one => columns.every(column => one[column.name] === row[column.name]))
    if (!values.includes(undefined) && !(constrained && isKnown)) rows.push(row)
  }
  return {
    name,
    columns,
    primaryKey: constrained ? columns.map(one => one.name) : [],
    ...constrained && { references: sides.flatMap(side => joinReferences(side, naming)) },
    naming: naming === 'snake_case' ? naming : 'none',
    rows
  }
}

const joinColumns = ({ draft, properties }: JoinSide, naming: string, constrained: boolean): readonly Column[] =>
  draft.keys.map(({ kind }, index) => ({
    name: joinName(properties[index] ?? '', naming),
    property: properties[index] ?? '',
    kind: kind === 'key' ? 'integer' : kind,
    nullable: false,
    unique: false,
    ...constrained && draft.keys.length === 1 && {
      references: { table: draft.table, column: draft.columns[0]?.name ?? '', cascade: true }
    }
  }))

/** Returns the references of a join table to keys of several columns. */
const joinReferences = ({ draft: { keys, table, columns }, properties }: JoinSide, naming: string) => keys.length === 1
  ? []
  : [{
      columns: properties.map(property => joinName(property, naming)),
      table,
      otherColumns: columns.slice(0, keys.length).map(({ name }) => name),
      cascade: true
    }]

const joinName = (property: string, naming: string) => naming === 'snake_case' ? words(property).join('_') : property

/** Returns the values of the key of a row, which need not exist if it is not constrained. */
function keyOf (generator: ValueGenerator, { rows, columns, keys }: CollectionDraft, constrained: boolean): unknown[] {
  if (!constrained && generator.chance(20)) return keys.map(({ pool }) => generator.of(pool))
  const row = generator.from(rows)
  return keys.map((_, index) => row?.[columns[index]?.name ?? ''])
}
