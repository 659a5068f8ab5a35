import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, {
  type Behaviour, collection, type DataApiOptions, type Declared, type Scopes
} from '../../../lib/index.ts'
import { serveThing, Thing } from '../../fixtures/company.ts'
import { tables, world } from '../../fixtures/notes.ts'
import { everybody } from '../../helpers/everybody.ts'
import { everySource, type Tools, type World } from '../../helpers/every-source.ts'
import Fastify from '../../helpers/fastify.ts'
import { openers } from '../../helpers/sources.ts'
import { forbidden, missing } from '../../helpers/answers.ts'

// docs/http.md: Rules. Of the items that exist for a caller it may update some, and delete some.

const requestStrategies = { upsert: true, delete: true } as const

const flags = { readable: true, writable: true } as const
const Plan = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, ...flags }),
  owner: Type.Integer(flags)
})

const plans: World = {
  tables: { plans: [{ id: 1, name: 'a', owner: 1 }, { id: 2, name: 'b', owner: 2 }, { id: 3, name: 'c', owner: 3 }] },
  ddl: 'create table plans (id key, name text not null unique, owner integer not null) strict;',
  collections: source => ({
    plans: collection(Plan, {
      source: source('plans'),
      scope: {
        read: (_context, where) => where.less('owner', 3),
        update: ({ request }) => ({ owner: Number(request.headers['x-me']) }),
        delete: ({ request }) => request.headers['x-role'] === 'lead'
      }
    })
  })
}

const me = { 'x-me': '1' }

const rule = (name: string, run: (tools: Tools) => Promise<void>) => {
  everySource(name, run, { requestStrategies: { delete: true } }, plans)
}

rule('an item that may be read and not changed is 403, and one that may not be read is 404', async ({
  send, same, get
}) => {
  const writes = [
    ['PATCH', '', { name: 'x' }], ['PATCH', '', { owner: 2 }], ['PUT', '', { name: 'x' }], ['PUT', '/name', 'x'],
    ['DELETE', '', undefined]
  ] as const
  for (const [method, path, body] of writes) {
    same(await send(method, `/plans/2${path}`, body, me), 403, forbidden)
    same(await send(method, `/plans/b${path}`, body, me), 403, forbidden)
    same(await send(method, `/plans/by_owner/2/2${path}`, body, me), 403, forbidden)
    same(await send(method, `/plans/3${path}`, body, me), 404, missing('3'))
  }
  same(await send('DELETE', '/plans/1', undefined, me), 403, forbidden)
  same(await send('PATCH', '/plans/1', { name: 'mine' }, me), 200, { status: 'ok' })
  same(await send('DELETE', '/plans/2', undefined, { ...me, 'x-role': 'lead' }), 200, { status: 'ok' })
  same(await get('/plans?fields=id,name', me), 200, [{ id: 1, name: 'mine' }])
})

rule('an item may be taken out of the scope of updates, and not out of that of reads', async ({ send, same, get }) => {
  same(await send('PATCH', '/plans/1', { owner: 3 }, me), 403, forbidden)
  same(await send('PATCH', '/plans/1', { owner: 2 }, me), 200, { status: 'ok' })
  same(await send('PATCH', '/plans/1', { owner: 1 }, me), 403, forbidden)
  same(await get('/plans/1?fields=owner', me), 200, { owner: 2 })
})

rule('the item is judged before its conditions are', async ({ send, same, get }) => {
  const etag = String((await get('/plans/2', me)).headers['etag'])
  for (const tag of [etag, '"other"']) {
    same(await send('PATCH', '/plans/2', { name: 'x' }, { ...me, 'if-match': tag }), 403, forbidden)
    same(await send('DELETE', '/plans/2', undefined, { ...me, 'if-match': tag }), 403, forbidden)
  }
})

everySource('an upsert of an item that exists is an update of it', async ({ send, same }) => {
  same(await send('PUT', '/plans/b', { owner: 1 }, me), 403, forbidden)
  same(await send('PUT', '/plans/d', { owner: 1 }, me), 201, { status: 'created' })
}, { requestStrategies }, plans)

