import { Type } from '@sinclair/typebox'
import { EventEmitter, once } from 'node:events'
import Fastify from '../helpers/fastify.ts'
import dataApi, { collection, SubCollection } from '../../lib/index.ts'
import { makeFaultyProxy } from '../helpers/faulty-proxy.ts'
import { holdTimers, hour } from '../helpers/held-timers.ts'
import { test } from '../helpers/on-postgres.ts'
import { full, open, type Sent, serve, serveAll, Thing, things } from '../helpers/postgres-things.ts'

// What PostgreSQL has that the other sources have not: types, identity columns, connections that break, transactions
// that meet. The server of the tests has a date style and a time zone that nobody would expect.

test('every type comes back as it was written, and finds its item', async t => {
  const send = await serve(t, await open(t, things))
  t.strictSame(await send('POST', '/things', full), [201, { status: 'created', id: 1 }])
  t.strictSame(await send('POST', '/things', {}), [201, { status: 'created', id: 2 }])
  t.strictSame(await send('GET', '/things/1'), [200, { id: 1, ...full }])
  for (const [name, value] of Object.entries(full)) {
    if (typeof value === 'object') continue
    t.strictSame(await send('GET', `/things?${name}=${encodeURIComponent(JSON.stringify(String(value)))}&fields=id`),
      [200, [{ id: 1 }]], name)
    t.strictSame(
      await send('GET', `/things?${name}=*${encodeURIComponent(JSON.stringify(String(value)))},null&fields=id`),
      [200, [{ id: 1 }, { id: 2 }]],
      name
    )
    t.strictSame(await send('GET', `/things?sort=${name}+desc&fields=id`), [200, [{ id: 2 }, { id: 1 }]], name)
  }
  t.strictSame(await send('GET', `/things/${full.uid.toUpperCase()}/word`), [200, full.word])
  t.strictSame(await send('PUT', '/things/1/words', []), [200, { status: 'ok' }])
  t.strictSame(await send('GET', '/things/1/words'), [200, []])
})

test('timestamps finer than the wire tells are found, and paged over once', async t => {
  const db = await open(t,
    `${things}; insert into things (at) values ('2026-01-01 00:00:00.123456+00'), ('2026-01-01 00:00:00.123999+00'),
      ('2026-01-01 00:00:00.124+00')`)
  const send = await serve(t, db)
  t.strictSame(await send('GET', '/things?at=2026-01-01T00:00:00.123Z&fields=id'), [200, [{ id: 1 }, { id: 2 }]])
  const app = Fastify()
  await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things') }) } })
  const seen: unknown[] = []
  for (let url: string | undefined = '/things?sort=at&limit=1&fields=id'; url !== undefined;) {
    const response: { body: string, headers: { link?: unknown } } = await app.inject(url)
    seen.push(...JSON.parse(response.body) as unknown[])
    url = /<http:\/\/localhost(:80)?([^>]*)>; rel="next"/.exec(String(response.headers.link))?.[2]
  }
  t.strictSame(seen, [{ id: 1 }, { id: 2 }, { id: 3 }])
  await app.close()
})

test('a key that is generated always may still be given by an upsert', async t => {
  const send = await serve(t, await open(t, things))
  t.strictSame(await send('PUT', '/things/40', { word: 'x' }), [201, { status: 'created' }])
  t.strictSame(await send('GET', '/things/40/word'), [200, 'x'])
})

test('a value that its column cannot hold is 400', async t => {
  const send = await serve(t, await open(t, things))
  t.strictSame(await send('POST', '/things', { word: 'x'.repeat(21) }),
    [400, { error: 'constraint', message: 'The database does not accept this item.', fields: [] }])
  t.strictSame(await send('POST', '/things', { price: 1e300 }),
    [400, { error: 'constraint', message: 'The database does not accept this item.', fields: [] }])
})

