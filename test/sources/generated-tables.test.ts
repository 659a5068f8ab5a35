import { PostgresDialect } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import pg from 'pg'
import postgresJs from 'postgres'
import { test } from 'tap'
import { postgres } from '../../lib/index.ts'
import { runsOf } from '../helpers/fast-check.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { onPostgres } from '../helpers/tables-of-postgres.ts'
import { onSqlite, tryOnSqlite } from '../helpers/tables-of-sqlite.ts'
import { type Database, overKysely, tryOver, tryTables } from '../helpers/try-tables.ts'

// docs/databases.md: Types of columns. Tables that the plugin did not make, of random columns and values: what the
// check of the declarations accepts is listed, paged, found and streamed without a row lost or repeated.

test('SQLite: what the check accepts is listed, paged and found, each row once', async t => {
  t.ok(await tryTables(onSqlite, 30, tryOnSqlite) >= runsOf(30) / 4)
})

/** The ways to a database of PostgreSQL. Each table has its own: a pool knows the columns of the table before it. */
const ways: Readonly<Record<string, (url: string) => Database>> = {
  PostgreSQL: url => postgres({ connectionString: url, max: 2 }),
  'kysely() over pg': url => overKysely(new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 2 }) })),
  'kysely() over postgres.js': url =>
    overKysely(new PostgresJSDialect({ postgres: postgresJs(url, { max: 2, onnotice: () => {} }) }))
}

for (const [name, connect] of Object.entries(ways)) {
  const usual = name === 'PostgreSQL' ? 10 : 4
  postgresTest(`${name}: what the check accepts is listed, paged and found, each row once`, async t => {
    await onDatabase('', async (_db, url) => {
      const owner = new pg.Client(url)
      await owner.connect()
      try {
        const run = (text: string) => owner.query(text)
        t.ok(await tryTables(onPostgres, usual, table => tryOver(connect(url), table, run)) >= runsOf(usual) / 4)
      } finally {
        await owner.end()
      }
    })
  })
}
