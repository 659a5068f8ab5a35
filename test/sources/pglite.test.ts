import { test } from 'tap'
import { conformance } from '../../lib/conformance/index.ts'
import { openPGlite } from '../helpers/conformance.ts'

// docs/postgres.md: PGlite. It speaks the extended query protocol alone, which takes one statement at a time.

test('PGlite answers as memory() does, through a dialect for Kysely of a few lines', { timeout: 0 }, async t => {
  const requests = Number(process.env['CONFORMANCE_REQUESTS'] ?? 500)
  const seed = Number(process.env['CONFORMANCE_SEED'] ?? 20_261_122)
  const conformed = await conformance({ open: openPGlite, requests, seed })
  t.ok(conformed.requests >= requests)
})