test('transactions that get in each other\'s way are done again', async t => {
  const db = await open(t, `${things}; insert into things (word) values ('a'), ('b')`)
  let calls = 0
  let meet = () => {}
  const bothHoldTheirItem = new Promise<void>(resolve => { meet = resolve })
  const other = (word: unknown) => word === 'a' ? 'b' : 'a'
  const send = await serve(t, db, {
    hooks: {
      async updating (thing, before, { transaction }) {
        if (++calls === 2) meet()
        await bothHoldTheirItem
        await transaction.query('update things set big = coalesce(big, 0) + 1 where word = $1', [other(before.word)])
        thing.ratio = 1
      }
    }
  })
  t.strictSame(await Promise.all([send('PUT', '/things/1', { yes: true }), send('PUT', '/things/2', { yes: true })]),
    [[200, { status: 'ok' }], [200, { status: 'ok' }]])
  t.ok(calls > 2, 'the one that the server sacrificed ran twice')
  t.strictSame(await send('GET', '/things?fields=big,yes,ratio'),
    [200, [{ big: 1, yes: true, ratio: 1 }, { big: 1, yes: true, ratio: 1 }]])
})

test('an item that a setter or hook sees is locked, so that no change of it is lost', async t => {
  const send = await serve(t, await open(t, `${things}; insert into things (big) values (0)`), {
    hooks: {
      async updating (thing) {
        await new Promise(resolve => setTimeout(resolve, 1))
        thing.big = (thing.big ?? 0) + 1
      }
    }
  })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send('PUT', '/things/1', { ratio: n })))
  t.ok(answers.every(([status]) => status === 200))
  t.strictSame(await send('GET', '/things/1/big'), [200, 20])
})

test('a server that is gone is 503 with Retry-After, and the next request after it is back works', async t => {
  const proxy = await makeFaultyProxy(t)
  const send = await serve(t, await open(t, `${things}; insert into things (word) values ('a')`,
    { connectionString: proxy.url }))
  t.strictSame(await send('GET', '/things/1/word'), [200, 'a'])
  await proxy.close()
  for (const request of [
    ['GET', '/things/1'], ['PUT', '/things/1', { word: 'b' }], ['POST', '/things', {}]
  ] as Sent[]) {
    t.strictSame((await send(...request))[0], 503, request.join(' '))
  }
  await proxy.reopen()
  t.strictSame(await send('PUT', '/things/1', { word: 'c' }), [200, { status: 'ok' }])
  t.strictSame(await send('GET', '/things?fields=word'), [200, [{ word: 'c' }]])
})

test('a server that cannot be reached at the start is 503 until it can', async t => {
  const proxy = await makeFaultyProxy(t)
  const send = await serve(t, await open(t, `${things}; insert into things (word) values ('a')`,
    { connectionString: proxy.url }))
  await proxy.close()
  t.strictSame((await send('GET', '/things/1'))[0], 503)
  await proxy.reopen()
  t.strictSame(await send('GET', '/things/1/word'), [200, 'a'])
})

test('a request that waits too long for a connection that others have is 503', async t => {
  const timers = holdTimers(t)
  const db = await open(t, `${things}; insert into things (word) values ('a')`, { max: 1, connectionTimeout: hour })
  const hook = new EventEmitter()
  const send = await serve(t, db, {
    hooks: {
      async updating () {
        hook.emit('begun')
        await once(hook, 'released')
      }
    }
  })
  const begun = once(hook, 'begun')
  const slow = send('PUT', '/things/1', { yes: true })
  await begun
  const refused = send('GET', '/things/1')
  while (db.pool.waitingCount === 0) await new Promise(resolve => { setImmediate(resolve) })
  timers.fire(hour)
  t.strictSame((await refused)[0], 503)
  hook.emit('released')
  t.equal((await slow)[0], 200)
  t.strictSame(await send('GET', '/things/1/yes'), [200, true])
})

test('a statement that takes too long is 503', async t => {
  // What else is sent takes some milliseconds.
  const db = await open(t, `${things}; insert into things (word) values ('a')`, { max: 1, statementTimeout: 3000 })
  const send = await serve(t, db, {
    hooks: { async updating (_thing, _before, { transaction }) { await transaction.query('select pg_sleep(600)') } }
  })
  t.equal((await send('PUT', '/things/1', { yes: true }))[0], 503)
  t.strictSame(await send('GET', '/things/1/yes'), [200, null])
})

