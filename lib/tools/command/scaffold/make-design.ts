import type { CollectionDesign, Design, FieldDesign, DesignFlags, ScalarDesign, TypeDesign } from './design.ts'
import { matchForeignKeys } from './key-types.ts'
import {
  addRelations, chooseKey, type DesignDraft, findJoins, foreignKeysOf, keyOfTarget, type DesignReference,
  type References
} from './relations.ts'
import { shellWord } from '../terminal.ts'
import { makeNames, namesOfColumns, propertyOf, relationName } from './naming.ts'
import { isSecretOf, looksSecret } from './secrets.ts'
import { type Omission, type SeenColumn, type SeenTable, type SeenTables, takesWrites } from './tables.ts'
import { declaredType } from './types.ts'
import { likeName, toName } from '../../../core/model/names.ts'
import { parametersOf } from '../parameters.ts'

/** The options that a design depends on besides the tables. */
export interface DesignOptions {
  /** The columns of the keys that the user names, by table. */
  readonly keys: ReadonlyMap<string, readonly string[]>
  /** The columns of keys that the user names for all tables without one, by table. */
  readonly spareKeys: ReadonlyMap<string, readonly string[]>
  /** The columns to show although they look secret or cannot be compared, as `table.column`. */
  readonly shown: ReadonlySet<string>
  /** True if clients may write. */
  readonly write: boolean
}

/** Returns the collections, fields and relations of a database (docs/command.md: What is served). */
export function makeDesign ({ kind, tables, omissions, partlySeen = [] }: SeenTables, options: DesignOptions): Design {
  const notes: Omission[] = [...omissions]
  const secrets: string[] = []
  const joined = joinedColumns(tables)
  const parts = tables.map(table => {
    const own: Omission[] = []
    return { table, own, readable: readableColumns(table, options, { notes: own, secrets, joined }) }
  })
  matchForeignKeys(new Map(parts.map(({ table, readable }) => [table, readable])))
  const candidates = parts.flatMap(({ table, own, readable }) => {
    notes.push(...own)
    const key = chooseKey(table, readable, options)
    if ('reason' in key) notes.push({ place: table.name, reason: key.reason })
    return 'reason' in key ? [] : [{ table, readable, ...key }]
  })
  const joins = findJoins(candidates)
  const names = makeNames(new Set(['openapi']))
  const drafts = new Map(candidates.filter(({ table }) => !joins.has(table)).map(candidate => {
    const { table } = candidate
    const property = names.take(propertyOf(table.name), propertyOf(`${table.schema}_${table.name}`))
    return [table, draftOf(candidate, property)]
  }))
  const references = foreignKeysOf(drafts, notes)
  const own = new Map([...drafts.values()].map(draft => [draft, new Array<DesignReference>()]))
  for (const reference of references) own.get(reference.from)?.push(reference)
  for (const [draft, its] of own) addScalars(draft, its, options)
  addRelations(drafts, references, joins, options)
  const collections = [...drafts.values()].map(draft => finish(draft, isCreatable(draft, options, notes)))
  const byProperty = new Map(collections.map(one => [one.property, one]))
  return {
    kind,
    collections: collections.map(one => ({ ...one, view: viewOf(one, byProperty) })),
    joins: [...joins.keys()].map(({ name }) => name),
    omissions: notes,
    secrets,
    partlySeen
  }
}

/** Returns the columns with a type, and notes the others. */
function readableColumns (
  table: SeenTable, { shown }: DesignOptions, { notes, secrets, joined }: Noted
): Map<SeenColumn, TypeDesign> {
  const readable = new Map<SeenColumn, TypeDesign>()
  for (const column of table.columns) {
    const place = `${table.name}.${column.name}`
    const typed = declaredType(column, shown.has(place))
    if (column.isForbidden === true) {
      notes.push({ place, reason: 'the role may not select it' })
    } else if (!shown.has(place) && (column.holdsHash === true || isSecret(table, column, joined))) {
      secrets.push(place)
    } else if ('reason' in typed) {
      const remedy = 'type' in declaredType(column, true) ? `; --show ${shellWord(place)} shows it` : ''
      notes.push({ place, reason: `${typed.reason}${remedy}` })
    } else {
      readable.set(column, typed.type)
    }
  }
  return readable
}

