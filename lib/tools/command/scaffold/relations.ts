import type { FieldDesign, DesignFlags, TypeDesign } from './design.ts'
import type { DesignOptions } from './make-design.ts'
import { type Names, propertyOf, relationName } from './naming.ts'
import { shellWord } from '../terminal.ts'
import { type Omission, type SeenColumn, type SeenTable, takesWrites } from './tables.ts'
import { declaredType } from './types.ts'

type ForeignKey = SeenTable['foreignKeys'][number]

/** A collection while it is designed. */
export interface DesignDraft {
  readonly table: SeenTable
  readonly property: string
  readonly readable: ReadonlyMap<SeenColumn, TypeDesign>
  /** The columns of the key. */
  readonly key: readonly string[]
  readonly rowNumber: 'rowid' | undefined
  readonly names: Names
  /** The properties by column. */
  readonly properties: Map<string, string>
  readonly fields: FieldDesign[]
  /** The sub-collections, which stand last. */
  readonly last: FieldDesign[]
  /** The columns by property. */
  readonly columns: Map<string, string>
}

/** A foreign key between two collections. `columns`: in the order of the target's key. */
export interface DesignReference {
  readonly from: DesignDraft
  readonly to: DesignDraft
  readonly columns: readonly string[]
  /** The key column of the target, where the key is one column. */
  readonly target: SeenColumn
}

export type References = readonly DesignReference[]

/** Returns the foreign keys that can be served, and notes the others. */
export function foreignKeysOf (drafts: ReadonlyMap<SeenTable, DesignDraft>, notes: Omission[]): References {
  const found = new Map<string, DesignReference>()
  const byName = byNameOf(drafts)
  for (const from of drafts.values()) {
    for (const { columns, target, targetColumns } of inOrder(from.table)) {
      const to = byName.get(keyOfTarget(target))
      // The relation to a table that is not served is not told: the table is.
      if (to === undefined) continue
      const place = `${from.table.name}.${columns.join(', ')}`
      const names = columns.map(name => findColumn(from.table, name)?.name)
      const others = targetColumns.length > 0 ? targetColumns : to.table.primaryKey
      const ordered = to.key.map(key => names[others.findIndex(name => name.toLowerCase() === key.toLowerCase())])
      const reason = reasonAgainst(from, to, names, ordered)
      if (reason !== undefined) {
        notes.push({ place, reason: `the relation to ${to.table.name} is left out: ${reason}` })
        continue
      }
      const [key = ''] = to.key
      const column = findColumn(to.table, key)
      const own = ordered.filter(name => name !== undefined)
      if (column === undefined) continue
      found.set(JSON.stringify([from.property, to.property, own]), { from, to, columns: own, target: column })
    }
  }
  return [...found.values()]
}

const byNameOf = (drafts: ReadonlyMap<SeenTable, DesignDraft>): ReadonlyMap<string, DesignDraft> =>
  new Map([...drafts.values()].map(draft => [keyOfTarget(draft.table), draft]))

/** Returns the foreign keys in the order of their columns: SQLite tells the last one first. */
function inOrder ({ foreignKeys, columns }: SeenTable): readonly ForeignKey[] {
  const place = new Map(columns.map(({ name }, index) => [name, index]))
  const first = ({ columns: [name = ''] }: ForeignKey) => place.get(name) ?? Infinity
  return foreignKeys.toSorted((one, other) => first(one) - first(other))
}

export const findColumn = ({ columns }: SeenTable, name: string): SeenColumn | undefined =>
  columns.find(column => column.name === name) ??
  columns.find(column => column.name.toLowerCase() === name.toLowerCase())

type Columns = ReadonlyArray<string | undefined>

