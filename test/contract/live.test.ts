import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { type Test, test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, type Source } from '../../lib/index.ts'
import { everySource } from '../helpers/every-source.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually, type Follower, listen } from '../helpers/follow.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: Live documents

const live = { interval: 1 }

const events = (one: Follower, count: number) =>
  eventually(() => one.events.length >= count || one.isClosed, () => one.text)

everySource('a live document is what GET gives, and then how that differs', async ({ app, get, send, t }) => {
  const follow = await listen(app)
  const url = '/artists?sort=name&fields=id,name'
  const one = await follow(url)
  t.equal(one.status, 200)
  t.match(one.response.headers, {
    'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no'
  })
  t.notHas(one.response.headers, { etag: String, link: String })
  await events(one, 1)
  const before = await get(url)
  t.match(one.text, /^retry: [1-4]\d{3}\n\nid: /)
  t.strictSame(one.events, [{ event: 'snapshot', data: before.json(), id: before.headers.etag }])
  t.equal((await send('PATCH', '/artists/1', { name: '__z' })).statusCode, 200)
  await events(one, 2)
  const after = await get(url)
  t.strictSame(one.document, after.json())
  t.match(one.events[1], { event: 'patch', id: after.headers.etag })
  await one.leave()
}, { live })

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true, writable: true }),
  name: Type.String({ readable: true, writable: true }),
  team: Type.Integer({ writable: true, default: 1 })
})

interface Row { id: number, name: string, team: number }

const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ id: n + 1, name: 'old', team: 1 }))

interface Made extends Omit<DataApiOptions, 'collections'> {
  readonly rows?: Row[]
  readonly source?: Source
  readonly scope?: NonNullable<Parameters<typeof collection<typeof Thing>>[1]['scope']>
  readonly rules?: NonNullable<Parameters<typeof collection<typeof Thing>>[1]['rules']>
  prepare? (app: FastifyInstance): void
}

/** Serves things from memory. */
async function serve (t: Test, { rows = rowsOf(3), source = memory(rows), scope, rules, prepare, ...options }: Made) {
  const app = Fastify({ forceCloseConnections: true })
  prepare?.(app)
  const things = collection(Thing, { source, ...scope && { scope }, ...rules && { rules } })
  await app.register(dataApi, {
    rules: everybody, requestStrategies: { delete: true }, live, ...options, collections: { things }
  })
  t.teardown(() => app.close())
  const follow = await listen(app)
  const write = async (method: 'PATCH' | 'POST' | 'DELETE', url: string, payload?: object) =>
    (await app.inject({ method, url, ...payload && { payload } })).statusCode
  return { app, follow, write }
}

test('events are only for clients that name them', async t => {
  const { app } = await serve(t, {})
  for (const accept of ['*/*', 'text/*;q=0.9, */*', 'application/json, text/event-stream', '']) {
    const { headers } = await app.inject({ url: '/things/1', headers: { accept } })
    t.match(headers['content-type'], 'application/json', accept)
  }
  const head = (accept: string, url = '/things') => app.inject({ method: 'HEAD', url, headers: { accept } })
  for (const accept of ['text/event-stream', 'application/json;q=0.5, Text/Event-Stream', 'text/event-stream, */*']) {
    const { headers, body } = await head(accept)
    t.match([headers['content-type'], body], ['text/event-stream; charset=utf-8', ''], accept)
  }
  t.match((await head('*/*', '/things?format=events')).headers, { 'content-type': /event-stream/ })
})

test('where nothing is live, events are 406', async t => {
  const all = [
    await serve(t, { live: false }), await serve(t, { live: { collections: [] } }),
    await serve(t, { prepare (app) { app.addHook('preSerialization', async (_request, _reply, value) => value) } })
  ]
  for (const { app } of all) {
    const asked = { url: '/things', headers: { accept: 'text/event-stream' } }
    t.match((await app.inject(asked)).json(), { error: 'not_acceptable' })
    t.equal((await app.inject('/things?format=events')).statusCode, 406)
  }
  const { follow } = await serve(t, {
    rawStreams: true, prepare (app) { app.addHook('preSerialization', async (_request, _reply, value) => value) }
  })
  t.equal((await follow('/things')).status, 200)
  await t.rejects(serve(t, { live: { collections: ['thing'] } }), { message: /there is no collection 'thing'/ })
})

test('the document of the API tells what is live', async t => {
  const { app } = await serve(t, {})
  const { app: still } = await serve(t, { live: { collections: [] } })
  t.notMatch((await still.inject('/openapi.json')).body, 'event-stream')
  for (const version of ['3.1', '3.2']) {
    const { components } = (await app.inject(`/openapi.json?version=${version}`)).json()
    for (const name of ['ThingsPage', 'ThingsItem']) {
      t.match(components.responses[name].content['text/event-stream'], version === '3.2'
        ? { itemSchema: { $ref: '#/components/schemas/Event' } }
        : { schema: { type: 'string' } })
    }
  }
})

test('Last-Event-ID with the current tag has no snapshot, and every other one has', async t => {
  const { app, follow, write } = await serve(t, {})
  const got = await app.inject('/things')
  const tag = String(got.headers.etag)
  const known = await follow('/things', { 'last-event-id': tag }, { document: got.json() })
  const others = await Promise.all(['"nonsense"', tag.slice(1, -1), '*'].map(id =>
    follow('/things', { 'last-event-id': id })))
  others.push(await follow('/things', { 'if-none-match': tag }))
  for (const one of others) await events(one, 1)
  t.strictSame(others.map(one => one.events[0]?.event), ['snapshot', 'snapshot', 'snapshot', 'snapshot'])
  await write('DELETE', '/things/2')
  await events(known, 1)
  t.match(known.events, [{ event: 'patch', data: [{ op: 'remove', path: '/1' }] }])
})

