import type { Test } from 'tap'
import type { SqliteDatabase, SqliteOptions } from '../../../lib/index.ts'
import { newFile, type Served, serve, rowsOf, each, long, writes } from '../../helpers/on-sqlite.ts'

// docs/databases.md: Faults. SQLite without room: what is acknowledged is stored, and any other write is 503.
// test/faults fills a real disk.

/** Serves 60 kids from a database that has room for 8 pages more. */
async function serveFull (t: Test, options: SqliteOptions, file: string): Promise<Served> {
  const served = await serve(t, options, {}, file)
  const { db } = served
  db.exec('insert into tags values (1)')
  for (let n = 0; n < 60; n++) db.exec(`insert into kids (name) values ('kid${n}')`)
  limitPages(db)
  return served
}

const limitPages = (db: SqliteDatabase) => {
  db.exec(`pragma max_page_count = ${Number(rowsOf(db, 'pragma page_count')[0]) + 8}`)
}

/** Creates until there is no room. */
async function fill (send: Served['send']): Promise<void> {
  for (let n = 0; n < 60; n++) await send('POST', '/kids', { name: `full${n}`, note: long('') })
}

for (const [kind, make] of Object.entries(writes)) {
  each(`on a full disk, ${kind} that is acknowledged is done, and any other is 503 and not`, async (t, Driver) => {
    const file = newFile()
    for (const [driver, path] of [[Driver, newFile()], [new Driver(file), file]] as const) {
      const { db, send } = await serveFull(t, { driver }, path)
      if (kind === 'a deletion') await fill(send)
      const statuses = new Set<number>()
      for (let n = 0; n < 60; n++) {
        const [method, url, body, done] = make(`name${n}`, n + 1)
        const { status, retryAfter } = await send(method, url, body)
        statuses.add(status)
        t.equal(rowsOf(db, done).length > 0, status < 300, `${kind} ${n} was ${status}`)
        t.equal(retryAfter, status === 503 ? '1' : undefined)
      }
      t.ok(statuses.has(503) || kind === 'a deletion')
      t.strictSame([...statuses].filter(status => ![200, 201, 503].includes(status)), [])
      t.strictSame(rowsOf(db, 'pragma foreign_key_check'), [])
      t.equal((await send('GET', '/kids')).status, 200)
      db.close()
    }
  })
}

each('a hook that catches a full disk leaves all of the request or nothing', async (t, driver) => {
  const { db, send } = await serve(t, { driver }, {
    hooks: {
      async creating ({ name }, { transaction }) {
        await transaction.query('insert into audit values (?)', [long(`${name} one`)]).catch(() => {})
        await transaction.query('insert into audit values (?)', [long(`${name} two`)]).catch(() => {})
      }
    }
  })
  limitPages(db)
  const statuses: number[] = []
  for (let n = 0; n < 20; n++) {
    const { status } = await send('POST', '/kids', [{ name: `a${n}` }, { name: `b${n}` }])
    statuses.push(status)
    const there = rowsOf(db, `select name from kids where name in ('a${n}', 'b${n}')`)
    t.strictSame(there, status === 201 ? [`a${n}`, `b${n}`] : [])
    const lines = rowsOf(db, `select line from audit where line like 'a${n} %' or line like 'b${n} %'`)
    if (status !== 201) t.strictSame(lines, [])
  }
  t.ok(statuses.includes(201))
})