rule('Allow of an item that may be read has what may be done to it', async ({ request, t }) => {
  const lead = { ...me, 'x-role': 'lead' }
  const every = 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE'
  const answers = [
    ['/plans/1', me, 'GET, HEAD, OPTIONS, PUT, PATCH'], ['/plans/a', lead, every],
    ['/plans/2', me, 'GET, HEAD, OPTIONS'], ['/plans/by_name/b', lead, 'GET, HEAD, OPTIONS, DELETE'],
    // Of an item that may not be read, and of none, Allow is that of the collection.
    ['/plans/3', me, every], ['/plans/9', me, every],
    ['/plans/1/name', me, 'GET, HEAD, OPTIONS, PUT'], ['/plans/2/name', me, 'GET, HEAD, OPTIONS'],
    ['/plans', me, 'GET, HEAD, OPTIONS, QUERY, POST, PATCH']
  ] as const
  for (const [url, headers, allow] of answers) {
    const { statusCode, headers: { allow: told } } = await request({ method: 'OPTIONS', url, headers })
    t.strictSame([statusCode, told], [204, allow], url)
  }
})

test('a preflight reads no data, asks no rule, and tells no method', async t => {
  const { source } = await openers.memory(plans.tables)
  let [reads, rules] = [0, 0]
  const counted = (table: string) => {
    const { database, ...one } = source(table)
    return { ...one, database: { ...database, read: (plan: never) => { reads++; return database.read(plan) } } }
  }
  const app = Fastify()
  const asking = { ...everybody, read: () => rules++ >= 0 }
  const collections = Object.entries(plans.collections(counted)).map(([name, one]) => [name, { ...one, rules: asking }])
  await app.register(dataApi, { collections: Object.fromEntries(collections) as DataApiOptions['collections'] })
  const headers = { ...me, origin: 'https://other.test', 'access-control-request-method': 'PATCH' }
  for (const url of ['/', '/plans', '/plans/2', '/plans/9/x', '/login']) {
    const preflight = await app.inject({ method: 'OPTIONS', url, headers })
    t.strictSame([preflight.statusCode, preflight.headers.allow], [204, undefined], url)
  }
  t.strictSame([reads, rules], [0, 0])
  await app.inject({ method: 'OPTIONS', url: '/plans/2', headers: me })
  t.ok(reads > 0 && rules > 0)
})

test('Allow of a path through a relation is that of the item which the method would change', async t => {
  const only = (id: number): Scopes<Record<string, unknown>> =>
    ({ update: (_context, where) => where.equals('id', id), delete: () => false })
  const scopes: Readonly<Record<string, Declared['scope']>> = { notes: only(1), parts: only(3) }
  const paths = [
    ['/notes/1/tags/1', 'PUT, PATCH, DELETE'], ['/notes/2/tags/1', 'PUT, PATCH'], ['/notes/1/parts/1', ''],
    ['/notes/2/parts/3', 'PUT, PATCH, DELETE'], ['/parts/1/note', 'PUT, PATCH'], ['/parts/3/note', 'DELETE'],
    ['/tags/1/notes/1', 'PUT, PATCH, DELETE'], ['/tags/1/notes/2', '']
  ] as const
  for (const [url, allow] of paths) {
    const links = [{ noteId: 1, tagId: 1 }, { noteId: 2, tagId: 1 }]
    const { source } = await openers.memory({ ...tables, note_tags: links })
    const collections = Object.fromEntries(Object.entries(world.collections(source)).map(([name, one]) =>
      [name, { ...one, scope: scopes[name] }]))
    const app = Fastify()
    await app.register(dataApi, { rules: everybody, requestStrategies: { delete: true }, collections })
    const { headers } = await app.inject({ method: 'OPTIONS', url })
    t.equal(headers['allow'], ['GET, HEAD, OPTIONS', allow].filter(one => one !== '').join(', '), url)
    for (const [method, payload] of [['PATCH', {}], ['DELETE', undefined]] as const) {
      const { statusCode } = await app.inject({ method, url, ...payload && { payload } })
      t.equal(statusCode === 403, !allow.includes(method), `${method} ${url} ${statusCode}`)
    }
  }
})

