import { Type, type TSchema } from '@sinclair/typebox'
import type { Declared } from '../../../core/declare/collection.ts'
import { relationOf } from '../../../core/declare/relations.ts'
import type { GeneratedCollection } from './collection.ts'
import { type ChoiceSequence, makeGenerator, type ValueGenerator } from './generator.ts'
import { generateSayings, operations, rulesOf } from './sayings.ts'
import type { Column, Table } from './table.ts'
import { generateTwins } from './twin.ts'
import {
  columnsOf, type Denial, type Denied, type Hiding, isVisible, keyIn, ownKeeper, type Part, throughOf
} from './visible.ts'
import type { World } from './world.ts'

/** Rules that hide rows and fields of a world from its caller, and a twin that differs in what is hidden. */
export interface Guarded {
  /** By the collections' properties. */
  readonly guards: Readonly<Record<string, Guard>>
  /** The tables of the twin. */
  readonly twin: readonly Table[]
  /** The keys of the hidden rows in each of the two worlds, by the collections' properties. */
  readonly hidden: Readonly<Record<string, readonly [readonly string[], readonly string[]]>>
}

/** The scope and rules that hide rows and fields of a collection. */
export interface Guard { readonly scope: Declared['scope'], readonly rules: NonNullable<Declared['rules']> }

/**
 * Gives a world scopes and rules, and a twin.
 *
 * @param generator The choices of the scopes and rules.
 * @param secrets The choices of the differences between the two worlds.
 */
export function guard (world: World, generator: ValueGenerator, secrets: ChoiceSequence): World {
  const parts = generateParts(generator, world)
  const guarded: World = {
    ...world,
    collections: parts.map(({ generated }) => generated),
    tables: [...parts.map(({ table }) => table), ...world.tables.slice(parts.length)]
  }
  const [tables, twin] = generateTwins(makeGenerator(secrets), parts, guarded)
  const scopes = parts.map(part => withChangeScopes(generator, part, parts))
  const sayings = generateSayings(generator, parts.map((part, index) => ({ part, scope: scopes[index] })), guarded)
  const guards = Object.fromEntries(parts.map((part, index) => [
    part.generated.property,
    { scope: scopes[index], rules: { ...rulesOf(sayings.own[index] ?? {}), fields: fieldRulesOf(part.denied) } }
  ]))
  const hiddenKeys = (made: readonly Table[], part: Part) => {
    const rows = made.find(({ name }) => name === part.table.name)?.rows ?? []
    return rows.filter(row => !isVisible(row, part, parts, guarded)).map(row => keyIn(row, part) ?? '')
  }
  const hidden = Object.fromEntries(parts.map(part =>
    [part.generated.property, [hiddenKeys(tables, part), hiddenKeys(twin, part)]] as const
  ))
  const options = { ...world.options, rules: rulesOf(sayings.api) }
  return { ...guarded, options, tables, guarded: { guards, twin, hidden } }
}

function generateParts (generator: ValueGenerator, { collections, tables }: World): readonly Part[] {
  const hidings = collections.map(generated => generateHiding(generator, generated, tables))
  // A caller who could write the keeper of a related row could make hidden rows visible.
  const mayBeWritten = hidings.every(({ kind }) => kind !== 'through')
  return collections.map((generated, index) => {
    const table = tables.find(({ name }) => name === generated.table)
    if (table === undefined) throw new TypeError('a collection has a table')
    const flags = { readable: generator.chance(20), writable: mayBeWritten && generator.chance(20) }
    const keeper = Type.Integer({
      default: generator.chance(15) ? 2 : ownKeeper,
      examples: [ownKeeper, 2, 3],
      ...flags
    })
    const schema: Record<string, TSchema> = { ...generated.schema, keeper }
    const column: Column = { name: 'keeper', property: 'keeper', kind: 'integer', nullable: false, unique: false }
    const naming = typeof table.naming === 'string' || typeof table.naming === 'function'
      ? table.naming
      : { ...table.naming, keeper: 'keeper' }
    const rows = table.rows.map(row => ({ ...row, keeper: generator.chance(40) ? 2 : ownKeeper }))
    return {
      generated: { ...generated, schema },
      table: { ...table, columns: [...table.columns, column], naming, rows },
      hiding: hidings[index] ?? { kind: 'none' },
      denied: generateDenied(generator, generated)
    }
  })
}

