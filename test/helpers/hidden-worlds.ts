import { Type, type TSchema } from '@sinclair/typebox'
import {
  type Condition, type Declared, isSubCollection, isSubItem, type Rules, type Scope, type TSubCollection, type TSubItem,
  type Values, type Where
} from '../../lib/collection.ts'
import { type ValueGenerator, makeGenerator } from '../../lib/conformance/generator.ts'
import type { Column, Table } from '../../lib/conformance/table.ts'
import type { ChoiceSequence } from '../../lib/conformance/choice-sequence.ts'
import { uuid } from '../../lib/conformance/values.ts'
import { type GeneratedCollection, makeWorld, type World, type WorldChoices } from '../../lib/conformance/world.ts'

// A generated world with a caller who may not see all of it, and a second one that differs in that only.

export interface WorldPair {
  readonly world: World
  /** The same API over tables that differ in what the caller may not see. */
  readonly twin: World
  /** By the collection's property. */
  readonly guards: Readonly<Record<string, Guard>>
  /** The keys of the rows that the caller may not see, of each of the two. */
  readonly hidden: Readonly<Record<string, readonly [readonly unknown[], readonly unknown[]]>>
}

export interface Guard { readonly scope: Scope<Values> | undefined, readonly rules: Rules }

type Row = Readonly<Record<string, unknown>>

interface Denied {
  readonly fields: Readonly<Record<string, { readonly read: boolean, readonly write: boolean }>>
  readonly operations: ReadonlyMap<'read' | 'create' | 'update' | 'delete', 'false' | 'throws' | 'says'>
}

/** How rows are hidden: by their own keeper, by that of what a relation leads to, all, or none. */
type Hiding = { readonly kind: 'own' | 'none' | 'never' } | { readonly kind: 'through', readonly relation: string }

/** One collection, and all that is drawn of it. */
interface Part {
  readonly plan: GeneratedCollection
  readonly table: Table
  readonly hiding: Hiding
  readonly denied: Denied
}

// Whose rows the caller sees: those of keeper 1.
const mine = 1

/** `rulesTape`: what the caller may not; `secretsTape`: in what the two differ. */
export function makeWorldPair (tapes: WorldChoices, rulesTape: ChoiceSequence, secretsTape: ChoiceSequence): WorldPair {
  const world = makeWorld({
    ...tapes,
    collections: tapes.collections.map(one => ({ ...one, head: uncounted(one.head) }))
  })
  const parts = generateParts(makeGenerator(rulesTape), world)
  const kept: World = {
    ...world,
    collections: parts.map(({ plan }) => plan),
    tables: [...parts.map(({ table }) => table), ...world.tables.slice(parts.length)]
  }
  const [tables, others] = generateTwins(makeGenerator(secretsTape), parts, kept)
  const guards = Object.fromEntries(parts.map(({ plan, hiding, denied }) => [
    plan.property,
    { scope: scopeOf(hiding), rules: rulesOf(denied) }
  ]))
  const keysIn = (made: readonly Table[]) => (part: Part) => (made.find(({ name }) =>
    name === part.table.name
  )?.rows ?? []).filter(row =>
    !isSeen(row, part, parts, kept)
  )
    .map(row => row[keyOf(part).name])
  const hidden = Object.fromEntries(parts.map(part =>
    [part.plan.property, [keysIn(tables)(part), keysIn(others)(part)]] as const
  ))
  return { world: { ...kept, tables }, twin: { ...kept, tables: others }, guards, hidden }
}

/** Adds to a collection what hides of it. */
export const withGuards = (declared: Readonly<Record<string, Declared>>, guards: WorldPair['guards']): Record<string, Declared> =>
  Object.fromEntries(Object.entries(declared)
    .map(([name, one]) => [name, { ...one, scope: guards[name]?.scope, rules: guards[name]?.rules ?? {} }]))

// A key that is counted tells how many there are, so keys are texts or UUIDs: the first choice of a head is the kind of the key.
const uncounted = ([first = 0, ...others]: ChoiceSequence): ChoiceSequence => [40_000 + first % 25_000, ...others]

