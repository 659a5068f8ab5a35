import type { TSchema } from '@sinclair/typebox'
import type { DataOptions } from '../../schemas/options.ts'
import type { RequestStrategies } from '../../schemas/request-strategies.ts'
import { type Pages, SubCollection, SubItem } from '../collection.ts'
import { words } from '../model/names.ts'
import { type Draw, makeDraw } from './draw.ts'
import { drawField, drawForeignKey, drawKey, type KeyPlan, type StoredPlan, version } from './fields.ts'
import { drawOptions, drawPages, drawStrategies } from './options.ts'
import { addRow, type Fill, fillJoin, type Joining } from './rows.ts'
import type { Column, Table } from './table.ts'
import type { Tape } from './tape.ts'

/** The tapes that a world is made of: the API's options, and for each collection its head, its fields and its rows. */
export interface WorldTapes { readonly options: Tape, readonly collections: ReadonlyArray<{ readonly head: Tape, readonly fields: readonly Tape[], readonly rows: readonly Tape[] }> }

/** Tables, and an API over them. */
export interface World {
  readonly options: DataOptions
  /** Each after those that it refers to. */
  readonly tables: readonly Table[]
  readonly collections: readonly CollectionPlan[]
}

export interface CollectionPlan {
  readonly property: string
  /** The table's name. */
  readonly table: string
  readonly key: KeyPlan
  readonly schema: Readonly<Record<string, TSchema>>
  readonly requestStrategies: RequestStrategies
  readonly pages: Pages
  readonly extras: Extras
}

/** What the application's own code has to do with a collection. */
export interface Extras { readonly hooks: boolean, readonly setter: boolean, readonly computed: boolean, readonly lookup: boolean, readonly special: boolean }

/** A collection in the making. */
export interface Draft extends CollectionPlan {
  readonly schema: Record<string, TSchema>
  readonly columns: Column[]
  readonly fills: Map<Column, Fill>
  /** By column. */
  readonly rows: Array<Record<string, unknown>>
}

/** What all collections of a world have in common. */
interface Setting {
  readonly naming: 'none' | 'snake_case' | 'named'
  /** Whether the database sees to it that references lead somewhere; where it does not, clients may not write any. */
  readonly constrained: boolean
}

/** Makes what the tapes say. */
export function makeWorld ({ options: tape, collections }: WorldTapes): World {
  const draw = makeDraw(tape)
  const setting: Setting = { naming: draw.weighted([3, 'none'], [1, 'snake_case'], [1, 'named']), constrained: !draw.chance(15) }
  const options = drawOptions(draw, setting.constrained)
  const drafts: Draft[] = []
  const joins: Table[] = []
  for (const { head, fields, rows } of collections) {
    const draft = startDraft(makeDraw(head), drafts.length, setting)
    drafts.push(draft)
    const joinings = fields.flatMap(field => addField(makeDraw(field), draft, drafts, setting))
    for (const row of rows) addRow(makeDraw(row), draft)
    joins.push(...joinings.map(joining => fillJoin(joining, setting)))
  }
  return { options, tables: [...drafts.map(draft => toTable(draft, setting)), ...joins], collections: drafts }
}

const collectionNames = ['artists', 'albumTracks', 'HTTPLogs', 'constructor', 'größen', 'people2']

function startDraft (draw: Draw, index: number, setting: Setting): Draft {
  const property = collectionNames[index] ?? `things${index}`
  const key = drawKey(draw, setting.constrained)
  const draft: Draft = {
    property,
    table: draw.weighted([4, `t${index}`], [1, `Table "${index}"`], [1, `select ${index}`]),
    key,
    schema: {},
    requestStrategies: drawStrategies(draw, setting.constrained),
    pages: drawPages(draw),
    extras: { hooks: key.kind === 'uuid' || draw.chance(20), setter: draw.chance(30), computed: draw.chance(30), lookup: draw.chance(20), special: draw.chance(20) },
    columns: [],
    fills: new Map(),
    rows: []
  }
  addStored(draft, key.property, key, setting)
  return draft
}

function addField (draw: Draw, draft: Draft, drafts: readonly Draft[], setting: Setting): readonly Joining[] {
  const kind = draw.weighted<'scalar' | 'version' | 'one' | 'many' | 'join'>([12, 'scalar'], [3, 'one'], [2, 'many'], [2, 'join'], [1, 'version'])
  switch (kind) {
    case 'scalar': addStored(draft, unusedName(draw, draft, fieldNames), drawField(draw), setting); return []
    case 'version': if (!('revision' in draft.schema)) addStored(draft, 'revision', version(draw), setting); return []
    case 'join': return [addJoin(draw, draft, draw.of(drafts.toReversed()), setting)]
    default: {
      const target = draw.of(drafts.toReversed())
      addReference(draw, draft, target, kind === 'one', setting)
      return []
    }
  }
}

