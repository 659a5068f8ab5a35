import { Type } from '@sinclair/typebox'
import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import dataApi, { collection, type Declared, SubCollection } from '../../lib/index.ts'
import { type Database, onBoth as onDatabases, onPostgres, type Scripts } from '../helpers/checked-tables.ts'
import Fastify from '../helpers/fastify.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'

// docs/databases.md: Views and triggers

type Send = (method: InjectOptions['method'], url: string, payload?: object) => Promise<[status: number, body: unknown]>

/** Runs a test on SQLite and on PostgreSQL, with each of these modes of the check. */
function onBoth (
  name: string, scripts: Scripts, declare: (db: Database) => Record<string, Declared>,
  run: (t: Test, send: Send, headers: () => Record<string, unknown>) => Promise<void>,
  checks: ReadonlyArray<'error' | 'off'> = ['error']
): void {
  for (const check of checks) {
    onDatabases(`${name}, check: ${check}`, scripts, async (t, db) => {
      const app = Fastify()
      let headers: Record<string, unknown> = {}
      await app.register(dataApi, { collections: declare(db) })
      await run(t, async (method, url, payload) => {
        const response = await app.inject({ method: method as 'GET', url, ...payload && { payload } })
        headers = response.headers
        return [response.statusCode, response.body === '' ? undefined : response.json()]
      }, () => headers)
      await app.close()
    }, { check })
  }
}

const key = Type.Integer({ identifier: true, readable: true, writable: true })
const rw = { readable: true, writable: true }
const Thing = Type.Object({ id: key, name: Type.Optional(Type.String(rw)) })
const requestStrategies = { upsert: true, delete: true }

const table = "create table t (id integer primary key, name text); insert into t values (1, 'a'), (2, 'b');"
const grouped = 'create view v as select id, max(name) as name from t group by id;'

