import { inspect, isDeepStrictEqual } from 'node:util'
import type { ValueGenerator } from '../world/generator.ts'
import { encodeText } from '../requests/resources.ts'
import type { Collection, StoredField } from '../../../core/model/model.ts'
import { conditionsIn } from '../../../core/plan/fold.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import type { Hints, TableShape } from './rows.ts'
import type { KnownCaller } from './callers.ts'
import type { WorldRow, ServedApi, ProvedWorld } from './world.ts'

/** A caller whom the rules are proved for. */
export interface ProvedCaller {
  /** The headers by which the application knows the caller. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * What the caller may see, by collections and `collection.field`: a function of a row, or false for none. Without it,
   * what the rules themselves allow is taken for right.
   */
  readonly sees?: Readonly<Record<string, false | ((row: Readonly<WorldRow>) => boolean)>>
}

/** What a caller may see of a world, and may do there. */
export interface CallerSight {
  /** The callers of each registration, by the names of collections. */
  readonly known: ReadonlyMap<ServedApi, ReadonlyMap<string, KnownCaller>>
  /** For each row of each table: what the rules let the caller do with it. Equal in both worlds. */
  readonly marks: ReadonlyMap<string, readonly string[]>
}

/** Asks the rules and scopes of all collections, as for a request of the caller. */
export async function look (world: ProvedWorld, { headers = {} }: ProvedCaller): Promise<CallerSight> {
  const known = new Map<ServedApi, ReadonlyMap<string, KnownCaller>>()
  for (const served of world.apis) {
    served.callers.clear()
    for (const name of served.api.model.collections.keys()) {
      await world.send({ method: 'GET', url: `${served.prefix}/${encodeText(name)}`, headers })
    }
    known.set(served, new Map(served.callers))
  }
  const marks = new Map<string, readonly string[]>()
  for (const [name, rows] of world.tables) {
    const tests = usableCollections(name, world, known).map(marksOf)
    marks.set(name, await Promise.all(rows.map(async row => {
      const all = await Promise.all(tests.map(test => test(row)))
      return `${all.some(mark => mark !== '-') ? seen : 'hidden'} ${all.join(' ')}`
    })))
  }
  return { known, marks }
}

const seen = 'seen'

/** A collection over a table, as the caller knows it. */
export interface View {
  readonly collection: Collection
  readonly caller: KnownCaller['caller']
  readonly canRead: boolean
}

/** Returns the collections over a table that the caller may use. */
export function usableCollections (table: string, { apis }: ProvedWorld, known: CallerSight['known']): readonly View[] {
  return apis.flatMap(served => [...served.api.model.collections.values()].flatMap(whole => {
    const { caller } = known.get(served)?.get(whole.name) ?? {}
    if (served.tableOf(whole) !== table || caller === undefined) return []
    const collection = caller.model.collections.get(whole.name) ?? whole
    const operations = (['read', 'create', 'update', 'delete'] as const).filter(one => !caller.denial(one, collection))
    return operations.length === 0 ? [] : [{ collection, caller, canRead: operations.includes('read') }]
  }))
}

/** Returns a function that says what may be done with a row: `r`, `u` and `d`, and the fields that may be written. */
function marksOf ({ collection, caller }: View): (row: WorldRow) => Promise<string> {
  const scopes = (['read', 'update', 'delete'] as const).map(one =>
    [one[0], isWithin(scopeOf(caller, collection, one), collection)] as const)
  const rules = collection.stored.flatMap(field => {
    const rule = caller.itemRule(collection, field)
    return rule === undefined ? [] : [[field.name, rule] as const]
  })
  return async row => {
    const allowed = scopes.filter(([, test]) => test(row)).map(([mark]) => mark).join('')
    if (!allowed.includes('r')) return '-'
    const denied = await Promise.all(rules.map(async ([name, rule]) => await rule(row) === undefined ? name : ''))
    return `${allowed}${denied.join(',')}`
  }
}

/**
 * Returns the scope of an operation; undefined, for no item, for who may not read the collection, and where the scope
 * cannot be planned: every request is 500 then.
 */
function scopeOf (
  caller: View['caller'], collection: Collection, operation: 'read' | 'update' | 'delete'
): Scope | undefined {
  if (caller.denial('read', collection) !== undefined) return undefined
  try {
    return caller.scope(collection, operation)
  } catch {
    return undefined
  }
}

type Scope = ReturnType<View['caller']['scope']>

const isWithin = (scope: Scope | undefined, collection: Collection): (row: object) => boolean =>
  scope === undefined ? () => false : memoryView(collection).test(scope)

/** Returns true if the caller may know that the row exists. */
export function seesRow (row: WorldRow, mark: string, shape: TableShape, { sees }: ProvedCaller): boolean {
  const own = sees?.[shape.label]
  return own === undefined ? mark.startsWith(seen) : own !== false && own(row)
}

/** Returns true if the caller may know the values of a field, in rows that it may see. */
export function seesField (
  { property, identifier }: StoredField, shape: TableShape, views: readonly View[], { sees }: ProvedCaller
): boolean {
  const own = sees?.[`${shape.label}.${property}`]
  if (own !== undefined) return own !== false
  return views.some(({ collection, canRead }) => {
    const field = collection.properties.get(property)
    // Paths name items by identifiers also where they may be written only.
    return field?.readable === true && (canRead || identifier)
  })
}

export const seeAlike = (one: CallerSight, other: CallerSight): boolean => isDeepStrictEqual(one.marks, other.marks) &&
  isDeepStrictEqual(factsIn(one), factsIn(other))

/** Functions among the facts are others at each request: what tells worlds apart are values. */
const factsIn = ({ known }: CallerSight) =>
  [...known.values()].map(callers => [...callers].map(([name, { facts }]) =>
    [name, inspect(facts, { depth: 5, maxArrayLength: null, maxStringLength: null })]))

/** Returns the values by which rows become visible: those in scopes, and what the application knows of the caller. */
export function hintsOf ({ known }: CallerSight): Hints {
  const fields = new Map<string, Set<unknown>>()
  for (const [served, callers] of known) {
    for (const [name, { caller }] of callers) {
      const collection = caller.model.collections.get(name)
      if (collection === undefined) continue
      const add = (property: string, value: unknown, { source }: Collection) => {
        const key = `${served.tableOf({ source })}.${property}`
        fields.set(key, (fields.get(key) ?? new Set()).add(value))
      }
      for (const operation of ['read', 'update', 'delete'] as const) {
        const scope = scopeOf(caller, collection, operation)
        for (const [condition, holder] of scope === undefined ? [] : conditionsIn(scope, collection)) {
          const values = 'value' in condition ? [condition.value].flat() : [null]
          for (const value of values) add(condition.field.property, value, holder)
        }
      }
    }
  }
  const facts = [...known.values()].flatMap(callers => [...callers.values()].map(one => one.facts))
  return { fields, caller: [...new Set(facts.flatMap(one => scalarsIn(one, 3)))] }
}

const scalarsIn = (value: unknown, depth: number): ReadonlyArray<string | number> => {
  if (typeof value === 'string' || typeof value === 'number') return [value]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  return Object.values(value).flatMap(one => scalarsIn(one, depth - 1))
}

/** Returns a row: most often one that the caller may see. */
export function rowFor (generator: ValueGenerator, { collection, caller }: View): object | undefined {
  const rows = memoryView(collection).rows()
  const visible = rows.filter(isWithin(scopeOf(caller, collection, 'read'), collection))
  return generator.from(visible.length > 0 && generator.chance(65) ? visible : rows)
}
