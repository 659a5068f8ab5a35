import type { KeyValues } from '../../../model/identifiers.ts'
import type { Change, Inserted, Inserts } from '../../source.ts'
import type { PreparedInserts } from '../statements/statements.ts'
import { toFault, toViolation } from './faults.ts'
import type { Savepoint } from './savepoint.ts'
import { countOf, type LoadedCatalog, observed } from './session.ts'
import type { Connection } from './wire/connection.ts'

interface Inserting { readonly catalog: LoadedCatalog, readonly savepoint: Savepoint }

/**
 * Inserts items in a transaction, all or none, as Session.insertAll says. The savepoint of the next ones is set at
 * once, so that their statement need not wait for it.
 */
export async function insertAll (
  connection: Connection, inserts: Inserts, { catalog: { statements, find }, savepoint }: Inserting
): Promise<Inserted | undefined> {
  const bound = statements.bindInserts(inserts)
  if (bound === undefined) return undefined
  if (!savepoint.isUnchanged) await savepoint.set(connection)
  const change = lastOf(inserts)
  savepoint.note(change)
  const inserted = await runInserts(connection, bound, inserts).catch((error: unknown) => {
    if (toViolation(error, change, find) === undefined) throw toFault(error)
    return undefined
  })
  await (inserted === undefined ? savepoint.rollBack(connection) : savepoint.set(connection))
  return inserted
}

/** Inserts items, and returns undefined if a trigger has dropped one. */
async function runInserts (
  connection: Connection, { text, key, times, parametersOf }: PreparedInserts,
  { collection: { property }, rows: { length } }: Inserts
): Promise<Inserted | undefined> {
  const about = { database: 'postgres', kind: 'insert', collection: property, text } as const
  const keys: KeyValues[] = []
  let count = 0
  for (let run = 0; run < times; run++) {
    const values = parametersOf(run)
    const result = await observed(about, countOf, connection.prepared({ text, values }))
    count += result.count
    if (key !== undefined) for (const row of result.rows) keys.push(key(row))
  }
  return count === length ? { count, keys } : undefined
}

/** Returns the last of the inserts as a change. */
const lastOf = ({ collection, fields, rows }: Inserts): Change => {
  const values = new Map(fields.map((field, index) => [field, rows.at(-1)?.[index]]))
  return { kind: 'insert', collection, values, orNothing: false }
}
