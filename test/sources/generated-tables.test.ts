import { test } from 'tap'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { randomTables } from '../helpers/random-tables.ts'
import { onSqlite, tryOnSqlite } from '../helpers/tables-of-sqlite.ts'

// docs/databases.md: Types of columns. Tables that the plugin did not make, of random columns and values: what the
// check of the declarations accepts is listed, paged, found and streamed without a row lost or repeated.

test('SQLite: what the check accepts is listed, paged and found, each row once', async t => {
  let accepted = 0
  await fc.assert(fc.asyncProperty(randomTables(onSqlite), async table => {
    const faults = await tryOnSqlite(table)
    if (faults === undefined) return
    accepted++
    if (faults.length > 0) throw new Error(faults.slice(0, 5).join('\n'))
  }), { numRuns: runsOf(40) })
  t.ok(accepted >= runsOf(40) / 4)
})
