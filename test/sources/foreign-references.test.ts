import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import {
  collection, type PostgresDatabase, sqlite, type SqliteDatabase, SubCollection, SubItem
} from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/databases.md: Declarations and tables. References between items of tables that the plugin
// did not make.

const rw = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, ...rw })
const n = Type.Optional(Type.Integer(rw))

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

const wideKeys = `create table p (id TYPE primary key); insert into p values (ONE), (OTHER);
  create table c (id int primary key, p TYPE references p); insert into c values (1, ONE), (2, null);
  create table l (x TYPE references p, y TYPE references p, primary key (x, y)); insert into l values (ONE, OTHER)`

for (const [type, one, other] of [
  ['timestamptz', '2026-01-02 03:04:05.123456Z', '2026-01-02 03:04:05.999999Z'],
  ['timestamp(6)', '2026-01-02 03:04:05.000001', '2026-01-02 03:04:06'],
  ['numeric', '0.1428571428571428571', '12345678901234567890.5'], ['numeric(30,20)', '1.00000000000000000001', '2']
] as const) {
  const ddl = Object.entries({ TYPE: type, ONE: `'${one}'`, OTHER: `'${other}'` })
    .reduce((text, [name, value]) => text.replaceAll(name, value), wideKeys)
  postgresTest(`keys of ${type}, shown with all digits, are referred to`, t => onDatabase(ddl, async db => {
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
    const path = (key: unknown) => `/p/${encodeURIComponent(String(key))}`
    for (const [status, method, url, payload] of [
      [200, 'DELETE', `${path(first)}/ls/${encodeURIComponent(String(second))}`, undefined],
      [204, 'POST', `${path(second)}/ls`, { id: first }], [204, 'PUT', `${path(first)}/ls`, [{ id: first }]],
      [204, 'PUT', `${path(second)}/ls`, [{ id: second }]], [201, 'POST', `${path(first)}/cs`, { id: 3 }],
      [201, 'POST', '/c', { id: 4, p: second }], [204, 'PATCH', '/c/2', { of: { id: first } }],
      [204, 'PUT', `${path(second)}/cs`, [{ id: 1 }, { id: 4 }]],
      [409, 'POST', '/c', { id: 5, p: third(type) }]
    ] as const) {
      t.match(await send(method, url, payload), [status], `${method} ${url}`)
    }
    const lists = async (key: unknown) => (await send('GET', `${path(key)}?fields=cs(id),ls(id)`))[1]
    t.strictSame(await lists(first), { cs: [{ id: 2 }, { id: 3 }], ls: [{ id: first }] })
    t.strictSame(await lists(second), { cs: [{ id: 1 }, { id: 4 }], ls: [{ id: second }] })
    await app.close()
  }))
}

const third = (type: string) => type.startsWith('time') ? '1999-01-01T00:00:00Z' : '7'

const undeclared = `create table p (id integer primary key, code integer unique); insert into p values (1, 7);
  create table c (id integer primary key, p integer references p); insert into c values (1, 1);
  create table d (id integer primary key, code integer references p (code)); insert into d values (1, 7)`

/** The messages of writes that foreign keys refuse, none of which a declaration knows. */
async function refusals (db: SqliteDatabase | PostgresDatabase) {
  const Child = Type.Object({ id, p: n })
  const { app, send } = await serve({
    p: collection(Type.Object({ id, code: n }), { source: db.table('p'), requestStrategies: { delete: true } }),
    c: collection(Child, { source: db.table('c') })
  })
  const messages = []
  for (const [method, url, payload] of [
    ['PATCH', '/c/1', { p: 9 }], ['PATCH', '/c/1', { id: 2, p: 9 }], ['POST', '/c', { id: 3, p: 9 }],
    ['PATCH', '/p/1', { id: 2 }], ['DELETE', '/p/1', undefined]
  ] as const) {
    const [status, body] = await send(method, url, payload)
    const { error, message } = body as { error: string, message: string }
    messages.push([status, error, /refers? to (an|this) item/.exec(message)?.[0] ?? message])
  }
  await app.close()
  return messages
}

const dangling = [409, 'reference', 'refers to an item']
const referred = [409, 'reference', 'refer to this item']

test('a refusal says in which direction the reference goes, whatever is declared (sqlite)', async t => {
  const db = sqlite(':memory:')
  db.exec(undeclared)
  // SQLite does not say which foreign key it is, and the key is the likelier one.
  t.strictSame(await refusals(db), [dangling, referred, dangling, referred, referred])
  db.close()
})

postgresTest('a refusal says in which direction the reference goes, whatever is declared (postgres)', t =>
  onDatabase(undeclared, async db => {
    const ownField = [409, 'reference', "The item referred to by 'p' does not exist."]
    t.strictSame(await refusals(db), [ownField, ownField, ownField, referred, referred])
  }))