function generateParts (generator: ValueGenerator, { collections, tables }: World): readonly Part[] {
  const hidings = collections.map(plan => generateHiding(generator, plan, tables))
  // Whoever could change what hides the rows of others could make them appear.
  const mayBeWritten = hidings.every(({ kind }) => kind !== 'through')
  return collections.map((plan, index) => {
    const table = tables.find(({ name }) => name === plan.table)
    if (table === undefined) throw new TypeError('a collection has a table')
    const flags = { readable: generator.chance(20), writable: mayBeWritten && generator.chance(20) }
    const keeper = Type.Integer({ default: generator.chance(15) ? 2 : mine, examples: [mine, 2, 3], ...flags })
    const schema: Record<string, TSchema> = { ...plan.schema, keeper }
    const column: Column = { name: 'keeper', property: 'keeper', kind: 'integer', nullable: false, unique: false }
    const naming = typeof table.naming === 'string' || typeof table.naming === 'function'
      ? table.naming
      : { ...table.naming, keeper: 'keeper' }
    const rows = table.rows.map(row => ({ ...row, keeper: generator.chance(40) ? 2 : mine }))
    return {
      plan: { ...plan, schema },
      table: { ...table, columns: [...table.columns, column], naming, rows },
      hiding: hidings[index] ?? { kind: 'none' },
      denied: generateDenied(generator, plan)
    }
  })
}

function generateHiding (generator: ValueGenerator, plan: GeneratedCollection, tables: readonly Table[]): Hiding {
  const kind = generator.weighted<Hiding['kind']>([4, 'none'], [10, 'own'], [6, 'through'], [1, 'never'])
  if (kind !== 'through') return { kind }
  const relation = generator.from(Object.keys(plan.schema).filter(name => isFirm(plan.schema[name], plan, tables)))
  return relation === undefined ? { kind: 'own' } : { kind, relation }
}

/** Where a reference may lead nowhere, whoever creates an item with that key makes it lead there, and rows appear. */
function isFirm (schema: TSchema | undefined, { table }: GeneratedCollection, tables: readonly Table[]): boolean {
  const relation = relationOf(schema)
  if (relation === undefined) return false
  const through = throughOf(relation)
  if (through === undefined && !isSubItem(relation)) return true
  return tables.find(({ name }) => name === (through ?? table))?.columns.some(column =>
    column.property === relation.link.foreignKey && column.references !== undefined
  ) === true
}

function generateDenied (generator: ValueGenerator, { schema, extras }: GeneratedCollection): Denied {
  const names = [...Object.keys(schema), ...extras.computed ? ['getEverything'] : []]
  const fields = Object.fromEntries(names.map(name => [
    name,
    { read: generator.chance(name === names[0] ? 6 : 18), write: generator.chance(12) }
  ]))
  const operations = (['read', 'create', 'update', 'delete'] as const).filter(() => generator.chance(8)).map(name =>
    [name, generator.weighted<'false' | 'throws' | 'says'>([2, 'false'], [1, 'throws'], [1, 'says'])] as const
  )
  return { fields, operations: new Map(operations) }
}

const relationOf = (schema: TSchema | undefined): TSubItem | TSubCollection | undefined =>
  schema !== undefined && (isSubItem(schema) || isSubCollection(schema)) ? schema : undefined

// What the API is told

function scopeOf (hiding: Hiding): Guard['scope'] {
  switch (hiding.kind) {
    case 'none': return undefined
    case 'never': return () => false
    case 'own': return async () => ({ keeper: mine })
    case 'through': return (_context, where: Where<Values>): Condition => where.some(hiding.relation, one => one.equals('keeper', mine))
  }
}

function rulesOf ({ fields, operations }: Denied): Rules {
  const denials = {
    false: () => false,
    throws: () => { throw new Error('a broken rule') },
    says: () => { throw Object.assign(new Error('Who are you?'), { statusCode: 401 }) }
  }
  const deny = () => false
  return {
    ...Object.fromEntries([...operations].map(([name, how]) => [name, denials[how]])),
    fields: Object.fromEntries(Object.entries(fields)
      .filter(([, { read, write }]) => read || write)
      .map(([name, { read, write }]) => [name, { ...read && { read: deny }, ...write && { write: deny } }]))
  }
}

// What the caller may see, told a second time from the declarations

const keyOf = ({ table }: Part): Column => {
  const [key] = table.columns
  if (key === undefined) throw new TypeError('a table has a key')
  return key
}

const valueOf = (row: Row, property: string, { table }: Part): unknown =>
  row[table.columns.find(column => column.property === property)?.name ?? ''] ?? null

function isSeen (row: Row, part: Part, parts: readonly Part[], world: World): boolean {
  const { hiding, plan } = part
  if (hiding.kind !== 'through') return hiding.kind === 'none' || (hiding.kind === 'own' && row['keeper'] === mine)
  return relatedTo(row, part, relationOf(plan.schema[hiding.relation]), parts, world).some(one =>
    one['keeper'] === mine
  )
}

