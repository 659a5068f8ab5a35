import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, exactly, lookup, memory } from '../../../lib/index.ts'
import { mayNot, serveThing } from '../../fixtures/company.ts'
import { tables, world } from '../../fixtures/notes.ts'
import { everyWrite } from '../../helpers/batch-of-one.ts'
import Fastify from '../../helpers/fastify.ts'
import { everySource, type Tools } from '../../helpers/every-source.ts'
import { created, duplicate, validation } from '../../helpers/answers.ts'

// docs/http.md: Rules. Who may not read a collection may not change it.

const requestStrategies: NonNullable<DataApiOptions['requestStrategies']> =
  { upsert: true, delete: true, bulk: ['PATCH', 'DELETE'] }
const options = { requestStrategies, imports: true }

const blind = { deny: 'safes.read' }
const denied = mayNot('read', 'safes')

const everything = ({ opened }: Tools) => Promise.all(Object.keys(tables).map(table => opened.rows(table)))

const writes = [
  ['DELETE', '/safes/5'], ['DELETE', '/safes/99'], ['DELETE', '/safes/ann@x'], ['DELETE', '/safes?email=ann@x'],
  ['DELETE', '/safes'], ['DELETE', '/safes/5/notes/1'], ['PATCH', '/safes/5', {}], ['PATCH', '/safes/5', { id: 5 }],
  ['PATCH', '/safes/by_email/ann@x', { email: 'new@x' }], ['PATCH', '/safes', [{ id: 5, email: 'new@x' }]],
  ['PATCH', '/safes?email=ann@x', { email: 'new@x' }], ['PUT', '/safes/5', { email: 'new@x' }],
  ['PUT', '/safes/99', { email: 'new@x' }], ['PUT', '/safes/5/email', 'new@x'], ['PUT', '/safes/5/notes', []],
  ['POST', '/safes/5', {}], ['POST', '/safes/5/email', { append: 'x' }], ['POST', '/safes/5/notes', { text: 'new' }],
  ['POST', '/safes/by_email/new@x', {}], ['POST', '/safes/by_id', {}], ['PATCH', '/safes/5?x=1', 'no object'],
  ['PUT', '/safes/5/notes/nothing/at/all', {}]
] as const

everyWrite('who may not read a collection may not write by any of its URLs', async tools => {
  const before = await everything(tools)
  for (const [method, url, body] of writes) {
    tools.same(await tools.send(method, url, body, blind), 403, denied)
  }
  tools.t.strictSame(await everything(tools), before)
}, options, world)

everySource('nothing of such a request is parsed, and OPTIONS tells what is left', async ({
  request, get, same, t
}) => {
  const json = { ...blind, 'content-type': 'application/json' }
  same(await request({ method: 'PATCH', url: '/safes/5', headers: json, payload: '{' }), 403, denied)
  same(await request({ method: 'PUT', url: '/safes/5', headers: blind, payload: 'text' }), 403, denied)
  same(await request({ method: 'DELETE', url: '/safes/5?%zz', headers: { ...blind, 'if-match': '"x"' } }), 403, denied)
  for (const url of ['/safes', '/safes/5', '/safes/5/notes', '/safes/5/email', '/safes/nothing', '/safes?x=1']) {
    same(await get(url, blind), 403, denied)
  }
  for (const [url, allow] of [
    ['/safes', 'OPTIONS, POST'], ['/safes/5', 'OPTIONS'], ['/safes/99', 'OPTIONS'], ['/safes/ann@x', 'OPTIONS']
  ] as const) {
    const { statusCode, headers } = await request({ method: 'OPTIONS', url, headers: blind })
    t.strictSame([statusCode, headers['allow']], [204, allow], url)
  }
}, options, world)

everyWrite('POST at a collection that may not be read only creates', async ({ send, same, opened, t }) => {
  const headers = { ...blind, prefer: 'return=representation' }
  same(await send('POST', '/safes', { email: 'new@x' }, headers), 201, created(7),
    { etag: undefined })
  same(await send('POST', '/safes/', [{ email: 'newer@x' }], blind), 201, [created(8)])
  same(await send('POST', '/safes', { email: 'ann@x' }, blind), 409, duplicate('email'))
  for (const body of [{ id: 5 }, { email: 'x@x', notes: [{ id: 3 }] }, { email: 'x@x', notes: [{ text: 'new' }] }]) {
    t.equal((await send('POST', '/safes', body, blind)).statusCode, 400)
  }
  t.equal((await send('POST', '/tags', { word: 'x', notes: [{ id: 1 }] }, { deny: 'tags.read' })).statusCode, 400)
  same(await send('POST', '/safes', { email: 'x@x' }, { deny: 'safes.read safes.create' }), 403,
    mayNot('create', 'safes'))
  // A foreign key is a value of the new item.
  same(await send('POST', '/notes', { text: 'new', safe: { id: 5 } }, { deny: 'notes.read' }), 201,
    created(4))
  t.strictSame((await opened.rows('notes')).map(({ safeId }) => safeId), [6, 6, null, 5])
  t.equal((await opened.rows('safes')).length, 4)
}, options, world)

