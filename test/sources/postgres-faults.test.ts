import type { Test } from 'tap'
import { makeFaultyProxy } from '../helpers/faulty-proxy.ts'
import { holdTimers, hour, twoHours } from '../helpers/held-timers.ts'
import { test } from '../helpers/on-postgres.ts'
import { open } from '../helpers/postgres-notes.ts'
import { serverUrl } from '../helpers/sources.ts'

// docs/http.md: Errors; docs/databases.md: Faults. A server that is silent, slow or full, or goes away: every answer is
// a right one or a 503, and service returns. test/faults does worse to it, under load.

/** Opens an API that reaches the server through a proxy. */
async function openThrough (t: Test, options = {}) {
  const proxy = await makeFaultyProxy(t)
  return { proxy, ...await open(t, { connectionString: proxy.url, ...options }) }
}

test('a silent server is 503 after the limit of a statement, and is served again when it wakes', async t => {
  const timers = holdTimers(t)
  const hooks = { creating () {} }
  const { proxy, app, send, owner } = await openThrough(t, {
    connectionTimeout: twoHours, statementTimeout: hour, hooks
  })
  t.equal((await send('GET', '/notes/1'))[0], 200)
  const areUnavailable = async (...requests: ReadonlyArray<readonly ['GET' | 'POST', string, object?]>) => {
    const passing = setInterval(() => { timers.fire() }, 5)
    const answers = await Promise.all(requests.map(([method, url, payload]) =>
      app.inject({ method, url, ...payload && { payload } })))
    clearInterval(passing)
    for (const { statusCode, headers } of answers) t.strictSame([statusCode, headers['retry-after']], [503, '1'])
  }
  proxy.pause()
  await areUnavailable(['GET', '/notes/1'], ['POST', '/notes', { text: 'held' }], ['GET', '/notes?size=5'])
  proxy.resume()
  t.equal((await send('GET', '/notes/1'))[0], 200)
  t.equal((await send('POST', '/notes', { text: 'woken' }))[0], 201)
  proxy.pause()
  await areUnavailable(['POST', '/notes', { text: 'held before its transaction' }])
  proxy.resume()
  const { rows } = await owner.query<{ text: string }>('select text from notes where id > 2')
  t.ok(rows.some(({ text }) => text === 'woken'))
})

test('a slow server is waited for', async t => {
  const { proxy, send } = await openThrough(t)
  proxy.setDelay(40)
  t.strictSame(await send('GET', '/notes/1/text'), [200, 'one'])
  t.equal((await send('POST', '/notes', { text: 'slow' }))[0], 201)
  t.strictSame(await send('GET', '/notes/by_text/slow/text'), [200, 'slow'])
})

test('a server that has no connection left is 503, and serves when it has', async t => {
  const { owner, schema } = await open(t)
  const role = `few_${process.pid}`
  await owner.query(`create role ${role} login connection limit 2; grant usage on schema ${schema} to ${role};
    grant all on all tables in schema ${schema} to ${role}`)
  const url = new URL(serverUrl())
  url.username = role
  const { send, db } = await open(t, {
    connectionString: url.href, max: 20, statementTimeout: 0, settings: `-c search_path=${schema}`
  })
  t.teardown(() => owner.query(`drop owned by ${role}; drop role ${role}`))
  t.equal((await send('GET', '/notes/1'))[0], 200)
  const held = await Promise.all([db.pool.connect(), db.pool.connect()])
  const answers = await Promise.all(Array.from({ length: 10 }, () => send('GET', '/notes/1/text')))
  t.strictSame(answers.map(([status]) => status), Array(10).fill(503))
  for (const client of held) client.release()
  t.equal((await send('GET', '/notes/1/text'))[0], 200)
})

test('a stream whose server goes away in the middle is broken off, never ended as if it were whole', async t => {
  const { proxy, app, db, owner } = await openThrough(t)
  await owner.query("insert into notes (text) select repeat('x', 200) || n from generate_series(3, 3000) n")
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const ask = () => fetch(`${address}/notes?size=5000`, { headers: { accept: 'application/x-ndjson' } })
  const response = await ask()
  t.equal(response.status, 200)
  await t.rejects((async () => {
    for await (const chunk of response.body ?? []) if (chunk.length > 0) await proxy.close()
  })())
  await proxy.reopen()
  t.equal((await (await ask()).text()).trimEnd().split('\n').length, 3000)
  t.equal(db.pool.waitingCount, 0)
})
