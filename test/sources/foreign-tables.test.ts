import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory, type OpenApiDocument, SubCollection, SubItem } from '../../lib/index.ts'
import { Id as key, onBoth, onPostgres, onSqlite, open as rw } from '../helpers/checked-tables.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/databases.md: Declarations and tables. Tables that the plugin did not make: their keys, constraints and views.

const id = Type.Integer({ identifier: true, ...rw })
const n = Type.Optional(Type.Integer(rw))

for (const ddl of ['id integer primary key', 'id integer, primary key (id desc)']) {
  onSqlite(`SQLite numbers ${ddl}`, `create table t (n int, ${ddl}); insert into t values (1, 4)`, async (t, db) => {
    const { app, send } = await serve({ things: collection(Type.Object({ id: key, n }), { source: db.table('t') }) })
    t.strictSame(await send('POST', '/things', { n: 2 }), [201, undefined])
    t.strictSame(await send('POST', '/things', [{ n: 3 }, {}]), [201, undefined])
    t.strictSame((await send('GET', '/things?fields=id'))[1], [{ id: 4 }, { id: 5 }, { id: 6 }, { id: 7 }])
    await app.close()
  })
}

const unnumbered = ['id int primary key)', 'id bigint primary key)', 'id integer primary key desc)',
  'id smallint not null primary key)', 'id integer primary key) without rowid', 'id integer not null unique)',
  'id integer unique)']

onSqlite('a key that SQLite does not number is given, or keeps the application from starting', unnumbered.map(
  (ddl, at) => `create table t${at} (n int, ${ddl}`
).join(';'), async (t, db) => {
  for (const [at, ddl] of unnumbered.entries()) {
    const things = (field: typeof id) =>
      ({ things: collection(Type.Object({ id: field, n }), { source: db.table(`t${at}`) }) })
    const unserved = await serve(things(key))
    // The last may be null.
    if (at < 6) await t.rejects(async () => unserved.app.ready(), { message: /nothing fills it, so no item can/ }, ddl)
    const { app, send } = await serve(things(id))
    t.match(await send('POST', '/things', { n: 2 }), [400, { details: [{ pointer: '/id', message: 'is required' }] }])
    t.strictSame(await send('POST', '/things', { id: 7 }), [201, undefined])
    await app.close()
  }
})

onSqlite('a new item is acknowledged whose key is a number beyond 2^53, made or given', `
create table things (id integer primary key, n int); create table lengths (metres real primary key);
insert into things values (9223372036854775807, 1)`, async (t, db) => {
  const Length = Type.Object({ metres: Type.Number({ identifier: true, ...rw }) })
  const { app, send } = await serve({
    things: collection(Type.Object({ id: key, n }), { source: db.table('things') }),
    lengths: collection(Length, { source: db.table('lengths') })
  })
  // SQLite makes a number by chance where the highest is taken.
  t.equal((await send('POST', '/things', { n: 2 }))[0], 201)
  t.equal((await send('POST', '/lengths', { metres: 1e300 }))[0], 201)
  t.strictSame(await send('GET', '/lengths/1e300'), [200, { metres: 1e300 }])
  await app.close()
})