function reasonAgainst (from: DesignDraft, to: DesignDraft, names: Columns, ordered: Columns): string | undefined {
  if (ordered.length === 0 || ordered.includes(undefined) || names.length !== to.key.length) {
    return 'it refers to other columns than the key'
  }
  const [types, targets] = [typesOf(from), typesOf(to)]
  for (const [index, name] of ordered.entries()) {
    const own = types.get(name ?? '')
    const other = targets.get(to.key[index] ?? '')
    if (own === undefined || other === undefined) return 'its column is not shown'
    if (classOf(own) !== classOf(other)) return 'its values have another type than the key'
  }
  return undefined
}

/** Returns the types of the readable columns by name. */
const typesOf = ({ readable }: DesignDraft): ReadonlyMap<string, TypeDesign> =>
  new Map([...readable].map(([{ name }, type]) => [name, type]))

/** Returns the class of a type: values of different classes are never equal. */
function classOf (type: TypeDesign): string {
  switch (type.kind) {
    case 'integer':
    case 'number': return 'number'
    case 'text': return type.format === 'int64' || type.format === 'decimal' ? 'number' : type.format
    case 'choice': return type.values.every(value => typeof value === 'number') ? 'number' : 'string'
    default: return type.kind
  }
}

/** Adds sub-items and sub-collections: names of sub-items first, as they stand with the columns. */
export function addRelations (
  drafts: ReadonlyMap<SeenTable, DesignDraft>, references: References,
  joins: ReadonlyMap<SeenTable, Sides>, options: DesignOptions
): void {
  const names = new Map(references.map(reference => [reference, addSubItem(reference, options)]))
  const counts = new Map<string, number>()
  const pair = ({ from, to }: DesignReference) => JSON.stringify([from.property, to.property])
  for (const reference of references) counts.set(pair(reference), (counts.get(pair(reference)) ?? 0) + 1)
  for (const reference of references) {
    addSubCollection(reference, names.get(reference) ?? '', counts.get(pair(reference)) === 1)
  }
  const byName = byNameOf(drafts)
  for (const [table, sides] of joins) {
    for (const [own, other] of [sides, [sides[1], sides[0]] as const]) addJoin(table, own, other, byName, options)
  }
}

const reading: DesignFlags = { readable: true }
const writing: DesignFlags = { readable: true, writable: true }

function addSubItem ({ from, to, columns }: DesignReference, { write }: DesignOptions): string {
  const [column = ''] = columns
  const name = columns.length === 1 ? relationName(column) : to.property
  const property = from.names.take(name, propertyOf(`${name}_${to.table.name}`))
  const foreignKey = columns.map(one => from.properties.get(one) ?? one)
  const isWritable = write && takesWrites(from.table) && columns.every(one => !from.key.includes(one))
  const flags = isWritable ? writing : reading
  const field = { kind: 'sub-item', property, target: to.property, foreignKey, flags } as const
  const at = from.fields.findLastIndex(one => foreignKey.includes(one.property))
  from.fields.splice(at + 1, 0, field)
  return property
}

function addSubCollection ({ from, to, columns }: DesignReference, subItem: string, isOnly: boolean): void {
  const plain = propertyOf(from.table.name)
  const by = propertyOf(`${from.table.name}_by_${subItem}`)
  const property = isOnly && from !== to ? to.names.take(plain, by) : to.names.take(by)
  const foreignKey = columns.map(one => from.properties.get(one) ?? one)
  const flags: DesignFlags = { readable: true, hidden: true }
  to.last.push({ kind: 'sub-collection', property, target: from.property, foreignKey, join: undefined, flags })
}

type Side = Sides[number]

