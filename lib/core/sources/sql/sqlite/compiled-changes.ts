import type { RowChange } from '../../../declare/source.ts'
import { quoteName, quoteTable, type TableName } from '../table-name.ts'
import type { SqliteDriver } from './driver.ts'

/** A change of a table, with the columns that an update sets. */
export interface TableChange {
  readonly change: RowChange
  readonly table: TableName
  readonly columns: readonly string[]
}

/** Returns the error with which SQLite refuses to compile a change of a table; undefined if it compiles it. */
export function compileError (change: TableChange, driver: Pick<SqliteDriver, 'prepare'>): Error | undefined {
  try {
    driver.prepare(statementOf(change))
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function statementOf ({ change, table: name, columns }: TableChange): string {
  const table = quoteTable(name)
  switch (change) {
    case 'insert': return `insert into ${table} default values`
    case 'update': {
      const names = columns.map(quoteName)
      return `update ${table} set ${names.map(one => `${one} = ${one}`).join(', ')}`
    }
    case 'delete': return `delete from ${table}`
  }
}

/** Returns true for the error of a change for which a view has no trigger, or the module of a table no method. */
export const isRefused = ({ message }: Error) => /because it is a view|may not be modified/.test(message)
