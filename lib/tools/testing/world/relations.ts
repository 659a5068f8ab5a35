import { relationOf, SubCollection, SubItem } from '../../../core/declare/relations.ts'
import { words } from '../../../core/model/names.ts'
import { addStored, type GeneratedDraft, type WorldSettings, unusedName } from './collection.ts'
import { generateConstant, generateForeignKey } from './fields.ts'
import type { ValueGenerator } from './generator.ts'
import type { Column, Reference, Table } from './table.ts'

const relationNames = ['parent', 'label', 'bestOf', 'union']
const listNames = ['items', 'children', 'allTracks', 'table']

/** Adds the relations of a foreign key: a sub-item, a sub-collection of the target, or both. */
export function addReference (
  generator: ValueGenerator, draft: GeneratedDraft, target: GeneratedDraft, properties: readonly string[],
  toOne: boolean, settings: WorldSettings
): void {
  const flags = { writable: settings.constrained && generator.chance(60), readable: !generator.chance(12) }
  const foreignKey = oneOrList(properties)
  if (toOne) {
    draft.schema[unusedName(generator, draft, relationNames)] = SubItem(target.property, {
      foreignKey,
      ...flags,
      creates: generator.chance(60),
      ...relationFlags(generator, flags.readable, draft !== target)
    })
  }
  if (!toOne || generator.chance(60)) {
    target.schema[unusedName(generator, target, listNames)] = SubCollection(draft.property, {
      foreignKey,
      ...flags,
      ...relationFlags(generator, flags.readable, false)
    })
  }
}

/**
 * Adds a field by which a foreign key refers to items, and gives one value of it to the relations of the foreign key
 * and another to further ones.
 */
export function addConstants (
  generator: ValueGenerator, draft: GeneratedDraft, target: GeneratedDraft, foreignKey: readonly string[],
  settings: WorldSettings
): void {
  const property = unusedName(generator, draft, ['kind', 'ownerType'])
  const field = generateConstant(generator, settings.constrained)
  addStored(draft, property, field, settings)
  const [first, second] = field.pool
  tellApart(draft, target, foreignKey, { [property]: first as string })
  if (generator.chance(50)) return
  addReference(generator, draft, target, foreignKey, generator.chance(60), settings)
  tellApart(draft, target, foreignKey, { [property]: second as string })
}

type Constants = NonNullable<ReturnType<typeof SubItem>['link']['where']>

/** Gives constants to the relations of a foreign key that have none. */
function tellApart (
  draft: GeneratedDraft, target: GeneratedDraft, foreignKey: readonly string[], where: Constants
): void {
  const isOwn = (link: { readonly foreignKey: unknown, readonly where?: unknown }) =>
    link.where === undefined && String(link.foreignKey) === String(foreignKey)
  for (const [name, field] of Object.entries(draft.schema)) {
    const relation = relationOf(field)
    if (relation?.type !== 'object' || !isOwn(relation.link)) continue
    draft.schema[name] = { ...relation, link: { ...relation.link, where } }
  }
  for (const [name, field] of Object.entries(target.schema)) {
    const relation = relationOf(field)
    if (relation?.type !== 'array' || relation.target !== draft.property) continue
    const { link } = relation
    if (link.through === undefined && isOwn(link)) target.schema[name] = { ...relation, link: { ...link, where } }
  }
}

const oneOrList = (properties: readonly string[]) => properties.length === 1 ? properties[0] ?? '' : properties

/** Adds the columns of a foreign key. Returns their properties. */
export function addForeignKey (
  generator: ValueGenerator, draft: GeneratedDraft, target: GeneratedDraft, toOne: boolean, settings: WorldSettings
): readonly string[] {
  const isConstrained = toOne && settings.constrained
  const isSingle = target.keys.length === 1
  const columns: Column[] = []
  for (const { kind } of target.keys) {
    const property = unusedName(generator, draft, ['parentID', 'labelId', 'ref'])
    const field = generateForeignKey(generator, kind, { isOwn: draft === target, mayBeWritten: settings.constrained })
    columns.push(addStored(draft, property, field, settings, isConstrained && isSingle && referTo(target)))
  }
  for (const [index, column] of columns.entries()) {
    draft.fills.set(column, foreignKeyFill(target, columns, index, !isConstrained))
  }
  if (isConstrained && !isSingle) {
    draft.references.push({
      columns: columns.map(({ name }) => name),
      table: target.table,
      otherColumns: target.keys.map((_, index) => keyColumn(target, index)),
      cascade: false
    })
  }
  return columns.map(({ property }) => property)
}

