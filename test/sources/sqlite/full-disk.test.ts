import { execFileSync } from 'node:child_process'
import { type Test, test } from 'tap'
import { sqlite, type SqliteDatabase, type SqliteOptions } from '../../../lib/index.ts'
import { newFile, type Served, serve, rowsOf, each, long, writes } from '../../helpers/on-sqlite.ts'

// SQLite without room: what is acknowledged is stored, and any other write is 503.

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

// In a process of its own, from the built package: what compiles tests writes files that are larger than the limit.
const fillDisk = `
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import dataApi, { collection, sqlite } from 'fastify-data-api'
const db = sqlite(process.argv[1])
db.exec('create table kids (id integer primary key, name text not null unique, note text)')
const Name = Type.String({ identifier: true, readable: true, writable: true })
const Id = Type.Integer({ identifier: true, readable: true })
const Kid = Type.Object({ id: Id, name: Name, note: Type.String({ writable: true }) })
const kids = hooks => collection(Kid, { source: db.table('kids'), hooks })
const app = Fastify({ pluginTimeout: 0 })
const collections = { kids: kids({}), hooked: kids({ creating: async () => {} }) }
await app.register(dataApi, { collections, requestStrategies: { upsert: true } })
const answers = []
for (let n = 0; n < 40; n++) {
  const writes = [['POST', '/kids', 'a' + n], ['POST', '/hooked', 'b' + n], ['PUT', '/kids/by_name/c' + n, 'c' + n]]
  for (const [method, url, name] of writes) {
    const payload = { ...method === 'POST' && { name }, note: 'x'.repeat(3000) }
    const { statusCode } = await app.inject({ method, url, payload })
    answers.push([name, statusCode])
  }
}
const { statusCode } = await app.inject('/kids/1')
console.log(JSON.stringify({ answers, read: statusCode }))
db.close()
`

interface Output { readonly answers: ReadonlyArray<readonly [name: string, status: number]>, readonly read: number }

// A limit on the size of files stands for a full disk: the log grows until there is no room for the commit of a write.
test('on a disk that is full at the commit, creates that are acknowledged are there, and no others', t => {
  const file = newFile()
  const run = 'unset NODE_OPTIONS; ulimit -f 500; exec "$0" --input-type=module -e "$1" "$2"'
  const output = execFileSync('/bin/sh', ['-c', run, process.execPath, fillDisk, file], { encoding: 'utf8' })
  const { answers, read } = JSON.parse(output) as Output
  const db = sqlite(file)
  const acknowledged = answers.flatMap(([name, status]) => status === 201 ? [name] : [])
  t.strictSame(rowsOf(db, 'select name from kids order by id'), acknowledged)
  t.strictSame([...new Set(answers.map(([, status]) => status))], [201, 503])
  t.equal(read, 200)
  t.strictSame(rowsOf(db, 'pragma integrity_check'), ['ok'])
  db.close()
  t.end()
})