/** The body of a function of PostgreSQL, and the trigger that calls it. */
const trigger = (when: string, on: string, body: string, name = 'f') =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$;
   create trigger ${name} ${when} on ${on} for each row execute function ${name}();`

onBoth('a view that takes no writes answers them with 405', `${table} ${grouped}`, db => ({
  things: collection(Type.Object({ ...Thing.properties, same: SubCollection('things', { foreignKey: 'id', ...rw }) }), {
    source: db.table('v'), requestStrategies
  })
}), async (t, send, headers) => {
  const writes = [
    ['POST', '/things', { id: 3 }, 'GET, HEAD, OPTIONS, QUERY'],
    ['PUT', '/things/1', { name: 'x' }, 'GET, HEAD, OPTIONS'],
    ['PATCH', '/things/1', { name: 'x' }, 'GET, HEAD, OPTIONS'],
    ['PUT', '/things/9', { name: 'x' }, 'GET, HEAD, OPTIONS'],
    ['DELETE', '/things/1', undefined, 'GET, HEAD, OPTIONS'],
    ['PUT', '/things/1/name', {}, 'GET, HEAD, OPTIONS']
  ] as const
  for (const [method, url, body, allow] of writes) {
    t.equal((await send(method, url, body))[0], 405, `${method} ${url}`)
    t.equal(headers()['allow'], allow, `${method} ${url}`)
  }
  t.equal((await send('OPTIONS', '/things'))[0], 204)
  t.equal(headers()['allow'], 'GET, HEAD, OPTIONS, QUERY')
  t.strictSame((await send('GET', '/things?fields=id,name'))[1], [{ id: 1, name: 'a' }, { id: 2, name: 'b' }])
}, ['error', 'off'])

const insteadOf = {
  sqlite: `${table} ${grouped}
    create trigger i instead of insert on v begin insert into t values (new.id, new.name); end;
    create trigger u instead of update on v begin update t set id = new.id, name = new.name where id = old.id; end;
    create trigger d instead of delete on v begin delete from t where id = old.id; end;`,
  postgres: `${table} ${grouped} ${trigger('instead of insert or update or delete', 'v', `
    if tg_op = 'INSERT' then insert into t values (new.id, new.name);
    elsif tg_op = 'UPDATE' then update t set id = new.id, name = new.name where id = old.id;
    else delete from t where id = old.id; return old; end if; return new;`)}`
}

const joined = `create table t (id integer primary key, name text); insert into t values (1, 'a'), (2, 'b');
  create table pairs (one integer, other integer); insert into pairs values (1, 2);
  create view links as select one, other from pairs group by one, other;`

onBoth('links in a view that takes no writes are read, and cannot be written', joined, db => ({
  things: collection(Type.Object({
    id: key,
    name: Type.Optional(Type.String(rw)),
    others: SubCollection('things', { through: 'links', foreignKey: 'one', otherKey: 'other', ...rw })
  }), { source: db.table('t'), requestStrategies })
}), async (t, send, headers) => {
  t.strictSame(await send('GET', '/things/1/others?fields=id'), [200, [{ id: 2 }]])
  t.equal((await send('PUT', '/things/1/others', []))[0], 405)
  t.equal(headers()['allow'], 'GET, HEAD, OPTIONS, QUERY, PATCH')
  t.equal((await send('DELETE', '/things/1/others/2'))[0], 405)
  t.equal((await send('POST', '/things/1/others', { id: 1 }))[0], 405)
  t.equal((await send('POST', '/things/1/others', { id: 3 }))[0], 405)
  t.match(await send('PATCH', '/things/2', { others: [{ id: 1 }] }), [400, { error: 'validation' }])
  t.strictSame(await send('GET', '/things/1/others?fields=id'), [200, [{ id: 2 }]])
}, ['error', 'off'])

onBoth("writes go through the triggers 'instead of' of a view", insteadOf, db => ({
  things: collection(Thing, { source: db.table('v'), requestStrategies })
}), async (t, send, headers) => {
  t.strictSame(await send('POST', '/things', { id: 3, name: 'c' }), [201, { status: 'created', id: 3 }])
  t.equal(headers()['location'], '/things/3')
  t.strictSame(await send('POST', '/things', [{ id: 4 }, { id: 5 }]),
    [201, [{ status: 'created', id: 4 }, { status: 'created', id: 5 }]])
  t.equal((await send('POST', '/things', { id: 3 }))[0], 409)
  t.strictSame(await send('PATCH', '/things/3', { name: 'x' }), [200, { status: 'ok' }])
  t.strictSame(await send('PUT', '/things/7', { name: 'g' }), [201, { status: 'created' }])
  t.strictSame(await send('PUT', '/things/7', { name: 'h' }), [200, { status: 'ok' }])
  t.strictSame(await send('DELETE', '/things/5'), [200, { status: 'ok' }])
  t.equal((await send('DELETE', '/things/5'))[0], 404)
  t.strictSame((await send('GET', '/things'))[1], [
    { id: 1, name: 'a' }, { id: 2, name: 'b' }, { id: 3, name: 'x' }, { id: 4, name: null }, { id: 7, name: 'h' }
  ])
})

onBoth('a view takes the writes that it has triggers for, and answers the others with 405', {
  sqlite: `${table} ${grouped}
    create trigger u instead of update on v begin update t set name = new.name where id = old.id; end;`,
  postgres: `${table} ${grouped} ${trigger('instead of update', 'v',
    'update t set name = new.name where id = old.id; return new;')}`
}, db => ({ things: collection(Thing, { source: db.table('v'), requestStrategies }) }), async (t, send, headers) => {
  t.strictSame(await send('PATCH', '/things/1', { name: 'x' }), [200, { status: 'ok' }])
  t.equal((await send('POST', '/things', { id: 3 }))[0], 405)
  t.equal((await send('DELETE', '/things/1'))[0], 405)
  t.equal(headers()['allow'], 'GET, HEAD, OPTIONS, PUT, PATCH')
  t.equal((await send('PUT', '/things/9', { name: 'x' }))[0], 404)
  t.strictSame((await send('GET', '/things'))[1], [{ id: 1, name: 'x' }, { id: 2, name: 'b' }])
})

onBoth('a trigger of a table that drops a write: 403 for an item that is there, 400 for a new one', {
  sqlite: `${table}
    create trigger u before update on t begin select raise(ignore); end;
    create trigger d before delete on t begin select raise(ignore); end;
    create trigger i before insert on t begin select raise(ignore); end;`,
  postgres: `${table} ${trigger('before insert or update or delete', 't', 'return null;')}`
}, db => ({
  things: collection(Thing, { source: db.table('t'), requestStrategies: { delete: true } }),
  upserted: collection(Thing, { source: db.table('t'), requestStrategies, hooks: { creating () {}, updating () {} } })
}), async (t, send) => {
  for (const name of ['things', 'upserted']) {
    t.match(await send('PATCH', `/${name}/1`, { name: 'x' }), [403, { error: 'forbidden' }])
    t.match(await send('DELETE', `/${name}/1`), [403, { error: 'forbidden' }])
    t.equal((await send('DELETE', `/${name}/9`))[0], 404)
    t.strictSame(await send('POST', `/${name}`, { id: 9, name: 'x' }), [400, {
      error: 'constraint', message: 'The database does not accept this item.', fields: []
    }])
  }
  t.match(await send('PUT', '/upserted/9', { name: 'x' }), [400, { error: 'constraint' }])
  t.strictSame((await send('GET', '/things'))[1], [{ id: 1, name: 'a' }, { id: 2, name: 'b' }])
})

onPostgres('a generated key that an item has already is 409 duplicate', `
create table t (id integer primary key generated by default as identity, name text)`, async (t, db) => {
  const { app, send } = await serveMinimally({
    things: collection(Thing, { source: db.table('t') }),
    hooked: collection(Thing, { source: db.table('t'), hooks: { creating () {} } })
  })
  await db.pool.query("insert into t values (1, 'a'), (2, 'b')")
  for (const path of ['/things', '/hooked']) {
    t.match(await send('POST', path, { name: 'c' }), [409, { error: 'duplicate', fields: ['id'] }])
  }
  t.equal((await send('POST', '/things', { name: 'c' }))[0], 201)
  await app.close()
})

onPostgres('a key that is generated always may still be given by an upsert', `
create table t (id integer primary key generated always as identity, name text)`, async (t, db) => {
  const Kept = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), name: Thing.properties.name })
  const { app, send } = await serveMinimally({ things: collection(Kept, { source: db.table('t'), requestStrategies }) })
  t.match(await send('PUT', '/things/40', { name: 'x' }), [201])
  t.strictSame(await send('GET', '/things/40/name'), [200, 'x'])
  await app.close()
})

const computedKey = `create table t (a integer not null, b integer not null,
  code integer generated always as (a * 10 + b) stored unique, primary key (a, b)); insert into t values (1, 2);`

onBoth('an upsert at a key that the database computes creates nothing', computedKey, db => ({
  things: collection(Type.Object({
    a: Type.Integer(rw), b: Type.Integer(rw), code: Type.Integer({ identifier: true, readable: true })
  }), { source: db.table('t'), requestStrategies })
}), async (t, send) => {
  t.strictSame(await send('PUT', '/things/12', { b: 3 }), [200, { status: 'ok' }])
  t.equal((await send('PUT', '/things/45', { a: 4, b: 5 }))[0], 404)
  t.strictSame(await send('POST', '/things', { a: 4, b: 5 }), [201, { status: 'created', id: 45 }])
  t.strictSame((await send('GET', '/things'))[1], [{ a: 1, b: 3, code: 13 }, { a: 4, b: 5, code: 45 }])
})

onPostgres('an item to which a trigger of a view gives no key is refused with its whole request', `
create table p (id integer generated by default as identity primary key, name text);
create table c (id integer generated by default as identity primary key, p_id integer);
create view ps as select * from p; create view cs as select * from c; insert into p values (50, 'p');
create function store () returns trigger language plpgsql as $$ begin
  if tg_table_name = 'ps' then insert into p (name) values (new.name); else insert into c (p_id) values (new.p_id);
  end if; return new; end $$;
