import type { Collection } from '../model/model.ts'
import { columnKey, comparableFields, comparableKey } from '../plan/needs.ts'
import type { Step } from '../plan/plan.ts'
import { equalsKey } from '../plan/predicates.ts'
import { memoize } from '../scheduling/memoize.ts'
import { type Change, type Changed, isLinkChange, type ItemPlan, type ReadResult } from './source.ts'

/** The values that a row had or has, by columnOf(), as comparableOf() returns them. What is absent is not known. */
export type ChangedRow = ReadonlyMap<string, unknown>

/**
 * The tables in which rows may have changed, by Source.tableKey, with these rows as they were and are; undefined for
 * any row, and for all of the database.
 */
export type ChangedTables = ReadonlyMap<unknown, readonly ChangedRow[] | undefined> | undefined

export type Tell = (tables: ChangedTables) => void

/** Returns the table of a change; undefined for one that may change other tables too. */
function tableOfChange (change: Change): unknown {
  if (isLinkChange(change)) {
    const { link, holder } = change.field
    return link.kind === 'join' ? holder.source.tableKey?.(link.through) : undefined
  }
  return change.collection.source.tableKey?.()
}

/** A change that was made, with its rows before and after it, where these are known. `count`: of items. Default 1. */
export interface Made {
  readonly change: Change
  readonly rows?: readonly ChangedRow[] | undefined
  readonly count?: number | undefined
}

/**
 * Makes a change in a database that nobody else writes to meanwhile. Returns its result, and its rows before and after:
 * both are read, because the database may fill and compute columns.
 */
export function makeAndLook (
  change: Change, read: (plan: ItemPlan) => ReadResult, make: () => Changed
): readonly [Changed, Made] {
  if (isLinkChange(change)) return [make(), { change }]
  const { collection } = change
  const look = (steps: readonly Step[]) => rowAt(steps, collection, read)
  if (change.kind === 'insert') {
    const changed = make()
    const { keys, count } = changed.kind === 'changed' ? changed : none
    const rows = keys?.map(key => look([{ collection, via: undefined, where: equalsKey(collection.key, key) }]))
    return [changed, { change, rows: rows && joined(rows), count }]
  }
  const before = look(change.steps)
  const changed = make()
  if (changed.kind !== 'changed') return [changed, { change }]
  const after = change.kind === 'delete' ? [] : look(change.steps)
  return [changed, { change, rows: joined([before, after]) }]
}

const none: Partial<Extract<Changed, { kind: 'changed' }>> = {}

/** Returns all of the rows; undefined where some are not known. */
const joined = (rows: ReadonlyArray<readonly ChangedRow[] | undefined>) =>
  rows.includes(undefined) ? undefined : rows.flatMap(one => one ?? [])

/** Returns the row of the last step; undefined if it is not found, such as after a change of its key. */
function rowAt (
  steps: readonly Step[], collection: Collection, read: (plan: ItemPlan) => ReadResult
): readonly ChangedRow[] | undefined {
  try {
    const result = read({ kind: 'item', steps, select: shownOf(collection) })
    if (result.kind !== 'rows') return undefined
    return result.rows.map(row => new Map(comparableFields(collection).map(field =>
      [columnKey(field, collection), comparableKey(row[field.property])])))
  } catch {
    // It must not fail the change.
    return undefined
  }
}

const shownOf = memoize((collection: Collection) =>
  comparableFields(collection).map(field => ({ kind: 'value', name: field.name, field } as const)))

/** Tells those who watch a database of its changes. `begin` is called for the first one, its result for the last. */
export class Changes {
  readonly #listeners = new Set<Tell>()
  readonly #begin: () => () => void
  #end: (() => void) | undefined

  constructor (begin: () => () => void = () => () => {}) {
    this.#begin = begin
  }

  get isWatched (): boolean { return this.#listeners.size > 0 }

  readonly watch = (tell: Tell): () => void => {
    // The same function may watch twice.
    const listener: Tell = tables => { tell(tables) }
    this.#listeners.add(listener)
    this.#end ??= this.#begin()
    return () => {
      if (!this.#listeners.delete(listener) || this.isWatched) return
      this.#end?.()
      this.#end = undefined
    }
  }

  tell (tables: ChangedTables): void {
    for (const listener of this.#listeners) listener(tables)
  }

  /** Tells of changes that were committed. */
  tellOf (made: readonly Made[]): void {
    if (!this.isWatched || made.length === 0) return
    const tables = new Map<unknown, readonly ChangedRow[] | undefined>()
    for (const { change, rows } of made) {
      const table = tableOfChange(change)
      const known = tables.has(table) ? tables.get(table) : []
      tables.set(table, known && rows && [...known, ...rows])
    }
    this.tell(tables.has(undefined) ? undefined : tables)
  }
}
