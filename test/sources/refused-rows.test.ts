import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, type PostgresDatabase, sqlite, type SqliteDatabase, SubCollection } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'

// docs/databases.md: Views and triggers. Rows that a policy or a trigger refuses.

const rw = { readable: true, writable: true } as const
const Thing = Type.Object({ id: Type.Integer({ identifier: true, ...rw }), n: Type.Optional(Type.Integer(rw)) })

interface Behavior {
  readonly hooks?: { saved? (): void }
  readonly requestStrategies?: { readonly upsert?: boolean, readonly delete?: boolean }
}

const serve = (db: SqliteDatabase | PostgresDatabase, behavior: Behavior = {}) =>
  serveMinimally({ things: collection(Thing, { source: db.table('things'), ...behavior }) })

const secured = `create table owners (id int primary key); insert into owners values (1);
  create table things (id int primary key, n int, owner int references owners);
  insert into things values (1, 1, 1), (2, 2, 1), (3, 3, 1);
  drop role if exists clerk_ROLE; create role clerk_ROLE; grant all on things, owners to clerk_ROLE;
  alter table things enable row level security;
  create policy seen on things for select using (true);
  create policy made on things for insert with check (n > 0);
  create policy kept on things for update using (id < 3) with check (n < 9);
  create policy gone on things for delete using (id < 2)`.replaceAll('ROLE', String(process.pid))

for (const [name, hooks, upsert] of [
  ['in one statement', {}, false], ['in a transaction', { saved: () => {} }, false],
  ['with upserts', { saved: () => {} }, true]
] as const) {
  postgresTest(`what a policy of PostgreSQL denies is 403, ${name}`, t => onDatabase(secured, async db => {
    const { app, send } = await serve(db, { hooks, requestStrategies: { upsert, delete: true } })
    t.equal((await send('POST', '/things', { id: 4, n: 1 }))[0], 201)
    t.equal((await send('PATCH', '/things/1', { n: 5 }))[0], 204)
    for (const [method, url, payload] of [
      ['POST', '/things', { id: 5, n: -1 }], ['PATCH', '/things/1', { n: 9 }], ['PATCH', '/things/3', { n: 4 }],
      ['DELETE', '/things/2', undefined], ['DELETE', '/things/3', undefined]
    ] as const) {
      t.match(await send(method, url, payload), [403, { error: 'forbidden' }], `${method} ${url}`)
    }
    t.equal((await send('DELETE', '/things/1'))[0], 200)
    t.equal((await send('DELETE', '/things/1'))[0], 404)
    t.equal((await send('PATCH', '/things/1', { n: 1 }))[0], upsert ? 201 : 404)
    t.strictSame((await send('GET', '/things?id>=2'))[1], [{ id: 2, n: 2 }, { id: 3, n: 3 }, { id: 4, n: 1 }])
    await app.close()
  }, { driver: { options: `-c role=clerk_${process.pid}` } }))
}

const links = `create table p (id integer primary key); insert into p values (1), (2);
  create table l (a integer references p, b integer references p, primary key (a, b)); insert into l values (1, 1)`

async function linkThrough (db: SqliteDatabase | PostgresDatabase) {
  const ls = SubCollection('p', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
  const P = Type.Object({ id: Thing.properties.id, ls })
  const { app, send } = await serveMinimally({ p: collection(P, { source: db.table('p') }) })
  const statuses = [
    await send('POST', '/p/1/ls', { id: 2 }), await send('POST', '/p/1/ls', { id: 1 }),
    await send('PUT', '/p/1/ls', [{ id: 1 }, { id: 2 }]), await send('PUT', '/p/1/ls', []),
    await send('DELETE', '/p/1/ls/1')
  ].map(([status]) => status)
  const [, lists] = await send('GET', '/p/1?fields=ls(id)')
  await app.close()
  return { statuses, lists }
}

const kept = { statuses: [400, 204, 400, 403, 403], lists: { ls: [{ id: 1 }] } }

test('a link that a trigger drops is 400, and one that it keeps is 403 (sqlite)', async t => {
  const db = sqlite(':memory:')
  db.exec(`${links}; create trigger i before insert on l begin select raise(ignore); end;
    create trigger d before delete on l begin select raise(ignore); end`)
  t.strictSame(await linkThrough(db), kept)
  db.close()
})

/** Creates three items of which a trigger drops the second. Returns the answer and what is stored. */
async function createThree (db: SqliteDatabase | PostgresDatabase) {
  const { app, send } = await serve(db)
  const [status, body] = await send('POST', '/things', [{ id: 4, n: 1 }, { id: 5, n: -1 }, { id: 6, n: 1 }])
  const [, stored] = await send('GET', '/things')
  await app.close()
  return { status, body, stored }
}

const dropped = {
  status: 400,
  body: { error: 'constraint', message: 'The database does not accept this item.', fields: [], pointer: '/1' },
  stored: []
}

test('an item that a trigger drops ends the creation of all (sqlite)', async t => {
  const db = sqlite(':memory:')
  db.exec(`create table things (id integer primary key, n int);
    create trigger i before insert on things when new.n < 0 begin select raise(ignore); end`)
  t.strictSame(await createThree(db), dropped)
  db.close()
})

const dropping = `create table things (id int primary key, n int);
  create function positive () returns trigger language plpgsql as 'begin return case when new.n > 0 then new end; end';
  create trigger i before insert on things for each row execute function positive ()`

postgresTest('an item that a trigger drops ends the creation of all', t => onDatabase(dropping, async db => {
  t.strictSame(await createThree(db), dropped)
}))

const ignoring = `${links}; create function nothing () returns trigger language plpgsql as 'begin return null; end';
  create trigger ignored before insert or delete on l for each row execute function nothing()`

postgresTest('a link that a trigger drops is 400, and one that it keeps is 403 (postgres)', t =>
  onDatabase(ignoring, async db => { t.strictSame(await linkThrough(db), kept) }))

postgresTest('a link that a policy keeps is 403, as is an element of a list that it lets nobody change', t => {
  const role = `clerk_l_${process.pid}`
  const ddl = `create table p (id int primary key); create table c (id int primary key, p int references p);
    create table l (a int references p, b int references p, primary key (a, b));
    insert into p values (1); insert into c values (1, 1); insert into l values (1, 1);
    drop role if exists ${role}; create role ${role}; grant all on p, c, l to ${role};
    alter table c enable row level security; create policy seen on c for select using (true);
    alter table l enable row level security; create policy seen on l for select using (true)`
  return onDatabase(ddl, async db => {
    const P = Type.Object({
      id: Thing.properties.id,
      cs: SubCollection('c', { foreignKey: 'p', ...rw }),
      ls: SubCollection('p', { through: 'l', foreignKey: 'a', otherKey: 'b', ...rw })
    })
    const C = Type.Object({ id: Thing.properties.id, p: Thing.properties.n })
    const { app, send } = await serveMinimally({
      p: collection(P, { source: db.table('p') }), c: collection(C, { source: db.table('c') })
    })
    for (const [method, url, payload] of [
      ['PUT', '/p/1/cs', []], ['DELETE', '/p/1/ls/1', undefined], ['PUT', '/p/1/ls', []]
    ] as const) {
      t.match(await send(method, url, payload), [403, { error: 'forbidden' }], `${method} ${url}`)
    }
    t.strictSame((await send('GET', '/p/1?fields=cs(id),ls(id)'))[1], { cs: [{ id: 1 }], ls: [{ id: 1 }] })
    await app.close()
  }, { driver: { options: `-c role=${role}` } })
})
