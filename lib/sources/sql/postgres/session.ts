import { foreignPosition } from '../../../errors.ts'
import type { ReadPlan } from '../../../plan/plan.ts'
import { type Change, type Changed, RefusedAtCommit, type Session } from '../../source.ts'
import { nameOffendingFields } from '../offending-fields.ts'
import { type Catalog, columnsQuery, constraintsQuery, readCatalog } from './catalog.ts'
import type { Connection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { constraintOf, isUnfit, toFault, toViolation, toWriteFault } from './faults.ts'
import { sourceOf } from '../source.ts'
import { type BoundRead, makeStatements, type Statements } from '../statements/statements.ts'

/** What is known of a database once it has been asked, and the statements made of that. */
export interface Known extends Catalog { readonly statements: Statements }

/** Asks the database what it holds. */
export async function learn (connection: Connection): Promise<Known> {
  const columns = await connection.query(columnsQuery)
  const constraints = await connection.query(constraintsQuery)
  const catalog = readCatalog({ columns, constraints })
  return { ...catalog, statements: makeStatements(postgresDialect, catalog) }
}

/** Runs a read. Throws its error as ours. */
export async function readOn<Result> (connection: Pick<Connection, 'prepared'>, { text, parameters, decode }: BoundRead<Result>): Promise<Result> {
  try {
    return decode((await connection.prepared(text, parameters)).rows)
  } catch (error) {
    throw isUnfit(error) ? foreignPosition(error) : toFault(error)
  }
}

/** A session, and the changes that it made, for what the server refuses at the commit. */
export interface RecordedSession { readonly session: Omit<Session, 'announce'>, readonly changes: readonly Change[] }

/** What is done on one connection, inside a transaction or outside of any. */
export function makeSession (connection: Connection, { statements, constraints }: Known, inside: boolean): RecordedSession {
  const changes: Change[] = []
  const point = makeSavepoint(connection)
  // A hook may send statements that it does not wait for, and only one statement may stand behind a savepoint.
  const inOrder = makeOrder()
  const readNow = (plan: ReadPlan) => readOn(connection, statements.bind(plan))
  const changeNow = async (change: Change): Promise<Changed> => {
    const { text, parameters, key } = statements.bindChange(change)
    const { rows: [row], count } = await connection.prepared(text, parameters)
    if (key === undefined) return count > 0 || change.kind === 'link' ? { kind: 'changed' } : { kind: 'unchanged' }
    return row === undefined ? { kind: 'unchanged' } : { kind: 'changed', key: key(row[0]) }
  }
  const changeHere = async (change: Change): Promise<Changed> => {
    try {
      // Who is at fault for a refusal is looked up among what the transaction has changed before, which a savepoint keeps.
      if (inside && changes.length > 0) await point.set()
      changes.push(change)
      return await changeNow(change)
    } catch (error) {
      const refused = toViolation(error, change, constraints)
      if (refused === undefined) throw inside ? toFault(error) : toWriteFault(error)
      if (inside) await point.takeBack()
      return nameOffendingFields(refused, change, readNow)
    }
  }
  return {
    changes,
    session: {
      transaction: {
        kind: 'postgres',
        query: (text, parameters) => inOrder(async () => {
          await point.set()
          return connection.query(text, parameters).catch(async (error: unknown) => {
            // A hook that catches the error goes on, as on a database whose statements fail alone.
            await point.takeBack().catch(() => {})
            throw error
          })
        })
      },
      read: readNow,
      lock: plan => readOn(connection, statements.bind(plan, true)),
      change: inside ? change => inOrder(() => changeHere(change)) : changeHere
    }
  }
}

/** The last point of a transaction to which what fails is taken back: after an error the server answers nothing before that. */
function makeSavepoint (connection: Connection) {
  let isSet = false
  return {
    async set () {
      if (isSet) await connection.run(`release savepoint ${savepoint}`, `savepoint ${savepoint}`)
      else await connection.run(`savepoint ${savepoint}`)
      isSet = true
    },
    /** To the savepoint, or to the beginning where there is none. */
    takeBack: () => connection.run(isSet ? `rollback to savepoint ${savepoint}` : 'rollback')
  }
}

const savepoint = 'data_api'

/** Runs one piece of work after the other, in the order in which they come. */
function makeOrder (): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const done = last.then(work, work)
    last = done
    return done
  }
}

/** What the server refused at the commit of these changes: a deferred constraint or a trigger. It names a table, which one of them was of. */
export function refusedAtCommit (error: unknown, changes: readonly Change[], { constraints }: Known): RefusedAtCommit | undefined {
  const { table } = constraintOf(error)
  const change = changes.findLast(one => sourceOf(collectionOf(one)).table === table) ?? changes.at(-1)
  if (change === undefined) return undefined
  const refused = toViolation(error, change, constraints)
  return refused && new RefusedAtCommit(refused, collectionOf(change), error)
}

const collectionOf = (change: Change) => change.kind === 'link' ? change.field.target : change.collection
