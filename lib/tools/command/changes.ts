// Loaded when it is asked for.
import type { Api } from '../../core/api/answer.ts'
import { printChangeLog } from '../../core/sources/sql/tables.ts'
import { CommandError } from './terminal.ts'

/** Returns the script that has PostgreSQL log the changes of an application's tables (docs/live.md: PostgreSQL). */
export function changes (apis: readonly Api[]): string {
  const collections = apis.flatMap(({ model }) => [...model.collections.values()])
    .filter(({ source }) => source.database.kind === 'postgres')
  if (collections.length === 0) throw new CommandError('the application has no collections in PostgreSQL')
  return printChangeLog(collections)
}