everySource('a link in a join table is a change of both items, from either side', async ({ send, same, opened, t }) => {
  const before = await opened.rows('note_tags')
  for (const [method, url, body] of [
    ['POST', '/notes/1/tags', { id: 1 }], ['POST', '/tags/1/notes', { id: 1 }], ['POST', '/tags/1/notes', [{ id: 1 }]],
    ['PUT', '/tags/1/notes', [{ id: 1 }, { id: 2 }]], ['PUT', '/tags/1/notes', []], ['PUT', '/notes/2/tags', []],
    ['PATCH', '/tags/1', { notes: [{ id: 1 }] }], ['PATCH', '/notes/1', { tags: [{ id: 1 }] }],
    ['POST', '/tags', { word: 'new', notes: [{ id: 1 }] }], ['POST', '/notes/2/tags', { word: 'new' }],
    ['DELETE', '/notes/2/tags/1'], ['DELETE', '/tags/1/notes/2']
  ] as const) {
    same(await send(method, url, body), 403, forbidden)
  }
  t.strictSame(await opened.rows('note_tags'), before)
  // What is sent back as it was shown writes nothing.
  same(await send('PATCH', '/tags/1', { notes: [{ id: 2 }] }), 200, { status: 'ok' })
  same(await send('PATCH', '/tags/1', { notes: [{ id: 3 }] }), 200, { status: 'ok' })
  same(await send('PATCH', '/tags/1', { notes: [{ text: 'new' }] }), 200, { status: 'ok' })
  same(await send('DELETE', '/notes/3/tags/1'), 200, { status: 'ok' })
}, { requestStrategies }, {
  ...world,
  collections: source => {
    const { notes, ...others } = world.collections(source)
    const update: Scopes<Record<string, unknown>>['update'] = (_context, where) => where.equals('id', 3)
    return { ...others, notes: { ...notes, scope: { update } } } as ReturnType<typeof world.collections>
  }
})

test('the document and the page of an item follow the scopes of its operations', async t => {
  const app = Fastify()
  const { source } = await openers.memory(plans.tables)
  await app.register(dataApi, {
    rules: everybody,
    requestStrategies: { delete: true },
    explorer: true,
    collections: plans.collections(source)
  })
  const documentFor = async (headers: Record<string, string>) =>
    (await app.inject({ url: '/openapi.json', headers })).json().paths['/plans/{identifier}']
  const { patch, delete: deletion } = await documentFor(me)
  for (const { description } of [patch, deletion]) t.match(description, /It is not allowed for every item/)
  t.notMatch((await documentFor({ ...me, 'x-role': 'lead' })).delete.description, /not allowed/)
  const pageOf = async (id: number, headers: Record<string, string>) =>
    (await app.inject({ url: `/plans/${id}`, headers: { ...headers, accept: 'text/html' } })).body
  t.match(await pageOf(1, me), '?_edit')
  t.notMatch(await pageOf(1, me), '?_delete')
  t.notMatch(await pageOf(2, me), '?_edit')
  t.match(await pageOf(2, { ...me, 'x-role': 'lead' }), '?_delete')
})

test('own code for a caller keeps to the scopes of its operations', async t => {
  const app = Fastify()
  const { source } = await openers.memory(plans.tables)
  await app.register(dataApi, { rules: everybody, collections: plans.collections(source) })
  app.patch('/rename', async request =>
    app.dataApi.as(request).collection('plans').update(Number(request.headers['x-id']), { name: 'new' }))
  const statuses = await Promise.all(['1', '2', '3'].map(async id =>
    (await app.inject({ method: 'PATCH', url: '/rename', headers: { ...me, 'x-id': id } })).statusCode))
  t.strictSame(statuses, [200, 403, 404])
})

test('a scope of an operation that fails allows nothing, and one with an unknown name is 500', async t => {
  const scopes: ReadonlyArray<readonly [Behaviour<typeof Thing>['scope'], number]> = [
    [{ update: () => { throw new Error('no database') } }, 403],
    [{ update: () => ({ owner: undefined }) }, 403],
    [{ update: () => ({ nonsense: 1 } as never) }, 500],
    [{ update: () => true }, 200]
  ]
  for (const [scope, status] of scopes) {
    const { app, logged } = await serveThing({ ...scope && { scope } })
    t.equal((await app.inject('/things')).statusCode, 200)
    t.equal((await app.inject({ method: 'POST', url: '/things', payload: { name: 'x' } })).statusCode, 201)
    const answer = await app.inject({ method: 'PATCH', url: '/things/1', payload: { name: 'x' } })
    t.equal(answer.statusCode, status, String(scope))
    t.equal(logged.length > 0, status !== 200)
  }
})

test('a scope that is none is refused at registration', async t => {
  const source = (await openers.memory({ things: [] })).source('things')
  for (const [scope, message] of [
    [{ red: () => true }, /scope: 'red' is not a scope\. Did you mean 'read'\?/],
    [{ update: true }, /scope\.update: expected a function; found true/],
    ['all', /scope: expected a function, or an object of functions; found the string 'all'/]
  ] as const) {
    const app = Fastify()
    const declared = collection(Thing, { source, scope: scope as never })
    await t.rejects(async () => app.register(dataApi, { collections: { things: declared } }), { message })
  }
})
