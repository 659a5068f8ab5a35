import { Type } from '@sinclair/typebox'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { test } from 'tap'
import dataApi, { collection, sqlite } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'

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
