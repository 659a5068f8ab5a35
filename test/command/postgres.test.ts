import type { OpenApiDocument } from '../../lib/index.ts'
import { programsIn, read } from '../helpers/documents.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'
import { runLine, serveTarget } from './helpers.ts'

const schema = `
create schema other;
create type mood as enum ('glad', 'it''s fine');
create type span as range (subtype = text);
create domain name as text check (length(value) > 1);
create table people (id uuid primary key default gen_random_uuid(), name name not null unique, mood mood,
  boss uuid references people, tags text[], born date, at timestamptz, weight numeric(6, 2), exact numeric, ip inet,
  data jsonb, rating text check (rating in ('G', 'PG-13')), photo bytea, api_token text, login text, span span,
  upper text generated always as (upper(name)) stored);
comment on table people is 'Those who work */ here';
comment on column people.born is 'The day of birth';
create table lines (order_id int, n int, person_id uuid references people, primary key (order_id, n));
create table payments (id int, day date not null, primary key (id, day)) partition by range (day);
create table payments_2020 partition of payments for values from ('2020-01-01') to ('2021-01-01');
create view names as select id, name from people;
create materialized view moods as select mood, count(*) as n from people group by mood;
create unique index on moods (mood);
create table keyless (a int);
create table other.hidden (id int primary key);
insert into people (id, name, mood, tags, born, weight, exact, rating, api_token, login, ip) values
  ('00000000-0000-0000-0000-000000000001', 'Ann', 'glad', '{a,b}', '1970-01-01', 1.50, 1.50, 'G', 'hunter2',
  '$2b$10$x', '10.0.0.0/8');
insert into lines values (7, 1, '00000000-0000-0000-0000-000000000001');
insert into payments values (1, '2020-02-02');
refresh materialized view moods`

test('a PostgreSQL database is served by its catalogue, read-only, with what its role may select', async t => {
  await onDatabase(schema, async (_, url) => {
    const { app, design, close } = await serveTarget(url, '--key', 'names=id')
    const get = async (path: string) => (await app.inject(path)).json<unknown>()
    t.strictSame(design.collections.map(({ property }) => property), ['lines', 'moods', 'names', 'payments', 'people'])
    t.match(design.omissions, [
      { place: 'keyless', reason: /has no key/ },
      { place: 'people.photo', reason: 'holds bytes; --show people.photo shows it' },
      { place: 'people.span', reason: 'is of the type span; --show people.span shows it' }
    ])
    t.strictSame(design.secrets, ['people.api_token', 'people.login'])
    t.strictSame(await get('/people/Ann'), {
      id: '00000000-0000-0000-0000-000000000001',
      name: 'Ann',
      mood: 'glad',
      boss: null,
      tags: ['a', 'b'],
      born: '1970-01-01',
      at: null,
      weight: 1.5,
      exact: '1.50',
      ip: '10.0.0.0/8',
      data: null,
      rating: 'G',
      upper: 'ANN'
    })
    t.strictSame(await get('/lines/7,1?fields=n,person(name)'), { n: 1, person: { name: 'Ann' } })
    t.strictSame(await get('/payments/1,2020-02-02'), { id: 1, day: '2020-02-02' })
    t.strictSame(await get('/moods/glad'), { mood: 'glad', n: 1 })
    t.match(await get('/people?rating=X'), { error: 'invalid_filter', message: /G, PG-13/ })
    t.notMatch(JSON.stringify([await get('/people'), await get('/openapi.json')]), /hunter2|api_token/)
    t.match(JSON.stringify(await get('/openapi.json')), 'The day of birth')
    t.equal((await app.inject({ method: 'POST', url: '/people', payload: { name: 'Bo' } })).statusCode, 405)
    await close()

    const blocks = programsIn(read('docs/command.md'), 'console').join('\n')
    const [, flags = '?'] = /^\$ npx fastify-data-api postgres:\/\/\S+(.*)$/m.exec(blocks) ?? []
    const asWritten = await serveTarget(url, ...flags.split(' ').filter(word => word !== ''))
    t.match((await asWritten.app.inject('/people/Ann')).json(), { name: 'Ann' })
    await asWritten.close()

    const wrong = new URL(url)
    wrong.pathname = '/no_such_database'
    t.match(await runLine(wrong.href), { code: 1, error: /^PostgreSQL has no database of the name in this address; / })
    t.match(await runLine(url, '--schema', 'nowhere'), { code: 1, error: /has no tables; others have: --schema/ })
    t.match(await runLine(url, '--tables', 'peple'), { code: 1, error: /did you mean 'people'/ })
  })
})