interface Noted {
  readonly notes: Omission[]
  readonly secrets: string[]
  readonly joined: ReturnType<typeof joinedColumns>
}

/** Other rows and URLs name an item by its primary key, and by what foreign keys join: these are no secrets. */
function isSecret (table: SeenTable, { name }: SeenColumn, joined: Noted['joined']): boolean {
  if (joined.get(keyOfTarget(table))?.has(name.toLowerCase()) === true) return false
  return isSecretOf(table.name, name) || (looksSecret(name) && !table.primaryKey.includes(name))
}

/** Returns the columns of foreign keys and those that they refer to, in small letters, by table. */
function joinedColumns (tables: readonly SeenTable[]): ReadonlyMap<string, ReadonlySet<string>> {
  const primary = new Map(tables.map(table => [keyOfTarget(table), table.primaryKey]))
  const found = new Map<string, Set<string>>()
  const add = (table: string, names: readonly string[]) => {
    found.set(table, new Set([...found.get(table) ?? [], ...names.map(name => name.toLowerCase())]))
  }
  for (const table of tables) {
    for (const { columns, target, targetColumns } of table.foreignKeys) {
      const to = keyOfTarget(target)
      add(to, targetColumns.length > 0 ? targetColumns : primary.get(to) ?? [])
      add(keyOfTarget(table), columns)
    }
  }
  return found
}

function draftOf (
  candidate: Pick<DesignDraft, 'table' | 'readable' | 'key' | 'rowNumber'>, property: string
): DesignDraft {
  const names = makeNames(new Set())
  return { property, names, properties: new Map(), fields: [], last: [], columns: new Map(), ...candidate }
}

/** Adds the fields of the columns. Those of a foreign key are not shown, but its sub-item is, unless they are a key. */
function addScalars (draft: DesignDraft, own: References, options: DesignOptions): void {
  const { readable, rowNumber, names, fields } = draft
  if (rowNumber !== undefined) {
    const property = remember(draft, 'rowid', names.take('rowid'))
    const flags: DesignFlags = { identifier: true, readable: true }
    const never = { optional: false, nullable: false, description: undefined }
    fields.push({ kind: 'scalar', property, column: 'rowid', type: { kind: 'integer' }, flags, ...never })
  }
  for (const [column, type] of readable) fields.push(scalarOf(column, type, draft, own, options))
}

function scalarOf (
  column: SeenColumn, type: ScalarDesign['type'], draft: DesignDraft, references: References, options: DesignOptions
): ScalarDesign {
  const { table, key, names } = draft
  const isForeign = references.some(({ columns }) => columns.includes(column.name))
  const isKey = key.includes(column.name)
  const plain = propertyOf(column.name)
  // Where the column is named like the item that it refers to, the name is the item's.
  const sole = references.find(({ columns: [name, ...others] }) => name === column.name && others.length === 0)
  const isTaken = sole !== undefined && relationName(column.name) === plain
  return {
    kind: 'scalar',
    property: remember(draft, column.name, names.take(isTaken ? `${plain}Id` : plain)),
    column: column.name,
    type: sole?.to.readable.get(sole.target) ?? type,
    optional: !isKey && (column.nullable || (options.write && column.filled && !isForeign)),
    nullable: !isKey && column.nullable,
    flags: flagsOf(column, { table, isKey, isSoleKey: isKey && key.length === 1, isForeign, type }, options),
    description: column.comment
  }
}

function remember ({ properties, columns }: DesignDraft, column: string, property: string): string {
  properties.set(column, property)
  columns.set(property, column)
  return property
}

interface Facts {
  readonly table: SeenTable
  readonly isKey: boolean
  readonly isSoleKey: boolean
  readonly isForeign: boolean
  readonly type: ScalarDesign['type']
}

