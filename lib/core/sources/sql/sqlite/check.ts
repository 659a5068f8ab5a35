import type { RowChange } from '../../../declare/source.ts'
import type { Collection } from '../../../model/model.ts'
import { takenStrategies } from '../../../model/strategies.ts'
import type { Finding } from '../../catalog-check.ts'
import { findDifferences } from '../check/check.ts'
import { columnName, fault } from '../check/compare.ts'
import { typeRules } from '../check/type-rules.ts'
import { tableOf } from '../source.ts'
import { showTable } from '../table-name.ts'
import { readCatalog } from './catalog.ts'
import { compileError, isRefused, type TableChange } from './compiled-changes.ts'
import { sqliteDialect } from './dialect.ts'
import type { SqliteDriver } from './driver.ts'
import { isBusy, toFault } from './faults.ts'

/** Compares collections with the catalog of an open database. Throws the driver's errors as ours. */
export async function checkOn (
  driver: SqliteDriver, collections: readonly Collection[]
): Promise<readonly Finding[]> {
  try {
    const differences = await findDifferences(collections, {
      dialect: sqliteDialect,
      readTables: names => readCatalog(driver, names),
      refusal: text => refusalOf(text, driver)
    }, typeRules.sqlite)
    return [...differences, ...findUncompiled(collections, driver)]
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

/**
 * Finds the changes that clients may make and that SQLite does not compile: a foreign key refers to a table that is
 * gone or to columns that are not unique, or a trigger calls a function that the connection does not have.
 */
const findUncompiled = (collections: readonly Collection[], driver: SqliteDriver): readonly Finding[] =>
  collections.flatMap(collection => changesOf(collection).flatMap(change => {
    const error = compileError(change, driver)
    if (isBusy(error)) throw error
    const isKnown = error === undefined || isRefused(error) || isCompared(error, change)
    return isKnown ? [] : [finding(collection, change, error)]
  }))

/** Returns true for what compare() tells: the table or a column is missing, or a column is generated. */
const isCompared = ({ message }: Error, { table }: TableChange) =>
  message === `no such table: ${showTable(table)}` || message.startsWith('no such column') ||
  /^cannot (?:INSERT into|UPDATE) generated column/.test(message)

function changesOf (collection: Collection): readonly TableChange[] {
  const { create, update, delete: deletes } = takenStrategies(collection)
  const columns = collection.stored.filter(({ writable }) => writable).map(field => columnName(collection, field))
  const changes: readonly RowChange[] = [
    ...create ? ['insert'] as const : [],
    ...update.length > 0 && columns.length > 0 ? ['update'] as const : [],
    ...deletes && collection.deletion === undefined ? ['delete'] as const : []
  ]
  return changes.map(change => ({ change, table: tableOf(collection), columns }))
}

const words: Readonly<Record<RowChange, string>> = { insert: 'inserts', update: 'updates', delete: 'deletions' }
const strategies: Readonly<Record<RowChange, string>> = {
  insert: '{ create: false }', update: '{ update: [] }', delete: '{ delete: false }'
}

function finding ({ property }: Collection, { change, table }: TableChange, { message }: Error): Finding {
  const found = `SQLite refuses ${words[change]} of the table '${showTable(table)}': ${message}`
  const advice = `mend its foreign keys or triggers, or set requestStrategies: ${strategies[change]}`
  return fault(`collection '${property}'`, `${found}; ${advice}`)
}