onBoth('a link that the join table does not take is 409, and never answered as made', `
create table a (id integer primary key); create table b (id integer primary key);
insert into a values (1), (2); insert into b values (1), (2);
create table l (a integer references a, b integer unique references b, primary key (a, b));
insert into l values (1, 1)`, async (t, db) => {
  const bs = SubCollection('b', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
  const { app, send } = await serve({
    a: collection(Type.Object({ id, bs }), { source: db.table('a') }),
    b: collection(Type.Object({ id }), { source: db.table('b') })
  })
  for (const [status, method, url, payload] of [
    [409, 'POST', '/a/2/bs', { id: 1 }], [409, 'PUT', '/a/2/bs', [{ id: 1 }]],
    [409, 'PATCH', '/a/2', { bs: [{ id: 1 }] }], [204, 'POST', '/a/1/bs', { id: 1 }],
    [204, 'PUT', '/a/2/bs', [{ id: 2 }]]
  ] as const) {
    t.match(await send(method, url, payload), [status], `${method} ${url}`)
  }
  t.strictSame((await send('GET', '/a?fields=bs(id)'))[1], [{ bs: [{ id: 1 }] }, { bs: [{ id: 2 }] }])
  await app.close()
})

onPostgres("a row that a view's check option refuses is 400 constraint", `
create table base (id int primary key, n int); insert into base values (1, 1);
create view things as select * from base where n > 0 with check option`, async (t, db) => {
  const { app, send } = await serve({ things: collection(Type.Object({ id, n }), { source: db.table('things') }) })
  t.match(await send('POST', '/things', { id: 3, n: -3 }), [400, { error: 'constraint' }])
  t.match(await send('PATCH', '/things/1', { n: -1 }), [400, { error: 'constraint' }])
  t.strictSame(await send('GET', '/things'), [200, [{ id: 1, n: 1 }]])
  await app.close()
})

const keys = [
  ['kind', 'a', 'b'], ['uuid', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
  ['macaddr', '08:00:2b:01:02:03', '08:00:2b:01:02:04'],
  ['citext', 'a', 'B'], ['varchar(9)', 'a', 'b'], ['interval', '1 day', '2 days'], ['real', 0.1, 0.2]
] as const

onPostgres('items are linked by keys of any type that is shown as text, and by those of real', [
  "create extension if not exists citext; create type kind as enum ('a', 'b')",
  ...keys.map(([type, one, other], at) => `
    create table p${at} (id ${type} primary key); insert into p${at} values ('${one}'), ('${other}');
    create table l${at} (x ${type} references p${at}, y ${type} references p${at}, primary key (x, y))`)
].join(';'), async (t, db) => {
  const of = { identifier: true, ...rw }
  const { app, send } = await serve(Object.fromEntries(keys.map(([type], at) => {
    const ls = SubCollection(`p${at}`, { through: `l${at}`, foreignKey: 'x', otherKey: 'y', ...rw })
    const id = type === 'real' ? Type.Number(of) : Type.String(of)
    return [`p${at}`, collection(Type.Object({ id, ls }), { source: db.table(`p${at}`) })]
  })))
  for (const [at, [type, one, other]] of keys.entries()) {
    const list = `/p${at}/${one}/ls`
    t.equal((await send('POST', list, { id: other }))[0], 204, type)
    t.equal((await send('PUT', list, [{ id: other }, { id: one }]))[0], 204, type)
    t.equal((await send('DELETE', `${list}/${one}`))[0], 200, type)
    t.strictSame(await send('GET', `${list}?fields=id`), [200, [{ id: other }]], type)
  }
  await app.close()
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
  onSqlite(`a duplicate is 409 where the table says: on conflict ${clause}`, `
create table things (id integer primary key on conflict ${clause}, n int unique on conflict ${clause},
  m int not null on conflict ${clause} default 7);
create table l (a int references things, b int references things unique on conflict ${clause});
insert into things (id, n) values (1, 1), (2, 2); insert into l values (1, 1)`, async (t, db) => {
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
  })
}

onSqlite('links of a join table of texts are those that SQLite compares with integers', `
create table p (id integer primary key); create table l (x text, y text);
insert into p values (1), (2); insert into l values ('01', '2'), ('1', '1')`, async (t, db) => {
  const ls = SubCollection('p', { through: 'l', foreignKey: 'x', otherKey: 'y', ...rw })
  const { app, send } = await serve({ p: collection(Type.Object({ id, ls }), { source: db.table('p') }) })
  t.equal((await send('DELETE', '/p/1/ls/2'))[0], 200)
  t.equal((await send('POST', '/p/1/ls', { id: 1 }))[0], 204)
  t.equal((await send('POST', '/p/2/ls', { id: 1 }))[0], 204)
  const [, lists] = await send('GET', '/p?fields=id,ls(id)')
  t.strictSame(lists, [{ id: 1, ls: [{ id: 1 }] }, { id: 2, ls: [{ id: 1 }] }])
  await app.close()
})

onPostgres('constraints of one name are told apart by their tables', `
create table other (id int primary key, n int constraint positive check (n > 0), name text);
create table things (id int primary key, name text constraint positive check (name <> ''), n int);
create table rest (id int primary key, name text, n int constraint positive check (n > 0))`, async (t, db) => {
  const Thing = Type.Object({ id, n, name: Type.Optional(Type.String(rw)) })
  const over = (table: string) => collection(Thing, { source: db.table(table) })
  const { app, send } = await serve({ things: over('things'), rest: over('rest') })
  const fields = async (url: string, item: object) => {
    const [status, body] = await send('POST', url, item)
    return [status, (body as { readonly fields: unknown }).fields]
  }
  t.strictSame(await fields('/things', { id: 1, name: '', n: 1 }), [400, ['name']])
  t.strictSame(await fields('/rest', { id: 1, name: '', n: 0 }), [400, ['n']])
  await app.close()
})

const unfilledKeys = ['id smallint primary key', 'id integer primary key', 'id bigint not null unique',
  'id numeric(9) primary key', 'id positive primary key']
const filledKeys = ['id serial primary key', 'id numbered primary key', 'id integer primary key default 7',
  'id bigint generated by default as identity primary key']

for (const check of ['error', 'off'] as const) {
  onPostgres(`a new item must give a key that nothing fills (check: ${check})`, [
    'create domain positive as integer check (value > 0)',
    "create sequence numbers; create domain numbered as integer default nextval('numbers')",
    ...[...unfilledKeys, ...filledKeys].map((ddl, at) => `create table t${at} (n int, ${ddl})`),
    'create table triggered (n int, id integer primary key)',
    'create function fill() returns trigger language plpgsql as $$ begin new.id = 1; return new; end $$',
    'create trigger fills before insert on triggered for each row execute function fill()',
    'create table parts (n int, id integer primary key references t0)'
  ].join(';\n'), async (t, db) => {
    const whole = SubItem('t0', { foreignKey: 'id', creates: true, ...rw })
    const hooks = { creating: (item: { id?: number }) => { item.id = 77 } }
    const tables = [...unfilledKeys, ...filledKeys].map((_, at) => `t${at}`).concat('triggered', 'hooked')
    const { app, send } = await serve({
      ...Object.fromEntries(tables.map(name =>
        [name, collection(Type.Object({ id, n }), { source: db.table(name) })])),
      hooked: collection(Type.Object({ id, n }), { source: db.table('t1'), hooks }),
      parts: collection(Type.Object({ id, n, whole }), { source: db.table('parts') })
    })
    await app.ready()
    for (const [at, name] of tables.entries()) {
      const isNeeded = at < unfilledKeys.length
      const [status, answer] = await send('POST', `/${name}`, { n: 1 })
      const [, document] = await send('GET', `/openapi.json?profile=types&collections=${name}`)
      const { schemas } = (document as OpenApiDocument).components
      const [, { required = [] } = {}] = Object.entries(schemas).find(([one]) => one.endsWith('Create')) ?? []
      t.strictSame(required, isNeeded ? ['id'] : [], name)
      if (!isNeeded) t.equal(status, 201, `${name} ${JSON.stringify(answer)}`)
      else t.match([status, answer], [400, { details: [{ pointer: '/id', message: 'is required' }] }])
    }
    t.match(app.dataApi.types(), /^export type T0Create = { id: number,/m)
    t.match(await send('POST', '/parts', {}), [400, { details: [{ message: "is required, or in its place 'id'" }] }])
    t.match(await send('POST', '/parts', { whole: { n: 5 } }), [400, { details: [{ pointer: '/whole/id' }] }])
    t.equal((await send('POST', '/parts', { whole: { id: 5 } }))[0], 201)
    await app.close()
  }, { check })
}
