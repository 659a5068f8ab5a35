import { type Dialect, Kysely } from 'kysely'
import { kysely, type KyselyDatabase } from '../../lib/index.ts'
import fc, { runsOf } from './fast-check.ts'
import { type Engine, type RandomTable, randomTables } from './random-tables.ts'
import { type Run, tryOnPostgres } from './tables-of-postgres.ts'

type Faults = readonly string[] | undefined

/** Tries random tables. Returns how many of them the check of the declarations accepts. */
export async function tryTables (engine: Engine, usual: number, tried: (table: RandomTable) => Promise<Faults>) {
  let accepted = 0
  await fc.assert(fc.asyncProperty(randomTables(engine), async table => {
    const faults = await tried(table)
    if (faults === undefined) return
    accepted++
    if (faults.length > 0) throw new Error(faults.slice(0, 5).join('\n'))
  }), { numRuns: runsOf(usual) })
  return accepted
}

export type Database = Pick<KyselyDatabase, 'table'> & { close (): Promise<void> }

/** Serves a database through Kysely. */
export function overKysely (dialect: Dialect): Database {
  const instance = new Kysely<unknown>({ dialect })
  const db = kysely(instance)
  return { table: name => db.table(name), close: () => instance.destroy() }
}

/** Tries a table of PostgreSQL on a database that is open for it alone. */
export async function tryOver (db: Database, table: RandomTable, run: Run): Promise<Faults> {
  try {
    return await tryOnPostgres(table, db, run)
  } finally {
    await db.close()
  }
}
