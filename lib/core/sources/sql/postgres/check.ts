import type { Collection } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { type CatalogReader, findDifferences } from '../check/check.ts'
import { fault } from '../check/compare.ts'
import { typeRules } from '../check/type-rules.ts'
import { tablesOf } from '../source.ts'
import { showTable, type TableName } from '../table-name.ts'
import { catalogOf, type ReadTables } from './catalog.ts'
import { changeLogScript, unloggedQuery } from './change-log-sql.ts'
import type { Connection } from './wire/connection.ts'
import { postgresDialect } from './dialect.ts'
import { faultOf, toFault } from './faults.ts'

/**
 * Compares collections with their tables, which were read from the database behind a connection. `hasLog`: true if
 * their changes must be logged. Throws the driver's errors as ours.
 */
export async function checkOn (
  connection: Connection, collections: readonly Collection[], tables: ReadTables, hasLog: boolean
): Promise<readonly Finding[]> {
  const reader: CatalogReader = {
    dialect: postgresDialect,
    readTables: (names: readonly TableName[]) => catalogOf(tables, connection, names),
    refusal: (text, parameters) => connection.query(text, parameters).then(() => undefined, refusalIn)
  }
  try {
    const differences = await findDifferences(collections, reader, typeRules.postgres)
    const findings = [...findCut(collections), ...differences]
    return hasLog ? [...findings, ...await findUnlogged(connection, collections)] : findings
  } catch (error) {
    throw toFault(error)
  }
}

const mostBytes = 63

/** Finds tables that PostgreSQL knows by other names: it cuts long ones, and its log of changes tells what is left. */
function findCut (collections: readonly Collection[]): readonly Finding[] {
  return tablesOf(collections).filter(({ name }) => Buffer.byteLength(name) > mostBytes).map(name =>
    fault(`table '${showTable(name)}'`, `PostgreSQL cuts its name after ${mostBytes} bytes; write what is left of it`))
}

/** Returns the message of an error that any run of the statement would have; throws any other as ours. */
function refusalIn (error: unknown): string {
  // A role that may not read a column is another matter.
  if (error instanceof Error && faultOf(error).outdated === true) return error.message
  throw toFault(error)
}

/** Finds tables whose changes the database does not log. */
async function findUnlogged (
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
