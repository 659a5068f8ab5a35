import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { withoutRunner } from '../helpers/on-socket.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import tap, { type Test, test } from 'tap'
import dataApi, { collection, sqlite, SubCollection, SubItem } from '../../lib/index.ts'
import { nameOfDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { makeReadingThreads } from '../../lib/core/sources/sql/sqlite/reading-threads.ts'
import type { SqliteOptions } from '../../lib/core/sources/sql/sqlite/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'data-api-long-reads-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })

const Parent = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true, writable: true }),
  children: SubCollection('children', { foreignKey: 'parentId', readable: true })
})
const Child = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true }),
  parentId: Type.Integer(),
  parent: SubItem('parents', { foreignKey: 'parentId', readable: true })
})

const schema = `
create table parents (id integer primary key, name text not null);
create table children (id integer primary key, text text not null, parentId integer not null);
create index children_parent on children (parentId);
with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
insert into parents select i, 'p' || i from n;
with recursive n (i) as (select 1 union all select i + 1 from n where i < 8000)
insert into children select i, hex(zeroblob(100)) || i, 1 + i % 100 from n`

/** For the test that closes the database itself. */
const closing: SqliteOptions = {}

let files = 0

async function serve (options: SqliteOptions, file = join(folder, `${files++}.db`)) {
  const db = sqlite(file, options)
  db.exec(schema)
  const app = Fastify()
  const collections = {
    parents: collection(Parent, { source: db.table('parents') }),
    children: collection(Child, { source: db.table('children') })
  }
  // Without this, the cost of the longest filter is refused before it is read.
  await app.register(dataApi, { collections, queryString: { limits: { cost: 10_000 } } })
  tap.teardown(async () => {
    await app.close()
    if (options !== closing) db.close()
  })
  return { app, db }
}

// Compares 8,000 children with 80 siblings each.
const long = '/parents?children.parent.children.text*=zzz'
const longest = `/parents?where=(${Array(30).fill('children.parent.children.text*=zzz').join('|')})`

/** Runs `work` while the clock stands, so that no read of this thread takes longer than its limit. */
async function withoutTime<T> (work: () => Promise<T>): Promise<T> {
  const { now } = performance
  const moment = performance.now()
  performance.now = () => moment
  try {
    return await work()
  } finally {
    performance.now = now
  }
}

/** Calls `act` for each read that is sent to a thread, with a function that sends it, until the end of the test. */
function onReadOfThread (t: Test, act: (send: () => void) => void): void {
  const { postMessage } = Worker.prototype
  t.teardown(() => { Worker.prototype.postMessage = postMessage })
  Worker.prototype.postMessage = function (this: Worker, ...values: Parameters<typeof postMessage>) {
    const [message] = values as readonly unknown[]
    const send = () => { postMessage.apply(this, values) }
    if (typeof message === 'object' && message !== null && 'text' in message) act(send)
    else send()
  }
}

test('an item is answered while a read runs that takes long', async t => {
  const { app } = await serve({})
  const answers: string[] = []
  const note = (url: string) => app.inject(url).then(({ statusCode }) => { answers.push(`${statusCode} ${url}`) })
  await Promise.all([note(long), note('/children/7')])
  t.strictSame(answers, ['200 /children/7', `200 ${long}`])
})

test('a long read has groups, whose sums need functions of the thread', async t => {
  const { app } = await serve({})
  const query = 'fields=parent(name),count(),id.sum(),id.avg()&parent.children.parent.children.text!=zzz&limit=1'
  const warnings: Error[] = []
  const warn = (warning: Error) => { warnings.push(warning) }
  process.on('warning', warn)
  t.equal((await app.inject(`/children?${query}`)).body,
    '[{"parent":{"name":"p1"},"count":80,"id":{"sum":324000,"avg":4050}}]')
  await setTimeout(0)
  process.off('warning', warn)
  t.strictSame(warnings, [])
})

test('a long read sees what was written before it', async t => {
  const { app } = await serve({})
  const count = async () => (await app.inject(`${long}&fields=name`)).json<unknown[]>().length
  t.equal(await count(), 0)
  t.equal((await app.inject({ method: 'PATCH', url: '/parents/1', payload: { name: 'renamed' } })).statusCode, 200)
  const named = await app.inject('/parents?name=renamed&where=!(children.parent.children.text*=zzz)&fields=name')
  t.strictSame(named.json(), [{ name: 'renamed' }])
})

for (const [name, options, file] of [
  ['in a thread', { statementTimeout: 20 }, undefined],
  ['without threads', { statementTimeout: 20, readThreads: 0 }, undefined],
  ['on :memory:', { statementTimeout: 20 }, ':memory:']
] as const) {
  test(`a read that takes longer than statementTimeout is 503 ${name}, and the next read is answered`, async t => {
    const { app } = await serve(options, file)
    const answer = await app.inject(long)
    t.equal(answer.statusCode, 503)
    t.strictSame(answer.json(), {
      error: 'unavailable',
      message: "The read took longer than the limit 'statementTimeout' of 20 ms. Ask for less, or try again later."
    })
    t.strictSame(await withoutTime(async () => (await app.inject('/children?text$=99&limit=1&fields=id')).json()),
      [{ id: 99 }])
  })
}