function generateHiding (generator: ValueGenerator, generated: GeneratedCollection, tables: readonly Table[]): Hiding {
  const kind = generator.weighted<Hiding['kind']>([4, 'none'], [10, 'own'], [6, 'through'], [1, 'never'])
  if (kind !== 'through') return { kind }
  const { schema } = generated
  const reliable = Object.keys(schema).filter(name => isReliable(schema[name], generated, tables))
  const relation = generator.from(reliable)
  return relation === undefined ? { kind: 'own' } : { kind, relation }
}

/**
 * True for a relation whose foreign keys all refer to existing items. Otherwise a caller could create the missing item,
 * and hidden rows would become visible.
 */
function isReliable (schema: TSchema | undefined, { table }: GeneratedCollection, tables: readonly Table[]): boolean {
  const relation = relationOf(schema)
  if (relation === undefined) return false
  const through = throughOf(relation)
  if (through === undefined && relation.type === 'array') return true
  const holder = tables.find(({ name }) => name === (through ?? table))
  if (holder === undefined) return false
  return columnsOf(relation.link.foreignKey, holder).every(({ name, references }) =>
    references !== undefined || holder.references?.some(({ columns }) => columns.includes(name)) === true)
}

function generateDenied (generator: ValueGenerator, { schema, expressions, extras }: GeneratedCollection): Denied {
  const names = [...Object.keys(schema), ...expressions.keys(), ...extras.computed ? ['getEverything'] : []]
  const fields = Object.fromEntries(names.map(name => [
    name,
    {
      read: generator.chance(name === names[0] ? 6 : 18),
      write: generator.chance(12),
      writeItem: isStored(schema[name]) && generator.chance(12)
    }
  ]))
  const denied = operations.filter(() => generator.chance(8)).map(name =>
    [name, generator.weighted<Denial>([2, 'false'], [2, 'returns false'], [1, 'throws'], [1, 'throws 401'])] as const
  )
  return { fields, operations: new Map(denied) }
}

const isStored = (schema: TSchema | undefined) => schema !== undefined && relationOf(schema) === undefined

/** Adds scopes of updates and deletions to half of the collections. They depend on nothing that is hidden. */
function withChangeScopes (generator: ValueGenerator, part: Part, parts: readonly Part[]): Guard['scope'] {
  const read = scopeOf(part.hiding)
  const update = scopeOf(generateChangeable(generator, part, parts))
  const deletes = scopeOf(generateChangeable(generator, part, parts))
  if (update === undefined && deletes === undefined) return read
  return { ...read && { read }, ...update && { update }, ...deletes && { delete: deletes } }
}

function generateChangeable (generator: ValueGenerator, { generated }: Part, parts: readonly Part[]): Hiding {
  const kind = generator.weighted<Hiding['kind']>([12, 'none'], [4, 'own'], [3, 'through'], [1, 'never'])
  if (kind !== 'through') return { kind }
  const relation = generator.from(Object.keys(generated.schema).filter(name => {
    const target = relationOf(generated.schema[name])?.target
    // A related row with the caller's own keeper is visible then.
    return parts.some(one => one.generated.property === target && ['none', 'own'].includes(one.hiding.kind))
  }))
  return relation === undefined ? { kind: 'own' } : { kind, relation }
}

function scopeOf (hiding: Hiding): OneScope {
  switch (hiding.kind) {
    case 'none': return undefined
    case 'never': return () => false
    case 'own': return async () => ({ keeper: ownKeeper })
    case 'through': return (_context, where) => where.some(hiding.relation, one => one.equals('keeper', ownKeeper))
  }
}

/** A scope of all operations, or of one. */
type OneScope = Exclude<Guard['scope'], object> | Extract<Guard['scope'], (...parameters: never) => unknown>

function fieldRulesOf ({ fields }: Denied): NonNullable<Guard['rules']['fields']> {
  const deny = () => false
  const isOwn = ({ keeper }: { readonly keeper?: unknown }) => keeper === ownKeeper
  return Object.fromEntries(Object.entries(fields)
    .filter(([, { read, write, writeItem }]) => read || write || writeItem)
    .map(([name, { read, write, writeItem }]) =>
      [name, { ...read && { read: deny }, ...write && { write: deny }, ...writeItem && { writeItem: isOwn } }]))
}
