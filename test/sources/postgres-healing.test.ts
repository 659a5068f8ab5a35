import { setTimeout } from 'node:timers/promises'
import { postgres } from '../../lib/index.ts'
import { holdTimers, hour, twoHours } from '../helpers/held-timers.ts'
import { test } from '../helpers/on-postgres.ts'
import { ddl, open, sender, serve } from '../helpers/postgres-notes.ts'
import { connectionTimeout } from '../helpers/sources.ts'
import { startPair } from '../helpers/streaming-replica.ts'

// docs/databases.md: Faults. What a switchover, a pooler or a hook that hangs does to an API that goes on.

test('after a switchover that leaves connections open each of them fails once, and is replaced', async t => {
  const { send, db } = await open(t, { max: 3 })
  const clients = await Promise.all([db.pool.connect(), db.pool.connect(), db.pool.connect()])
  for (const client of clients) {
    await client.query('set session characteristics as transaction read only')
    client.release()
  }
  const statuses: unknown[] = []
  for (let n = 0; n < 8; n++) {
    statuses.push(
      (await send(n % 2 === 0 ? 'POST' : 'PUT', n % 2 === 0 ? '/notes' : `/notes/${90 + n}`, { text: `note ${n}` }))[0]
    )
  }
  t.strictSame(statuses, [503, 503, 503, 201, 201, 201, 201, 201])
})

test('with the primary gone, a write that cannot have reached it stops no reads of a replica', async t => {
  const pair = await startPair()
  await pair.on(pair.primary, ddl)
  const [position] = await pair.on(pair.primary, 'select pg_current_wal_lsn()::text as lsn')
  while ((await pair.on(
    pair.replica, `select pg_last_wal_replay_lsn() >= '${String(position?.['lsn'])}' as there`
  ))[0]?.['there'] !== true) await setTimeout(10)
  const db = postgres({ primary: pair.primary, replicas: [pair.replica], connectionTimeout })
  const { app } = await serve(db.table('notes'))
  const send = sender(app)
  t.teardown(async () => {
    await app.close()
    await db.close()
    await pair.stop()
  })
  t.equal((await send('POST', '/notes', { text: 'three' }))[0], 201)
  // Until the replica is known to have it, and is read: reads ask in the background.
  const served = "select from pg_stat_activity where query like '%notes%' and pid <> pg_backend_pid()"
  while ((await pair.on(pair.replica, served)).length === 0) {
    await send('GET', '/notes/by_text/three')
    await setTimeout(10)
  }
  await pair.killPrimary()
  // Until this process knows the end of its connections, what it sends may have reached the server.
  while (db.pool.totalCount > 0) await setTimeout(5)
  await t.resolves(async () => {
    for (let n = 0; n < 10; n++) {
      t.strictSame((await send('POST', '/notes', { text: `lost ${n}` }))[0], 503)
      t.strictSame(await send('GET', '/notes/by_text/three?fields=id'), [200, { id: 3 }])
    }
  })
})

test('a hook that never returns has its transaction rolled back, and the log names it', async t => {
  const timers = holdTimers(t)
  const hanging: Array<() => Promise<unknown>> = []
  const { send, logged, db } = await open(t, {
    max: 2,
    connectionTimeout: twoHours,
    transactionTimeout: hour,
    hooks: {
      async creating ({ text }, { transaction }) {
        if (text !== 'hangs') return
        hanging.push(() => transaction.query("insert into notes (text) values ('late')"))
        await new Promise(() => {})
      }
    }
  })
  const answers = ['hangs', 'hangs'].map(text => send('POST', '/notes', { text }))
  while (hanging.length < 2) await setTimeout(1)
  const refused = send('POST', '/notes', { text: 'refused' })
  while (db.pool.waitingCount === 0) await setTimeout(1)
  timers.fire(twoHours)
  t.equal((await refused)[0], 503)
  timers.fire(hour)
  for (const [status, body] of await Promise.all(answers)) t.strictSame([status, body.error], [503, 'unavailable'])
  for (const late of hanging) await t.rejects(late(), /The transaction has ended/)
  const hook = "the hook 'creating' of collection 'notes'"
  t.strictSame(logged.map(line => line.err?.message.split(': The data')[0]), [
    `no connection was free: 2 transactions are open and wait for ${hook}`,
    `a transaction was rolled back after ${hour} ms; it was waiting for ${hook}`,
    `a transaction was rolled back after ${hour} ms; it was waiting for ${hook}`
  ])
  t.equal((await send('POST', '/notes', { text: 'served' }))[0], 201)
  t.strictSame((await send('GET', '/notes?fields=text'))[1], [{ text: 'one' }, { text: 'two' }, { text: 'served' }])
})

test('what a pooler says of a statement is believed: not sent, or lost on the way', async t => {
  const { send, owner } = await open(t)
  await owner.query(`create function fail() returns trigger language plpgsql as $$
    begin raise exception using errcode = '08P01', message = new.text; end $$;
    create trigger failing before insert on notes for each row execute function fail()`)
  t.match(await send('POST', '/notes', { text: 'query_wait_timeout' }), [503, { error: 'unavailable' }])
  t.match(await send('POST', '/notes', { text: 'server conn crashed?' }), [503, { error: 'outcome_unknown' }])
})
