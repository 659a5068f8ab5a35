import type { Api } from '../../core/api/answer.ts'
import { chooseEngine, openPostgres, openSqlite, printTables } from '../../core/sources/sql/tables.ts'
import { checkFile, guardSqlite, isPostgres } from './open.ts'
import { explainConnection } from './open-postgres.ts'
import type { Flags } from './flags.ts'
import { CommandError } from './terminal.ts'

/** Returns the script that creates the tables of an application (docs/databases.md: Tables from declarations). */
export async function tables (apis: readonly Api[], flags: Flags): Promise<string> {
  const all = apis.flatMap(({ model }) => [...model.collections.values()])
  const target = flags.text('diff')
  return target === undefined ? printFor(all, flags) : printMissing(all, target)
}

type Collections = Parameters<typeof chooseEngine>[0]

/** Returns the script that adds to a database what it lacks. Nothing of its address is ever part of a message. */
async function printMissing (all: Collections, target: string): Promise<string> {
  const { collections } = choose(all, isPostgres(target) ? 'postgres' : 'sqlite')
  if (!isPostgres(target)) return printMissingIn(target, collections)
  const { db, printMissing } = openPostgres(target, { readOnly: true })
  try {
    return await printMissing(collections)
  } catch (error) {
    throw explainConnection(error)
  } finally {
    await db.close()
  }
}

function printMissingIn (file: string, collections: Collections): string {
  checkFile(file)
  return guardSqlite(file, () => {
    const { db, printMissing } = openSqlite(file, { readOnly: true })
    try {
      return printMissing(collections)
    } finally {
      db.close()
    }
  })
}

/** Returns the script that creates the tables of the keys of writes (docs/writing.md: Writes that may be repeated). */
export function idempotency (apis: readonly Api[], flags: Flags): string {
  const kept = apis.flatMap(({ keys }) => keys?.tables.map(({ collection }) => collection) ?? [])
    .filter(({ source }) => source.database.kind !== 'memory')
  if (kept.length === 0) throw new CommandError("the application has no table as its option 'idempotency.table'")
  return printFor(kept, flags)
}

function printFor (all: Collections, flags: Flags): string {
  const { collections, engine } = choose(all, flags.text('for'))
  return printTables(collections, engine)
}

function choose (all: Collections, asked: string | undefined) {
  const chosen = chooseEngine(all, asked)
  if (chosen.engine !== undefined) return chosen
  const found = asked === undefined ? `its collections are over ${chosen.kinds.join(', ')}` : `found '${asked}'`
  throw new CommandError(`--for: expected ${chosen.expected.join(' or ')}; ${found}`, { exitCode: 2 })
}
