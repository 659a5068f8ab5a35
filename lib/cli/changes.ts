import type { Api } from '../api/answer.ts'
import { databaseOf } from '../sources/source.ts'
import { changeLogScript } from '../sources/sql/postgres/change-log-sql.ts'
import { tablesOf } from '../sources/sql/source.ts'
import { CommandError } from './terminal.ts'

/** Returns the script that has PostgreSQL log the changes of an application's tables (docs/live.md: PostgreSQL). */
export function changes (apis: readonly Api[]): string {
  const collections = apis.flatMap(({ model }) => [...model.collections.values()])
    .filter(one => databaseOf(one).kind === 'postgres')
  if (collections.length === 0) throw new CommandError('the application has no collections in PostgreSQL')
  return changeLogScript(tablesOf(collections))
}
