import { SubCollection, SubItem } from '../declare/relations.ts'
import { addStored, type CollectionDraft, type Settings, unusedName } from './draft.ts'
import { generateForeignKey } from './fields.ts'
import type { ValueGenerator } from './generator.ts'
import type { Fill, JoinRelation } from './rows.ts'
import type { Column, Reference } from './table.ts'

const relationNames = ['parent', 'label', 'bestOf', 'union']
const listNames = ['items', 'children', 'allTracks', 'table']

/** Adds the relations of a foreign key: a sub-item, a sub-collection of the target, or both. */
export function addReference (
  generator: ValueGenerator, draft: CollectionDraft, target: CollectionDraft, properties: readonly string[],
  toOne: boolean, settings: Settings
): void {
  const flags = { writable: settings.constrained && generator.chance(60), readable: !generator.chance(12) }
  const foreignKey = oneOrList(properties)
  if (toOne) {
    draft.schema[unusedName(generator, draft, relationNames)] = SubItem(target.property, {
      foreignKey,
      ...flags,
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

const oneOrList = (properties: readonly string[]) => properties.length === 1 ? properties[0] ?? '' : properties

/** Adds the columns of a foreign key. Returns their properties. */
export function addForeignKey (
  generator: ValueGenerator, draft: CollectionDraft, target: CollectionDraft, toOne: boolean, settings: Settings
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
export const referTo = (target: CollectionDraft): Reference =>
  ({ table: target.table, column: keyColumn(target, 0), cascade: false })

const keyColumn = ({ columns }: CollectionDraft, index: number) => columns[index]?.name ?? ''

/** Returns a relation's flags. `mayBeListed`: false where listed relations would form a cycle. */
const relationFlags = (generator: ValueGenerator, readable: boolean, mayBeListed: boolean) => {
  const hidden = readable && generator.chance(15)
  return {
    ...hidden && { hidden },
    ...readable && !hidden && mayBeListed && generator.chance(15) && { listed: true },
    ...generator.chance(6) && { filterable: false }
  }
}

/**
 * Returns keys of existing rows, null, or, where `mayDangle` is set, keys of rows that may not exist. The values of a
 * foreign key of several columns, filled in their order, are those of one row.
 */
export function foreignKeyFill (
  target: CollectionDraft, columns: readonly Column[], index: number, mayDangle: boolean
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
  generator: ValueGenerator, draft: CollectionDraft, target: CollectionDraft, settings: Settings
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
    ...relationFlags(generator, flags.readable, draft !== target)
  })
  if (generator.chance(50)) {
    target.schema[unusedName(generator, target, listNames)] = SubCollection(draft.property, {
      through: name,
      foreignKey: oneOrList(other),
      otherKey: oneOrList(own),
      ...flags,
      ...relationFlags(generator, flags.readable, false)
    })
  }
  return { generator, name, sides: [{ draft, properties: own }, { draft: target, properties: other }] }
}
