import type { TSchema } from '@sinclair/typebox'
import type { DataOptions } from '../../schemas/options.ts'
import type { RequestStrategies } from '../../schemas/request-strategies.ts'
import { type Pages, SubCollection, SubItem } from '../collection.ts'
import { words } from '../model/names.ts'
import { type ValueGenerator, makeGenerator } from './generator.ts'
import {
  generateField, generateForeignKey, generateKey, type GeneratedKey, type GeneratedField, version
} from './fields.ts'
import { generateOptions, generatePages, generateStrategies } from './options.ts'
import { addRow, type Fill, fillJoin, type JoinRelation } from './rows.ts'
import type { Column, Table } from './table.ts'
import type { ChoiceSequence } from './choice-sequence.ts'

/** The tapes that a world is made of: the API's options, and for each collection its head, its fields and its rows. */
export interface WorldChoices {
  readonly options: ChoiceSequence
  readonly collections: ReadonlyArray<{
    readonly head: ChoiceSequence
    readonly fields: readonly ChoiceSequence[]
    readonly rows: readonly ChoiceSequence[]
  }>
}

/** Tables, and an API over them. */
export interface World {
  readonly options: DataOptions
  /** Each after those that it refers to. */
  readonly tables: readonly Table[]
  readonly collections: readonly GeneratedCollection[]
}

export interface GeneratedCollection {
  readonly property: string
  /** The table's name. */
  readonly table: string
  readonly key: GeneratedKey
  readonly schema: Readonly<Record<string, TSchema>>
  readonly requestStrategies: RequestStrategies
  readonly pages: Pages
  readonly extras: Extras
}

/** What the application's own code has to do with a collection. */
export interface Extras {
  readonly hooks: boolean
  readonly setter: boolean
  readonly computed: boolean
  readonly lookup: boolean
  readonly special: boolean
}

