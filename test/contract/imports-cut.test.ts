import { Type } from '@sinclair/typebox'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { test } from 'tap'
import dataApi, { collection, postgres, sqlite } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import { test as onPostgres } from '../helpers/on-postgres.ts'
import { serverUrl } from '../helpers/sources.ts'

// docs/http.md: Imports. Clients that go away, or say nothing more.

const flags = { readable: true, writable: true }
const Thing = Type.Object({ id: Type.Integer({ identifier: true, ...flags }), text: Type.String(flags) })
const files = () => readdirSync(tmpdir()).filter(name => name.startsWith('fastify-data-api-'))

test('a client that leaves or waits within the body has written nothing, and leaves no file', async t => {
  const db = sqlite(':memory:')
  db.exec('create table things (id integer primary key, text text not null) strict')
  const app = Fastify()
  await app.register(dataApi, {
    collections: { things: collection(Thing, { source: db.table('things') }) }, imports: { idle: 300 }
  })
  await app.listen({ port: 0 })
  t.teardown(async () => {
    await app.close()
    db.close()
  })
  const { port } = app.server.address() as AddressInfo
  const before = files()
  const whole = Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"text":"${'x'.repeat(80)}"}\n`).join('')
  const send = (body: string) => {
    const socket = connect(port, '127.0.0.1')
    const head = ['POST /things HTTP/1.1', 'host: x', 'content-type: application/jsonl']
    socket.write(`${head.join('\r\n')}\r\ncontent-length: ${whole.length}\r\n\r\n${body}`)
    return socket
  }
  const count = async () => (await app.inject('/things?fields=count()')).body
  for (const length of [0, 100, 200_000, whole.length - 1]) {
    const cut = send(whole.slice(0, length))
    setTimeout(() => { cut.destroy() }, 20)
    await once(cut, 'close')
    const waiting = send(whole.slice(0, length))
    let answer = ''
    waiting.setEncoding('utf8').on('data', (text: string) => { answer += text })
    await once(waiting, 'close')
    t.match(answer, /^HTTP\/1.1 408 .*"request_timeout"/s)
  }
  t.equal(await count(), '[{"count":0}]')
  t.strictSame(files(), before)
  const all = await app.inject({
    method: 'POST', url: '/things', payload: whole, headers: { 'content-type': 'application/x-ndjson' }
  })
  t.equal(all.body, '{"status":"created","count":20000}')
  t.strictSame(files(), before)
})

onPostgres('a connection to the database that ends within an import leaves nothing of it', async t => {
  const schema = `cut_${process.pid}`
  const owner = new pg.Client({ connectionString: serverUrl() })
  await owner.connect()
  await owner.query(`create schema ${schema}; set search_path to ${schema};
    create table things (id integer primary key, text text not null);
    create function cut() returns trigger language plpgsql as $$
      begin
        if new.text = 'cut' then perform pg_terminate_backend(pg_backend_pid()); end if;
        return new;
      end $$;
    create trigger cut before insert on things for each row execute function cut()`)
  const db = postgres({ connectionString: serverUrl(), driver: { options: `-c search_path=${schema}` } })
  const app = Fastify()
  await app.register(dataApi, {
    collections: { things: collection(Thing, { source: db.table('things') }) }, imports: { slice: 100 }
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
    await owner.query(`drop schema ${schema} cascade`)
    await owner.end()
  })
  const send = async (at: number) => {
    const lines = Array.from({ length: 500 }, (_, id) => JSON.stringify({ id, text: id === at ? 'cut' : 'x' }))
    const headers = { 'content-type': 'application/x-ndjson' }
    return app.inject({ method: 'POST', url: '/things', payload: lines.join('\n'), headers })
  }
  for (const at of [0, 99, 250, 499]) {
    const answer = await send(at)
    t.equal(answer.statusCode, 503)
    t.equal(answer.json().error, 'unavailable')
    t.strictSame((await owner.query('select * from things')).rows, [])
  }
  t.equal((await send(-1)).statusCode, 201)
})