test('statements are prepared by name, unless the application says otherwise or a pooler loses them', async t => {
  const named = await open(t, `${things}; insert into things (word) values ('a')`, { max: 1 })
  const prepared = async (db: typeof named) => Number((await db.pool.query<{
    count: string
  }>("select count(*) from pg_prepared_statements where name like 'data_api_%'")).rows[0]?.count)
  const send = await serve(t, named)
  t.strictSame(await send('GET', '/things/1/word'), [200, 'a'])
  t.strictSame(await send('GET', '/things/1/word'), [200, 'a'])
  t.equal(await prepared(named), 1)
  // What a pooler does that hands on the connection to somebody else.
  await named.pool.query('deallocate all')
  const warnings: string[] = []
  process.once('warning', warning => warnings.push(warning.name))
  t.strictSame(await send('GET', '/things/1/word'), [200, 'a'])
  t.strictSame(await send('GET', '/things/1/word'), [200, 'a'])
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame([await prepared(named), warnings], [0, ['DataApiWarning']])
  const unnamed = await open(t, `${things}; insert into things (word) values ('a')`, { max: 1, prepare: false })
  t.strictSame(await (await serve(t, unnamed))('GET', '/things/1/word'), [200, 'a'])
  t.equal(await prepared(unnamed), 0)
})

test('a page of a round limit is planned once for all values, not anew for each', async t => {
  const db = await open(t,
    `${things}; insert into things (big) select mod(number, 100) from generate_series(1, 10000) as number;
    create index on things (big, id); analyze things`, {
      max: 1
    })
  const send = await serve(t, db)
  const generic = async (text: string) => {
    const { rows } = await db.pool.query<{
      often: string
    }>('select generic_plans as often from pg_prepared_statements where strpos(statement, $1) > 0', [text])
    return rows.map(({ often }) => Number(often) > 0)
  }
  for (let big = 0; big < 12; big++) {
    t.equal((await send('GET', `/things?big=${big}&sort=id&limit=20&fields=id`))[0], 200)
  }
  t.strictSame(await generic('limit 21'), [true])
  for (let big = 0; big < 12; big++) {
    t.equal((await send('GET', `/things?big=${big}&sort=id&limit=${big + 1}&fields=id`))[0], 200)
  }
  t.strictSame([await generic('limit $2 + 1'), await generic('limit 13')], [[false], []])
})

test('numbers that PostgreSQL writes otherwise than JavaScript are alike in items and pages', async t => {
  const numbers = [
    '1e-6', '1e-4', '0.00012', '1e15', '999999999999999', '1e20', '1e21', '-0', 'NaN', 'Infinity', '-Infinity', '0.1',
    '16777217', '123456.789'
  ]
  const db = await open(t, `create table parents (id int primary key); insert into parents values (1);
    create table numbers (id int primary key, parent_id int, exact double precision, rough real, fine numeric,
      big bigint);
    ${numbers.map((
      number, index
    ) => `insert into numbers values (${index}, 1, '${number}', '${number}', '${number}', ${index % 2 === 0
      ? '9007199254740993'
      : '12'})`).join(';')};
    insert into numbers values (99, 1, null, null, null, null)`)
  const nullable = () => Type.Union([Type.Number(), Type.Null()], { readable: true })
  const Amount = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    parentId: Type.Integer(),
    exact: nullable(),
    rough: nullable(),
    fine: nullable(),
    big: Type.Union([Type.Integer(), Type.Null()], { readable: true })
  })
  const Parent = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    numbers: SubCollection('numbers', { foreignKey: 'parentId', readable: true })
  })
  const send = await serveAll(t, {
    numbers: collection(Amount, { source: db.table('numbers', { columns: 'snake_case' }) }),
    parents: collection(Parent, { source: db.table('parents') })
  })
  const [, page] = await send('GET', '/numbers') as [number, ReadonlyArray<{
    id: number
    exact: number | string | null
  }>]
  t.strictSame(page.map(({ exact }) => exact),
    [...numbers.map(Number).map(number => Number.isFinite(number) ? number + 0 : String(number)), null])
  t.strictSame(await send('GET', '/parents?fields=numbers(limit=100;sort=id)'), [200, [{ numbers: page }]])
  t.strictSame(await send('GET', '/parents/1/numbers'), [200, page])
  for (const one of page) t.strictSame(await send('GET', `/numbers/${one.id}`), [200, one])
})
