import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import pg from 'pg'
import type { Test } from 'tap'
import dataApi, { collection, postgres } from '../../lib/index.ts'
import { test } from '../helpers/on-postgres.ts'
import { serverUrl } from '../helpers/sources.ts'

// docs/databases.md: Beyond one PostgreSQL. The errors and settings of Citus, as a single server can show them.

const flags = { readable: true, writable: true }
const Event = Type.Object({
  at: Type.String({ format: 'date-time', identifier: true, ...flags }),
  title: Type.String(flags),
  place: Type.Optional(Type.String(flags))
})

let schemas = 0

async function serve (t: Test, ddl: string) {
  const schema = `shards_${process.pid}_${schemas++}`
  const owner = new pg.Client({ connectionString: serverUrl(), options: `-c search_path=${schema}` })
  await owner.connect()
  await owner.query(`create schema ${schema}; ${ddl}`)
  const db = postgres({ connectionString: serverUrl(), driver: { options: `-c search_path=${schema}` } })
  const app = Fastify()
  await app.register(dataApi, { collections: { events: collection(Event, { source: db.table('events') }) } })
  t.teardown(async () => {
    await app.close()
    await db.close()
    await owner.query(`drop schema ${schema} cascade`)
    await owner.end()
  })
  return app
}

const table = 'create table events (at timestamptz(3) primary key, title text not null, place text unique)'

const raising = (facts: string) => `${table};
create function refuse () returns trigger language plpgsql as $$
begin raise exception 'refused by a worker' using ${facts}; end $$;
create trigger refuse before insert on events for each row execute function refuse()`

test('a refusal that names a shard of the table names the fields of the table', async t => {
  const refusals = {
    "errcode = 'not_null_violation', table = 'events_102008', column = 'title'": [400, ['title']],
    "errcode = 'unique_violation', table = 'events_102008', constraint = 'events_place_key_102008'": [409, ['place']],
    "errcode = 'not_null_violation', table = 'events_log', column = 'title'": [400, []],
    "errcode = 'not_null_violation', table = 'events_2x', column = 'title'": [400, []]
  } as const
  for (const [facts, expected] of Object.entries(refusals)) {
    const app = await serve(t, raising(facts))
    const payload = { at: '2026-01-01T00:00:00Z', title: 'a', place: 'b' }
    const response = await app.inject({ method: 'POST', url: '/events', payload })
    t.strictSame([response.statusCode, response.json().fields], expected, facts)
  }
})

test('a refusal that names a partition of the table names the fields of the table', async t => {
  const ddl = `create table places (name text primary key);
    create table events (at timestamptz(3) primary key, title text not null, place text references places,
      unique (at, title)) partition by range (at);
    create table spring partition of events for values from ('2026-01-01') to ('2026-07-01') partition by range (at);
    create table events_y2026m01 partition of spring (unique (title)) default;
    create table autumn partition of events (unique (title)) default;
    insert into events values ('2026-01-01Z', 'a', null), ('2026-10-01Z', 'a', null)`
  const app = await serve(t, ddl)
  const write = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
    const response = await app.inject({ method, url, payload })
    const { error, fields } = response.json()
    return [response.statusCode, error, fields]
  }
  for (const month of ['2026-02', '2026-11']) {
    const at = `${month}-01T00:00:00Z`
    t.strictSame(await write('POST', '/events', { at, title: 'a' }), [409, 'duplicate', ['title']])
    t.strictSame(await write('POST', '/events', { at, title: 'b', place: 'x' }), [409, 'reference', ['place']])
    t.strictSame(await write('POST', '/events', { at, title: 'b' }), [201, undefined, undefined])
    const { message } = (await app.inject({ method: 'PATCH', url: `/events/${at}`, payload: { place: 'x' } })).json()
    t.notMatch(message, /still refer/)
  }
})