function relatedTo (
  row: Row, part: Part, relation: TSubItem | TSubCollection | undefined, parts: readonly Part[], { tables }: World
): readonly Row[] {
  const target = parts.find(({ plan }) => plan.property === relation?.target)
  if (relation === undefined || target === undefined) return []
  const own = row[keyOf(part).name]
  if (isSubItem(relation)) {
    return target.table.rows.filter(one => one[keyOf(target).name] === valueOf(row, relation.link.foreignKey, part))
  }
  const { link } = relation as TSubCollection
  if (link.through === undefined) return target.table.rows.filter(one => valueOf(one, link.foreignKey, target) === own)
  const join = tables.find(({ name }) => name === link.through)
  const [ownColumn, otherColumn] = [link.foreignKey, link.otherKey].map(property =>
    join?.columns.find(column => column.property === property)?.name ?? ''
  )
  const keys = join?.rows.filter(one => one[ownColumn ?? ''] === own).map(one => one[otherColumn ?? '']) ?? []
  return target.table.rows.filter(one => keys.includes(one[keyOf(target).name]))
}

const isRead = (property: string, { plan, denied }: Part) => {
  const schema = plan.schema[property]
  return schema?.['readable'] === true && denied.fields[property]?.read !== true &&
    (!denied.operations.has('read') || schema['identifier'] === true)
}

const isWritten = (property: string, { plan, denied }: Part) =>
  plan.schema[property]?.['writable'] === true && denied.fields[property]?.write !== true

/** Whether the values of a column are nothing that this caller can learn, also of rows that can be seen. */
function isSecret ({ property, unique }: Column, part: Part, parts: readonly Part[]): boolean {
  if (property === 'keeper' || property === keyOf(part).property || isRead(property, part)) return false
  // A value that another item has already is refused, by whichever item.
  if (unique && isWritten(property, part)) return false
  // What a relation shows, and what a deletion is refused for, is no secret of a foreign key.
  if (parts.some(one => isForeignKeyIn(property, part, one))) return false
  return !isComputedFrom(property, part)
}

const isForeignKeyIn = (property: string, { plan }: Part, holder: Part) => Object.values(holder.plan.schema).some(schema => {
  const relation = relationOf(schema)
  if (relation === undefined || relation.link.foreignKey !== property) return false
  return isSubItem(relation) ? holder.plan === plan : relation.target === plan.property
})

/** declare() computes a field from the first three. */
const isComputedFrom = (property: string, { plan, denied }: Part) =>
  plan.extras.computed && denied.fields['getEverything']?.read !== true && !denied.operations.has('read') &&
    Object.keys(plan.schema).filter(name => relationOf(plan.schema[name]) === undefined).slice(0, 3).includes(property)

// In what the two differ

/** Rows that are in both have the same values where they could be collided with. Rows that are in one only have values that nobody else writes. */
function generateTwins (generator: ValueGenerator, parts: readonly Part[], world: World): readonly [
  readonly Table[], readonly Table[]
] {
  const fresh = { count: 0 }
  const made = parts.map(part => generateTables(generator, part, parts, world, fresh))
  const joins = world.tables.slice(parts.length).map(table => generateJoins(generator, table, parts, world, made))
  return [
    [...made.map(([one]) => one), ...joins.map(([one]) => one)],
    [...made.map(([, other]) => other), ...joins.map(([, other]) => other)]
  ]
}

function generateTables (
  generator: ValueGenerator, part: Part, parts: readonly Part[], world: World, fresh: { count: number }
): readonly [Table, Table] {
  const { table } = part
  const secret = table.columns.filter(column => isSecret(column, part, parts))
  const isHidden = (row: Row) => !isSeen(row, part, parts, world)
  const redrawn = table.rows.map(row => isHidden(row)
    ? redrawHidden(generator, row, part, parts)
    : redraw(generator, row, secret, part, fresh))
  const hidden = table.rows.filter(isHidden)
  const more = () =>
    hidden.filter(() => generator.chance(40)).flatMap(row => copyHidden(generator, row, part, parts, world, fresh))
  return [{ ...table, rows: [...table.rows, ...more()] }, { ...table, rows: [...redrawn, ...more()] }]
}

/** A hidden row that is in both: all but what it has alone, and what it refers to. */
function redrawHidden (generator: ValueGenerator, row: Row, part: Part, parts: readonly Part[]): Row {
  const free = part.table.columns.filter(column =>
    !column.unique && column.property !== keyOf(part).property && column.property !== 'keeper' &&
      !parts.some(one => isForeignKeyIn(column.property, part, one))
  )
  // Whether it is the caller's may decide on other rows.
  return {
    ...redraw(generator, row, free, part, { count: 0 }),
    keeper: row['keeper'] === mine ? mine : generator.of([2, 3])
  }
}

