import { isObject } from '../../errors/is-object.ts'
import type { Collection, Field, StoredField } from '../../model/model.ts'
import { findExposed } from '../field-path.ts'
import { isWritable } from './body.ts'
import type { ItemBody } from './item-body.ts'
import type { ParentValue } from './path-values.ts'
import { isMet, requirementsOf } from './required.ts'
import type { PathValue } from '../plan.ts'

/** The bodies of the items that a write creates. */
export interface Bodies {
  /** Returns all of them, which are made at the first call. */
  all (): readonly ItemBody[]
  /** The values of bodies that hold nothing else, and name no other items. */
  readonly runs: readonly Run[] | undefined
}

/** Values to store: those of `fields`, in canonical form or null. */
export interface BodyRows {
  readonly fields: readonly StoredField[]
  readonly rows: ReadonlyArray<readonly unknown[]>
}

/** Bodies that assign the same fields and follow one another. `start`: the index of the first. */
interface Run {
  readonly start: number
  readonly count: number
  /** Undefined for bodies that hold more than values to store. */
  readonly values: BodyRows | undefined
}

/** Returns bodies. `plan`: makes them, and throws their errors. `runs`: of bodies without errors. */
export function bodiesOf (plan: () => readonly ItemBody[], runs: Bodies['runs']): Bodies {
  let planned = runs === undefined ? plan() : undefined
  return {
    runs,
    all () {
      planned ??= plan()
      return planned
    }
  }
}

/**
 * Returns the values of new items that consist of stored fields alone. They are had in a fraction of the time that
 * planBody() takes for their bodies. Returns undefined if a body holds something else, or has an error, which
 * planBody() tells.
 */
export function planRuns (
  values: readonly unknown[], collection: Collection, given: ReadonlyArray<PathValue | ParentValue>
): readonly Run[] | undefined {
  // They are validated with the others.
  if (given.some(({ kind }) => kind === 'value')) return undefined
  const runs: OpenRun[] = []
  // Functions that are called for each value are as small as they can be: V8 compiles them while they run, which takes
  // a third of the time of a first import.
  return values.every(value => addValue(runs, value, collection, given)) ? runs : undefined
}

/** Adds the values of a body to the last run, or to a new one. Returns false if that is not possible. */
function addValue (
  runs: OpenRun[], value: unknown, collection: Collection, given: ReadonlyArray<PathValue | ParentValue>
): boolean {
  if (!isObject(value)) return false
  const last = runs.at(-1)
  const run = last !== undefined && hasMembers(value, last.names) ? last : openRun(runs, value, collection, given)
  return run !== undefined && addRow(run, value, collection)
}

type Members = Readonly<Record<string, unknown>>

/** A run to which rows are added. `names`: those of the fields on the wire. */
interface OpenRun extends Run {
  count: number
  readonly names: readonly string[]
  readonly values: { readonly fields: readonly StoredField[], readonly rows: unknown[][] }
}

/** Returns true if the object has these members, and no others. */
function hasMembers (value: Members, names: readonly string[]): boolean {
  const own = Object.keys(value)
  if (own.length !== names.length) return false
  for (let index = 0; index < names.length; index++) {
    if (own[index] !== names[index] && !Object.hasOwn(value, names[index] ?? '')) return false
  }
  return true
}

/** Begins a run with a body; returns undefined for members that are no stored values, and if one is missing. */
function openRun (
  runs: OpenRun[], value: Members, collection: Collection, given: ReadonlyArray<PathValue | ParentValue>
): OpenRun | undefined {
  const names = Object.keys(value)
  const fields: StoredField[] = []
  for (const name of names) {
    const field = findExposed(collection, name)
    if (field?.kind !== 'stored' || !isWritable(field)) return undefined
    fields.push(field)
  }
  if (!requirementsOf(collection, given).every(one => isMet(one, value))) return undefined
  const last = runs.at(-1)
  const start = last === undefined ? 0 : last.start + last.count
  const run = { start, count: 0, names, values: { fields, rows: [] } }
  runs.push(run)
  return run
}

/** Adds the values of a body. Returns false if one is not valid. */
function addRow (run: OpenRun, value: Members, { validate }: Collection): boolean {
  const { names, values: { fields, rows } } = run
  const row: unknown[] = []
  let typed = value
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ''
    const field = fields[index]
    const given = value[name]
    const canonical = given === null && field?.nullable === true ? null : field?.type.take(given)
    if (canonical === undefined) return false
    // The schema of such a field has no null.
    if (given === null && field?.omitted === true) typed = without(typed, name)
    row.push(canonical)
  }
  if (validate(typed).length > 0) return false
  rows.push(row)
  run.count++
  return true
}

function without (value: Members, name: string): Members {
  const { [name]: _, ...others } = value
  return others
}

/** Returns the bodies in runs, in their order. */
export function runsOf (bodies: readonly ItemBody[]): readonly Run[] {
  const runs: Array<{ start: number, count: number }> = []
  let fields = new Set<unknown>()
  for (const [index, { assignments }] of bodies.entries()) {
    const run = runs.at(-1)
    if (run !== undefined && assignments.length === fields.size && assignments.every(one => fields.has(one.field))) {
      run.count++
    } else {
      fields = new Set(assignments.map(({ field }) => field))
      runs.push({ start: index, count: 1 })
    }
  }
  return runs.map(run => ({ ...run, values: valuesOf(bodies.slice(run.start, run.start + run.count)) }))
}

/** Returns the values of bodies that assign the same fields; undefined if one assigns something else. */
export function valuesOf (bodies: readonly ItemBody[]): BodyRows | undefined {
  const fields: StoredField[] = []
  for (const assignment of bodies[0]?.assignments ?? []) {
    if (assignment.kind !== 'value') return undefined
    fields.push(assignment.field)
  }
  const rows = bodies.map(({ assignments }) => {
    if (assignments === bodies[0]?.assignments) return assignments.map(one => one.kind === 'value' ? one.value : null)
    const values = new Map<Field, unknown>()
    for (const one of assignments) if (one.kind === 'value') values.set(one.field, one.value)
    return fields.map(field => values.get(field))
  })
  return { fields, rows }
}