create trigger i instead of insert on ps for each row execute function store();
create trigger i instead of insert on cs for each row execute function store()`, async (t, db) => {
  const id = Type.Integer({ identifier: true, readable: true })
  const cs = SubCollection('cs', { foreignKey: 'pId', ...rw })
  const { app, send } = await serveMinimally({
    ps: collection(Type.Object({ id, name: Thing.properties.name, cs }), { source: db.table('ps') }),
    cs: collection(Type.Object({ id, pId: Type.Optional(Type.Integer(rw)) }), {
      source: db.table('cs', { columns: 'snake_case' })
    })
  })
  for (const [method, url, payload] of [
    ['POST', '/ps', { name: 'a' }], ['POST', '/ps', [{ name: 'a' }, { name: 'b' }]],
    ['POST', '/ps', { name: 'a', cs: [{}] }], ['POST', '/ps/50/cs', {}], ['PATCH', '/ps/50', { cs: [{}] }]
  ] as const) {
    const refused = { error: 'constraint', message: /^The database gives this item no key, so it was not/ }
    t.match(await send(method, url, payload), [400, refused], `${method} ${url}`)
  }
  t.strictSame((await send('GET', '/ps?fields=id,cs'))[1], [{ id: 50, cs: [] }])
  await app.close()
})
