import type { AsyncResource } from 'node:async_hooks'
import type { KeyValues } from '../../../model/identifiers.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import type { ReadPlan } from '../../../plan/plan.ts'
import { memoizeRecent } from '../../../scheduling/memoize.ts'
import {
  type Change, type Changed, isLinkChange, isOfSeveral, type Session, type ConstraintViolation
} from '../../source.ts'
import { type About, beginStatement, endStatement } from '../../statement-events.ts'
import type { Hold } from '../../write-lock.ts'
import { nameOffendingFields } from '../offending-fields.ts'
import type { FollowChange } from './changes.ts'
import { type Commit, plainly } from './checkpoints.ts'
import { clockOf, eventLoopBudget, Overdue } from './clock.ts'
import { type ArrayStatement, isTransactionOpen, type SqliteDriver, type SqliteStatement, toArrays } from './driver.ts'
import { isCodeless, toFault, isBusy, isConstraint, isRaised } from './faults.ts'
import { registerFunctions } from './functions.ts'
import {
  committed, ForeignTransaction, inTransaction, isHeldUp, type NamedRows, runWithRetry, Superseded
} from './transaction.ts'
import type { PreparedChange, Statements, PreparedRead } from '../statements/statements.ts'
import type { RowValues } from '../statements/compiled-read.ts'
import { type Reading, readRows } from './rows.ts'
import { sourceOf } from '../source.ts'

/**
 * One connection to a SQLite database. Where another process holds the lock, writes wait for it as long as their `hold`
 * has time remaining; reads do not wait.
 */
export interface Connection {
  readonly driver: SqliteDriver
  /**
   * Runs a read for at most that many milliseconds. Throws Overdue if it takes longer, and the driver's error if
   * another process holds the lock.
   */
  readonly read: RunRead
  /** Makes a change, which is a transaction of its own. */
  change (change: Change, hold: Hold): Changed | Promise<Changed>
  /**
   * Makes changes in one transaction, as many as some milliseconds have room for. Gives undefined for a change that was
   * not made, and that can be made alone: one that a constraint refuses, or all of them, if another error or the commit
   * has undone them.
   */
  changeAll (changes: readonly ContextualChange[], hold: Hold): ChangedOrNot | Promise<ChangedOrNot>
  /** `limit`: how long the transaction may last, in milliseconds. */
  transaction<T> (work: (session: Session) => Promise<T>, limit: number, hold: Hold): Promise<T>
}

/** `resource`: the asynchronous context of the change, in which its statement is observed. */
export interface ContextualChange { readonly change: Change, readonly resource: AsyncResource }

type ChangedOrNot = ReadonlyArray<Changed | undefined>

/**
 * The limits of a connection. `statementTimeout`: how long a read inside of a transaction may take, in milliseconds.
 * `preparedCharacters`: the most characters of the statements that are prepared.
 */
interface ConnectionLimits { readonly statementTimeout: number, readonly preparedCharacters: number }

/** How a connection writes. `change`: makes a change, and may read around it. */
interface Writing { readonly change: FollowChange, readonly commit: Commit }

export function connect (
  driver: SqliteDriver, statements: Statements, { statementTimeout, preparedCharacters }: ConnectionLimits,
  { change: makeChange, commit }: Writing = { change: (_change, _read, make) => make(), commit: plainly }
): Connection {
  driver.exec('pragma foreign_keys = on')
  registerFunctions(driver)
  const prepared = cacheStatements(driver, preparedCharacters)

  const runRead = makeRunRead({ driver, clock: clockOf(driver), prepare: prepared.giveArrays })
  const read = (plan: ReadPlan) => runRead(statements.bind(plan), statementTimeout)
  const changeOrThrow = (change: Change) =>
    makeChange(change, read, () => runChange(driver, prepared, statements.bindChange(change), change))
  const changeOrRefuse = (change: Change): Changed | Promise<Changed> => {
    try {
      return changeOrThrow(change)
    } catch (error) {
      const violation = toViolation(error, isLinkChange(change) ? change.field.target : change.collection)
      if (violation === undefined) throw isHeldUp(error) ? error : toFault(error)
      return nameOffendingFields({ ...violation, cause: error }, change, read)
    }
  }
  const query = (text: string, parameters: readonly unknown[]) => {
    const about = { database: 'sqlite', kind: 'query', collection: undefined, text } as const
    return observed(about, rows => rows.length, () => runQuery(prepared.giveObjects(text), parameters))
  }

  return {
    driver,
    read: runRead,
    change: (change, hold) => runWithRetry(() => {
      // Inside a foreign transaction, a change would be undone with it after the change was acknowledged.
      if (isTransactionOpen(driver)) throw new ForeignTransaction()
      return changeOrRefuse(change)
    }, hold),
    changeAll: (changes, hold) => runWithRetry(() => changeAll(driver, changes, changeOrThrow), hold),
    transaction: (work, limit, hold) =>
      inTransaction({ driver, query, read, change: changeOrRefuse, commit }, work, limit, hold)
  }
}

