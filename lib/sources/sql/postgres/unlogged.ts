import type { Collection } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { fault } from '../check/compare.ts'
import { tablesOf } from '../source.ts'
import { showTable } from '../table-name.ts'
import { changeLogScript, unloggedQuery } from './change-log-sql.ts'
import type { Connection } from './wire/connection.ts'

/** Finds tables whose changes the database does not log. */
export async function findUnlogged (
  connection: Connection, collections: readonly Collection[]
): Promise<readonly Finding[]> {
  const names = tablesOf(collections)
  const rows = await connection.query(unloggedQuery, [JSON.stringify(names)])
  const unlogged = rows.flatMap(row => names[Number(row['place']) - 1] ?? [])
  if (unlogged.length === 0) return []
  const shown = unlogged.map(name => `'${showTable(name)}'`).join(', ')
  return [fault("option 'changes'", `the changes of ${shown} are not logged; run this script, which ` +
    `npx fastify-data-api sql changes <module> prints for all tables:\n\n${changeLogScript(unlogged)}`)]
}