everySource('an import there names no items', async ({ request, same }) => {
  const send = (url: string, prefer?: string) => request({
    method: 'POST',
    url,
    headers: { ...blind, 'content-type': 'application/x-ndjson', ...prefer !== undefined && { prefer } },
    payload: '{"email":"new@x"}\n'
  })
  for (const [url, prefer] of [
    ['/safes', 'resolution=merge'], ['/safes', 'resolution=ignore'], ['/safes', 'resolution=other'],
    ['/safes?by=email', 'resolution=merge'], ['/safes?by=email'], ['/safes?by=nothing'], ['/safes/5/notes']
  ] as const) {
    same(await send(url, prefer), 403, denied)
  }
  same(await send('/safes'), 201, { status: 'created', count: 1 })
}, options, world)

everySource('in bodies of other collections its relations are unknown, and references are dangling', async ({
  send, same, t
}) => {
  same(await send('PATCH', '/notes/3', { safe: { id: 5 } }, blind), 400,
    validation(['/safe', 'there is no such field']))
  const ask = async (id: number) => (await send('PATCH', '/notes/3', { safe_id: id }, blind)).json<object>()
  t.match(await ask(5), { error: 'reference' })
  t.strictSame(await ask(5), await ask(99))
}, options, world)

everySource('operations of a batch write nothing of it, by the name of an item that it has created either', async ({
  send, same
}) => {
  const batch = async (...operations: readonly object[]) => send('POST', '/', operations, blind)
  const create = { method: 'POST', path: '/safes', body: { email: 'new@x' }, as: 'safe' }
  for (const operation of [
    { method: 'POST', path: '/$safe/notes', body: { text: 'new' } }, { method: 'PATCH', path: '/$safe', body: {} },
    { method: 'DELETE', path: '/$safe' }, { method: 'PUT', path: '/$safe/email', body: 'x' }
  ]) {
    same(await batch(create, operation), 403, { ...denied, operation: 1 })
  }
  same(await batch({ method: 'DELETE', path: '/safes/5' }), 403, { ...denied, operation: 0 })
  same(await batch(create), 200, [
    { status: 201, location: '/safes/by_id/7', body: created(7) }
  ])
}, { requestStrategies: { ...requestStrategies, batch: true } }, world)

test('no lookup and no special identifier is asked', async t => {
  const find = () => { throw new Error('asked') }
  for (const read of [false, () => false] as const) {
    const { app } = await serveThing({
      rules: { read }, identifiers: { nick: lookup({ type: Type.String(), find }), mine: exactly('mine', find) }
    })
    for (const url of ['/things/mine', '/things/word', '/things/by_nick/word', '/things/1']) {
      t.strictSame((await app.inject({ method: 'DELETE', url })).json(), mayNot('read', 'things'))
    }
    t.equal((await app.inject({ method: 'POST', url: '/things', payload: {} })).statusCode, 201)
  }
})

test('a duplicate does not tell whether the scope includes it', async t => {
  const Box = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ identifier: true, readable: true, writable: true }),
    owner: Type.Integer({ default: 1 })
  })
  const source = memory([{ id: 1, name: 'mine', owner: 1 }, { id: 2, name: 'theirs', owner: 2 }])
  const app = Fastify()
  await app.register(dataApi, {
    collections: { boxes: collection(Box, { source, rules: { read: false }, scope: { read: () => ({ owner: 1 }) } }) },
    rules: { create: true, update: false }
  })
  const create = async (name: string) => {
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/boxes', payload: { name } })
    return [statusCode, JSON.parse(body)] as const
  }
  t.strictSame(await create('mine'), [409, duplicate('name')])
  t.strictSame(await create('theirs'), [409, duplicate('name')])
  t.strictSame(await create('new'), [201, created(3)])
})

test("a rule's own words stay, and 401 stays one", async t => {
  const { app } = await serveThing({
    rules: { read: () => { throw Object.assign(new Error('Who are you?'), { statusCode: 401 }) } }
  })
  const { statusCode, body } = await app.inject({ method: 'PATCH', url: '/things/1', payload: { name: 'x' } })
  t.strictSame([statusCode, JSON.parse(body)], [401, { error: 'unauthorized', message: 'Who are you?' }])
  t.equal((await app.inject({ method: 'POST', url: '/things', payload: { name: 'x' } })).statusCode, 201)
})

test('own code for a caller keeps to it', async t => {
  const { app } = await serveThing({ rules: { read: () => false }, requestStrategies: { upsert: true } })
  type Things = ReturnType<ReturnType<typeof app.dataApi.as>['collection']>
  let work: (things: Things) => Promise<unknown> = async () => undefined
  app.post('/own', request => work(app.dataApi.as(request).collection('things')))
  const answerTo = async (one: typeof work) => {
    work = one
    return (await app.inject({ method: 'POST', url: '/own' })).json<object>()
  }
  const refusedWork: ReadonlyArray<typeof work> = [
    things => things.update(1, { name: 'x' }), things => things.upsert(1, { name: 'x' }), things => things.delete(1),
    things => things.delete({ nothing: 5 }), things => things.updateEach([{ id: 1, name: 'x' }]),
    things => things.updateMany({ id: 1 }, { name: 'x' }), things => things.deleteMany({ id: 1 }),
    things => things.import([{ name: 'x' }], { merge: 'id' }), things => things.add(1, 'owner', 1),
    things => things.list(), things => things.find(1), things => things.count()
  ]
  for (const one of refusedWork) t.match(await answerTo(one), { message: "You may not read 'things'." })
  t.strictSame(await answerTo(things => things.create({ name: 'x' })), {})
  t.strictSame(await answerTo(things => things.import([{ name: 'x' }])), { created: 1, updated: 0, ignored: 0 })
})