function redraw (
  generator: ValueGenerator, row: Row, columns: readonly Column[], { plan }: Part, fresh: { count: number }
): Row {
  const changed = columns.filter(() => generator.chance(60))
    .map(column => [
      column.name,
      column.unique
        ? freshValue(column, fresh)
        : generator.chance(15) && column.nullable
          ? null
          : generator.from(plan.schema[column.property]?.['examples'] as readonly unknown[] ?? []) ?? row[column.name]
    ])
  return { ...row, ...Object.fromEntries(changed) as Row }
}

/** A hidden row that is in one only. It refers to no visible row, whose deletion it would hold back. */
function copyHidden (
  generator: ValueGenerator, row: Row, part: Part, parts: readonly Part[], world: World, fresh: { count: number }
): readonly Row[] {
  const copy: Record<string, unknown> = { ...redrawHidden(generator, row, part, parts), keeper: 2 }
  for (const column of part.table.columns) {
    if (column.unique || column === keyOf(part)) copy[column.name] = freshValue(column, fresh)
    const target = parts.find(({ table }) => table.name === column.references?.table)
    const referred = target?.table.rows.find(one => one[keyOf(target).name] === copy[column.name])
    if (target === undefined || referred === undefined || !isSeen(referred, target, parts, world)) continue
    if (!column.nullable) return []
    copy[column.name] = null
  }
  return [copy]
}

/** A value that no row has and no request writes: namesHiddenRow() knows it. */
function freshValue ({ kind }: Column, fresh: { count: number }): unknown {
  const n = fresh.count++
  const date = `2345-${String(1 + Math.floor(n / 28) % 12).padStart(2, '0')}-${String(1 + n % 28).padStart(2, '0')}`
  switch (kind) {
    case 'text': return `secret-${n}`
    case 'uuid': return uuid(0xdead0000 + n)
    case 'date': return date
    case 'date-time': return `${date}T00:00:00.000Z`
    case 'integer':
    case 'number': return 7_654_000 + n
    default: throw new TypeError(`no column of kind ${kind} is unique`)
  }
}

/** Whether a request names a row that may be in one of the two only. Such a row can be read, and is not found; but written, its value is taken. */
export const namesHiddenRow = (text: string) => /secret-|dead0|2345-|7654\d/i.test(text)

/** Links of hidden items come and go, unless a scope goes by them. */
function generateJoins (
  generator: ValueGenerator, table: Table, parts: readonly Part[], world: World,
  made: ReadonlyArray<readonly [Table, Table]>
): readonly [Table, Table] {
  const goesBy = ({ plan, hiding }: Part) =>
    hiding.kind === 'through' && throughOf(plan.schema[hiding.relation]) === table.name
  const holder = parts.find(({ plan }) => Object.values(plan.schema).some(schema => throughOf(schema) === table.name))
  const relation = Object.values(holder?.plan.schema ?? {}).map(relationOf).find(one =>
    throughOf(one) === table.name
  ) as TSubCollection | undefined
  const target = parts.find(({ plan }) => plan.property === relation?.target)
  if (parts.some(goesBy) || holder === undefined || target === undefined || relation === undefined ||
    relation.link.through === undefined) {
    return [table, table]
  }
  const [own = '', other = ''] = [relation.link.foreignKey, relation.link.otherKey].map(property =>
    table.columns.find(column => column.property === property)?.name ?? ''
  )
  const linked = (which: 0 | 1) => {
    const rowsOf = (part: Part) => made[parts.indexOf(part)]?.[which].rows ?? []
    const isHidden = (key: unknown, part: Part) =>
      rowsOf(part).some(row => row[keyOf(part).name] === key && !isSeen(row, part, parts, world))
    const kept = table.rows.filter(row =>
      !(isHidden(row[own], holder) || isHidden(row[other], target)) || generator.chance(50)
    )
    const added: Row[] = []
    for (let left = generator.below(6); left > 0; left--) {
      const [one, two] = [
        generator.from(rowsOf(holder))?.[keyOf(holder).name], generator.from(rowsOf(target))?.[keyOf(target).name]
      ]
      const isKnown = [...kept, ...added].some(row => row[own] === one && row[other] === two)
      if (one !== undefined && two !== undefined && !isKnown && (isHidden(one, holder) || isHidden(two, target))) {
        added.push({ [own]: one, [other]: two })
      }
    }
    return { ...table, rows: [...kept, ...added] }
  }
  return [linked(0), linked(1)]
}

const throughOf = (schema: TSchema | undefined): string | undefined => {
  const relation = relationOf(schema)
  return relation !== undefined && isSubCollection(relation) ? relation.link.through : undefined
}