test('types whose texts people write are served as their text, in keys too', async t => {
  const texts = [
    ['inet', '10.0.0.0/8'], ['cidr', '10.0.0.0/8'], ['macaddr', '08:00:2b:01:02:03'],
    ['macaddr8', '08:00:2b:01:02:03:04:05'], ['bit(3)', '101'], ['bit', '1'], ['varbit', '01'],
    ['bit varying(5)', '01'], ['int4range', '[1,5)'], ['int4multirange', '{[1,2)}'], ['numrange', '[1.5,2]'],
    ['ltree', 'a.b'], ['pg_lsn', '0/1'], ['oid', '5'],
    ['tsvector', "'a' 'b'"], ['xml', '<a/>'], ['point', '(1,2)'], ['circle', '<(1,2),3>'], ['regclass', 'pg_class'],
    ['hstore', '"a"=>"1"']
  ] as const
  const columns = texts.map(([type], index) => `c${index} ${type}`).join(', ')
  const values = texts.map(([, value]) => `'${value.replaceAll("'", "''")}'`).join(', ')
  await onDatabase(`create extension ltree; create extension hstore;
    create table kinds (id int primary key, ${columns}); insert into kinds values (1, ${values});
    create table nets (net cidr primary key); insert into nets values ('10.0.0.0/8'), ('10.1.0.0/16')`,
  async (_, url) => {
    const { app, design, close } = await serveTarget(url)
    t.strictSame(design.omissions, [])
    const found = (await app.inject('/kinds/1')).json<Record<string, unknown>>()
    for (const [index, [type, text]] of texts.entries()) t.equal(found[`c${index}`], text, type)
    t.strictSame((await app.inject('/nets/10.1.0.0%2F16')).json(), { net: '10.1.0.0/16' })
    await close()
  })
})

test('a check constraint lists no choices for texts that are compared otherwise than by their bytes', async t => {
  await onDatabase(`
    create extension citext;
    create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    create table things (id int primary key, kind citext check (kind in ('cat', 'dog')),
      word text collate folding check (word in ('cat', 'dog')), form text check (form in ('cat', 'dog')));
    insert into things values (1, 'Cat', 'CAT', 'cat')`, async (_db, url) => {
    const { app, close } = await serveTarget(url)
    t.strictSame((await app.inject('/things/1')).json(), { id: 1, kind: 'Cat', word: 'CAT', form: 'cat' })
    for (const filter of ['kind=Cat', 'word=CAT', 'form=cat']) {
      t.equal((await app.inject(`/things?${filter}`)).json<unknown[]>().length, 1, filter)
    }
    t.equal((await app.inject('/things?form=Cat')).statusCode, 400)
    await close()
  })
})

test('a column may be null where its rows do not fulfil what the catalogue says of it', async t => {
  await onDatabase(`
    create domain word as text not null;
    create table users (id int primary key);
    create table names (user_id int primary key references users, word word);
    create view people as select id, word from users left join names on user_id = id;
    create table animals (id int primary key, kind text, word text, check (kind in ('cat')) no inherit,
      check (word is not null) no inherit);
    create table birds () inherits (animals);
    insert into users values (1), (2), (3);
    insert into names values (2, 'a');
    insert into animals values (1, 'cat', 'b'), (2, 'cat', 'a');
    insert into birds values (3, 'crow', null), (4, null, null)`, async (db, url) => {
    const { rows } = await db.pool.query<{ n: number }>("select current_setting('server_version_num')::int as n")
    const since18 = (rows[0]?.n ?? 0) >= 180000
    if (since18) {
      await db.pool.query(`create table marked (id int primary key, word text);
        insert into marked values (1, null), (2, 'a'), (3, null);
        alter table marked add constraint later not null word not valid;
        create table own (id int primary key, word text, constraint own not null word no inherit);
        create table heirs () inherits (own);
        insert into own values (2, 'a'); insert into heirs values (1, null), (3, null)`)
    }
    const { app, close } = await serveTarget(url, '--key', 'people=id')
    const ids = async (path: string) => (await app.inject(path)).json<Array<{ id: number }>>().map(({ id }) => id)
    for (const table of ['people', ...since18 ? ['marked', 'own'] : []]) {
      t.strictSame(await ids(`/${table}?sort=word+desc`), [1, 3, 2], table)
      const { headers } = await app.inject(`/${table}?sort=word+desc&limit=1`)
      const [, next = ''] = /^<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(headers['link'])) ?? []
      t.strictSame(await ids(next), [3], table)
      t.strictSame(await ids(`/${table}?word!=a`), [1, 3], table)
      t.strictSame(await ids(`/${table}?word=null`), [1, 3], table)
    }
    t.strictSame(await ids('/animals?sort=word&limit=3'), [2, 1, 3])
    t.strictSame(await ids('/animals?word=null'), [3, 4])
    t.strictSame(await ids('/animals?kind=crow'), [3])
    await close()
  })
})

