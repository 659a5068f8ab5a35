import { foreignPosition } from '../../../errors/errors.ts'
import type { KeyValues } from '../../../model/identifiers.ts'
import type { ReadPlan } from '../../../plan/plan.ts'
import {
  type Change, type Changed, type ChangeOf, type IsAbandoned, RefusedAtCommit, type Session
} from '../../source.ts'
import { type About, beginStatement, endStatement } from '../../statement-events.ts'
import { nameOffendingFields } from '../offending-fields.ts'
import { readTables, type ReadTables } from './catalog.ts'
import type { Connection, StatementResult } from './wire/connection.ts'
import { changedCollection, faultOf, tableNamed, toFault, toViolation, toWriteFault } from './faults.ts'
import type { Owner } from './transaction.ts'
import { Savepoint, tableOfChange } from './savepoint.ts'
import type { RequestSession } from './request-session.ts'
import type { TableName } from '../table-name.ts'
import type { Dialect } from '../statements/dialect.ts'
import { makeStatements, type PreparedRead, type Statements } from '../statements/statements.ts'

/** The catalog of a database, and the statements made for it. */
export interface LoadedCatalog extends ReadTables { readonly statements: Statements }

/**
 * Reads the tables of these names from the database behind a connection. `statementCache`: the option.
 */
export async function loadCatalog (
  connection: Connection, names: readonly TableName[], dialect: Dialect, statementCache: number
): Promise<LoadedCatalog> {
  const tables = await readTables(connection, names)
  return { ...tables, statements: makeStatements(dialect, tables.find, statementCache) }
}

/** Runs a read and returns its decoded result. Throws the driver's errors as ours. */
export async function readOn<Result> (
  connection: Pick<Connection, 'prepared'>, { text, collection, parameters, longest, decode }: PreparedRead<Result>,
  isAbandoned?: IsAbandoned
): Promise<Result> {
  const about = { database: 'postgres', kind: 'read', collection, text } as const
  try {
    const running = connection.prepared({ text, values: parameters, longest }, isAbandoned)
    return decode((await observed(about, countOf, running)).rows)
  } catch (error) {
    throw faultOf(error).unfit === true ? foreignPosition(error) : toFault(error)
  }
}

/** Tells the observers of a statement when it has ended. `count` returns the number of rows in its result. */
async function observed<T> (about: About, count: (result: T) => number, running: Promise<T>): Promise<T> {
  const begun = beginStatement()
  try {
    const result = await running
    if (begun !== 0) endStatement(about, begun, count(result))
    return result
  } catch (error) {
    endStatement(about, begun, undefined, error)
    throw error
  }
}

const countOf = ({ count }: StatementResult) => count

/** A session and the last change of each table in it, in their order, which explain an error of the commit. */
interface RecordedSession {
  readonly session: Omit<Session, 'announce'>
  readonly changes: readonly Change[]
}

/**
 * Returns the session of a transaction. Each of its calls is a job of the connection's owner. `request`: the role and
 * the settings that the transaction has begun with.
 */
export function makeSession (
  owner: Owner, catalog: LoadedCatalog, request: RequestSession | undefined
): RecordedSession {
  const { statements, find } = catalog
  const savepoint = new Savepoint()
  const makeChange = async (connection: Connection, change: Change): Promise<Changed> => {
    if (change.kind === 'insert' && change.rows.length > 1) return insertSeveral(connection, catalog, savepoint, change)
    try {
      // After a refusal, the lookup of the offending fields must see the earlier changes, which the savepoint keeps.
      if (savepoint.changes().length > 0 || savepoint.isSet) await savepoint.set(connection)
      savepoint.note(change)
      return await runChange(connection, statements, change)
    } catch (error) {
      const violation = toViolation(error, change, find)
      if (violation === undefined) throw toFault(error)
      await savepoint.rollBack(connection)
      return nameOffendingFields({ ...violation, cause: error }, change, readerOf(connection, statements))
    }
  }

  return {
    get changes () { return savepoint.changes() },
    session: {
      transaction: {
        kind: 'postgres',
        query: (text, parameters) => owner.run(connection => queryAfter(savepoint, connection, text, parameters))
      },
      read: plan => owner.run(connection => readerOf(connection, statements)(plan)),
      lock: plan => owner.run(connection => readOn(connection, statements.bind(plan, true))),
      change: change => owner.run(connection => makeChange(connection, change)),
      settle: () => owner.run(connection => settle(connection, savepoint, catalog)),
      keys: {
        lock: plan => owner.run(inOwnRole(request, connection => readOn(connection, statements.bind(plan, true)))),
        change (change) {
          savepoint.isUnchanged = false
          return owner.run(inOwnRole(request, connection => changeKey(connection, statements, change)))
        }
      }
    }
  }
}

