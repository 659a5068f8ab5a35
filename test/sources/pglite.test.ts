import { test } from 'tap'
import { conformance } from '../../lib/tools/testing/conformance/index.ts'
import { openPGlite, takePGlite } from '../helpers/conformance.ts'
import { runsOf } from '../helpers/fast-check.ts'
import { PGliteDialect } from '../helpers/pglite.ts'
import { onPostgres } from '../helpers/tables-of-postgres.ts'
import { overKysely, tryOver, tryTables } from '../helpers/try-tables.ts'

// docs/databases.md: PGlite. It speaks the extended query protocol alone, which takes one statement at a time.

test('PGlite answers as memory() does, through a dialect for Kysely of a few lines', { timeout: 0 }, async t => {
  const requests = Number(process.env['CONFORMANCE_REQUESTS'] ?? 200)
  const seed = Number(process.env['CONFORMANCE_SEED'] ?? 20_261_122)
  const conformed = await conformance({ open: openPGlite, requests, seed })
  t.ok(conformed.requests >= requests)
})

test('PGlite: what the check accepts is listed, paged and found, each row once', { timeout: 0 }, async t => {
  const { database } = await takePGlite()
  // The tables of the suite were in schemas of their own.
  await database.exec('reset search_path')
  const dialect = new PGliteDialect(database)
  const run = (text: string) => database.exec(text)
  t.ok(await tryTables(onPostgres, 4, table => tryOver(overKysely(dialect), table, run)) >= runsOf(4) / 4)
})