/** Returns the reference to a key of one column. */
export const referTo = (target: GeneratedDraft): Reference =>
  ({ table: target.table, column: keyColumn(target, 0), cascade: false })

const keyColumn = ({ columns }: GeneratedDraft, index: number) => columns[index]?.name ?? ''

/** Returns a relation's flags. `mayBeListed`: false where listed relations would form a cycle. */
const relationFlags = (generator: ValueGenerator, readable: boolean, mayBeListed: boolean) => {
  const hidden = readable && generator.chance(15)
  return {
    ...hidden && { hidden },
    ...readable && !hidden && mayBeListed && generator.chance(15) && { listed: true },
    ...generator.chance(6) && { filterable: false },
    ...generator.chance(4) && { sortable: false }
  }
}

/**
 * Returns keys of existing rows, null, or, where `mayDangle` is set, keys of rows that may not exist. The values of a
 * foreign key of several columns, filled in their order, are those of one row.
 */
export function foreignKeyFill (
  target: GeneratedDraft, columns: readonly Column[], index: number, mayDangle: boolean
): Fill {
  return (generator, row) => {
    const isNullable = columns[index]?.nullable === true
    if (isNullable && generator.chance(25)) return null
    if (mayDangle && generator.chance(15)) return generator.of(target.keys[index]?.pool ?? [])
    const fitting = target.rows.filter(one => columns.slice(0, index).every(({ name }, place) =>
      row[name] === null || row[name] === one[keyColumn(target, place)]))
    return generator.from(fitting.map(one => one[keyColumn(target, index)])) ?? (isNullable ? null : undefined)
  }
}

/** Adds a many-to-many relation, at times to both of its collections. */
export function addJoin (
  generator: ValueGenerator, draft: GeneratedDraft, target: GeneratedDraft, settings: WorldSettings
): JoinRelation {
  const own = draft.keys.map((_, index) => `ownKey${index === 0 ? '' : index}`)
  const other = target.keys.map((_, index) => `otherKey${index === 0 ? '' : index}`)
  const flags = { writable: settings.constrained && generator.chance(60), readable: !generator.chance(12) }
  const name = `join ${draft.property} ${Object.keys(draft.schema).length}`
  draft.schema[unusedName(generator, draft, listNames)] = SubCollection(target.property, {
    through: name,
    foreignKey: oneOrList(own),
    otherKey: oneOrList(other),
    ...flags,
    creates: generator.chance(60),
    ...relationFlags(generator, flags.readable, draft !== target)
  })
  if (generator.chance(50)) {
    target.schema[unusedName(generator, target, listNames)] = SubCollection(draft.property, {
      through: name,
      foreignKey: oneOrList(other),
      otherKey: oneOrList(own),
      ...flags,
      creates: generator.chance(60),
      ...relationFlags(generator, flags.readable, false)
    })
  }
  return { generator, name, sides: [{ draft, properties: own }, { draft: target, properties: other }] }
}

/** Generates a column's value for a row with values of the columns before; undefined where the row cannot exist. */
export type Fill = (generator: ValueGenerator, row: Readonly<Record<string, unknown>>) => unknown

/** Adds a row, unless it would violate a constraint of its table. */
export function addRow (generator: ValueGenerator, { columns, keys, fills, rows }: GeneratedDraft): void {
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

interface JoinSide { readonly draft: GeneratedDraft, readonly properties: readonly string[] }

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
function keyOf (generator: ValueGenerator, { rows, columns, keys }: GeneratedDraft, constrained: boolean): unknown[] {
  if (!constrained && generator.chance(20)) return keys.map(({ pool }) => generator.of(pool))
  const row = generator.from(rows)
  return keys.map((_, index) => row?.[columns[index]?.name ?? ''])
}