function flagsOf (
  column: SeenColumn, { table, isKey, isSoleKey, isForeign, type }: Facts, { write }: DesignOptions
): DesignFlags {
  if (isForeign && !isKey) return {}
  const isUnique = !column.nullable && !table.isInherited && isIdentifying(type) &&
    table.unique.some(names => names.length === 1 && names[0] === column.name)
  const isMade = column.generated || column.identity !== undefined || (isKey && column.filled)
  const isWritable = write && takesWrites(table) && !isMade
  const isOther = column.family === 'other'
  return {
    ...(isSoleKey || isUnique) && { identifier: true },
    readable: true,
    ...isWritable && { writable: true },
    ...isOther && { filterable: false, sortable: false }
  }
}

const isIdentifying = ({ kind }: ScalarDesign['type']) => kind !== 'boolean' && kind !== 'json' && kind !== 'list'

/** Returns true if every column that needs a value can get one from a client. Notes those that cannot. */
function isCreatable (
  { table, fields, properties }: DesignDraft, { write }: DesignOptions, notes: Omission[]
): boolean {
  // Without --write no method but GET is served anyway. A trigger may fill any column.
  if (!write || table.fillsRows) return true
  if (table.unwritable !== undefined) notes.push({ place: `writes of ${table.name}`, reason: table.unwritable })
  if (!takesWrites(table)) return false
  const given = new Set(fields.flatMap(field => {
    if (field.kind === 'sub-item') return field.foreignKey
    return field.flags.writable === true ? [field.property] : []
  }))
  const needed = table.columns.filter(({ nullable, filled }) => !nullable && !filled)
  const missing = needed.filter(({ name }) => !given.has(properties.get(name) ?? ''))
  for (const { name } of missing) {
    notes.push({ place: `POST ${table.name}`, reason: `the column ${name} needs a value, and clients cannot write it` })
  }
  return missing.length === 0
}

function finish (
  { property, table, fields, last, key, columns, properties, rowNumber }: DesignDraft, creatable: boolean
): CollectionDesign {
  const all: readonly FieldDesign[] = [...fields, ...last]
  const keys = rowNumber === undefined ? key.map(name => properties.get(name) ?? name) : []
  const identifier = all.find(field => field.kind === 'scalar' && field.flags.identifier === true)
  // The first identifier is the key; another one, or several fields, must be named.
  const isNamed = keys.length > 1 || (keys.length === 1 && identifier?.property !== keys[0])
  return {
    property,
    table: { schema: table.isPlain ? undefined : table.schema, name: table.name },
    columns: namesOfColumns(columns),
    key: isNamed ? keys : undefined,
    description: table.comment,
    fields: all,
    creatable,
    deletable: table.unwritable === undefined
  }
}

/**
 * Returns the query by which a page lists the items of a collection with the names of those that they refer to.
 * Undefined where they refer to none, and for one that is long, or in which a name has a meaning of its own.
 */
function viewOf (
  design: CollectionDesign, designs: ReadonlyMap<string, CollectionDesign>
): string | undefined {
  if (!design.fields.some(({ kind }) => kind === 'sub-item')) return undefined
  const shown = design.fields.filter(({ flags }) => flags.readable === true && flags.hidden !== true)
  const fields = shown.map(field => {
    const target = field.kind === 'scalar' ? undefined : designs.get(field.target)
    return target === undefined ? wire(field) : `${wire(field)}(${namesOf(target).map(wire).join(',')})`
  }).join(',')
  const isPlain = /^[\w,()]+$/.test(fields) && fields.length <= longest
  return isPlain ? `${parametersOf(design).nameOf('fields')}=${fields}` : undefined
}

// In characters: it stands in each link to the collection.
const longest = 2000

const wire = ({ property }: Pick<FieldDesign, 'property'>) => toName('snake_case', property)

/** Returns the fields that identify an item, and the one that people know it by. */
function namesOf ({ key = [], fields }: CollectionDesign): readonly FieldDesign[] {
  const scalars = fields.filter((field): field is ScalarDesign =>
    field.kind === 'scalar' && field.flags.readable === true)
  const keys = scalars.filter(({ property, flags }) => flags.identifier === true || key.includes(property))
  const texts = scalars.filter(({ type }) => type.kind === 'string')
  const name = texts.find(field => likeName.test(wire(field))) ??
    texts.find(({ flags }) => flags.identifier === true) ?? texts[0]
  return name === undefined || keys.includes(name) ? keys : [...keys, name]
}
