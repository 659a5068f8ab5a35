import { Type } from '@sinclair/typebox'
import { DeclarationError } from '../../errors/errors.ts'
import { orNearest } from '../../errors/suggest.ts'
import { placeOf } from '../../model/fields.ts'
import type { Collection, StoredField } from '../../model/model.ts'
import type { ReadPlan, Row } from '../../plan/plan.ts'
import type { Finding } from '../catalog-check.ts'
import { compileSourceOptions, milliseconds } from '../source-options.ts'
import type { Batches, Change, Changed, Database, DataSource, ListPlan, Session } from '../source.ts'
import { Changes, type Made, makeAndLook } from '../changes.ts'
import { openSession, withinLimit } from '../transaction-limit.ts'
import { describeTransaction, type Hold, WriteLock } from '../write-lock.ts'
import { findListing, runRead } from './read.ts'
import { memoryTable } from './relations.ts'
import { type MemoryRows, type MemoryTable, tableOver, type Undo } from './table.ts'
import { makeTick, type Tick, untimed } from './tick.ts'
import { readerOf } from './values.ts'
import { runChange } from './write.ts'

/** A source over objects of the application. */
export interface MemorySource extends DataSource {
  readonly table: MemoryTable
  readonly statementTimeout: number
  readonly joins: ReadonlyMap<string, MemoryTable>
  /**
   * Builds the indexes again when they are next needed. They follow every write through the API. They also notice a
   * change by the application if it changes the number of rows, the last row of an array, or a row that they find. Call
   * this after any other change of an identifier or a foreign key, in place or in a replaced object.
   */
  refresh (): void
}

export interface MemoryOptions {
  /**
   * The join rows of many-to-many relations, by the name in `through`: objects with the properties that the relation
   * names as `foreignKey` and `otherKey`.
   */
  joins?: Record<string, MemoryRows>
  /**
   * How long a read of this source may take, in milliseconds, before it is 503. Other requests wait meanwhile. Default
   * 1000; 0 is no limit.
   */
  statementTimeout?: number
}

// In milliseconds, the defaults of sqlite(). Without a limit, a hook that never ends would block all requests.
const transactionLimit = 10_000
const lock = new WriteLock(5000)
const changes = new Changes()

/**
 * The one database of all memory sources, so relations can lead from any source to any other. Reads and writes wait for
 * a running transaction; they are `unavailable` after 5 seconds. A transaction is rolled back after 10 seconds.
 */
const database: Database = {
  kind: 'memory',
  ping: async () => {},
  catalogCheck: { mode: 'error', run: async collections => collections.flatMap(checkFirstRow) },
  read: plan => lock.runShared(() => runRead(plan, tickOf(plan))),
  readBatches,
  change: change => lock.runShort(() => {
    const made: Made[] = []
    const changed = follow(change, [], made)
    changes.tellOf(made)
    return changed
  }),
  transaction: work => lock.runExclusive(hold => runTransaction(work, hold)),
  watch: changes.watch
}

/** Compares a collection with the first of its objects, which must have a value for each field that needs one. */
function checkFirstRow (collection: Collection): readonly Finding[] {
  const [row] = memoryTable(collection).all()
  if (row === undefined) return []
  return collection.stored
    .filter(field => !field.nullable && readerOf(field)(row) === null)
    .map(field => ({ kind: 'fault', message: missingValue(collection, field, row) }))
}

function missingValue ({ property, properties }: Collection, field: StoredField, row: object): string {
  const unknown = Object.keys(row).filter(name => !properties.has(name))
  const advice = orNearest(field.property, unknown) || '; give it one, or make the field optional'
  return `${placeOf(property, field.property)}: the first object of memory() has no value for it${advice}`
}

/** Returns the tick of a read. Its limit is that of the source whose items it returns. */
function tickOf (plan: ReadPlan): Tick {
  const collection = plan.kind === 'item' ? plan.steps.at(-1)?.collection : plan.from.collection
  return collection === undefined ? untimed : makeTick((collection.source as MemorySource).statementTimeout)
}

/** Finds and sorts the objects once. Each batch waits for a running transaction, and has a limit of its own. */
async function readBatches (plan: ListPlan, size: number): Promise<Batches> {
  const found = await lock.runShared(() => findListing(plan, tickOf(plan)))
  if (found.kind !== 'listing') return { first: found, rows: batchesOf(0, size, readNone) }
  const { page, more, total, rowsOf } = found
  const readBatch = async (start: number) => lock.runShared(() => rowsOf(start, size, tickOf(plan)))
  const rows = await readBatch(0)
  return {
    first: { kind: 'rows', rows, more, ...plan.count && { total } },
    rows: batchesOf(page.length, size, async start => start === 0 ? rows : readBatch(start))
  }
}

const readNone = async () => []

async function * batchesOf (
  length: number, size: number, readBatch: (start: number) => Promise<readonly Row[]>
): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < length; start += size) yield await readBatch(start)
}

/** Makes a change, and adds to `made` what it has changed. */
function follow (change: Change, undo: Undo[], made: Made[]): Changed {
  if (!changes.isWatched) return runChange(change, undo)
  const [changed, one] = makeAndLook(change, plan => runRead(plan), () => runChange(change, undo))
  if (changed.kind === 'changed') made.push(one)
  return changed
}

async function runTransaction<T> (work: (session: Session) => Promise<T>, hold: Hold): Promise<T> {
  const undo: Undo[] = []
  const made: Made[] = []
  try {
    const read = (plan: ReadPlan) => runRead(plan)
    const change = (one: Change) => follow(one, undo, made)
    const open = openSession({ transaction, read, lock: read, change })
    hold.holder = describeTransaction(open)
    const result = await withinLimit(open, work, transactionLimit)
    changes.tellOf(made)
    return result
  } catch (error) {
    for (const one of undo.toReversed()) one()
    throw error
  }
}

const transaction = {
  kind: 'memory',
  async query (): Promise<never> {
    throw new TypeError('memory() cannot run statements; change the objects themselves.')
  }
}

const checkOptions = compileSourceOptions<MemoryOptions>('memory(rows)', Type.Object({
  joins: Type.Object({}), statementTimeout: milliseconds
}))

/**
 * Returns a source over an array or Map of the application's own objects, at most 200,000: for tests, examples and
 * small data. Finds an item by an identifier in constant time; filters and sorts read every item. Throws a
 * DeclarationError for any other argument.
 */
export function memory (rows: MemoryRows, options: MemoryOptions = {}): MemorySource {
  checkOptions(options)
  const { joins = {}, statementTimeout = 1000 } = options
  const table = checkedTable(rows, 'memory(rows)')
  const joinTables = new Map(Object.entries(joins).map(([name, join]) =>
    [name, checkedTable(join, `memory(rows, { joins: { ${name} } })`)]))
  return {
    database,
    table,
    statementTimeout,
    joins: joinTables,
    joinNames: new Set(joinTables.keys()),
    known: () => table,
    isIsolated: () => true,
    tableKey: through => through === undefined ? table : joinTables.get(through),
    refresh () {
      const tables = [table, ...joinTables.values()]
      for (const one of tables) one.refresh()
      changes.tell(new Map(tables.map(one => [one, undefined])))
    }
  }
}

function checkedTable (rows: MemoryRows, place: string): MemoryTable {
  if (!Array.isArray(rows) && !(rows instanceof Map)) {
    throw new DeclarationError(`${place}: expected an array or a Map of objects`)
  }
  return tableOver(rows)
}
