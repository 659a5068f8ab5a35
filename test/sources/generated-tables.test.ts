import pg from 'pg'
import { test } from 'tap'
import { postgres } from '../../lib/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { type Engine, type RandomTable, randomTables } from '../helpers/random-tables.ts'
import { onPostgres, tryOnPostgres } from '../helpers/tables-of-postgres.ts'
import { onSqlite, tryOnSqlite } from '../helpers/tables-of-sqlite.ts'

// docs/databases.md: Types of columns. Tables that the plugin did not make, of random columns and values: what the
// check of the declarations accepts is listed, paged, found and streamed without a row lost or repeated.

type Faults = readonly string[] | undefined

/** Tries random tables. Returns how many of them the check of the declarations accepts. */
async function tryTables (engine: Engine, usual: number, tried: (table: RandomTable) => Promise<Faults>) {
  let accepted = 0
  await fc.assert(fc.asyncProperty(randomTables(engine), async table => {
    const faults = await tried(table)
    if (faults === undefined) return
    accepted++
    if (faults.length > 0) throw new Error(faults.slice(0, 5).join('\n'))
  }), { numRuns: runsOf(usual) })
  return accepted
}

test('SQLite: what the check accepts is listed, paged and found, each row once', async t => {
  t.ok(await tryTables(onSqlite, 30, tryOnSqlite) >= runsOf(30) / 4)
})

postgresTest('PostgreSQL: what the check accepts is listed, paged and found, each row once', async t => {
  await onDatabase('', async (_db, url) => {
    const owner = new pg.Client(url)
    await owner.connect()
    try {
      t.ok(await tryTables(onPostgres, 10, table => tryInPool(table, url, owner)) >= runsOf(10) / 4)
    } finally {
      await owner.end()
    }
  })
})

/** Tries a table in a new pool: a pool knows the columns of the table that had its name before. */
async function tryInPool (table: RandomTable, url: string, owner: pg.Client): Promise<Faults> {
  const db = postgres({ connectionString: url, max: 2 })
  try {
    return await tryOnPostgres(table, db, owner)
  } finally {
    await db.close()
  }
}
