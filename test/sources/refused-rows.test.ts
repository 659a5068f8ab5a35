import { Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { collection, kysely, SubCollection, SubItem } from '../../lib/index.ts'
import { type Database, onBoth, onPostgres, open as rw, urlOf } from '../helpers/checked-tables.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'

// docs/databases.md: Views and triggers; docs/http.md: Errors. What policies, triggers and types of the database refuse
// is answered as what it is.

const id = Type.Integer({ identifier: true, ...rw })
const n = Type.Optional(Type.Integer(rw))
const Thing = Type.Object({ id, n })

interface Behavior {
  readonly hooks?: { saved? (): void }
  readonly requestStrategies?: { readonly upsert?: boolean, readonly delete?: boolean }
}

const serve = (db: Database, behavior: Behavior = {}) =>
  serveMinimally({ things: collection(Thing, { source: db.table('things'), ...behavior }) })

const role = `clerk_${process.pid}`
const asClerk = { driver: { options: `-c role=${role}` } }
const clerk = `drop role if exists ${role}; create role ${role}; grant all on all tables in schema public to ${role}`

for (const [name, hooks, upsert] of [
  ['in one statement', {}, false], ['in a transaction', { saved: () => {} }, false],
  ['with upserts', { saved: () => {} }, true]
] as const) {
  onPostgres(`what a policy denies is 403, ${name}`, `
create table owners (id int primary key); insert into owners values (1);
create table things (id int primary key, n int, owner int references owners);
insert into things values (1, 1, 1), (2, 2, 1), (3, 3, 1);
alter table things enable row level security;
create policy seen on things for select using (true);
create policy made on things for insert with check (n > 0);
create policy kept on things for update using (id < 3) with check (n < 9);
create policy gone on things for delete using (id < 2); ${clerk}`, async (t, db) => {
    const { app, send } = await serve(db, { hooks, requestStrategies: { upsert, delete: true } })
    for (const [status, method, url, payload] of [
      [201, 'POST', '/things', { id: 4, n: 1 }], [204, 'PATCH', '/things/1', { n: 5 }],
      [403, 'POST', '/things', { id: 5, n: -1 }], [403, 'PATCH', '/things/1', { n: 9 }],
      [403, 'PATCH', '/things/3', { n: 4 }], [403, 'DELETE', '/things/2', undefined],
      [403, 'DELETE', '/things/3', undefined], [200, 'DELETE', '/things/1', undefined],
      [404, 'DELETE', '/things/1', undefined], [upsert ? 201 : 404, 'PATCH', '/things/1', { n: 1 }]
    ] as const) {
      const error = status === 403 ? [{ error: 'forbidden' }] : []
      t.match(await send(method, url, payload), [status, ...error], `${method} ${url}`)
    }
    t.strictSame((await send('GET', '/things?id>=2'))[1], [{ id: 2, n: 2 }, { id: 3, n: 3 }, { id: 4, n: 1 }])
    await app.close()
  }, asClerk)
}

onPostgres('a link that a policy keeps is 403, as is an element of a list that it lets nobody change', `
create table p (id int primary key); create table c (id int primary key, p int references p);
create table l (a int references p, b int references p, primary key (a, b));
insert into p values (1); insert into c values (1, 1); insert into l values (1, 1);
alter table c enable row level security; create policy seen on c for select using (true);
alter table l enable row level security; create policy seen on l for select using (true); ${clerk}`, async (t, db) => {
  const P = Type.Object({
    id,
    cs: SubCollection('c', { foreignKey: 'p', ...rw }),
    ls: SubCollection('p', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
  })
  const { app, send } = await serveMinimally({
    p: collection(P, { source: db.table('p') }), c: collection(Type.Object({ id, p: n }), { source: db.table('c') })
  })
  for (const [method, url, payload] of [
    ['PUT', '/p/1/cs', []], ['DELETE', '/p/1/ls/1', undefined], ['PUT', '/p/1/ls', []]
  ] as const) {
    t.match(await send(method, url, payload), [403, { error: 'forbidden' }], `${method} ${url}`)
  }
  t.strictSame((await send('GET', '/p/1?fields=cs(id),ls(id)'))[1], { cs: [{ id: 1 }], ls: [{ id: 1 }] })
  await app.close()
}, asClerk)

const links = `create table p (id integer primary key); insert into p values (1), (2);
  create table l (a integer references p, b integer references p, primary key (a, b)); insert into l values (1, 1);`

onBoth('a link that a trigger drops is 400, and one that it keeps is 403', {
  sqlite: `${links} create trigger i before insert on l begin select raise(ignore); end;
    create trigger d before delete on l begin select raise(ignore); end`,
  postgres: `${links} create function nothing () returns trigger language plpgsql as 'begin return null; end';
    create trigger ignored before insert or delete on l for each row execute function nothing()`
}, async (t, db) => {
  const ls = SubCollection('p', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
  const { app, send } = await serveMinimally({ p: collection(Type.Object({ id, ls }), { source: db.table('p') }) })
  for (const [status, method, url, payload] of [
    [400, 'POST', '/p/1/ls', { id: 2 }], [204, 'POST', '/p/1/ls', { id: 1 }],
    [400, 'PUT', '/p/1/ls', [{ id: 1 }, { id: 2 }]], [403, 'PUT', '/p/1/ls', []],
    [403, 'DELETE', '/p/1/ls/1', undefined]
  ] as const) {
    t.match(await send(method, url, payload), [status], `${method} ${url}`)
  }
  t.strictSame((await send('GET', '/p/1?fields=ls(id)'))[1], { ls: [{ id: 1 }] })
  await app.close()
})

onBoth('an item that a trigger drops ends the creation of all', {
  sqlite: `create table things (id integer primary key, n int);
    create trigger i before insert on things when new.n < 0 begin select raise(ignore); end`,
  postgres: `create table things (id int primary key, n int); create function positive () returns trigger
      language plpgsql as 'begin return case when new.n > 0 then new end; end';
    create trigger i before insert on things for each row execute function positive ()`
}, async (t, db) => {
  const { app, send } = await serve(db)
  t.strictSame(await send('POST', '/things', [{ id: 4, n: 1 }, { id: 5, n: -1 }, { id: 6, n: 1 }]), [400, {
    error: 'constraint', message: 'The database does not accept this item.', fields: [], pointer: '/1'
  }])
  t.strictSame(await send('GET', '/things'), [200, []])
  await app.close()
})

onBoth('an error names a relation once, whose foreign key has several columns', `
create table rooms (ward text not null, number integer not null, primary key (ward, number));
create table things (id integer primary key, ward text not null, number integer not null,
  unique (ward, number), foreign key (ward, number) references rooms);
insert into rooms values ('A', 1)`, async (t, db) => {
  const place = { ward: Type.String(rw), number: Type.Integer(rw) }
  const room = SubItem('rooms', { foreignKey: ['ward', 'number'], ...rw })
  const { app, send } = await serveMinimally({
    rooms: collection(Type.Object(place), { key: ['ward', 'number'], source: db.table('rooms') }),
    things: collection(Type.Object({ id, ward: Type.String(), number: Type.Integer(), room }), {
      source: db.table('things')
    })
  })
  const create = (id: number) => send('POST', '/things', { id, room: { ward: 'A', number: 1 } })
  t.match(await create(1), [201])
  t.strictSame(await create(2), [409, {
    status: 'conflict', error: 'duplicate', message: "An item with the same 'room' already exists.", fields: ['room']
  }])
  await app.close()
})

onPostgres('a value that its column does not take is 400, whatever code the type has for it', `
create table things (id serial primary key, v tsquery, path jsonpath, word varchar(20), price numeric(20, 4))`,
async (t, db) => {
  const instance = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: urlOf(db) }) })
  })
  const text = Type.Optional(Type.String(rw))
  const Typed = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    v: text,
    path: text,
    word: text,
    price: Type.Optional(Type.Number(rw))
  })
  for (const source of [db.table('things'), kysely(instance).table('things')]) {
    const { app, send } = await serveMinimally({ things: collection(Typed, { source }) })
    for (const payload of [{ v: 'a & b' }, { path: '$.a' }]) t.match(await send('POST', '/things', payload), [201])
    for (const payload of [{ v: 'a b' }, { path: '$.' }]) {
      t.match(await send('POST', '/things', payload), [400, {
        error: 'constraint', message: 'The database does not accept this item.', fields: []
      }])
    }
    // What the catalog tells of a column is told with its place.
    for (const payload of [{ word: 'x'.repeat(21) }, { price: 1e300 }]) {
      const [pointer] = Object.keys(payload).map(name => `/${name}`)
      t.match(await send('POST', '/things', payload), [400, { error: 'validation', details: [{ pointer }] }])
    }
    await app.close()
  }
  await instance.destroy()
})