test('a form of QUERY can be followed', async t => {
  const { app } = await serve(t, {})
  for (const [method, override] of [['QUERY', {}], ['POST', { 'x-http-method-override': 'QUERY' }]] as const) {
    const { headers } = await app.inject({
      method,
      url: '/things',
      payload: 'id>1',
      payloadAsStream: true,
      headers: { accept: 'text/event-stream', 'content-type': 'application/x-www-form-urlencoded', ...override }
    })
    t.match(headers['content-type'], 'event-stream')
  }
})

test('a document that is gone ends with the error of GET', async t => {
  const { app, follow, write } = await serve(t, {})
  const one = await follow('/things/2')
  await events(one, 1)
  await write('DELETE', '/things/2')
  await eventually(() => one.isClosed, () => one.text)
  const got = await app.inject('/things/2')
  t.strictSame(one.events.slice(1), [{ event: 'end', data: got.json(), id: undefined }])
  const again = await follow('/things/2', { 'last-event-id': '"x"' })
  t.strictSame([again.status, again.response.headers['content-type']], [404, 'application/json; charset=utf-8'])
})

test('each client gets the error that ends a document in the form that it accepts', async t => {
  const { app, follow } = await serve(t, {})
  const forms = ['text/event-stream, application/problem+json', 'text/event-stream']
  const all = await Promise.all(forms.map(accept => follow('/things/2', { accept })))
  await app.dataApi.asSystem().collection('things').delete(2)
  for (const [at, one] of all.entries()) {
    await eventually(() => one.isClosed, () => one.text)
    const got = await app.inject({ url: '/things/2', headers: { accept: String(forms[at]?.split(', ')[1] ?? '*/*') } })
    t.strictSame(one.events.at(-1)?.data, got.json())
  }
})

test('a rule that begins to deny ends the stream, and facts about the caller are asked for each read', async t => {
  const teams = new Map([['ann', 1], ['bob', 2]])
  const { app, follow } = await serve(t, {
    rows: [{ id: 1, name: 'a', team: 1 }, { id: 2, name: 'b', team: 2 }],
    caller: ({ headers }) => ({ team: teams.get(String(headers['x-user'])) }) as never,
    scope: ({ caller }) => ({ team: (caller as unknown as { team: number | undefined }).team ?? 0 }),
    rules: { read: ({ request }) => teams.has(String(request.headers['x-user'])) || !('x-user' in request.headers) }
  })
  const ann = await follow('/things', { 'x-user': 'ann' })
  const bob = await follow('/things', { 'x-user': 'bob' })
  await events(ann, 1)
  await events(bob, 1)
  t.strictSame([ann.document, bob.document], [[{ id: 1, name: 'a' }], [{ id: 2, name: 'b' }]])
  t.match(ann.response.headers['cache-control'], 'no-store')
  teams.set('ann', 2)
  teams.delete('bob')
  const things = app.dataApi.asSystem().collection('things')
  await things.create({ id: 3, name: 'c', team: 2 })
  // What another scope shows is told once the document is read again.
  await things.create({ id: 4, name: 'd', team: 1 })
  await eventually(() => bob.isClosed, () => bob.text)
  t.match(bob.events.at(-1), { event: 'end', data: { error: 'forbidden' } })
  await eventually(() => ann.events.length > 1, () => ann.text)
  t.strictSame(ann.document, [{ id: 2, name: 'b' }, { id: 3, name: 'c' }])
})

test('comments keep a connection open, and a stream ends after its lifetime and when the server closes', async t => {
  const { app, follow } = await serve(t, { live: { heartbeat: 10, lifetime: 1 } })
  const one = await follow('/things')
  await eventually(() => one.text.includes('\n\n:\n\n:\n\n'), () => one.text)
  await eventually(() => one.isClosed, () => one.text)
  t.match(one.text, /retry: \d+\n\n$/)
  const other = await follow('/things')
  const closing = app.close()
  await eventually(() => other.isClosed, () => other.text)
  t.match(other.text, /retry: \d+\n\n$/)
  await closing
})

test('too many streams are 503, and a document that is too long is 400', async t => {
  const { app, follow } = await serve(t, { live: { max: 2, longest: 200 }, rows: rowsOf(10) })
  const open = [await follow('/things/1'), await follow('/things/2')]
  const third = await follow('/things/3')
  t.strictSame([third.status, third.response.headers['retry-after']], [503, '1'])
  await open[0]?.leave()
  const long = await app.inject({ url: '/things', headers: { accept: 'text/event-stream' } })
  t.match([long.statusCode, long.json()], [400, { error: 'answer_too_large', message: /live\.longest/ }])
})

test('a count is told where it stands in the body', async t => {
  const prefer = 'count=exact'
  const wrapped = await serve(t, { responseContent: { pageLinks: 'wrapped' } })
  const one = await wrapped.follow('/things?size=1', { prefer })
  await events(one, 1)
  t.match(one.document, { items: [{ id: 1 }], page: { total: 3 } })
  t.equal(one.response.headers['preference-applied'], prefer)
  await wrapped.write('POST', '/things', { id: 9, name: 'new' })
  await events(one, 2)
  t.match(one.events[1], { data: [{ op: 'replace', path: '/page', value: { total: 4 } }] })
  const plain = await (await serve(t, {})).follow('/things', { prefer })
  t.notHas(plain.response.headers, { 'preference-applied': String })
})
