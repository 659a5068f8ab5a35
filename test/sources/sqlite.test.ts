import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import { DataApiError, DeclarationError, sqlite } from '../../lib/index.ts'
import type { SqliteDriver } from '../../lib/sources/sql/drivers.ts'
import { toFault } from '../../lib/sources/sql/sqlite-faults.ts'

type Open = new (file: string, options?: { readOnly?: boolean, open?: boolean }) => SqliteDriver

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite') as { DatabaseSync: Open }

const folder = mkdtempSync(join(tmpdir(), 'data-api-sqlite-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })

test('a file is opened with a write-ahead log and foreign keys, and waits for locks a moment at a time', async t => {
  const db = sqlite(join(folder, 'a.db'), { busyTimeout: 1234 })
  const pragma = (name: string) => Object.values(db.driver.prepare(`pragma ${name}`).get() as object)[0]
  t.strictSame([pragma('journal_mode'), Number(pragma('foreign_keys')), Number(pragma('busy_timeout'))], ['wal', 1, 20])
  t.match(sqlite(':memory:', { busyTimeout: 5 }).driver.prepare('pragma busy_timeout').get(), { timeout: 5 })
  db.close()
})

test('the driver is found, named, given as a class, or given open', async t => {
  for (const db of [sqlite(':memory:'), sqlite(':memory:', { driver: '@photostructure/sqlite' }), sqlite(':memory:', { driver: DatabaseSync }), sqlite('', { driver: new DatabaseSync(':memory:') })]) {
    t.equal(db.driver.prepare("select data_api_fold_case('É') as text").all().length, 1)
    db.close()
  }
  t.throws(() => sqlite(':memory:', { driver: 'better-sqlite3' }), DeclarationError)
})

test('a database that is open for reading only is served as it is', async t => {
  const file = join(folder, 'read-only.db')
  const made = new DatabaseSync(file)
  made.exec('create table things (id integer primary key)')
  made.close()
  const db = sqlite(file, { driver: new DatabaseSync(file, { readOnly: true }) })
  t.strictSame(db.driver.prepare('select * from things').all(), [])
  db.close()
})

test('what may be over soon is 503, anything else 500, the driver\'s error being the cause', async t => {
  const cases: ReadonlyArray<[error: unknown, code: string]> = [
    [Object.assign(new Error('database is locked'), { errcode: 5 }), 'unavailable'],
    [Object.assign(new Error('busy snapshot'), { errcode: 517 }), 'unavailable'],
    [Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' }), 'unavailable'],
    [Object.assign(new Error('no such table'), { errcode: 1 }), 'internal'],
    [Object.assign(new Error('constraint'), { code: 'SQLITE_CONSTRAINT' }), 'internal'],
    ['odd', 'internal']
  ]
  for (const [error, code] of cases) {
    const fault = toFault(error)
    t.strictSame([fault.code, fault.cause], [code, error])
  }
  const own = new DataApiError('argument', 'mine')
  t.equal(toFault(own), own)
})

test('a database that is opened here has a cache of 16 MB, a given one its own', async t => {
  const cacheOf = ({ driver }: { readonly driver: SqliteDriver }) => Object.values(driver.prepare('pragma cache_size').get() as object)[0] as number
  const opened = sqlite(':memory:')
  t.equal(cacheOf(opened), -16_000)
  const given = new DatabaseSync(':memory:')
  given.exec('pragma cache_size = -500')
  t.equal(cacheOf(sqlite('', { driver: given })), -500)
  opened.close()
  given.close()
})