/** Makes changes in one transaction (Connection.changeAll). */
function changeAll (
  driver: SqliteDriver, changes: readonly ContextualChange[], make: (change: Change) => Changed
): ChangedOrNot {
  const makeUnlessRefused = (change: Change): Changed | undefined => {
    try {
      return make(change)
    } catch (error) {
      if (isUndoneAlone(error) && isTransactionOpen(driver)) return undefined
      throw error
    }
  }
  const makeAll = () => {
    const end = performance.now() + longestTogether
    const made: Array<Changed | undefined> = []
    for (const { change, resource } of changes) {
      made.push(resource.runInAsyncScope(makeUnlessRefused, null, change))
      if (performance.now() > end) break
    }
    return made
  }
  return committed(driver, makeAll) ?? changes.map(() => undefined)
}

// In milliseconds. The event loop has its turn after that.
const longestTogether = 5

/** The prepared statements of a connection, by text: those that give rows as arrays, and those that give objects. */
interface Prepared {
  giveArrays (text: string): ArrayStatement
  giveObjects (text: string): SqliteStatement
}

const cacheStatements = (driver: SqliteDriver, characters: number): Prepared => ({
  giveArrays: memoizeRecent(text => toArrays(driver.prepare(text)), { most: mostPrepared, characters }),
  giveObjects: memoizeRecent(text => driver.prepare(text), { most: mostPrepared, characters })
})

// As many as statements.ts keeps.
const mostPrepared = 500

function runChange (driver: SqliteDriver, prepared: Prepared, bound: PreparedChange, change: Change): Changed {
  const collection = isLinkChange(change) ? change.field.target : change.collection
  const about = { database: 'sqlite', kind: change.kind, collection: collection.property, text: bound.text }
  const countOf = (changed: Changed) => changed.kind === 'changed' ? changed.count ?? 1 : 0
  return observed(about, countOf, () =>
    isOfSeveral(change) ? insertSeveral(driver, prepared, bound, collection) : makeChange(driver, prepared, bound))
}

/** Runs a statement and tells its observers of it. `count` returns the number of rows in its result. */
function observed<T> (about: About, count: (result: T) => number, run: () => T): T {
  const begun = beginStatement()
  try {
    const result = run()
    if (begun !== 0) endStatement(about, begun, count(result))
    return result
  } catch (error) {
    endStatement(about, begun, undefined, error)
    throw error
  }
}

function makeChange (
  driver: SqliteDriver, prepared: Prepared, { text, parametersOf, key, returnsRows }: PreparedChange
): Changed {
  const parameters = parametersOf(0)
  if (key === undefined) {
    const changes = returnsRows
      ? returned(driver, prepared.giveArrays(text), parameters).length
      : prepared.giveObjects(text).run(...parameters).changes
    return Number(changes) > 0 ? { kind: 'changed' } : { kind: 'unchanged' }
  }
  const [row] = returned(driver, prepared.giveArrays(text), parameters)
  return row === undefined ? { kind: 'unchanged' } : { kind: 'changed', keys: [key(row)] }
}

/**
 * Makes an insert of several items up to the first that is refused. A savepoint would undo these, but doubles the time
 * of an insert, and who imports undoes all.
 */
function insertSeveral (
  driver: SqliteDriver, prepared: Prepared, bound: PreparedChange, collection: Collection
): Changed {
  const { times, parametersOf, key } = bound
  const keys: KeyValues[] = []
  const insert = makeInsert(driver, prepared, bound, keys)
  let count = 0
  try {
    while (count < times && insert(parametersOf(count))) count++
  } catch (error) {
    if (toViolation(error, collection) === undefined) throw error
  }
  if (count === 0) return { kind: 'unchanged' }
  return key === undefined ? { kind: 'changed', count } : { kind: 'changed', count, keys }
}

/** Returns what inserts a row, and adds its key. It returns false for a row that a trigger drops. */
function makeInsert (
  driver: SqliteDriver, prepared: Prepared, { text, key }: PreparedChange, keys: KeyValues[]
): (values: readonly unknown[]) => boolean {
  if (key === undefined) {
    const statement = prepared.giveObjects(text)
    return values => Number(statement.run(...values).changes) > 0
  }
  const statement = prepared.giveArrays(text)
  return values => {
    const [row] = returned(driver, statement, values)
    if (row !== undefined) keys.push(key(row))
    return row !== undefined
  }
}

