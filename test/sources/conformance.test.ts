import { test } from 'tap'
import { conformance } from '../../lib/conformance/index.ts'
import { openPostgres, openSqlite } from '../helpers/conformance.ts'

// More requests take longer than a file may by default: CONFORMANCE_REQUESTS=1000000 npx tap --timeout=0 test/sources/conformance.test.ts
const number = (name: string) => process.env[name] === undefined ? undefined : Number(process.env[name])
const requests = number('CONFORMANCE_REQUESTS') ?? 5000
const seed = number('CONFORMANCE_SEED')
const path = process.env['CONFORMANCE_PATH']

test('SQLite and PostgreSQL answer as memory() does', { timeout: 0 }, async t => {
  const conformed = await conformance({ open: { sqlite: openSqlite, postgres: openPostgres }, requests, ...seed !== undefined && { seed }, ...path !== undefined && { path } })
  t.ok(path !== undefined || conformed.requests >= requests)
  t.comment(`${conformed.requests} requests to ${conformed.schemas} schemas, seed ${conformed.seed}`)
})
