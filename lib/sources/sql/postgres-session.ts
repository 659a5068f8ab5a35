import { foreignPosition } from '../../errors.ts'
import type { Change, Changed, Session } from '../source.ts'
import { nameCulprits } from './culprits.ts'
import { type Catalog, columnsQuery, constraintsQuery, readCatalog } from './postgres-catalog.ts'
import type { Connection } from './postgres-connection.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { isUnfit, toFault, toRefusal } from './postgres-faults.ts'
import { type BoundRead, makeStatements, type Statements } from './statements.ts'

/** What is known of a database once it has been asked, and the statements made of that. */
export interface Known extends Catalog { readonly statements: Statements }

/** Asks the database what it holds. */
export async function learn (connection: Connection): Promise<Known> {
  const columns = await connection.query(columnsQuery)
  const constraints = await connection.query(constraintsQuery)
  const catalog = readCatalog({ columns, constraints })
  return { ...catalog, statements: makeStatements(postgresDialect, catalog.types) }
}

/** Runs a read. Throws its error as ours. */
export async function readOn<Result> (connection: Pick<Connection, 'prepared'>, { text, parameters, decode }: BoundRead<Result>): Promise<Result> {
  try {
    return decode((await connection.prepared(text, parameters)).rows)
  } catch (error) {
    throw isUnfit(error) ? foreignPosition(error) : toFault(error)
  }
}

/** What is done on one connection, inside a transaction or outside of any. */
export function makeSession (connection: Connection, { statements, constraints }: Known, inside: boolean): Omit<Session, 'announce'> {
  // Who is at fault for a refusal is looked up among what the transaction has changed before, which a savepoint keeps.
  let changed = false
  let saved = false
  const save = async () => {
    if (inside && changed) await connection.query(saved ? `release savepoint ${savepoint}; savepoint ${savepoint}` : `savepoint ${savepoint}`)
    saved = inside && changed
    changed = true
  }
  const takeBack = async () => {
    // After an error the server answers nothing before what failed is undone.
    if (inside) await connection.query(saved ? `rollback to savepoint ${savepoint}` : 'rollback')
  }
  const change = async (change: Change): Promise<Changed> => {
    const { text, parameters, key } = statements.bindChange(change)
    const { rows: [row], count } = await connection.prepared(text, parameters)
    if (key === undefined) return count > 0 || change.kind === 'link' ? { kind: 'changed' } : { kind: 'unchanged' }
    return row === undefined ? { kind: 'unchanged' } : { kind: 'changed', key: key(row[0]) }
  }
  return {
    transaction: {
      kind: 'postgres',
      async query (text, parameters) {
        changed = true
        return connection.query(text, parameters)
      }
    },
    read: plan => readOn(connection, statements.bind(plan)),
    lock: plan => readOn(connection, statements.bind(plan, true)),
    async change (wanted) {
      try {
        await save()
        return await change(wanted)
      } catch (error) {
        const refused = toRefusal(error, wanted, constraints)
        if (refused === undefined) throw toFault(error)
        await takeBack()
        return nameCulprits(refused, wanted, plan => readOn(connection, statements.bind(plan)))
      }
    }
  }
}

const savepoint = 'data_api'