/**
 * Returns the rows that a change returns. Uses all(), because get() would stop at the first row, and then commit
 * without reporting an error of the commit.
 */
function returned (driver: SqliteDriver, statement: ArrayStatement, parameters: readonly unknown[]) {
  try {
    return statement.all(...parameters)
  } catch (error) {
    throw isCodeless(error) ? withCode(error, driver, () => statement.get(...parameters)) : error
  }
}

function runQuery (statement: SqliteStatement, parameters: readonly unknown[]): NamedRows {
  if (statement.reader !== false) return statement.all(...parameters) as NamedRows
  statement.run(...parameters)
  return []
}

/**
 * Returns the error with SQLite's result code. In @photostructure/sqlite, the error of all() has a message only, which
 * may be the message of a trigger; the error of get() has the code too. So the statement runs and fails once more,
 * inside a savepoint or transaction that is rolled back in any case. Throws the error of a lock that another process
 * holds, and returns Superseded for what another process has changed meanwhile: the statement may run again.
 */
function withCode (error: unknown, driver: SqliteDriver, statement: () => unknown): unknown {
  const inside = isTransactionOpen(driver)
  // What keeps the statement from running once more is not why it has failed, and is thrown.
  driver.exec(inside ? 'savepoint data_api' : 'begin immediate')
  try {
    statement()
    return inside ? error : new Superseded(error)
  } catch (again) {
    return again
  } finally {
    if (isTransactionOpen(driver)) driver.exec(inside ? 'rollback to data_api; release data_api' : 'rollback')
  }
}

/** Runs a read for at most that many milliseconds (Connection.read). */
type RunRead = <Result>(prepared: PreparedRead<Result>, limit: number) => Result

export const makeRunRead = (reading: Reading): RunRead => (prepared, limit) => {
  try {
    return prepared.decode(rowsOf(reading, prepared, limit))
  } catch (error) {
    throw isBusy(error) || error instanceof Overdue ? error : toFault(error)
  }
}

function rowsOf (reading: Reading, prepared: PreparedRead<unknown>, limit: number): readonly RowValues[] {
  const { text, collection } = prepared
  const begun = beginStatement()
  const about = { database: 'sqlite', kind: 'read', collection, text } as const
  try {
    const rows = readRows(reading, prepared, limit)
    if (begun !== 0) endStatement(about, begun, rows.length)
    return rows
  } catch (error) {
    // A read that begins again in a thread (reader.ts) tells of that statement.
    const isRepeated = error instanceof Overdue && limit === eventLoopBudget
    if (!isRepeated) endStatement(about, begun, undefined, error)
    throw error
  }
}

// Not in faults.ts, which each reading thread loads: with the sources of tables, TypeBox would be loaded as well.

/**
 * Returns the violation if the database refused the data of a change to the collection's table; undefined for any other
 * error. SQLite names the columns in its messages only.
 */
function toViolation (error: unknown, collection: Collection): ConstraintViolation | undefined {
  if (!isConstraint(error) || !(error instanceof Error)) return undefined
  const [, kind = '', named = ''] = constraintFailed.exec(error.message) ?? []
  if (kind === 'FOREIGN KEY') return { kind: 'refused', by: 'foreign-key', fields: [] }
  const fields = kind === 'CHECK' ? fieldsInExpression(named, collection) : fieldsInList(named, collection)
  const raised = kind === '' && isRaised(error) ? { raised: error.message } : {}
  return { kind: 'refused', by: kind === 'UNIQUE' ? 'unique' : 'other', fields, ...raised }
}

const constraintFailed = /(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?$/s

/** Returns true for the error of a constraint, which has undone its statement and no other one of the transaction. */
const isUndoneAlone = (error: unknown): boolean =>
  isConstraint(error) && error instanceof Error && constraintFailed.test(error.message)

/** Returns the fields of a list of columns such as `artists.name, artists.tenant`. */
function fieldsInList (list: string, collection: Collection): readonly StoredField[] {
  const { table, column } = sourceOf(collection)
  const columns = list.split(', ').map(name => name.startsWith(`${table}.`) ? name.slice(table.length + 1) : name)
  return collection.stored.filter(field => columns.includes(column(field.property)))
}

function fieldsInExpression (expression: string, collection: Collection): readonly StoredField[] {
  const words = new Set(expression.split(/[^\p{L}\p{N}_$]+/u))
  return collection.stored.filter(field => words.has(sourceOf(collection).column(field.property)))
}
