import type { DataOptions } from '../../../../schemas/options.ts'
import type { RequestStrategies } from '../../../../schemas/request-strategies.ts'
import {
  addStored, type GeneratedDraft, type GeneratedCollection, type WorldSettings, unusedName
} from './collection.ts'
import { addExpression } from './expressions.ts'
import { type GeneratedKey, generateField, generateKeys, generateVersion } from './fields.ts'
import { type ChoiceSequence, makeGenerator, type ValueGenerator } from './generator.ts'
import { guard, type Guarded } from './guards.ts'
import {
  addConstants, addForeignKey, addJoin, addReference, addRow, fillJoin, foreignKeyFill, type JoinRelation, referTo
} from './relations.ts'
import type { OperationRules } from './sayings.ts'
import type { Table } from './table.ts'

/**
 * The choices of a world: for the API's options, for each collection its declaration, its fields and its rows, for what
 * hides some of them from the caller, and for what is another one in the twin.
 */
export interface WorldChoices {
  readonly options: ChoiceSequence
  readonly collections: ReadonlyArray<{
    readonly head: ChoiceSequence
    readonly fields: readonly ChoiceSequence[]
    readonly rows: readonly ChoiceSequence[]
  }>
  readonly rules: ChoiceSequence
  readonly secrets: ChoiceSequence
}

/** Generated tables, and an API over them. */
export interface World {
  readonly options: DataOptions & { readonly rules?: OperationRules }
  /** The tables, each after those that it refers to. */
  readonly tables: readonly Table[]
  readonly collections: readonly GeneratedCollection[]
  /** Undefined where everybody may do everything. */
  readonly guarded?: Guarded
}

/** Makes the world that the choices describe. `isGuarded`: whether it has rules. Default: the choices decide. */
export function makeWorld (
  { options: choices, collections, rules: ruleChoices, secrets }: WorldChoices, isGuarded?: boolean
): World {
  const generator = makeGenerator(choices)
  const rules = makeGenerator(ruleChoices)
  const hasRules = rules.chance(25)
  const settings: WorldSettings = {
    naming: generator.weighted([3, 'none'], [1, 'snake_case'], [1, 'named']),
    constrained: !generator.chance(15),
    guarded: isGuarded ?? hasRules
  }
  const options = generateOptions(generator, settings.constrained)
  const drafts: GeneratedDraft[] = []
  const joins: Table[] = []
  for (const { head, fields, rows } of collections) {
    const draft = startDraft(makeGenerator(head), drafts, settings)
    drafts.push(draft)
    const relations = fields.flatMap(field => addField(makeGenerator(field), draft, drafts, settings))
    for (const row of rows) addRow(makeGenerator(row), draft)
    joins.push(...relations.map(relation => fillJoin(relation, settings)))
  }
  const tables = [...drafts.map(draft => toTable(draft, settings)), ...joins]
  const world = { options, tables, collections: drafts }
  return settings.guarded ? guard(world, rules, secrets) : world
}

const collectionNames = ['artists', 'albumTracks', 'HTTPLogs', 'constructor', 'größen', 'people2']

function startDraft (
  generator: ValueGenerator, drafts: readonly GeneratedDraft[], settings: WorldSettings
): GeneratedDraft {
  const index = drafts.length
  const property = collectionNames[index] ?? `things${index}`
  const keys = generateKeys(generator, drafts, settings)
  const draft: GeneratedDraft = {
    property,
    table: generator.weighted([4, `t${index}`], [1, `Table "${index}"`], [1, `select ${index}`]),
    keys,
    schema: {},
    expressions: new Map(),
    requestStrategies: generateStrategies(generator, settings.constrained),
    pages: generatePages(generator),
    extras: {
      hooks: keys[0]?.kind === 'uuid' || generator.chance(20),
      setter: generator.chance(30),
      computed: generator.chance(30),
      lookup: generator.chance(20),
      special: generator.chance(20)
    },
    columns: [],
    fills: new Map(),
    references: [],
    rows: []
  }
  for (const key of keys) addKey(generator, draft, key, settings)
  return draft
}

/** Adds a field of the key, and the sub-item that it refers to, if it is a foreign key as well. */
function addKey (generator: ValueGenerator, draft: GeneratedDraft, key: GeneratedKey, settings: WorldSettings): void {
  const { property, target } = key
  const column = addStored(draft, property, key, settings, target && settings.constrained && referTo(target))
  if (target === undefined) return
  draft.fills.set(column, foreignKeyFill(target, [column], 0, !settings.constrained))
  addReference(generator, draft, target, [property], true, settings)
}

