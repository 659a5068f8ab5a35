import type { Collection } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { findDifferences } from '../check/check.ts'
import { sqliteRules } from '../check/types.ts'
import { readCatalog } from './catalog.ts'
import { sqliteDialect } from './dialect.ts'
import type { SqliteDriver } from './driver.ts'
import { isBusy, toFault } from './faults.ts'

/** Compares collections with the catalog of an open database. Throws the driver's errors as ours. */
export async function checkOn (
  driver: SqliteDriver, collections: readonly Collection[]
): Promise<readonly Finding[]> {
  try {
    return await findDifferences(collections, {
      dialect: sqliteDialect,
      readTables: names => readCatalog(driver, names),
      refusal: text => refusalOf(text, driver)
    }, sqliteRules)
  } catch (error) {
    throw toFault(error)
  }
}

/** Returns the message with which SQLite does not compile a statement; undefined if it does. */
function refusalOf (text: string, driver: SqliteDriver): string | undefined {
  try {
    driver.prepare(text)
    return undefined
  } catch (error) {
    if (isBusy(error)) throw error
    return error instanceof Error ? error.message : String(error)
  }
}
