import type { TSchema } from '@sinclair/typebox'
import type { DataOptions } from '../../schemas/options.ts'
import type { RequestStrategies } from '../../schemas/request-strategies.ts'
import type { Pages } from '../collection.ts'
import { SubCollection, SubItem } from '../declare/relations.ts'
import { words } from '../model/names.ts'
import { type ValueGenerator, makeGenerator } from './generator.ts'
import {
  generateField, generateForeignKey, generateKey, type GeneratedKey, type GeneratedField, generateVersion
} from './fields.ts'
import { generateOptions, generatePages, generateStrategies } from './options.ts'
import { addRow, type Fill, fillJoin, type JoinRelation } from './rows.ts'
import type { Column, Table } from './table.ts'
import type { ChoiceSequence } from './choice-sequence.ts'

/** The choices of a world: for the API's options and, for each collection, its declaration, its fields and its rows. */
export interface WorldChoices {
  readonly options: ChoiceSequence
  readonly collections: ReadonlyArray<{
    readonly head: ChoiceSequence
    readonly fields: readonly ChoiceSequence[]
    readonly rows: readonly ChoiceSequence[]
  }>
}

/** Generated tables, and an API over them. */
export interface World {
  readonly options: DataOptions
  /** The tables, each after those that it refers to. */
  readonly tables: readonly Table[]
  readonly collections: readonly GeneratedCollection[]
}

/** A generated collection, as an application declares it. */
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

/** The application code of a collection: hooks, a setter, a computed field, a lookup, a special identifier. */
export interface Extras {
  readonly hooks: boolean
  readonly setter: boolean
  readonly computed: boolean
  readonly lookup: boolean
  readonly special: boolean
}

/** A collection whose fields and rows are being added. */
export interface CollectionDraft extends GeneratedCollection {
  readonly schema: Record<string, TSchema>
  readonly columns: Column[]
  readonly fills: Map<Column, Fill>
  /** The rows' values, by the columns' names in the database. */
  readonly rows: Array<Record<string, unknown>>
}

/** The settings that all collections of a world share. */
interface Settings {
  readonly naming: 'none' | 'snake_case' | 'named'
  /** True where the database checks foreign keys. Where it does not, clients cannot write relations. */
  readonly constrained: boolean
}

/** Makes the world that the choices describe. */
export function makeWorld ({ options: choices, collections }: WorldChoices): World {
  const generator = makeGenerator(choices)
  const settings: Settings = {
    naming: generator.weighted([3, 'none'], [1, 'snake_case'], [1, 'named']),
    constrained: !generator.chance(15)
  }
  const options = generateOptions(generator, settings.constrained)
  const drafts: CollectionDraft[] = []
  const joins: Table[] = []
  for (const { head, fields, rows } of collections) {
    const draft = startDraft(makeGenerator(head), drafts.length, settings)
    drafts.push(draft)
    const relations = fields.flatMap(field => addField(makeGenerator(field), draft, drafts, settings))
    for (const row of rows) addRow(makeGenerator(row), draft)
    joins.push(...relations.map(relation => fillJoin(relation, settings)))
  }
  return { options, tables: [...drafts.map(draft => toTable(draft, settings)), ...joins], collections: drafts }
}

const collectionNames = ['artists', 'albumTracks', 'HTTPLogs', 'constructor', 'größen', 'people2']