function addField (
  generator: ValueGenerator, draft: GeneratedDraft, drafts: readonly GeneratedDraft[], settings: WorldSettings
): readonly JoinRelation[] {
  const kind = generator.weighted<'scalar' | 'version' | 'one' | 'many' | 'join' | 'expression'>(
    [12, 'scalar'],
    [3, 'one'],
    [2, 'many'],
    [2, 'join'],
    [1, 'version'],
    [3, 'expression']
  )
  switch (kind) {
    case 'scalar':
      addStored(draft, unusedName(generator, draft, fieldNames), generateField(generator), settings)
      return []
    case 'version':
      if (!('revision' in draft.schema)) addStored(draft, 'revision', generateVersion(generator), settings)
      return []
    case 'expression':
      addExpression(generator, draft)
      return []
    case 'join': return [addJoin(generator, draft, generator.of(drafts.toReversed()), settings)]
    default: {
      const target = generator.of(drafts.toReversed())
      const hasConstants = generator.chance(15)
      // A database has no constraint for a foreign key that refers to several collections.
      const own = hasConstants ? { ...settings, constrained: false } : settings
      const foreignKey = addForeignKey(generator, draft, target, kind === 'one', own)
      addReference(generator, draft, target, foreignKey, kind === 'one', own)
      if (hasConstants) addConstants(generator, draft, target, foreignKey, own)
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

function toTable ({ table, columns, keys, references, rows }: GeneratedDraft, { naming }: WorldSettings): Table {
  const named = Object.fromEntries(columns.map(({ property, name }) => [property, name]))
  return {
    name: table,
    columns,
    primaryKey: columns.slice(0, keys.length).map(({ name }) => name),
    ...references.length > 0 && { references },
    naming: naming === 'named' ? named : naming,
    rows
  }
}

/** Returns an API's options. `mayDelete`: the database keeps rows that others refer to, as memory() does. */
function generateOptions (generator: ValueGenerator, mayDelete: boolean): DataOptions {
  return {
    prefix: generator.weighted([4, ''], [1, '/api'], [1, '/a/b']),
    naming: generator.weighted<'snake_case' | 'camelCase' | 'kebab-case' | 'PascalCase' | 'none'>(
      [4, 'snake_case'],
      [1, 'camelCase'],
      [1, 'kebab-case'],
      [1, 'PascalCase'],
      [1, 'none']
    ),
    requestStrategies: {
      update: generator.weighted<Array<'PUT' | 'PATCH'>>([6, ['PUT', 'PATCH']], [1, ['PUT']], [1, ['PATCH']]),
      upsert: !generator.chance(50),
      delete: mayDelete && !generator.chance(30),
      bulk: ['PATCH', 'DELETE'],
      batch: { operations: 4 }
    },
    responseContent: generateResponseContent(generator),
    pages: generatePages(generator),
    queryString: {
      ...generator.chance(10) && { fieldParameters: false },
      ...generator.chance(10) && { dictionaryPrefix: 'per-' },
      ...generator.chance(10) && { limits: { depth: 2, terms: 4, listLength: 3, fields: 6, sortTerms: 2, items: 1000 } }
    },
    bodies: { ...generator.chance(10) && { depth: 4, items: 3 } },
    ...generator.chance(15) && { baseUrl: 'https://example.org/data' }
  }
}

const generateResponseContent = (generator: ValueGenerator): NonNullable<DataOptions['responseContent']> => ({
  createdBody: generator.weighted<'id' | 'status' | 'none'>([4, 'id'], [1, 'status'], [1, 'none']),
  pageLinks: generator.weighted<'header' | 'wrapped' | 'both' | 'none'>(
    [4, 'header'],
    [1, 'wrapped'],
    [1, 'both'],
    [1, 'none']
  ),
  previousLink: !generator.chance(20),
  linkStyle: generator.weighted<'auto' | 'page' | 'offset' | 'keyset'>(
    [4, 'auto'],
    [1, 'page'],
    [1, 'offset'],
    [2, 'keyset']
  ),
  errors: generator.weighted<'plain' | 'problem'>([4, 'plain'], [1, 'problem'])
})

/** Returns page sizes, most of them small, so that a few rows fill more than one page. */
const generatePages = (generator: ValueGenerator) => generator.weighted<GeneratedCollection['pages']>(
  [4, {}],
  [2, { defaultSize: 3, maxSize: 1000 }],
  [1, { defaultSize: 1, maxSize: 4 }],
  [1, { defaultSize: 2, maxSize: 2 }]
)

/** Returns request strategies of a collection; those that it omits are the API's. */
const generateStrategies = (generator: ValueGenerator, mayDelete: boolean): RequestStrategies => ({
  ...generator.chance(10) && { create: false },
  ...generator.chance(10) && { upsert: generator.chance(50) },
  ...generator.chance(10) && { delete: mayDelete },
  ...generator.chance(10) && { requireIfMatch: true }
})
