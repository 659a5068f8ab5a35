import { test } from 'tap'
import { openPostgres, openSqlite } from '../helpers/conformance.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { leakless } from '../helpers/leakless.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'

// docs/http.md: Rules. Two databases that differ only in what a caller may not see answer whatever this caller asks
// alike, byte for byte.

const runs = runsOf(15)

test('what a caller may not see makes no difference to any answer that it gets', { timeout: 0 }, async t => {
  const databases = { sqlite: openSqlite, ...!withoutPostgres && { postgres: openPostgres } }
  await fc.assert(leakless({ databases }),
    { numRuns: runs, ...process.env['FC_SHRINK'] === '0' && { endOnFailure: true } })
  t.pass(`${runs} worlds`)
})
