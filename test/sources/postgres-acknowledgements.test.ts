import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import dataApi, { collection, postgres } from '../../lib/index.ts'
import { open, type Request } from '../helpers/deferring-database.ts'
import { makeFaultyProxy } from '../helpers/faulty-proxy.ts'
import { test } from '../helpers/on-postgres.ts'
import { freePort, initialize, launch, makeFolder, urlOf } from '../helpers/postgres-binaries.mjs'
import { end } from '../helpers/streaming-replica.ts'

// docs/http.md: Writing, Errors. What is acknowledged is committed, once; what is not known is told as not known.

const unknown = {
  error: 'outcome_unknown',
  message: 'The connection to the database was lost before it confirmed this write, which may have been done. Read ' +
    'the data before you send the write again.'
}

/** Every kind of write, with the statement whose answer is the last that the client waits for, and what it leaves. */
const writes: ReadonlyArray<readonly [...Request, last: string]> = [
  ['POST', '/tags', { word: 'new' }, 'insert into'],
  ['PATCH', '/tags/1', { word: 'new' }, 'commit'],
  ['PUT', '/tags/1/word', 'new', 'update '],
  ['DELETE', '/tags/1', undefined, 'delete '],
  ['POST', '/tags', [{ word: 'new' }, { word: 'newer' }], 'commit'],
  ['PUT', '/tags/by_word/new', {}, 'commit'],
  ['POST', '/kids', { name: 'Cy' }, 'commit'],
  ['POST', '/parents', { kids: [{ name: 'Cy' }], tags: [{ id: 1 }] }, 'commit']
]

for (const [method, url, body, last] of writes) {
  test(`${method} ${url} ${JSON.stringify(body) ??
    ''} whose confirmation is lost is outcome_unknown, and not done again`, async t => {
    const proxy = await makeFaultyProxy(t)
    const { send, stored, logged } = await open(t, { url: proxy.url, hooks: { creating () {} } })
    t.equal((await send('GET', '/tags/1')).status, 200)
    const before = await stored()
    const struck = proxy.loseAnswer(last)
    const got = await send(method, url, body)
    t.strictSame([got.status, got.body, got.headers['retry-after']], [503, unknown, undefined])
    await struck
    t.strictNotSame(await stored(), before, 'this time it was done')
    t.match(logged.map(line => JSON.parse(line).msg), [unknown.message])
    t.equal((await send('GET', '/parents/1')).status, 200)
  })

  test(`${method} ${url} ${JSON.stringify(body) ??
    ''} that does not reach the server is unavailable, and not done`, async t => {
    const proxy = await makeFaultyProxy(t)
    const { send, stored } = await open(t, { url: proxy.url, hooks: { creating () {} } })
    t.equal((await send('GET', '/tags/1')).status, 200)
    const before = await stored()
    await proxy.close()
    // What is sent before the end of a connection is noticed may have reached the server.
    for (let n = 0; n < 3; n++) t.equal((await send('GET', '/tags/1')).status, 503)
    const got = await send(method, url, body)
    t.strictSame([got.status, got.body.error, got.headers['retry-after']], [503, 'unavailable', '1'])
    await proxy.reopen()
    t.strictSame(await stored(), before)
  })
}

test('connections that the server has just ended are noticed; reads and writes go on on others', async t => {
  const { send, owner } = await open(t)
  for (let round = 0; round < 5; round++) {
    const warm = await Promise.all([1, 2, 3].map(() => send('GET', '/kids?limit=1')))
    t.ok(warm.every(({ status }) => status === 200))
    await owner.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and query like '%kids%' " +
        "and state = 'idle'"
    )
    const answers = await Promise.all([
      send('GET', '/kids/1'), send('POST', '/tags', { word: `tag ${round}` }),
      send('POST', '/kids', [{ name: `kid ${round}` }]), send('GET', '/kids')
    ])
    t.strictSame(answers.map(({ status }) => status), [200, 201, 201, 200])
  }
})

