import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { spawnSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import dataApi, { collection, expression, sqlite, type SqliteOptions } from '../../../lib/index.ts'
import { nameOfDriver } from '../../../lib/sources/sql/sqlite/driver.ts'
import { statementChannelName } from '../../../lib/sources/statement-events.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import Fastify from '../../helpers/fastify.ts'

const folder = mkdtempSync(join(tmpdir(), 'data-api-cache-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true, writable: true }),
  owner: Type.String({ readable: true, writable: true })
})

const schema = `
create table if not exists notes (id integer primary key, text text not null, owner text not null);
create view if not exists moments as select id, strftime('%f', 'now') || random() as text, owner from notes;
insert into notes (text, owner) values ('a', 'ann'), ('b', 'bob'), ('c, "d" [', 'ann')`

let files = 0
const newFile = () => join(folder, `${files++}.db`)

async function serve (options: SqliteOptions, file: string) {
  const db = sqlite(file, options)
  if (options.readOnly !== true) db.exec(schema)
  const app = Fastify()
  await app.register(dataApi, {
    collections: {
      notes: collection(Note, { source: db.table('notes') }),
      moments: collection(Note, { source: db.table('moments') }),
      own: collection(Note, {
        source: db.table('notes'), scope: ({ request }) => ({ owner: String(request?.headers['x-user']) })
      }),
      random: collection(Note, {
        source: db.table('notes'),
        computed: {
          chance: expression({ type: Type.Number({ readable: true }), sql: () => sql`random()` })
        }
      })
    }
  })
  tap.teardown(async () => {
    await app.close()
    db.close()
  })
  return { app, db }
}

/** Returns how many statements the work runs. */
async function statementsOf (work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const note = () => { count++ }
  subscribe(statementChannelName, note)
  await work()
  unsubscribe(statementChannelName, note)
  return count
}

const cache = '1 MB'
const reads = [
  '/notes/1', '/notes/2/text', '/notes', '/notes?sort=text+desc&limit=2&fields=text,id', '/notes?owner=ann&fields=text'
]

test('an answer is made without a statement while no row changes, and so is 304', async t => {
  const { app } = await serve({ cache }, newFile())
  for (const url of reads) {
    const first = await app.inject(url)
    t.equal(first.statusCode, 200)
    t.equal(await statementsOf(async () => {
      const { body, headers: { etag, link } } = await app.inject(url)
      t.strictSame({ body, etag, link }, { body: first.body, etag: first.headers.etag, link: first.headers.link }, url)
      const known = await app.inject({ url, headers: { 'if-none-match': String(etag) } })
      t.equal(known.statusCode, 304)
    }), 0, url)
  }
})

test('the next read sees a write: of the API, of own code, of another connection and of another process', async t => {
  const file = newFile()
  const { app, db } = await serve({ cache }, file)
  const text = async () => (await app.inject('/notes/1/text')).json<string>()
  const other = sqlite(file)
  const driver = nameOfDriver(undefined) ?? ''
  const script = `const d = require('${driver}'); const C = d.DatabaseSync ?? d.default ?? d
    new C(process.argv[1]).exec("update notes set text = 'process' where id = 1")`
  const writes: Readonly<Record<string, () => unknown>> = {
    request: () => app.inject({ method: 'PATCH', url: '/notes/1', payload: { text: 'request' } }),
    own: () => db.driver.exec("update notes set text = 'own' where id = 1"),
    connection: () => other.exec("update notes set text = 'connection' where id = 1"),
    process: () => spawnSync(process.execPath, ['-e', script, file])
  }
  for (const [name, write] of Object.entries(writes)) {
    await text()
    await write()
    t.equal(await text(), name)
    t.equal(await statementsOf(text), 0)
  }
  other.close()
})

test('what a transaction has written is read by itself alone, and never cached', async t => {
  const { app, db } = await serve({ cache }, newFile())
  t.equal((await app.inject('/notes/1/text')).body, '"a"')
  db.driver.exec("begin; update notes set text = 'open' where id = 1")
  t.equal((await app.inject('/notes/1/text')).body, '"open"')
  db.driver.exec('rollback')
  t.equal((await app.inject('/notes/1/text')).body, '"a"')
})

test('a scope has its own answers', async t => {
  const { app } = await serve({ cache }, newFile())
  const ids = async (user: string) =>
    (await app.inject({ url: '/own', headers: { 'x-user': user } })).json<Array<{ id: number }>>().map(({ id }) => id)
  for (let round = 0; round < 2; round++) {
    t.strictSame(await ids('ann'), [1, 3])
    t.strictSame(await ids('bob'), [2])
  }
})

test('what depends on more than rows is read each time', async t => {
  const { app } = await serve({ cache }, newFile())
  for (const url of ['/moments', '/moments/1', '/random/1/chance', '/random?fields=chance']) {
    const { body } = await app.inject(url)
    t.not((await app.inject(url)).body, body, url)
  }
})

test('the cache is bounded, and is off without the option and where no connection only reads', async t => {
  const alone = await serve({ cache }, ':memory:')
  const without = await serve({}, newFile())
  const small = await serve({ cache: '3 kB' }, newFile())
  for (const { app } of [alone, without]) {
    await app.inject('/notes')
    t.equal(await statementsOf(() => app.inject('/notes')), 1)
  }
  const items = ['/notes/1', '/notes/2', '/notes/3']
  for (const url of [...items, ...items.map(url => `${url}/text`), '/notes/1']) {
    t.equal(await statementsOf(() => small.app.inject(url)), 1, url)
  }
  t.equal(await statementsOf(() => small.app.inject('/notes/1')), 0)
  for (const wrong of ['16', '16 mb', '-1 MB', '']) t.throws(() => sqlite(newFile(), { cache: wrong }), /cache/)
})

test('a file that is only read has a cache too, which sees what another connection writes', async t => {
  const file = newFile()
  const { db } = await serve({}, file)
  const { app } = await serve({ cache, readOnly: true }, file)
  await app.inject('/notes/1/text')
  t.equal(await statementsOf(() => app.inject('/notes/1/text')), 0)
  db.exec("update notes set text = 'new' where id = 1")
  t.equal((await app.inject('/notes/1/text')).body, '"new"')
})

test('reads with a cache equal reads without it, whoever writes between them', async t => {
  const file = newFile()
  const cached = await serve({ cache }, file)
  const plain = await serve({}, file)
  const step = fc.record({
    by: fc.constantFrom('cached', 'plain', 'none'),
    id: fc.integer({ min: 1, max: 4 }),
    text: fc.string({ maxLength: 3, unit: fc.constantFrom('a', '"', '\\', '[', ']', ',', '{') }),
    url: fc.constantFrom(...reads, '/notes/4', '/notes?sort=id&before=WyJpZCIsM10', '/notes?after=WyJpZCIsMV0')
  })
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async steps => {
    for (const { by, id, text, url } of steps) {
      const payload = { text }
      if (by !== 'none') await { cached, plain }[by].app.inject({ method: 'PATCH', url: `/notes/${id}`, payload })
      const answers = await Promise.all([cached, plain].map(({ app }) => app.inject(url)))
      const [own, other] = answers.map(({ statusCode, body, headers: { etag, link } }) =>
        ({ statusCode, body, etag, link }))
      t.strictSame(own, other)
    }
  }), { numRuns: runsOf(10) })
})