function startDraft (generator: ValueGenerator, index: number, settings: Settings): CollectionDraft {
  const property = collectionNames[index] ?? `things${index}`
  const key = generateKey(generator, settings.constrained)
  const draft: CollectionDraft = {
    property,
    table: generator.weighted([4, `t${index}`], [1, `Table "${index}"`], [1, `select ${index}`]),
    key,
    schema: {},
    requestStrategies: generateStrategies(generator, settings.constrained),
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
  addStored(draft, key.property, key, settings)
  return draft
}

function addField (
  generator: ValueGenerator, draft: CollectionDraft, drafts: readonly CollectionDraft[], settings: Settings
): readonly JoinRelation[] {
  const kind = generator.weighted<'scalar' | 'version' | 'one' | 'many' | 'join'>(
    [12, 'scalar'],
    [3, 'one'],
    [2, 'many'],
    [2, 'join'],
    [1, 'version']
  )
  switch (kind) {
    case 'scalar':
      addStored(draft, unusedName(generator, draft, fieldNames), generateField(generator), settings)
      return []
    case 'version':
      if (!('revision' in draft.schema)) addStored(draft, 'revision', generateVersion(generator), settings)
      return []
    case 'join': return [addJoin(generator, draft, generator.of(drafts.toReversed()), settings)]
    default: {
      const target = generator.of(drafts.toReversed())
      addReference(generator, draft, target, kind === 'one', settings)
      return []
    }
  }
}

// Keywords of SQL, properties of JavaScript's objects, and names that naming conventions convert in different ways. A
// name that a collection has already gets a number at its end.
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
  draft: CollectionDraft, property: string, field: GeneratedField, settings: Settings
): void {
  const { kind, schema, nullable, unique, pool, columnDefault } = field
  const name = columnName(property, draft, settings)
  const column: Column = { name, property, kind, nullable, unique, default: columnDefault }
  draft.schema[property] = schema
  draft.columns.push(column)
  draft.fills.set(column, generator => nullable && generator.chance(25) ? null : generator.of(pool))
}

function columnName (property: string, { columns }: CollectionDraft, { naming }: Settings): string {
  if (naming === 'none') return property
  return naming === 'snake_case' ? words(property).join('_') : `c${columns.length} "${property.slice(0, 3)}"`
}

/** Adds a foreign key and its relations: a sub-item, a sub-collection of the target, or both. */
function addReference (
  generator: ValueGenerator, draft: CollectionDraft, target: CollectionDraft, toOne: boolean, settings: Settings
): void {
  const isConstrained = toOne && settings.constrained
  const property = unusedName(generator, draft, ['parentID', 'labelId', 'ref'])
  const { kind, schema, nullable } = generateForeignKey(generator, target.key.kind, {
    isOwn: draft === target,
    mayBeWritten: settings.constrained
  })
  const name = columnName(property, draft, settings)
  const references = { table: target.table, column: target.columns[0]?.name ?? '', cascade: false }
  const column: Column = { name, property, kind, nullable, unique: false, ...isConstrained && { references } }
  draft.schema[property] = schema
  draft.columns.push(column)
  draft.fills.set(column, foreignKeyFill(target, nullable, !isConstrained))
  const flags = { writable: settings.constrained && generator.chance(60), readable: !generator.chance(12) }
  if (toOne) {
    draft.schema[unusedName(generator, draft, relationNames)] = SubItem(target.property, {
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

/** Returns a relation's flags. `mayBeListed`: false where listed relations would form a cycle. */
const relationFlags = (generator: ValueGenerator, readable: boolean, mayBeListed: boolean) => {
  const hidden = readable && generator.chance(15)
  return {
    ...hidden && { hidden },
    ...readable && !hidden && mayBeListed && generator.chance(15) && { listed: true },
    ...generator.chance(6) && { filterable: false }
  }
}

/** Returns keys of existing rows, null, or, where `mayDangle` is set, keys of rows that may not exist. */
function foreignKeyFill (target: CollectionDraft, nullable: boolean, mayDangle: boolean): Fill {
  return generator => {
    const keys = target.rows.map(row => row[target.columns[0]?.name ?? ''])
    if (nullable && generator.chance(25)) return null
    if (mayDangle && generator.chance(15)) return generator.of(target.key.pool)
    return generator.from(keys) ?? (nullable ? null : undefined)
  }
}

function addJoin (
  generator: ValueGenerator, draft: CollectionDraft, target: CollectionDraft, settings: Settings
): JoinRelation {
  const foreignKey = 'ownKey'
  const otherKey = 'otherKey'
  const flags = { writable: settings.constrained && generator.chance(60), readable: !generator.chance(12) }
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

function toTable ({ table, columns, rows }: CollectionDraft, { naming }: Settings): Table {
  const named = Object.fromEntries(columns.map(({ property, name }) => [property, name]))
  return {
    name: table,
    columns,
    primaryKey: columns.slice(0, 1).map(({ name }) => name),
    naming: naming === 'named' ? named : naming,
    rows
  }
}