/** Makes an insert of several items, all or none: also none where a trigger has dropped one. */
async function insertSeveral (
  connection: Connection, { statements, find }: LoadedCatalog, savepoint: Savepoint, change: ChangeOf<'insert'>
): Promise<Changed> {
  // Who inserts them one by one afterwards needs the locks and the key of the request.
  if (!savepoint.isUnchanged) await savepoint.set(connection)
  savepoint.note(change)
  const changed = await runChange(connection, statements, change).catch((error: unknown) => {
    if (toViolation(error, change, find) === undefined) throw toFault(error)
    return undefined
  })
  if (changed?.kind === 'changed' && changed.count === change.rows.length) return changed
  await savepoint.rollBack(connection)
  return { kind: 'unchanged' }
}

/** Checks what is deferred to the commit. */
async function settle (connection: Connection, savepoint: Savepoint, catalog: LoadedCatalog): Promise<void> {
  try {
    await connection.run('set constraints all immediate')
  } catch (error) {
    throw refusedAtCommit(error, savepoint.changes(), catalog) ?? toFault(error)
  }
}

/** Returns a job that runs in the connection's own role: the role of a request needs no right on the table of keys. */
function inOwnRole<T> (request: RequestSession | undefined, job: (connection: Connection) => Promise<T>): typeof job {
  if (request?.assumesRole !== true) return job
  return async connection => {
    await connection.query("select set_config('role', 'none', true)")
    const result = await job(connection)
    await connection.query(request.text, request.values)
    return result
  }
}

/** An error ends the write, so that it needs no savepoint. */
const changeKey = (connection: Connection, statements: Statements, change: Change): Promise<Changed> =>
  runChange(connection, statements, change).catch((error: unknown) => { throw toFault(error) })

/** Makes a change by a statement that is a transaction of its own. */
export async function changeAlone (
  connection: Connection, { statements, find }: LoadedCatalog, change: Change
): Promise<Changed> {
  try {
    return await runChange(connection, statements, change)
  } catch (error) {
    const violation = toViolation(error, change, find)
    if (violation === undefined) throw toWriteFault(error)
    return nameOffendingFields({ ...violation, cause: error }, change, readerOf(connection, statements))
  }
}

const readerOf = (connection: Connection, statements: Statements) =>
  (plan: ReadPlan) => readOn(connection, statements.bind(plan))

async function runChange (connection: Connection, statements: Statements, change: Change): Promise<Changed> {
  const { text, times, parametersOf, key } = statements.bindChange(change)
  const about = { database: 'postgres', kind: change.kind, collection: changedCollection(change).property, text }
  const keys: KeyValues[] = []
  let count = 0
  for (let run = 0; run < times; run++) {
    const result = await observed(about, countOf, connection.prepared({ text, values: parametersOf(run) }))
    count += result.count
    if (key !== undefined) for (const row of result.rows) keys.push(key(row))
  }
  if (count === 0) return { kind: 'unchanged' }
  if (change.kind !== 'insert') return { kind: 'changed' }
  return key === undefined ? { kind: 'changed', count } : { kind: 'changed', count, keys }
}

/**
 * Runs a statement of a hook after a savepoint, and rolls back to that if the statement fails: a hook that catches the
 * error can go on, as on a database where an error ends the statement alone.
 */
async function queryAfter (
  savepoint: Savepoint, connection: Connection, text: string, parameters: readonly unknown[] | undefined
) {
  await savepoint.set(connection)
  savepoint.isUnchanged = false
  const about = { database: 'postgres', kind: 'query', collection: undefined, text } as const
  return observed(about, rows => rows.length, connection.query(text, parameters)).catch(async (error: unknown) => {
    await savepoint.rollBack(connection).catch(() => {})
    throw error
  })
}

/**
 * Returns our error if the server refused the commit of these changes, by a deferred constraint or trigger; undefined
 * for any other error. The refusal belongs to the last change of the table that the server names, or else to the last
 * change of all.
 */
export function refusedAtCommit (
  error: unknown, changes: readonly Change[], { find }: LoadedCatalog
): RefusedAtCommit | undefined {
  const table = tableNamed(error, find)
  const change = changes.findLast(one => tableOfChange(one) === table) ?? changes.at(-1)
  if (change === undefined) return undefined
  const violation = toViolation(error, change, find)
  return violation && new RefusedAtCommit(violation, changedCollection(change), error)
}