/** A collection in the making. */
export interface CollectionDraft extends GeneratedCollection {
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
export function makeWorld ({ options: tape, collections }: WorldChoices): World {
  const generator = makeGenerator(tape)
  const setting: Setting = {
    naming: generator.weighted([3, 'none'], [1, 'snake_case'], [1, 'named']),
    constrained: !generator.chance(15)
  }
  const options = generateOptions(generator, setting.constrained)
  const drafts: CollectionDraft[] = []
  const joins: Table[] = []
  for (const { head, fields, rows } of collections) {
    const draft = startDraft(makeGenerator(head), drafts.length, setting)
    drafts.push(draft)
    const relations = fields.flatMap(field => addField(makeGenerator(field), draft, drafts, setting))
    for (const row of rows) addRow(makeGenerator(row), draft)
    joins.push(...relations.map(relation => fillJoin(relation, setting)))
  }
  return { options, tables: [...drafts.map(draft => toTable(draft, setting)), ...joins], collections: drafts }
}

const collectionNames = ['artists', 'albumTracks', 'HTTPLogs', 'constructor', 'größen', 'people2']

function startDraft (generator: ValueGenerator, index: number, setting: Setting): CollectionDraft {
  const property = collectionNames[index] ?? `things${index}`
  const key = generateKey(generator, setting.constrained)
  const draft: CollectionDraft = {
    property,
    table: generator.weighted([4, `t${index}`], [1, `Table "${index}"`], [1, `select ${index}`]),
    key,
    schema: {},
    requestStrategies: generateStrategies(generator, setting.constrained),
    pages: generatePages(generator),
    extras: {
      hooks: key.kind === 'uuid' || generator.chance(20),
      setter: generator.chance(30),
      computed: generator.chance(30),
      lookup: generator.chance(20),
      special: generator.chance(20)
    },
    columns: [],
    fills: new Map(),
    rows: []
  }
  addStored(draft, key.property, key, setting)
  return draft
}

function addField (
  generator: ValueGenerator, draft: CollectionDraft, drafts: readonly CollectionDraft[], setting: Setting
): readonly JoinRelation[] {
  const kind = generator.weighted<'scalar' | 'version' | 'one' | 'many' | 'join'>(
    [12, 'scalar'],
    [3, 'one'],
    [2, 'many'],
    [2, 'join'],
    [1, 'version']
  )
  switch (kind) {
    case 'scalar': addStored(
      draft, unusedName(generator, draft, fieldNames), generateField(generator), setting
    ); return []
    case 'version': if (!('revision' in draft.schema)) {
      addStored(draft, 'revision', version(generator), setting);
    } return []
    case 'join': return [addJoin(generator, draft, generator.of(drafts.toReversed()), setting)]
    default: {
      const target = generator.of(drafts.toReversed())
      addReference(generator, draft, target, kind === 'one', setting)
      return []
    }
  }
}

// Words of SQL, of JavaScript, and such as conventions of naming treat in their own way. A field named as one of them may be followed by a number.
const fieldNames = [
  'name', 'title', 'startDate', 'group', 'HTTPListener', 'user', 'größe', 'x', 'desc', 'a_b', 'Rank', 'e', 'toString',
  'valueOf'
]
const relationNames = ['parent', 'label', 'bestOf', 'union']
const listNames = ['items', 'children', 'allTracks', 'table']

function unusedName (generator: ValueGenerator, { schema }: CollectionDraft, names: readonly string[]): string {
  const taken = new Set(Object.keys(schema).map(one => words(one).join('')))
  const name = generator.of(names)
  for (let n = 2; ; n++) {
    if (!taken.has(words(name).join(''))) return name
    if (!taken.has(words(`${name}${n}`).join(''))) return `${name}${n}`
  }
}

function addStored (
  draft: CollectionDraft, property: string, { kind, schema, nullable, unique, pool }: GeneratedField, setting: Setting
): void {
  const column: Column = { name: columnName(property, draft, setting), property, kind, nullable, unique }
  draft.schema[property] = schema
  draft.columns.push(column)
  draft.fills.set(column, generator => nullable && generator.chance(25) ? null : generator.of(pool))
}

function columnName (property: string, { columns }: CollectionDraft, { naming }: Setting): string {
  if (naming === 'none') return property
  return naming === 'snake_case' ? words(property).join('_') : `c${columns.length} "${property.slice(0, 3)}"`
}

/** A foreign key, and the relations that it makes: to the one, from the many, or both. */
function addReference (
  generator: ValueGenerator, draft: CollectionDraft, target: CollectionDraft, toOne: boolean, setting: Setting
): void {
  const isConstrained = toOne && setting.constrained
  const property = unusedName(generator, draft, ['parentID', 'labelId', 'ref'])
  const { kind, schema, nullable } = generateForeignKey(generator, target.key.kind, {
    isOwn: draft === target,
    mayBeWritten: setting.constrained
  })
  const name = columnName(property, draft, setting)
  const references = { table: target.table, column: target.columns[0]?.name ?? '', cascade: false }
  const column: Column = { name, property, kind, nullable, unique: false, ...isConstrained && { references } }
  draft.schema[property] = schema
  draft.columns.push(column)
  draft.fills.set(column, referring(target, nullable, !isConstrained))
  const flags = { writable: setting.constrained && generator.chance(60), readable: !generator.chance(12) }
  if (toOne) {
    draft.schema[unusedName(
      generator, draft, relationNames
    )] = SubItem(target.property, {
      foreignKey: property,
      ...flags,
      ...relationFlags(generator, flags.readable, draft !== target)
    })
  }
  if (!toOne || generator.chance(60)) {
    target.schema[unusedName(generator, target, listNames)] = SubCollection(draft.property, {
      foreignKey: property,
      ...flags,
      ...relationFlags(generator, flags.readable, false)
    })
  }
}

/** `mayBeListed`: what is listed may not lead back to where it came from. */
const relationFlags = (generator: ValueGenerator, readable: boolean, mayBeListed: boolean) => {
  const hidden = readable && generator.chance(15)
  return {
    ...hidden && { hidden },
    ...readable && !hidden && mayBeListed && generator.chance(15) && { listed: true },
    ...generator.chance(6) && { filterable: false }
  }
}

/** Keys of rows that are there; null; or, where it may be, of rows that are not. */
function referring (target: CollectionDraft, nullable: boolean, mayDangle: boolean): Fill {
  return generator => {
    const keys = target.rows.map(row => row[target.columns[0]?.name ?? ''])
    if (nullable && generator.chance(25)) return null
    if (mayDangle && generator.chance(15)) return generator.of(target.key.pool)
    return generator.from(keys) ?? (nullable ? null : undefined)
  }
}

function addJoin (
  generator: ValueGenerator, draft: CollectionDraft, target: CollectionDraft, setting: Setting
): JoinRelation {
  const foreignKey = 'ownKey'
  const otherKey = 'otherKey'
  const flags = { writable: setting.constrained && generator.chance(60), readable: !generator.chance(12) }
  const relation: JoinRelation = {
    generator,
    own: draft,
    other: target,
    foreignKey,
    otherKey,
    name: `join ${draft.property} ${Object.keys(draft.schema).length}`
  }
  draft.schema[unusedName(generator, draft, listNames)] = SubCollection(target.property, {
    through: relation.name,
    foreignKey,
    otherKey,
    ...flags,
    ...relationFlags(generator, flags.readable, draft !== target)
  })
  if (generator.chance(50)) {
    target.schema[unusedName(generator, target, listNames)] = SubCollection(draft.property, {
      through: relation.name,
      foreignKey: otherKey,
      otherKey: foreignKey,
      ...flags,
      ...relationFlags(generator, flags.readable, false)
    })
  }
  return relation
}

function toTable ({ table, columns, rows }: CollectionDraft, { naming }: Setting): Table {
  const named = Object.fromEntries(columns.map(({ property, name }) => [property, name]))
  return {
    name: table,
    columns,
    primaryKey: columns.slice(0, 1).map(({ name }) => name),
    naming: naming === 'named' ? named : naming,
    rows
  }
}
