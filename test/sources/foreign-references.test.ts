import { Type } from '@sinclair/typebox'
import { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { onBoth, onPostgres, open as rw } from '../helpers/checked-tables.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/databases.md: Declarations and tables. References between items of tables that the plugin did not make.

const id = Type.Integer({ identifier: true, ...rw })
const n = Type.Optional(Type.Integer(rw))

onBoth('items refer to integers beyond 2^53, which are shown as text', `
create table owners (id bigint primary key);
create table things (id integer primary key, owner bigint references owners);
create table l (a bigint references owners, b bigint references owners, primary key (a, b));
insert into owners values (9007199254740993), (9007199254740995), (2)`, async (t, db) => {
  const Owner = Type.Object({
    id,
    things: SubCollection('things', { foreignKey: 'owner', ...rw }),
    ls: SubCollection('owners', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
  })
  const { app, send } = await serve({
    owners: collection(Owner, { source: db.table('owners') }),
    things: collection(Type.Object({ id, owner: n }), { source: db.table('things') })
  })
  for (const [status, method, url, payload] of [
    [201, 'POST', '/owners/9007199254740993/things', { id: 1 }], [201, 'POST', '/owners/2/things', { id: 2 }],
    [204, 'PUT', '/owners/9007199254740995/things', [{ id: 2 }]],
    [204, 'POST', '/owners/9007199254740993/ls', { id: 2 }], [204, 'PUT', '/owners/9007199254740995/ls', [{ id: 2 }]],
    [200, 'DELETE', '/owners/9007199254740995/ls/2', undefined], [204, 'PATCH', '/things/1', { owner: null }]
  ] as const) {
    t.match(await send(method, url, payload), [status], `${method} ${url}`)
  }
  t.strictSame((await send('GET', '/owners?fields=id,things(id),ls(id)'))[1], [
    { id: 2, things: [], ls: [] }, { id: '9007199254740993', things: [], ls: [{ id: 2 }] },
    { id: '9007199254740995', things: [{ id: 2 }], ls: [] }
  ])
  await app.close()
})

for (const [type, one, other, third] of [
  ['timestamptz', '2026-01-02 03:04:05.123456Z', '2026-01-02 03:04:05.999999Z', '1999-01-01T00:00:00Z'],
  ['timestamp(6)', '2026-01-02 03:04:05.000001', '2026-01-02 03:04:06', '1999-01-01T00:00:00Z'],
  ['numeric', '0.1428571428571428571', '12345678901234567890.5', '7'],
  ['numeric(30,20)', '1.00000000000000000001', '2', '7']
] as const) {
  onPostgres(`keys of ${type}, shown with all digits, are referred to`, `
create table p (id ${type} primary key); insert into p values ('${one}'), ('${other}');
create table c (id int primary key, p ${type} references p); insert into c values (1, '${one}'), (2, null);
create table l (x ${type} references p, y ${type} references p, primary key (x, y));
insert into l values ('${one}', '${other}')`, async (t, db) => {
    const value = (flags: object) => type.startsWith('time')
      ? Type.String(flags)
      : Type.String({ format: 'decimal', ...flags })
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
    const [first = '', second = ''] = (items as ReadonlyArray<{ id: string }>).map(item => item.id)
    const path = (key: string) => `/p/${encodeURIComponent(key)}`
    for (const [status, method, url, payload] of [
      [200, 'DELETE', `${path(first)}/ls/${encodeURIComponent(second)}`, undefined],
      [204, 'POST', `${path(second)}/ls`, { id: first }], [204, 'PUT', `${path(first)}/ls`, [{ id: first }]],
      [204, 'PUT', `${path(second)}/ls`, [{ id: second }]], [201, 'POST', `${path(first)}/cs`, { id: 3 }],
      [201, 'POST', '/c', { id: 4, p: second }], [204, 'PATCH', '/c/2', { of: { id: first } }],
      [204, 'PUT', `${path(second)}/cs`, [{ id: 1 }, { id: 4 }]], [409, 'POST', '/c', { id: 5, p: third }]
    ] as const) {
      t.match(await send(method, url, payload), [status], `${method} ${url}`)
    }
    const lists = async (key: string) => (await send('GET', `${path(key)}?fields=cs(id),ls(id)`))[1]
    t.strictSame(await lists(first), { cs: [{ id: 2 }, { id: 3 }], ls: [{ id: first }] })
    t.strictSame(await lists(second), { cs: [{ id: 1 }, { id: 4 }], ls: [{ id: second }] })
    await app.close()
  })
}

onBoth('a refusal says in which direction the reference goes, whatever is declared', `
create table p (id integer primary key, code integer unique); insert into p values (1, 7);
create table c (id integer primary key, p integer references p); insert into c values (1, 1);
create table d (id integer primary key, code integer references p (code)); insert into d values (1, 7)`,
async (t, db) => {
  const { app, send } = await serve({
    p: collection(Type.Object({ id, code: n }), { source: db.table('p'), requestStrategies: { delete: true } }),
    c: collection(Type.Object({ id, p: n }), { source: db.table('c') })
  })
  // SQLite does not say which foreign key it is, and the key is the likelier one.
  const isSqlite = 'driver' in db
  const dangling = isSqlite ? /refers to an item/ : "The item referred to by 'p' does not exist."
  const referred = /refer to this item/
  for (const [method, url, payload, message] of [
    ['PATCH', '/c/1', { p: 9 }, dangling], ['PATCH', '/c/1', { id: 2, p: 9 }, isSqlite ? referred : dangling],
    ['POST', '/c', { id: 3, p: 9 }, dangling], ['PATCH', '/p/1', { id: 2 }, referred],
    ['DELETE', '/p/1', undefined, referred]
  ] as const) {
    t.match(await send(method, url, payload), [409, { error: 'reference', message }], `${method} ${url}`)
  }
  await app.close()
})

// docs/http.md: Identifiers. The check cannot see rows under one key that come later.
onBoth('no write reaches several items whose keys clients see as one', {
  sqlite: `create table days (at text primary key, name text, other text unique);
    insert into days values ('2026-01-02', 'a', 'x'), ('2026-01-02 00:00:00', 'b', 'y');
    create table base (id int, name text); insert into base values (1, 'a'), (1, 'b'), (2, 'c');
    create view parts as select id, name from base;
    create trigger u instead of update on parts begin update base set name = new.name where id = old.id; end;
    create trigger d instead of delete on parts begin delete from base where id = old.id; end`,
  postgres: `create table days (at timestamptz primary key, name text, other text unique);
    insert into days values ('2026-01-02 00:00:00.000001Z', 'a', 'x'), ('2026-01-02 00:00:00.0005Z', 'b', 'y');
    create table parts (id int primary key, name text); create table more (primary key (id)) inherits (parts);
    insert into parts values (1, 'a'), (2, 'c'); insert into more values (1, 'b')`
}, async (t, db) => {
  const name = Type.Optional(Type.String(rw))
  const requestStrategies = { delete: true, upsert: true, create: false }
  const Day = Type.Object({
    at: Type.String({ format: 'date-time', identifier: true, ...rw }),
    other: Type.Optional(Type.String({ identifier: true, ...rw })),
    name
  })
  const Part = Type.Object({ id, name })
  const { app, send } = await serve({
    days: collection(Day, { source: db.table('days'), requestStrategies: { delete: true } }),
    parts: collection(Part, { source: db.table('parts'), requestStrategies }),
    hooked: collection(Part, {
      source: db.table('parts'), requestStrategies, hooks: { updating () {}, deleting () {} }
    })
  })
  const day = '2026-01-02T00:00:00.000Z'
  for (const path of [`/days/${day}`, `/days/by_at/${day}`, '/parts/1', '/hooked/1']) {
    for (const [method, payload] of [['GET'], ['PUT', { name: 'z' }], ['DELETE']] as const) {
      t.match(await send(method, path, payload), [409, { error: 'ambiguous_identifier' }], `${method} ${path}`)
    }
  }
  t.match([await send('PUT', '/parts/2', { name: 'd' }), await send('DELETE', '/hooked/2')], [[204], [200]])
  for (const path of ['/days?sort=name&fields=name', '/parts?sort=name&fields=name']) {
    t.strictSame(await send('GET', path), [200, [{ name: 'a' }, { name: 'b' }]])
  }
  await app.close()
}, { check: 'off' })
