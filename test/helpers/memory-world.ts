import { Type, type TSchema } from '@sinclair/typebox'
import type {
  Collection, DataField, ExpressionField, RelationField, ScalarField, StoredField, SubCollectionField, SubItemField
} from '../../lib/core/model/model.ts'
import { allStrategies } from '../../lib/core/model/strategies.ts'
import { describeValues, type Operator, type Scalar } from '../../lib/core/model/values.ts'
import type { Listing, Order, Predicate, ReadPlan, Selection, Shown, Step, Row } from '../../lib/core/plan/plan.ts'
import { always, compareList, compareValue } from '../../lib/core/plan/predicates.ts'
import { memory } from '../../lib/core/sources/memory/memory.ts'
import { runRead } from '../../lib/core/sources/memory/read.ts'
import type { MemoryRows } from '../../lib/core/sources/memory/table.ts'
import type { ListPlan, ReadResult, DataSource as Source } from '../../lib/core/sources/source.ts'

// A source alone: plans made by hand, on models made by hand. People have a boss, staff, and marks by a join.

export interface Person {
  id: number,
  name: string,
  nick?: string | null,
  age?: number | null,
  active?: boolean | null,
  bossId?: number | null
}

export const flags = (property: string) => ({
  name: property,
  label: `"${property}":`,
  property,
  index: 0,
  schema: Type.Any(),
  readable: true,
  writable: false,
  demanded: false,
  hidden: false,
  listed: false,
  filterable: true,
  sortable: true,
  aggregatable: true
})

export function stored (property: string, schema: TSchema, identifier = false): StoredField {
  const described = describeValues(schema, true)
  if (described === undefined) throw new TypeError(`'${property}' has no values`)
  return { ...flags(property), kind: 'stored', identifier, ...described }
}

/** What a source looks at: the fields themselves stand in plans. */
export const collectionOf = (name: string, source: Source, key: StoredField): Collection =>
  ({
    name,
    property: name,
    fields: new Map(),
    properties: new Map(),
    key: [key],
    unique: [],
    identifiers: [],
    specials: [],
    source,
    pages: { defaultSize: Infinity, maxSize: Infinity },
    stored: [key],
    versionFields: [key],
    title: undefined,
    description: undefined,
    group: undefined,
    views: {},
    version: undefined,
    referring: [],
    referrers: [],
    links: [],
    strategies: { ...allStrategies, create: false, update: [], upsert: false, delete: false },
    validate: () => [],
    setters: new Map(),
    hooks: {},
    deletion: undefined
  })

export const id = stored('id', Type.Integer(), true)
export const name = stored('name', Type.String())
export const nick = stored('nick', Type.String(), true)
export const age = stored('age', Type.Integer())
export const active = stored('active', Type.Boolean())
export const bossId = stored('bossId', Type.Integer())
export const markId = stored('id', Type.Integer(), true)
export const word = stored('word', Type.String())

export function expressionOf (
  property: string, type: TSchema, compute?: (item: Readonly<Record<string, unknown>>) => unknown
): ExpressionField {
  const { identifier, ...field } = stored(property, type)
  const expression = { kind: 'expression', type, ...compute && { memory: compute } } as const
  return { ...field, kind: 'expression', collection: 'people', key: [id], expression }
}

export function makeWorld (
  rows: MemoryRows,
  { marks: markRows = [], links = [] }: { readonly marks?: MemoryRows, readonly links?: MemoryRows } = {}
) {
  const source = memory(rows, { joins: { person_marks: links } })
  const people = collectionOf('people', source, id)
  const words = collectionOf('marks', memory(markRows), markId)
  const boss: SubItemField = {
    ...flags('boss'),
    kind: 'sub-item',
    holder: people,
    target: people,
    creates: false,
    constants: [],
    foreignKey: [bossId]
  }
  const staff: SubCollectionField = {
    ...flags('staff'),
    kind: 'sub-collection',
    holder: people,
    target: people,
    creates: false,
    constants: [],
    link: {
      kind: 'foreign-key', foreignKey: [bossId]
    }
  }
  const marks: SubCollectionField = {
    ...flags('marks'),
    kind: 'sub-collection',
    holder: people,
    target: words,
    creates: false,
    constants: [],
    link: {
      kind: 'join', through: 'person_marks', foreignKey: ['personId'], otherKey: ['markId']
    }
  }
  return { source, people, words, boss, staff, marks }
}

export const { database } = memory([])

/** Reads at once. A read of the database gives up the event loop after 10 ms, which a busy machine may take. */
export const read = (plan: ReadPlan): ReadResult => runRead(plan)

type Operand = Scalar | null
export const compare = (field: DataField, operator: Operator, value: Operand | readonly Operand[]): Predicate =>
  typeof value === 'object' && value !== null
    ? compareList(field, operator, value)
    : compareValue(field, operator, value)
export const not = (of: Predicate): Predicate => ({ kind: 'not', of })
export const some = (field: RelationField, where: Predicate = always): Predicate => ({ kind: 'some', field, where })
export const up = (...fields: DataField[]): Order => fields.map(field => ({ field, descending: false }))
export const down = (...fields: DataField[]): Order => fields.map(field => ({ field, descending: true }))
export const show = (...fields: ScalarField[]): Selection =>
  fields.map(field => ({ kind: 'value', name: field.name, field }))
export const embed = (field: SubCollectionField, listing: Partial<Listing> = {}): Shown =>
  ({ kind: 'list', name: field.name, field, listing: listingOf(listing) })

export const listingOf = (listing: Partial<Listing>): Listing =>
  ({ where: always, order: up(id), range: { offset: 0, limit: Infinity }, select: show(id), ...listing })

export const listOf = (collection: Collection, listing: Partial<Listing>, rest: Partial<ListPlan> = {}): ListPlan =>
  ({
    kind: 'list',
    steps: [],
    from: {
      collection, via: undefined
    },
    listing: listingOf(listing),
    cursorBound: always,
    extra: [],
    count: false,
    ...rest
  })

export function rowsOf (result: ReadResult): readonly Row[] {
  if (result.kind === 'rows') return result.rows
  throw new TypeError(`no rows but ${JSON.stringify(result)}`)
}

export const idsOf = (result: ReadResult) => rowsOf(result).map(row => row['id'])
export const find = (collection: Collection, where: Predicate) => idsOf(read(listOf(collection, { where })))
export const showing = (collection: Collection, select: Selection, where = always) =>
  rowsOf(read(listOf(collection, { select, where })))
export const itemAt = (...steps: Step[]) => read({ kind: 'item', steps, select: show(id) })
