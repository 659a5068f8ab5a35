import type { TSchema } from '@sinclair/typebox'
import { relationOf } from '../../../core/declare/relations.ts'
import type { Column, Table } from './table.ts'
import type { GeneratedCollection } from './collection.ts'
import type { World } from './world.ts'

// The rows and fields that a caller can see, computed from the declarations, independently of the library's rules.

/** A row by its columns' names. */
export type Row = Readonly<Record<string, unknown>>

/** A rule that denies an operation: the constant `false`, or a function that returns it or throws an error. */
export type Denial = 'false' | 'returns false' | 'throws' | 'throws 401'

/** `writeItem`: the caller may write the field in items with its own keeper alone. */
interface DeniedField { readonly read: boolean, readonly write: boolean, readonly writeItem: boolean }

/** The fields and operations that the caller is denied. */
export interface Denied {
  readonly fields: Readonly<Record<string, DeniedField>>
  readonly operations: ReadonlyMap<'read' | 'create' | 'update' | 'delete', Denial>
}

/**
 * The scope of a collection: `own` shows rows whose keeper is the caller's, `through` rows with a related row whose
 * keeper is the caller's, `none` all rows, and `never` none.
 */
export type Hiding =
  | { readonly kind: 'own' | 'none' | 'never' }
  | { readonly kind: 'through', readonly relation: string }

/** A collection with its table, its scope and its rules. */
export interface Part {
  readonly generated: GeneratedCollection
  readonly table: Table
  readonly hiding: Hiding
  readonly denied: Denied
}

/** The keeper of the rows that the caller sees. */
export const ownKeeper = 1

export const keyOf = ({ table, generated }: Part): readonly Column[] => table.columns.slice(0, generated.keys.length)

/** Returns a row's values of those columns, comparable as a whole; undefined if one of them is null. */
export function valuesIn (row: Row, columns: readonly Column[]): string | undefined {
  const values = columns.map(({ name }) => row[name] ?? null)
  return values.includes(null) ? undefined : JSON.stringify(values)
}

export const keyIn = (row: Row, part: Part) => valuesIn(row, keyOf(part))

export const isKey = (property: string, part: Part) => keyOf(part).some(one => one.property === property)

/** Returns the columns of a table with the properties of a foreign key. */
export const columnsOf = (foreignKey: string | readonly string[], { columns }: Table): readonly Column[] =>
  [foreignKey].flat().flatMap(property => columns.find(column => column.property === property) ?? [])

/** True where the collection's scope shows the row to the caller. */
export function isVisible (row: Row, part: Part, parts: readonly Part[], world: World): boolean {
  const { hiding, generated } = part
  if (hiding.kind !== 'through') return hiding.kind === 'none' || (hiding.kind === 'own' && row['keeper'] === ownKeeper)
  return relatedTo(row, part, relationOf(generated.schema[hiding.relation]), parts, world).some(one =>
    one['keeper'] === ownKeeper
  )
}

function relatedTo (
  row: Row, part: Part, relation: Relation | undefined, parts: readonly Part[], { tables }: World
): readonly Row[] {
  const target = parts.find(({ generated }) => generated.property === relation?.target)
  if (relation === undefined || target === undefined) return []
  const own = keyIn(row, part)
  if (relation.type === 'object') {
    const named = valuesIn(row, columnsOf(relation.link.foreignKey, part.table))
    if (!hasConstants(row, relation, part.table)) return []
    return target.table.rows.filter(one => keyIn(one, target) === named)
  }
  const { link } = relation
  if (link.through === undefined) {
    const columns = columnsOf(link.foreignKey, target.table)
    return target.table.rows.filter(one =>
      valuesIn(one, columns) === own && hasConstants(one, relation, target.table))
  }
  const join = tables.find(({ name }) => name === link.through)
  if (join === undefined) return []
  const [ownColumns, otherColumns] = [columnsOf(link.foreignKey, join), columnsOf(link.otherKey, join)]
  const keys = join.rows.filter(one => valuesIn(one, ownColumns) === own).map(one => valuesIn(one, otherColumns))
  return target.table.rows.filter(one => keys.includes(keyIn(one, target)))
}

/** True for a row that has the values which tell the items of a relation apart from those of others. */
const hasConstants = (row: Row, { link: { where = {} } }: Relation, table: Table): boolean =>
  Object.entries(where).every(([property, value]) => row[columnsOf(property, table)[0]?.name ?? ''] === value)

const isRead = (property: string, { generated, denied }: Part) => {
  const schema = generated.schema[property]
  return schema?.['readable'] === true && denied.fields[property]?.read !== true && !denied.operations.has('read')
}

const isWritten = (property: string, { generated, denied }: Part) =>
  generated.schema[property]?.['writable'] === true && denied.fields[property]?.write !== true

/** True where the caller cannot learn any value of the column, not even those of visible rows. */
export function isSecret ({ property, unique }: Column, part: Part, parts: readonly Part[]): boolean {
  if (property === 'keeper' || isKey(property, part) || isRead(property, part)) return false
  // A write of a value that another item has is refused, so the caller can learn that it exists.
  if (unique && isWritten(property, part)) return false
  // Relations, and deletions that are refused, reveal the values of a foreign key.
  if (parts.some(one => isForeignKeyIn(property, part, one))) return false
  return !isComputedFrom(property, part)
}

/** True where the property is the foreign key of a relation of the holder. */
export function isForeignKeyIn (property: string, { generated }: Part, holder: Part): boolean {
  return Object.values(holder.generated.schema).some(schema => {
    const relation = relationOf(schema)
    if (relation === undefined || !columnsIn(relation).includes(property)) return false
    return relation.type === 'object' ? holder.generated === generated : relation.target === generated.property
  })
}

/** Returns the properties that decide where a relation leads. */
const columnsIn = ({ link: { foreignKey, where = {} } }: Relation): readonly string[] =>
  [foreignKey, Object.keys(where)].flat()

/** True for a property from which a computed field or an expression is made, where the caller may read that one. */
const isComputedFrom = (property: string, { generated, denied }: Part) => !denied.operations.has('read') &&
  madeOf(generated).some(one => one.of === property && denied.fields[one.name]?.read !== true)

/** The properties from which a computed field or an expression is made. */
export const computedFrom = (generated: GeneratedCollection): readonly string[] =>
  [...new Set(madeOf(generated).map(one => one.of))]

interface Made { readonly name: string, readonly of: string }

/** Returns what is made of which property: declare() takes the first three for the computed field. */
function madeOf ({ schema, expressions, extras }: GeneratedCollection): readonly Made[] {
  const stored = Object.keys(schema).filter(name => relationOf(schema[name]) === undefined)
  return [
    ...extras.computed ? stored.slice(0, 3).map(of => ({ name: 'getEverything', of })) : [],
    ...[...expressions].flatMap(([name, { declared, of }]) =>
      declared.type['readable'] === true ? [{ name, of }] : [])
  ]
}

type Relation = NonNullable<ReturnType<typeof relationOf>>

/** Returns the name of a relation's join table; undefined where it has none. */
export const throughOf = (schema: TSchema | undefined): string | undefined => {
  const relation = relationOf(schema)
  return relation?.type === 'array' ? relation.link.through : undefined
}
