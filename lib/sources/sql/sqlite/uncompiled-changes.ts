import type { RowChange } from '../../../declare/source.ts'
import type { Collection } from '../../../model/model.ts'
import { takenStrategies } from '../../../model/strategies.ts'
import type { Finding } from '../../catalog-check.ts'
import { columnName, fault } from '../check/finding.ts'
import { tableOf } from '../source.ts'
import { showTable } from '../table-name.ts'
import { compileError, isRefused, type TableChange } from './compiled-changes.ts'
import type { SqliteDriver } from './driver.ts'
import { isBusy } from './faults.ts'

/**
 * Finds the changes that clients may make and that SQLite does not compile: a foreign key refers to a table that is
 * gone or to columns that are not unique, or a trigger calls a function that the connection does not have.
 */
export const findUncompiled = (collections: readonly Collection[], driver: SqliteDriver): readonly Finding[] =>
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