function addJoin (
  table: SeenTable, own: Side, other: Side, drafts: ReadonlyMap<string, DesignDraft>, { write }: DesignOptions
): void {
  const holder = drafts.get(keyOfTarget(own.target))
  const target = drafts.get(keyOfTarget(other.target))
  const [ownColumn, otherColumn] = [own.columns[0], other.columns[0]]
  if (holder === undefined || target === undefined || ownColumn === undefined || otherColumn === undefined) return
  const plain = propertyOf(target.table.name)
  const property = holder === target
    ? holder.names.take(relationName(otherColumn), propertyOf(`${plain}_by_${table.name}`))
    : holder.names.take(plain, propertyOf(`${target.table.name}_by_${table.name}`))
  const foreignKey = [columnName(holder, ownColumn)]
  const otherKey = [columnName(holder, otherColumn)]
  // A link has no other values than the two keys.
  const isWritable = write && table.unwritable === undefined && table.columns.every(({ name, nullable, filled }) =>
    nullable || filled || name === ownColumn || name === otherColumn)
  const flags: DesignFlags = { readable: true, ...isWritable && { writable: true }, hidden: true }
  const join = { through: table.name, otherKey }
  holder.last.push({ kind: 'sub-collection', property, target: target.property, foreignKey, join, flags })
}

/** Returns a name that the holder's naming of columns turns into the column of a join table. */
function columnName ({ columns, names }: DesignDraft, column: string): string {
  const wanted = propertyOf(column)
  for (const property of [wanted, `${wanted}Column`, column]) {
    const known = columns.get(property)
    if (known !== undefined && known !== column) continue
    if (known === undefined && property !== wanted && names.has(property)) continue
    columns.set(property, column)
    return property
  }
  return column
}

type Candidate = Pick<DesignDraft, 'table' | 'readable' | 'key'>

/** The two foreign keys of a join table. */
type Sides = readonly [ForeignKey, ForeignKey]

/**
 * Returns the join tables: those whose key is exactly two foreign keys of one column each, and which hold nothing else
 * but times. Both tables that they join are served.
 */
export function findJoins (candidates: readonly Candidate[]): ReadonlyMap<SeenTable, Sides> {
  const found = new Map<SeenTable, Sides>()
  const byName = new Map(candidates.map(candidate => [keyOfTarget(candidate.table), candidate]))
  for (const { table } of candidates) {
    const sides = sidesOf(table)
    if (sides === undefined || table.kind !== 'table') continue
    // A relation names its join table as a text, in which a dot ends the schema.
    if (table.name.includes('.') || sides.some(({ target }) => target.schema !== table.schema)) continue
    if (sides.every(side => refersToKey(side, byName))) found.set(table, sides)
  }
  // A join table of a join table is a table.
  const targets = candidates.flatMap(({ table }) => table.foreignKeys.map(({ target }) => keyOfTarget(target)))
  const referred = new Set(targets)
  for (const table of found.keys()) if (referred.has(keyOfTarget(table))) found.delete(table)
  return found
}

function sidesOf ({ primaryKey, foreignKeys, columns }: SeenTable): Sides | undefined {
  const single = foreignKeys.filter(one => one.columns.length === 1)
  const [first, second, ...others] = single.filter(one => primaryKey.includes(one.columns.join()))
    .toSorted((one, other) => primaryKey.indexOf(one.columns.join()) - primaryKey.indexOf(other.columns.join()))
  if (primaryKey.length !== 2 || first === undefined || second === undefined) return undefined
  if (others.length > 0 || first.columns[0] === second.columns[0] || foreignKeys.length > 2) return undefined
  const rest = columns.filter(({ name }) => !primaryKey.includes(name))
  return rest.every(isTime) ? [first, second] : undefined
}

const isTime = ({ name, family, type }: SeenColumn) => family === 'timestamp' || family === 'date' ||
  /DATE|TIME/i.test(type) || (/(?:_at|_on|At|On|update|date|time)$/.test(name) && !/BLOB/i.test(type))

/** Returns true if a foreign key refers to the whole key of a table that is served. */
function refersToKey (
  { target, targetColumns }: ForeignKey, candidates: ReadonlyMap<string, Candidate>
): boolean {
  const found = candidates.get(keyOfTarget(target))
  if (found === undefined || found.key.length !== 1) return false
  const [column = found.table.primaryKey[0]] = targetColumns
  return column?.toLowerCase() === found.key[0]?.toLowerCase()
}

