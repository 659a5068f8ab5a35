import type { Api } from '../../core/api/answer.ts'
import { databaseOf } from '../../core/sources/source.ts'
import { changeLogScript } from '../../core/sources/sql/postgres/change-log-sql.ts'
import { tablesOf } from '../../core/sources/sql/source.ts'
import { CommandError } from './terminal.ts'

/** Returns the script that has PostgreSQL log the changes of an application's tables (docs/live.md: PostgreSQL). */
export function changes (apis: readonly Api[]): string {
  const collections = apis.flatMap(({ model }) => [...model.collections.values()])
    .filter(one => databaseOf(one).kind === 'postgres')
  if (collections.length === 0) throw new CommandError('the application has no collections in PostgreSQL')
  return changeLogScript(tablesOf(collections))
}
