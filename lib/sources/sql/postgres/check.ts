import type { Collection } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { type CatalogReader, findDifferences } from '../check/check.ts'
import { postgresRules } from '../check/types.ts'
import type { TableName } from '../table-name.ts'
import { readCatalog } from './catalog.ts'
import type { Connection } from './wire/connection.ts'
import { postgresDialect } from './dialect.ts'
import { faultOf, toFault } from './faults.ts'
import { findUnlogged } from './unlogged.ts'

/**
 * Compares collections with the catalog of the database behind a connection. `hasLog`: true if their changes must be
 * logged. Throws the driver's errors as ours.
 */
export async function checkOn (
  connection: Connection, collections: readonly Collection[], hasLog: boolean
): Promise<readonly Finding[]> {
  const reader: CatalogReader = {
    dialect: postgresDialect,
    readTables: (names: readonly TableName[]) => readCatalog(connection, names),
    refusal: (text, parameters) => connection.query(text, parameters).then(() => undefined, refusalIn)
  }
  try {
    const differences = await findDifferences(collections, reader, postgresRules)
    return hasLog ? [...differences, ...await findUnlogged(connection, collections)] : differences
  } catch (error) {
    throw toFault(error)
  }
}

/** Returns the message of an error that any run of the statement would have; throws any other as ours. */
function refusalIn (error: unknown): string {
  // A role that may not read a column is another matter.
  if (error instanceof Error && faultOf(error).outdated === true) return error.message
  throw toFault(error)
}