/** Returns a text that differs for every two tables. SQLite compares their names without case. */
export const keyOfTarget = ({ schema, name }: ForeignKey['target']): string =>
  JSON.stringify([schema, schema === 'main' ? name.toLowerCase() : name])

/** The columns that identify the rows; `rowNumber` where those are none of the table's own. */
type Key =
  | { readonly key: readonly string[], readonly rowNumber: undefined }
  | { readonly key: readonly [], readonly rowNumber: 'rowid' }

/**
 * Returns the key of a table: the one that the user names, else the primary key, else the smallest unique one without
 * nulls, else the number of the row on SQLite, else what the user names for all such tables. Returns the reason where
 * there is none.
 */
export function chooseKey (
  table: SeenTable, readable: DesignDraft['readable'], { keys, spareKeys }: Pick<DesignOptions, 'keys' | 'spareKeys'>
): Key | { readonly reason: string } {
  const named = keys.get(table.name)
  if (named !== undefined) return { key: named, rowNumber: undefined }
  const isUsable = (name: string) => {
    const column = findColumn(table, name)
    const type = column && readable.get(column)
    return type !== undefined && type.kind !== 'json' && type.kind !== 'list'
  }
  const isKey = (names: readonly string[]) =>
    names.length > 0 && names.every(isUsable) && !isBroken(table, names)
  const isFilled = (names: readonly string[]) => names.every(name => findColumn(table, name)?.nullable === false)
  if (isKey(table.primaryKey) && isFilled(table.primaryKey)) return { key: table.primaryKey, rowNumber: undefined }
  const [unique] = table.unique
    .filter(names => isKey(names) && (isFilled(names) || table.kind === 'materialized view'))
    .toSorted((one, other) => one.length - other.length)
  if (unique !== undefined) return { key: unique, rowNumber: undefined }
  if (table.hasRowNumber) return { key: [], rowNumber: 'rowid' }
  const spare = spareKeys.get(table.name)
  return spare?.every(isUsable) === true ? { key: spare, rowNumber: undefined } : { reason: reasonOf(table, readable) }
}

const isBroken = ({ brokenKeys = [] }: SeenTable, names: readonly string[]) =>
  brokenKeys.some(broken => broken.join('\0') === names.join('\0'))

function reasonOf (table: SeenTable, readable: DesignDraft['readable']): string {
  const { kind, name, columns, primaryKey, proposedKey, brokenKeys: [broken] = [] } = table
  if (broken !== undefined) return `its key (${broken.join(', ')}) is null in some rows, or the same in several`
  if (primaryKey.length > 0) {
    const holdsNull = columns.some(({ name, nullable }) => nullable && primaryKey.includes(name))
    const found = holdsNull ? 'holds null' : `is not shown${remedyFor(table, readable)}`
    return `its key (${primaryKey.join(', ')}) ${found}`
  }
  const start = kind === 'table' ? 'has no key' : `is a ${kind}, which has no key`
  const proposed = proposedKey ?? [columns.find(column => column.name.toLowerCase() === 'id')?.name ?? 'column']
  const advice = proposed.length > 1 ? 'columns whose values are unique together' : 'a column whose values are unique'
  return `${start}; name ${advice}, such as --key ${shellWord(`${name}=${proposed.join(',')}`)}`
}

/** Returns the flag that shows the columns of a primary key which are hidden; an empty text where none does. */
function remedyFor ({ name, columns, primaryKey }: SeenTable, readable: DesignDraft['readable']): string {
  const hidden = columns.filter(column => primaryKey.includes(column.name) && !readable.has(column))
  const isShowable = hidden.every(column => column.isForbidden !== true && 'type' in declaredType(column, true))
  return isShowable ? `; --show ${shellWord(hidden.map(column => `${name}.${column.name}`).join())} shows it` : ''
}
