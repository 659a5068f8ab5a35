import { Type } from '@sinclair/typebox'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { collection, sqlite } from '../../../lib/index.ts'
import { openDriver } from '../../../lib/core/sources/sql/sqlite/driver.ts'
import { serveMinimally } from '../../helpers/serve-minimally.ts'

// docs/databases.md: Migrations of SQLite.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.Optional(Type.String({ readable: true, writable: true }))
})
const rows = "insert into things values (1, 'a'), (2, 'A'), (3, '10'), (4, '9'), (5, null)"
const urls = [
  '/things?name=a', '/things?name!=a', '/things?name=*a,9', '/things?name>9', '/things?sort=-name', '/things/by_name'
]

/** The statements that make the table be of another type, and a row that it takes then. */
const migrations: ReadonlyArray<readonly [was: string, becomes: string, row: string]> = [
  ['(id integer primary key, name text)', '(id integer primary key, name text collate nocase)', "'B'"],
  ['(id integer primary key, name text collate nocase)', '(id integer primary key, name text)', "'B'"],
  ['(id integer primary key, name text) strict', '(id integer primary key, name)', "x'ff00'"],
  ['(id integer primary key, name text)', '(id integer primary key, name integer)', '11'],
  ['(id integer primary key, name text)', '(id integer primary key default 7, name text) without rowid', "'B'"]
]

const rebuild = (becomes: string, row: string) => `
  create table rebuilt ${becomes}; insert into rebuilt select id, name from things; drop table things;
  alter table rebuilt rename to things; insert into things values (6, ${row})`

for (const [was, becomes, row] of migrations) {
  test(`a table ${was} that becomes ${becomes} is read as one that was always so`, async t => {
    const file = `${t.testdir()}/things.db`
    const db = sqlite(file)
    db.exec(`create table things ${was}; ${rows}`)
    const { app, send } = await serveMinimally({ things: collection(Thing, { source: db.table('things') }) })
    for (const url of urls) await send('GET', url)
    const other = openDriver(file, undefined)
    other.exec(rebuild(becomes, row))
    other.close()
    await sleep(150)
    const fresh = sqlite(file)
    const restarted = await serveMinimally({ things: collection(Thing, { source: fresh.table('things') }) })
    for (const url of urls) t.strictSame(await send('GET', url), await restarted.send('GET', url), url)
    await app.close()
    await restarted.app.close()
    db.close()
    fresh.close()
  })
}

test('a migration by exec() is seen at once: by reads, and by writes to a view', async t => {
  const db = sqlite(':memory:')
  db.exec(`create table things (id integer primary key, name text); ${rows}`)
  const { app, send } = await serveMinimally({ things: collection(Thing, { source: db.table('things') }) })
  t.strictSame(await send('GET', '/things?name=a&fields=id'), [200, [{ id: 1 }]])
  t.strictSame(await send('PATCH', '/things/1', { name: 'a' }), [204, undefined])
  db.exec('alter table things rename to kept; create view things as select id, name collate nocase as name from kept')
  t.strictSame(await send('GET', '/things?name=a&fields=id'), [200, [{ id: 1 }]])
  t.equal((await send('PATCH', '/things/1', { name: 'b' }))[0], 405)
  await app.close()
  db.close()
})