// Words of SQL, of JavaScript, and such as conventions of naming treat in their own way. A field named as one of them may be followed by a number.
const fieldNames = ['name', 'title', 'startDate', 'group', 'HTTPListener', 'user', 'größe', 'x', 'desc', 'a_b', 'Rank', 'e', 'toString', 'valueOf']
const relationNames = ['parent', 'label', 'bestOf', 'union']
const listNames = ['items', 'children', 'allTracks', 'table']

function unusedName (draw: Draw, { schema }: Draft, names: readonly string[]): string {
  const taken = new Set(Object.keys(schema).map(one => words(one).join('')))
  const name = draw.of(names)
  for (let n = 2; ; n++) {
    if (!taken.has(words(name).join(''))) return name
    if (!taken.has(words(`${name}${n}`).join(''))) return `${name}${n}`
  }
}

function addStored (draft: Draft, property: string, { kind, schema, nullable, unique, pool }: StoredPlan, setting: Setting): void {
  const column: Column = { name: columnName(property, draft, setting), property, kind, nullable, unique }
  draft.schema[property] = schema
  draft.columns.push(column)
  draft.fills.set(column, draw => nullable && draw.chance(25) ? null : draw.of(pool))
}

function columnName (property: string, { columns }: Draft, { naming }: Setting): string {
  if (naming === 'none') return property
  return naming === 'snake_case' ? words(property).join('_') : `c${columns.length} "${property.slice(0, 3)}"`
}

/** A foreign key, and the relations that it makes: to the one, from the many, or both. */
function addReference (draw: Draw, draft: Draft, target: Draft, toOne: boolean, setting: Setting): void {
  const isConstrained = toOne && setting.constrained
  const property = unusedName(draw, draft, ['parentID', 'labelId', 'ref'])
  const { kind, schema, nullable } = drawForeignKey(draw, target.key.kind, { isOwn: draft === target, mayBeWritten: setting.constrained })
  const name = columnName(property, draft, setting)
  const references = { table: target.table, column: target.columns[0]?.name ?? '', cascade: false }
  const column: Column = { name, property, kind, nullable, unique: false, ...isConstrained && { references } }
  draft.schema[property] = schema
  draft.columns.push(column)
  draft.fills.set(column, referring(target, nullable, !isConstrained))
  const flags = { writable: setting.constrained && draw.chance(60), readable: !draw.chance(12) }
  if (toOne) draft.schema[unusedName(draw, draft, relationNames)] = SubItem(target.property, { foreignKey: property, ...flags, ...relationFlags(draw, flags.readable, draft !== target) })
  if (!toOne || draw.chance(60)) target.schema[unusedName(draw, target, listNames)] = SubCollection(draft.property, { foreignKey: property, ...flags, ...relationFlags(draw, flags.readable, false) })
}

/** `mayBeListed`: what is listed may not lead back to where it came from. */
const relationFlags = (draw: Draw, readable: boolean, mayBeListed: boolean) => {
  const hidden = readable && draw.chance(15)
  return { ...hidden && { hidden }, ...readable && !hidden && mayBeListed && draw.chance(15) && { listed: true }, ...draw.chance(6) && { filterable: false } }
}

/** Keys of rows that are there; null; or, where it may be, of rows that are not. */
function referring (target: Draft, nullable: boolean, mayDangle: boolean): Fill {
  return draw => {
    const keys = target.rows.map(row => row[target.columns[0]?.name ?? ''])
    if (nullable && draw.chance(25)) return null
    if (mayDangle && draw.chance(15)) return draw.of(target.key.pool)
    return draw.from(keys) ?? (nullable ? null : undefined)
  }
}

function addJoin (draw: Draw, draft: Draft, target: Draft, setting: Setting): Joining {
  const foreignKey = 'ownKey'
  const otherKey = 'otherKey'
  const flags = { writable: setting.constrained && draw.chance(60), readable: !draw.chance(12) }
  const joining: Joining = { draw, own: draft, other: target, foreignKey, otherKey, name: `join ${draft.property} ${Object.keys(draft.schema).length}` }
  draft.schema[unusedName(draw, draft, listNames)] = SubCollection(target.property, { through: joining.name, foreignKey, otherKey, ...flags, ...relationFlags(draw, flags.readable, draft !== target) })
  if (draw.chance(50)) target.schema[unusedName(draw, target, listNames)] = SubCollection(draft.property, { through: joining.name, foreignKey: otherKey, otherKey: foreignKey, ...flags, ...relationFlags(draw, flags.readable, false) })
  return joining
}

function toTable ({ table, columns, rows }: Draft, { naming }: Setting): Table {
  const named = Object.fromEntries(columns.map(({ property, name }) => [property, name]))
  return { name: table, columns, primaryKey: columns.slice(0, 1).map(({ name }) => name), naming: naming === 'named' ? named : naming, rows }
}
