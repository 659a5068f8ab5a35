import { Type } from '@sinclair/typebox'
import type { InjectOptions } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, {
  collection, type Declared, memory, type PostgresDatabase, sqlite, type SqliteDatabase, SubCollection, SubItem
} from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'

// docs/databases.md: Declarations and tables. Tables that the plugin did not make: their keys, constraints and views.

const rw = { readable: true, writable: true } as const
const key = Type.Integer({ identifier: true, readable: true })
const id = Type.Integer({ identifier: true, ...rw })
const n = Type.Optional(Type.Integer(rw))

async function serve (collections: Record<string, Declared>) {
  const app = Fastify()
  await app.register(dataApi, { collections })
  const send = async (method: InjectOptions['method'], url: string, payload?: unknown) => {
    const body = payload === undefined ? {} : { payload: JSON.stringify(payload) }
    const headers = { 'content-type': 'application/json', prefer: 'return=minimal' }
    const given = payload === undefined ? {} : { ...body, headers }
    const response = await app.inject({ method: method as 'GET', url, ...given })
    return [response.statusCode, response.body === '' ? undefined : response.json<unknown>()] as const
  }
  return { app, send }
}

for (const ddl of [
  'id integer primary key', 'id int primary key', 'id bigint primary key', 'id integer primary key desc',
  'id smallint not null primary key', 'id integer, primary key (id desc)'
]) {
  for (const options of ['', 'without rowid']) {
    test(`a new item gets the highest key plus one: ${ddl} ${options}`, async t => {
      const db = sqlite(':memory:')
      db.exec(`create table things (n int, ${ddl}) ${options}; insert into things values (1, 4)`)
      const Thing = Type.Object({ id: key, n })
      const { app, send } = await serve({ things: collection(Thing, { source: db.table('things') }) })
      t.strictSame(await send('POST', '/things', { n: 2 }), [201, undefined])
      t.strictSame(await send('POST', '/things', [{ n: 3 }, {}]), [201, undefined])
      t.strictSame((await send('GET', '/things?fields=id'))[1], [{ id: 4 }, { id: 5 }, { id: 6 }, { id: 7 }])
      await app.close()
      db.close()
    })
  }
}

const unique = `create table a (id integer primary key); create table b (id integer primary key);
  insert into a values (1), (2); insert into b values (1), (2);
  create table l (a integer references a, b integer unique references b, primary key (a, b));
  insert into l values (1, 1)`

