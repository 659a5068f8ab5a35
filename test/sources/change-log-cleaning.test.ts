import { Type } from '@sinclair/typebox'
import pg from 'pg'
import type { Test } from 'tap'
import dataApi, { collection, type PostgresDatabase } from '../../lib/index.ts'
import { changeLogScript } from '../../lib/core/sources/sql/postgres/change-log-sql.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually } from '../helpers/follow.ts'
import { holdTimers } from '../helpers/held-timers.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/live.md: PostgreSQL. Old changes are deleted from the log, and nothing waits for that.

const script = `create table items (id integer primary key, name text not null);
${changeLogScript([{ schema: undefined, name: 'items' }])}`

const changes = { poll: 1 }
// In milliseconds.
const minute = 60_000

/** Serves a collection, which nobody follows. */
async function serveItems (t: Test, db: PostgresDatabase): Promise<void> {
  const app = Fastify()
  const items = collection(Type.Object({ id: Type.Integer({ identifier: true, readable: true }) }), {
    source: db.table('items'), requestStrategies: { create: false }
  })
  await app.register(dataApi, { collections: { items } })
  t.teardown(() => app.close())
  await app.ready()
}

test('old changes are deleted at the start and each minute, whoever follows', t => onDatabase(script, async db => {
  const timers = holdTimers(t, minute)
  const count = async () => (await db.pool.query('select from data_api.changes')).rowCount
  const fill = async (number: number) => {
    await db.pool.query(`do $$ begin
      for n in 1 .. ${number} loop insert into items values (${number} + n, 'x'); commit; end loop;
    end $$`)
    await db.pool.query(`
      update data_api.horizon set forgotten = pg_current_snapshot(), upcoming = pg_current_snapshot()`)
    t.equal(await count(), number)
  }
  await fill(1500)
  await serveItems(t, db)
  await eventually(async () => await count() === 0, () => 'old changes stay')
  for (const number of [50, 10]) {
    await fill(number)
    await eventually(async () => {
      timers.fire()
      return await count() === 0
    }, () => 'old changes stay')
  }
}, { changes, connectionTimeout: minute / 2 }))

test('what is told does not wait for the deletion of old changes', t => onDatabase(script, async (db, url) => {
  const other = new pg.Client(url)
  await other.connect()
  await other.query(`create or replace function data_api.forget_changes (keep interval) returns integer
    language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return 0; end $$; select pg_advisory_lock(7)`)
  const told: string[] = []
  const stop = db.watch?.(tables => { told.push(tables === undefined ? 'all' : [...tables.keys()].join()) })
  t.teardown(() => stop?.())
  await serveItems(t, db)
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await eventually(async () => (await other.query(waiting)).rowCount === 1, () => 'the deletion waits')
  await other.query("insert into items values (1, 'a')")
  await eventually(() => told.at(-1) === 'items', () => told.join())
  await other.query('select pg_advisory_unlock(7)')
  await other.end()
}, { changes }))
