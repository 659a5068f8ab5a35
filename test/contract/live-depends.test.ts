import { type TInteger, Type } from '@sinclair/typebox'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Test, test } from 'tap'
import dataApi, {
  collection, expression, memory, type Source, sqlite, SubCollection
} from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually, listen } from '../helpers/follow.ts'
import { openLogged } from '../helpers/logged-postgres.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'
import { Thing } from '../fixtures/things.ts'

// docs/live.md: How a source knows.

test('an expression that names its tables counts their changes alone', async t => {
  const db = sqlite(':memory:')
  db.exec(`
    create table parents (id integer primary key, name text not null) strict;
    create table kids (id integer primary key, name text not null, parent integer) strict;
    create table others (id integer primary key, name text not null) strict;
    insert into parents values (1, 'a'); insert into kids values (1, 'b', 1); insert into others values (1, 'c');
  `)
  const app = Fastify({ forceCloseConnections: true })
  const kidCount = (from?: readonly string[]) => expression<{ id: number, name: string }, TInteger>({
    type: Type.Integer({ readable: true }),
    sql: eb => eb.selectFrom('kids').select(eb.fn.countAll().as('n')).whereRef('kids.parent', '=', 'parents.id'),
    ...from && { from }
  })
  const parents = (from?: readonly string[]) =>
    collection(Thing, { source: db.table('parents'), computed: { kids: kidCount(from) } })
  const plain = (table: string) => collection(Thing, { source: db.table(table) })
  const options = { requestStrategies: { delete: true }, live: { interval: 1, recheck: 3_600_000 } }
  await app.register(dataApi, {
    collections: { parents: parents(['kids']), kids: plain('kids'), others: plain('others') }, ...options
  })
  await app.register(dataApi, { collections: { parents: parents() }, prefix: '/any', ...options })
  t.teardown(async () => {
    await app.close()
    db.close()
  })
  const follow = await listen(app)
  const [named, any] = [await follow('/parents'), await follow('/any/parents')]
  await eventually(() => named.events.length + any.events.length === 2, () => named.text)
  await sleep(100)
  const reads = () => ['', '/any'].map(prefix => app.dataApi.registrations.get(prefix)?.live()?.reads ?? 0)
  const before = reads()
  await app.inject({ method: 'PATCH', url: '/others/1', payload: { name: 'd' } })
  await eventually(() => (reads()[1] ?? 0) > (before[1] ?? 0), () => String(reads()))
  t.equal(reads()[0], before[0])
  await app.inject({ method: 'DELETE', url: '/kids/1' })
  await eventually(() => named.events.length === 2, () => named.text)
  t.strictSame(named.document, [{ id: 1, name: 'a', kids: 0 }])
})

const family = `
  create table parents (id integer primary key, name text not null) strict;
  create table kids (id integer primary key, name text not null, parent integer) strict;
`

const Parent = Type.Object({
  ...Thing.properties, kids: SubCollection('kids', { foreignKey: 'parent', readable: true })
})
const Kid = Type.Object({
  ...Thing.properties, parent: Type.Optional(Type.Integer({ readable: true, writable: true }))
})

interface Served { readonly parents: Source, readonly kids: Source }

async function serveFamily (t: Test, sources: Served) {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(dataApi, {
    collections: {
      parents: collection(Parent, { source: sources.parents }), kids: collection(Kid, { source: sources.kids })
    },
    requestStrategies: { delete: true },
    live: { interval: 1, recheck: 3_600_000, max: 1000 }
  })
  t.teardown(() => app.close())
  const follow = await listen(app)
  const open = (paths: readonly string[]) => Promise.all(paths.map(path => follow(path)))
  const reads = () => app.dataApi.live()?.reads ?? 0
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    (await app.inject({ method, url, ...payload && { payload } })).statusCode
  return { open, reads, send }
}

const count = 300
const parents = Array.from({ length: count }, (_, n) => ({ id: n + 1, name: 'p' }))
const kids = parents.map(({ id }) => ({ id, name: 'k', parent: id }))

/** Opens the tables of the family. */
const openers: Readonly<Record<string, (t: Test) => Served | Promise<Served>>> = {
  memory: () => ({ parents: memory(structuredClone(parents)), kids: memory(structuredClone(kids)) }),
  sqlite (t) {
    const db = sqlite(':memory:')
    db.exec(`${family} with recursive n (i) as (select 1 union select i + 1 from n where i < ${count})
      insert into parents select i, 'p' from n; insert into kids select id, 'k', id from parents`)
    t.teardown(() => { db.close() })
    return { parents: db.table('parents'), kids: db.table('kids') }
  },
  ...!withoutPostgres && {
    async 'postgres with a log' (t) {
      const tables = { parents, kids }
      const ddl = `create table parents (id key, name text not null);
        create table kids (id key, name text not null, parent integer references parents)`
      const { open, fill, close } = await openLogged({ tables, ddl, collections: () => ({}) })
      t.teardown(close)
      await fill(tables)
      const db = open({ changes: { poll: 2 } })
      return { parents: db.table('parents'), kids: db.table('kids') }
    }
  }
}

for (const [name, openTables] of Object.entries(openers)) {
  test(`a change is a read of the documents alone that may show its row (${name})`, async t => {
    const { open, reads, send } = await serveFamily(t, await openTables(t))
    const all = await open(parents.map(({ id }) => `/parents/${id}/kids`))
    await sleep(200)
    for (const [method, url, body, changed] of [
      ['PATCH', '/kids/7', { name: 'x' }, [7]], ['PATCH', '/kids/7', { parent: 9 }, [7, 9]],
      ['DELETE', '/kids/9', undefined, [9]], ['POST', '/kids', { name: 'new', parent: 5 }, [5]],
      ['PATCH', '/parents/3', { name: 'q' }, []]
    ] as const) {
      const [before, told] = [reads(), all.map(({ events }) => events.length)]
      t.match(await send(method, url, body), /20[014]/)
      const isTold = (n: number) => (all[n]?.events.length ?? 0) > (told[n] ?? 0)
      // A parent is read for the path.
      const expected = Math.max(1, changed.length)
      await eventually(() => changed.every(id => isTold(id - 1)) && reads() - before >= expected, () => url)
      await sleep(20)
      t.equal(reads() - before, expected, `${method} ${url}`)
    }
  })
}