test('a write that conflicts with another at its commit is done again, and once', async t => {
  for (const hooks of [{}, { creating () {}, updating () {} }]) {
    const { send, owner } = await open(t, { hooks })
    // The first two commits of three fail as a serialization failure does; a sequence counts through rollbacks.
    await owner.query(`create sequence tries;
      create function conflict() returns trigger language plpgsql as $$ begin
        if nextval('tries') % 3 <> 0 then raise exception using errcode = '40001', message = 'conflict'; end if;
        return null;
      end $$;
      create constraint trigger conflicting after insert or update on kids deferrable initially deferred
        for each row execute function conflict()`)
    t.strictSame((await send('POST', '/kids', { name: 'Cy' })).status, 201)
    t.strictSame((await send('PATCH', '/kids/1', { name: 'Di' })).status, 200)
    t.strictSame((await send('PUT', '/kids/by_name/Ed', {})).status, 201)
    t.strictSame((await owner.query('select name from kids order by name')).rows.map(({ name }) => name),
      ['Bo', 'Cy', 'Di', 'Ed'])
  }
})

test('no change that was acknowledged under serializable isolation is lost', async t => {
  const folder = makeFolder()
  const [data, port] = [join(folder, 'data'), await freePort()]
  await initialize(data)
  const server = await launch({
    data, folder, port, settings: ['fsync=off', 'default_transaction_isolation=serializable']
  })
  t.teardown(async () => {
    await end(server, 'SIGINT')
    rmSync(folder, { recursive: true, force: true })
  })
  const db = postgres({ connectionString: urlOf(port) })
  await db.pool.query(
    'create table counters (id int primary key, word text not null, n int not null); insert into counters select n, ' +
      '0, 0 from generate_series(1, 3) n'
  )
  const Counter = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    word: Type.String({ readable: true, writable: true }),
    n: Type.Integer({ readable: true })
  })
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: line => { logged.push(line) } } } })
  await app.register(dataApi, {
    prefix: '/plain',
    collections: {
      counters: collection(Counter, { source: db.table('counters'), requestStrategies: { create: false } })
    }
  })
  await app.register(dataApi, {
    prefix: '/set',
    collections: {
      counters: collection(Counter, {
        source: db.table('counters'),
        setters: { word (counter, word) { Object.assign(counter, { word, n: counter.n + 1 }) } }
      })
    }
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  const put = async (path: string, id: number, word: string) => (await app.inject({
    method: 'PUT',
    url: `/${path}/counters/${id}/word`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(word)
  })).statusCode
  const acknowledged = [0, 0, 0]
  const statuses = new Set<number>()
  const last = new Map<number, Set<string>>()
  for (let round = 0; round < 15; round++) {
    await Promise.all([1, 2, 3, 1, 2, 3].map(async (id, n) => {
      const status = await put('set', id, `${round} ${n}`)
      statuses.add(status)
      if (status === 200) acknowledged[id - 1] = (acknowledged[id - 1] ?? 0) + 1
    }))
    for (const id of [1, 2, 3]) last.set(id, new Set())
    await Promise.all([1, 2, 3, 1, 2, 3].map(async (id, n) => {
      const status = await put('plain', id, `plain ${round} ${n}`)
      statuses.add(status)
      if (status === 200) last.get(id)?.add(`plain ${round} ${n}`)
    }))
    const { rows } = await db.pool.query<{ id: number, word: string }>('select id, word from counters')
    for (const { id, word } of rows) {
      if ((last.get(id)?.size ?? 0) > 0) {
        t.ok(last.get(id)?.has(word), `the last of the acknowledged writes of ${id} is there`)
      }
    }
  }
  const { rows } = await db.pool.query<{ n: number }>('select n from counters order by id')
  t.strictSame(rows.map(({ n }) => n), acknowledged)
  t.ok([...statuses].every(status => status === 200 || status === 503),
    String(logged.find(line => !line.includes('try again later'))))
})