const Plain = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true })
})
const plain = 'id integer primary key, text text not null, parentId integer not null'
for (const [kind, scanned] of [
  ['a table', `create table scanned (${plain}); insert into scanned select * from children`],
  ['a table without rowid', `create table scanned (${plain}) without rowid;
    insert into scanned select * from children`],
  ['a table with a column of that name', `create table scanned (${plain}, _rowid_ default 1);
    insert into scanned (id, text, parentId) select * from children`],
  ['a table whose rows have numbers of one pattern', `create table scanned (${plain});
    insert into scanned select id * 64000, text, parentId from children`],
  ['a view', 'create view scanned as select * from children']
] as const) {
  test(`a scan of ${kind} that takes longer than statementTimeout is 503`, async t => {
    const { app, db } = await serve({ statementTimeout: 20, readThreads: 0 })
    db.exec(scanned)
    const collections = { scanned: collection(Plain, { source: db.table('scanned') }) }
    const api = Fastify()
    t.teardown(() => api.close())
    await api.register(dataApi, { collections, queryString: { limits: { cost: 10_000 } } })
    const where = Array.from({ length: 30 }, (_, index) => `text*~=z${index}`).join('|')
    for (const url of [`/scanned?where=(${where})`, `/scanned/by_text?where=(${where})`]) {
      t.equal((await api.inject(url)).statusCode, 503, url)
    }
    await withoutTime(async () => {
      t.equal((await api.inject('/scanned?text$=99&limit=1')).json<unknown[]>().length, 1)
      t.equal((await app.inject('/children/1')).statusCode, 200)
    })
  })
}

test('a read that waits for a thread longer than busyTimeout is 503', async t => {
  const { app } = await serve({ readThreads: 1, busyTimeout: 100, statementTimeout: 1500 })
  const answers = await Promise.all([1, 2, 3].map(limit => app.inject(`${longest}&limit=${limit}`)))
  t.same(answers.map(answer => answer.statusCode), [503, 503, 503])
  t.equal(answers.filter(answer => answer.body.includes('not available at the moment')).length, 2)
})

/** Returns a thread that reads a file, and one that is attached to it. */
function threadOf (file: string, attached: string) {
  const driver = nameOfDriver(undefined)
  if (driver === undefined) throw new TypeError('a driver is installed')
  const data = { file, driver, readOnly: false, busyTimeout: 1000, preparedCharacters: 1000 }
  const opening = { ...data, attached: [{ schema: 'more', file: attached }] }
  return makeReadingThreads(() => opening, { most: 1, queueTimeout: 1 })
}

const asked = { parameters: [], cardinality: 'rows', limit: 60_000, longest: Infinity, longValues: 1 } as const

test('a thread that starts while its file is away makes none, and the next one reads', async t => {
  const [file, attached] = [join(folder, 'away.db'), join(folder, 'more.db')]
  for (const one of [file, attached]) {
    const db = sqlite(one)
    db.exec('create table notes (id integer primary key); insert into notes values (7)')
    db.close()
  }
  const threads = threadOf(file, attached)
  const text = 'select id from notes union all select id from more.notes'
  for (const one of [file, attached]) {
    renameSync(one, `${one}.away`)
    await t.rejects(threads.read({ text, ...asked }), { message: `the file '${one}' is away` })
    t.notOk(existsSync(one))
    renameSync(`${one}.away`, one)
  }
  t.strictSame((await threads.read({ text, ...asked })).rows, [[7], [7]])
  threads.close()
})

test('a read that was refused because it waited too long does not run later', async t => {
  const file = join(folder, 'refused.db')
  sqlite(file).close()
  const threads = threadOf(file, file)
  const sent: Array<() => void> = []
  onReadOfThread(t, send => { sent.push(send) })
  const text = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e6) select max(i) from n'
  const first = threads.read({ text, ...asked })
  await t.rejects(threads.read({ text: 'select 2', ...asked }), { code: 'unavailable' })
  sent[0]?.()
  t.strictSame((await first).rows, [[1e6]])
  t.equal(sent.length, 1)
  threads.close()
})

test('a process ends as it is told, and a database closes, while a thread reads', async t => {
  for (const way of ['exit', 'close']) {
    const file = join(folder, `${way}.db`)
    sqlite(file).close()
    const script = new URL('../fixtures/ends-while-reading.ts', import.meta.url)
    const { execArgv, env } = withoutRunner
    const child = spawn(process.execPath, [...execArgv, fileURLToPath(script), file, way], { env, stdio: 'ignore' })
    t.strictSame(await once(child, 'exit'), [7, null], way)
  }
})

test('a long read with a function of the application runs where the function is', async t => {
  const { app, db } = await serve({})
  const Odd = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    text: Type.String({ readable: true })
  })
  db.driver.function('slow_odd', { deterministic: true }, id => Number(id) % 2)
  db.exec('create view odds as select id, text from children where slow_odd(id) = 1')
  const views = Fastify()
  t.teardown(() => views.close())
  await views.register(dataApi, { collections: { odds: collection(Odd, { source: db.table('odds') }) } })
  t.strictSame((await views.inject('/odds?text$=7999&fields=id')).json(), [{ id: 7999 }])
  t.strictSame((await views.inject('/odds?text$=7999&fields=id')).json(), [{ id: 7999 }])
  t.equal((await app.inject('/children/1')).statusCode, 200)
})

test('close ends long reads', async t => {
  const { app, db } = await serve(closing)
  const begun = new Promise<void>(resolve => {
    onReadOfThread(t, send => {
      send()
      resolve()
    })
  })
  const answer = app.inject(longest)
  await begun
  // Most often the thread reads by then.
  await setTimeout(300)
  db.close()
  t.equal((await answer).statusCode, 503)
})