test('a join table may join partitioned tables, and a foreign key of periods is no relation', async t => {
  await onDatabase(`
    create table people (id int primary key) partition by hash (id);
    create table people_0 partition of people for values with (modulus 2, remainder 0);
    create table people_1 partition of people for values with (modulus 2, remainder 1);
    create table teams (id int primary key);
    create table members (person_id int references people, team_id int references teams,
      primary key (person_id, team_id));
    insert into people values (1), (2);
    insert into teams values (1);
    insert into members values (1, 1), (2, 1)`, async (db, url) => {
    const { rows } = await db.pool.query<{ n: number }>("select current_setting('server_version_num')::int as n")
    const since18 = (rows[0]?.n ?? 0) >= 180000
    if (since18) {
      await db.pool.query(`create extension btree_gist;
        create table rooms (id int, valid daterange, primary key (id, valid without overlaps));
        create table stays (id int primary key, room_id int, during daterange,
          foreign key (room_id, period during) references rooms (id, period valid));
        insert into rooms values (1, '[2024-01-01,2025-01-01)');
        insert into stays values (1, 1, '[2024-02-01,2024-02-03)')`)
    }
    const { app, design, close } = await serveTarget(url, ...since18
      ? ['--show', 'rooms.valid', '--show', 'stays.during']
      : [])
    t.strictSame(design.joins, ['members'])
    t.strictSame((await app.inject('/teams/1/people')).json(), [{ id: 1 }, { id: 2 }])
    if (since18) t.match((await app.inject('/stays/1')).body, /^{"id":1,"room_id":1,"during":"[^"]+"}$/)
    await close()
  })
})

test('a unique index that does not identify the rows is no key', async t => {
  await onDatabase(`
    create table sales (region text, amount int);
    insert into sales values ('north', 1), ('south', 2);
    create materialized view totals as select region, sum(amount) as amount from sales group by rollup (region);
    create unique index on totals (region);
    create materialized view regions as select distinct region from sales;
    create unique index on regions (region);
    create table cities (id int primary key);
    create table capitals () inherits (cities);
    insert into cities values (1), (2);
    insert into capitals values (1);
    create table roads (id int primary key);
    create table bridges () inherits (roads);
    insert into roads values (1);
    insert into bridges values (2)`, async (_, url) => {
    const { design, app, close } = await serveTarget(url)
    t.strictSame(design.collections.map(({ property }) => property), ['regions', 'roads'])
    const shared = 'is null in some rows, or the same in several'
    t.match(design.omissions, [
      { place: 'bridges', reason: /^has no key/ }, { place: 'capitals', reason: /^has no key/ },
      { place: 'cities', reason: `its key (id) ${shared}` }, { place: 'sales', reason: /^has no key/ },
      { place: 'totals', reason: `its key (region) ${shared}` }
    ])
    t.strictSame((await app.inject('/roads')).json(), [{ id: 1 }, { id: 2 }])
    await close()
  })
})

// docs/command.md: What is served; docs/databases.md: Declarations and tables. A project passes its check.
test('a timestamp in a key is served with all of its digits', async t => {
  const [one, other] = ['2026-01-02T03:04:05.000001+00:00', '2026-01-02T03:04:05.0005+00:00']
  await onDatabase(`
    create table readings (sensor text, at timestamptz, value int, seen timestamptz, primary key (sensor, at));
    insert into readings values ('a', '${one}', 1, '${one}'), ('a', '${other}', 2, null);
    create table hours (at timestamp(0) primary key, seen timestamptz unique not null);
    insert into hours values ('2026-01-02 03:00', '${one}'), ('2026-01-02 04:00', '2026-01-02 04:00Z')`,
  async (_, url) => {
    const { app, close } = await serveTarget(url, '--write')
    const send = async (method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: object) => {
      const response = await app.inject({ method, url: path, ...payload && { payload } })
      return [response.statusCode, response.json<unknown>()]
    }
    const path = (at: string) => `/readings/a,${encodeURIComponent(at)}`
    const seen = '2026-01-02T03:04:05.000Z'
    t.strictSame(await send('GET', path(one)), [200, { sensor: 'a', at: one, value: 1, seen }])
    t.strictSame(await send('PUT', path(one), { sensor: 'a', at: one, value: 3, seen }), [200, { status: 'ok' }])
    t.strictSame(await send('DELETE', path(other)), [200, { status: 'ok' }])
    t.strictSame(await send('GET', '/readings'), [200, [{ sensor: 'a', at: one, value: 3, seen }]])
    t.strictSame(await send('GET', `/hours/by_seen/${encodeURIComponent(one)}`),
      [200, { at: '2026-01-02T03:00:00.000Z', seen: one }])
    await close()
  })
})

test('--write asks for a key that the database does not make, and for no other', async t => {
  await onDatabase(`create table categories (category_id smallint primary key, category_name text not null);
    create table numbered (id int generated by default as identity primary key, name text)`, async (_, url) => {
    const { app, close } = await serveTarget(url, '--write')
    const send = async (path: string, payload: object) => {
      const response = await app.inject({ method: 'POST', url: path, payload })
      return [response.statusCode, response.json<unknown>()] as const
    }
    t.match(await send('/categories', { category_name: 'x' }), [400, {
      error: 'validation', details: [{ pointer: '/category_id', message: 'is required' }]
    }])
    t.strictSame(await send('/categories', { category_id: 3, category_name: 'x' }), [201, { status: 'created', id: 3 }])
    t.strictSame(await send('/numbered', { name: 'x' }), [201, { status: 'created', id: 1 }])
    const { schemas } = (await app.inject('/openapi.json')).json<OpenApiDocument>().components
    const required = [schemas['CategoriesCreate'], schemas['NumberedCreate']].map(schema => schema?.['required'])
    t.strictSame(required, [['category_id', 'category_name'], undefined])
    await close()
  })
})

const policed = `
  drop role if exists looker_PID;
  create role looker_PID;
  create table notes (id int primary key, owner text);
  insert into notes values (1, 'ann'), (2, 'bob');
  alter table notes enable row level security;
  create policy own on notes using (owner = current_setting('request.jwt.claims')::json ->> 'sub');
  grant select on notes to looker_PID`.replaceAll('PID', String(process.pid))

test('--role and --claims show what a caller sees', async t => {
  await onDatabase(policed, async (db, url) => {
    const seen = async (...flags: readonly string[]) => {
      const { app, close } = await serveTarget(url, ...flags)
      const answers = [await app.inject('/notes'), await app.inject('/notes/2')]
      await close()
      return answers.map(({ statusCode, body }) => [statusCode, body.slice(0, 19)])
    }
    const role = ['--role', `looker_${process.pid}`, '--claims']
    t.strictSame(await seen(), [[200, '[{"id":1,"owner":"a'], [200, '{"id":2,"owner":"bo']])
    t.strictSame(await seen(...role, '{"sub":"ann"}'), [[200, '[{"id":1,"owner":"a'], [404, '{"status":"not_foun']])
    t.match((await seen(...role, '{"sub":"bob"}'))[1], [200, /^/])
    await db.pool.query(`drop owned by looker_${process.pid}`)
    await db.pool.query(`drop role looker_${process.pid}`)
  })
  t.match(await runLine('music.db', '--role', 'ann'), { code: 2, error: /only a PostgreSQL database has roles/ })
})