async function linkTaken (db: SqliteDatabase | PostgresDatabase) {
  const bs = SubCollection('b', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
  const { app, send } = await serve({
    a: collection(Type.Object({ id, bs }), { source: db.table('a') }),
    b: collection(Type.Object({ id }), { source: db.table('b') })
  })
  const statuses = [
    await send('POST', '/a/2/bs', { id: 1 }), await send('PUT', '/a/2/bs', [{ id: 1 }]),
    await send('PATCH', '/a/2', { bs: [{ id: 1 }] }), await send('POST', '/a/1/bs', { id: 1 }),
    await send('PUT', '/a/2/bs', [{ id: 2 }])
  ].map(([status]) => status)
  const [, lists] = await send('GET', '/a?fields=bs(id)')
  await app.close()
  return { statuses, lists }
}

const links = { statuses: [409, 409, 409, 204, 204], lists: [{ bs: [{ id: 1 }] }, { bs: [{ id: 2 }] }] }
const linkName = 'a link that the join table does not take is 409, and never answered as made'

test(`${linkName} (sqlite)`, async t => {
  const db = sqlite(':memory:')
  db.exec(unique)
  t.strictSame(await linkTaken(db), links)
  db.close()
})

postgresTest(`${linkName} (postgres)`, t => onDatabase(unique, async db => {
  t.strictSame(await linkTaken(db), links)
}))

postgresTest("a row that a view's check option refuses is 400 constraint", t => {
  const ddl = `create table base (id int primary key, n int); insert into base values (1, 1);
    create view things as select * from base where n > 0 with check option`
  return onDatabase(ddl, async db => {
    const { app, send } = await serve({
      things: collection(Type.Object({ id, n }), { source: db.table('things') })
    })
    t.match(await send('POST', '/things', { id: 3, n: -3 }), [400, { error: 'constraint' }])
    t.match(await send('PATCH', '/things/1', { n: -1 }), [400, { error: 'constraint' }])
    t.strictSame(await send('GET', '/things'), [200, [{ id: 1, n: 1 }]])
    await app.close()
  })
})

postgresTest('items are linked by keys of any type that is shown as text, and by those of real', async t => {
  for (const [type, one, other] of [
    ['kind', 'a', 'b'], ['uuid', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
    ['macaddr', '08:00:2b:01:02:03', '08:00:2b:01:02:04'],
    ['citext', 'a', 'B'], ['varchar(9)', 'a', 'b'], ['interval', '1 day', '2 days'],
    ['real', 0.1, 0.2]
  ] as const) {
    const ddl = `create extension if not exists citext; create type kind as enum ('a', 'b');
      create table p (id ${type} primary key); insert into p values ('${one}'), ('${other}');
      create table l (x ${type} references p, y ${type} references p, primary key (x, y))`
    await onDatabase(ddl, async db => {
      const of = { identifier: true, ...rw }
      const ls = SubCollection('p', { through: 'l', foreignKey: 'x', otherKey: 'y', ...rw })
      const key = type === 'real' ? Type.Number(of) : Type.String(of)
      const { app, send } = await serve({ p: collection(Type.Object({ id: key, ls }), { source: db.table('p') }) })
      const list = `/p/${one}/ls`
      t.equal((await send('POST', list, { id: other }))[0], 204, type)
      t.equal((await send('PUT', list, [{ id: other }, { id: one }]))[0], 204, type)
      t.equal((await send('DELETE', `${list}/${one}`))[0], 200, type)
      t.strictSame(await send('GET', `${list}?fields=id`), [200, [{ id: other }]], type)
      await app.close()
    })
  }
})

test('links of memory() between any keys are told apart', async t => {
  const Named = Type.Object({ id: Type.String({ identifier: true, ...rw }) })
  const source = memory([{ id: 'a b' }, { id: 'a' }], { joins: { l: new Map() } })
  const posts = SubCollection('posts', { through: 'l', foreignKey: 'tag', otherKey: 'post', ...rw })
  const { app, send } = await serve({
    tags: collection(Type.Object({ id: Named.properties.id, posts }), { source }),
    posts: collection(Named, { source: memory([{ id: 'c' }, { id: 'b c' }]) })
  })
  t.equal((await send('POST', '/tags/a%20b/posts', { id: 'c' }))[0], 204)
  t.equal((await send('POST', '/tags/a/posts', { id: 'b c' }))[0], 204)
  t.strictSame((await send('GET', '/tags/a%20b/posts'))[1], [{ id: 'c' }])
  t.strictSame((await send('GET', '/tags/a/posts'))[1], [{ id: 'b c' }])
  await app.close()
})

for (const clause of ['replace', 'ignore', 'rollback', 'fail', 'abort']) {
  test(`a duplicate is 409 where the table says: on conflict ${clause}`, async t => {
    const db = sqlite(':memory:')
    db.exec(`create table things (id integer primary key on conflict ${clause}, n int unique on conflict ${clause},
        m int not null on conflict ${clause} default 7);
      create table l (a int references things, b int references things unique on conflict ${clause});
      insert into things (id, n) values (1, 1), (2, 2); insert into l values (1, 1)`)
    const bs = SubCollection('things', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
    const Thing = Type.Object({ id, n, m: Type.Optional(Type.Integer(rw)), bs })
    const { app, send } = await serve({
      things: collection(Thing, { source: db.table('things'), requestStrategies: { upsert: true } })
    })
    for (const [method, url, payload] of [
      ['POST', '/things', { id: 1 }], ['POST', '/things', { id: 3, n: 2 }], ['POST', '/things', [{ id: 3 }, { n: 1 }]],
      ['PATCH', '/things/1', { n: 2 }], ['PUT', '/things/9', { n: 1 }], ['POST', '/things/2/bs', { id: 1 }]
    ] as const) {
      t.match(await send(method, url, payload), [409, { error: 'duplicate' }], `${method} ${url}`)
    }
    t.match(await send('PATCH', '/things/1', { m: null }), [400, { error: 'constraint' }])
    t.strictSame((await send('GET', '/things?fields=id,n,m,bs(id)'))[1], [
      { id: 1, n: 1, m: 7, bs: [{ id: 1 }] }, { id: 2, n: 2, m: 7, bs: [] }
    ])
    await app.close()
    db.close()
  })
}

const big = `create table owners (id bigint primary key);
  create table things (id integer primary key, owner bigint references owners);
  create table l (a bigint references owners, b bigint references owners, primary key (a, b));
  insert into owners values (9007199254740993), (9007199254740995), (2)`

async function writeBig (db: SqliteDatabase | PostgresDatabase) {
  const Owner = Type.Object({
    id,
    things: SubCollection('things', { foreignKey: 'owner', ...rw }),
    ls: SubCollection('owners', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
  })
  const Thing = Type.Object({ id, owner: n })
  const { app, send } = await serve({
    owners: collection(Owner, { source: db.table('owners') }),
    things: collection(Thing, { source: db.table('things') })
  })
  const statuses = [
    await send('POST', '/owners/9007199254740993/things', { id: 1 }),
    await send('POST', '/owners/2/things', { id: 2 }),
    await send('PUT', '/owners/9007199254740995/things', [{ id: 2 }]),
    await send('POST', '/owners/9007199254740993/ls', { id: 2 }),
    await send('PUT', '/owners/9007199254740995/ls', [{ id: 2 }]),
    await send('DELETE', '/owners/9007199254740995/ls/2'),
    await send('PATCH', '/things/1', { owner: null })
  ].map(([status]) => status)
  const [, lists] = await send('GET', '/owners?fields=id,things(id),ls(id)')
  await app.close()
  return { statuses, lists }
}

const bigLists = {
  statuses: [201, 201, 204, 204, 204, 200, 204],
  lists: [
    { id: 2, things: [], ls: [] },
    { id: '9007199254740993', things: [], ls: [{ id: 2 }] },
    { id: '9007199254740995', things: [{ id: 2 }], ls: [] }
  ]
}

test('items refer to integers beyond 2^53, which are shown as text (sqlite)', async t => {
  const db = sqlite(':memory:')
  db.exec(big)
  t.strictSame(await writeBig(db), bigLists)
  db.close()
})

postgresTest('items refer to integers beyond 2^53, which are shown as text (postgres)', t =>
  onDatabase(big, async db => { t.strictSame(await writeBig(db), bigLists) }))

test('links of a join table of texts are those that SQLite compares with integers', async t => {
  const db = sqlite(':memory:')
  db.exec(`create table p (id integer primary key); create table l (x text, y text);
    insert into p values (1), (2); insert into l values ('01', '2'), ('1', '1')`)
  const ls = SubCollection('p', { through: 'l', foreignKey: 'x', otherKey: 'y', ...rw })
  const { app, send } = await serve({ p: collection(Type.Object({ id, ls }), { source: db.table('p') }) })
  t.equal((await send('DELETE', '/p/1/ls/2'))[0], 200)
  t.equal((await send('POST', '/p/1/ls', { id: 1 }))[0], 204)
  t.equal((await send('POST', '/p/2/ls', { id: 1 }))[0], 204)
  const [, lists] = await send('GET', '/p?fields=id,ls(id)')
  t.strictSame(lists, [{ id: 1, ls: [{ id: 1 }] }, { id: 2, ls: [{ id: 1 }] }])
  await app.close()
  db.close()
})

const cutKeys = `create table p (id TYPE primary key); insert into p values (ONE), (OTHER);
  create table c (id int primary key, p TYPE references p); insert into c values (1, ONE), (2, null);
  create table l (x TYPE references p, y TYPE references p, primary key (x, y)); insert into l values (ONE, OTHER)`

for (const [type, one, other] of [
  ['timestamptz', '2026-01-02 03:04:05.123456Z', '2026-01-02 03:04:05.999999Z'],
  ['timestamp(6)', '2026-01-02 03:04:05.000001', '2026-01-02 03:04:06'],
  ['numeric', '0.1428571428571428571', '12345678901234567890.5'], ['numeric(30,20)', '1.00000000000000000001', '2']
] as const) {
  const ddl = Object.entries({ TYPE: type, ONE: `'${one}'`, OTHER: `'${other}'` })
    .reduce((text, [name, value]) => text.replaceAll(name, value), cutKeys)
  postgresTest(`items are referred to by keys of ${type}, which clients see cut`, t => onDatabase(ddl, async db => {
    const value = (flags: object) => type.startsWith('time')
      ? Type.String({ format: 'date-time', ...flags })
      : Type.Number(flags)
    const P = Type.Object({
      id: value({ identifier: true, ...rw }),
      cs: SubCollection('c', { foreignKey: 'p', ...rw }),
      ls: SubCollection('p', { through: 'l', foreignKey: 'x', otherKey: 'y', ...rw })
    })
    const of = Type.Optional(SubItem('p', { foreignKey: 'p', ...rw }))
    const C = Type.Object({ id, p: Type.Optional(value(rw)), of })
    const { app, send } = await serve({
      p: collection(P, { source: db.table('p') }), c: collection(C, { source: db.table('c') })
    })
    const [, items] = await send('GET', '/p?fields=id')
    const [first, second] = (items as ReadonlyArray<{ id: string | number }>).map(item => item.id)
    const path = (key: unknown) => `/p/${encodeURIComponent(String(key))}`
    for (const [status, method, url, payload] of [
      [200, 'DELETE', `${path(first)}/ls/${encodeURIComponent(String(second))}`, undefined],
      [204, 'POST', `${path(second)}/ls`, { id: first }], [204, 'PUT', `${path(first)}/ls`, [{ id: first }]],
      [204, 'PUT', `${path(second)}/ls`, [{ id: second }]], [201, 'POST', `${path(first)}/cs`, { id: 3 }],
      [201, 'POST', '/c', { id: 4, p: second }], [204, 'PATCH', '/c/2', { of: { id: first } }],
      [204, 'PUT', `${path(second)}/cs`, [{ id: 1 }, { id: 4 }]], [409, 'POST', '/c', { id: 5, p: third(type) }]
    ] as const) {
      t.match(await send(method, url, payload), [status], `${method} ${url}`)
    }
    const lists = async (key: unknown) => (await send('GET', `${path(key)}?fields=cs(id),ls(id)`))[1]
    t.strictSame(await lists(first), { cs: [{ id: 2 }, { id: 3 }], ls: [{ id: first }] })
    t.strictSame(await lists(second), { cs: [{ id: 1 }, { id: 4 }], ls: [{ id: second }] })
    await app.close()
  }))
}

const third = (type: string) => type.startsWith('time') ? '1999-01-01T00:00:00.000Z' : 7
