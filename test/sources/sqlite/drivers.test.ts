import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { DataApiError, DeclarationError } from '../../../lib/core/errors/errors.ts'
import { type ReadResult } from '../../../lib/core/sources/source.ts'
import type { SqliteDriver } from '../../../lib/core/sources/sql/sqlite/driver.ts'
import { sqlite } from '../../../lib/core/sources/sql/sqlite/sqlite.ts'
import { DatabaseSync, ids, inSqlite, names, openSqlite, someWorld, watched } from '../../helpers/sql-world.ts'

// docs/databases.md: Sources

test('a busy or unreachable database is unavailable, what is wrong with the statement internal', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-'))
  const file = join(folder, 'music.db')
  const db = sqlite(file, { busyTimeout: 0, driver: openSqlite(file) })
  t.teardown(() => { db.close(); rmSync(folder, { recursive: true }) })
  const { page, listing, by, value } = names(inSqlite(db, someWorld))
  const plan = page('artists', listing(by('artists.id'), [value('artists.id')], { limit: 1 }))
  t.same(ids(db.read(plan) as ReadResult), [1])
  t.same(db.driver.prepare('pragma journal_mode').get(), { journal_mode: 'wal' })
  t.same(db.driver.prepare('pragma foreign_keys').get(), { foreign_keys: 1 })

  const other = openSqlite(file)
  db.exec('pragma journal_mode = delete')
  other.exec('begin exclusive')
  await t.rejects(async () => db.read(plan), {
    code: 'unavailable', cause: { message: /another process holds the lock/, cause: { message: 'database is locked' } }
  })
  other.exec('rollback')
  t.same(ids(db.read(plan) as ReadResult), [1])
  other.exec('drop table artists')
  other.close()
  t.throws(() => db.read(plan), { code: 'internal' })
  for (const [error, code] of [
    [{ code: 'SQLITE_BUSY_SNAPSHOT' }, 'unavailable'],
    [{ code: 'SQLITE_IOERR_READ' }, 'unavailable'],
    [{ errcode: 6 | 1 << 8 }, 'unavailable'],
    [{ code: 'SQLITE_ERROR' }, 'internal'],
    [new Error('x'), 'internal']
  ] as const) {
    const { db: broken } = watched()
    const throwing: SqliteDriver = { ...broken.driver, prepare () { throw error } }
    await t.rejects(async () => sqlite('broken', { driver: throwing, busyTimeout: 1 }).read(plan), { code })
  }
})

test('the driver is the one that is asked for, and what to install is said where there is none', async t => {
  for (const driver of ['@photostructure/sqlite', DatabaseSync, openSqlite(':memory:'), undefined] as const) {
    const db = sqlite(':memory:', driver === undefined ? {} : { driver })
    t.equal(db.kind, 'sqlite')
    t.equal(typeof db.driver.prepare, 'function')
    db.close()
  }
  t.throws(() => sqlite(':memory:', { driver: 'better-sqlite3' }), DeclarationError)
  t.throws(() => sqlite(':memory:', { driver: 'better-sqlite3' }), /npm install/)
  t.ok(new DataApiError('internal', '') instanceof Error)
})
