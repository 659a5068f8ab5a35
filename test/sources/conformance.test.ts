import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { conformance } from '../../lib/tools/testing/conformance/index.ts'
import { openCached, openKysely, openPostgres, openSqlite } from '../helpers/conformance.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'

// More requests take longer than a file may by default: CONFORMANCE_REQUESTS=1000000 npx tap --timeout=0
// test/sources/conformance.test.ts
const number = (name: string) => process.env[name] === undefined ? undefined : Number(process.env[name])
const requests = number('CONFORMANCE_REQUESTS') ?? 150
// Each run sends the same, so that what fails here fails everywhere; CONFORMANCE_SEED=$RANDOM sends others.
const seed = number('CONFORMANCE_SEED') ?? 20_261_121
const path = process.env['CONFORMANCE_PATH']

test('SQLite and PostgreSQL answer as memory() does', { timeout: 0 }, async t => {
  const conformed = await conformance({
    open: { sqlite: openSqlite, ...!withoutPostgres && { postgres: openPostgres } },
    requests,
    seed,
    ...path !== undefined && { path }
  })
  t.ok(path !== undefined || conformed.requests >= requests)
  t.comment(`${conformed.requests} requests to ${conformed.schemas} schemas, seed ${conformed.seed}`)
})

test('and so does SQLite with a cache', { timeout: 0 }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-conformance-'))
  t.teardown(() => { rmSync(folder, { recursive: true }) })
  const conformed = await conformance({ open: { cached: openCached(folder) }, requests: requests / 10, seed })
  t.ok(conformed.requests >= requests / 10)
})

test('and so does PostgreSQL through Kysely, whichever driver it has',
  { timeout: 0, skip: withoutPostgres && 'WITHOUT_POSTGRES=1' }, async t => {
    const conformed = await conformance({ open: openKysely, requests: requests / 10, seed })
    t.ok(conformed.requests >= requests / 10)
  })
