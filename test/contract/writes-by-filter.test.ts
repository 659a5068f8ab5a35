import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import dataApi, { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { mayNot } from '../fixtures/company.ts'
import { calls, collections, guarded, Note, world } from '../fixtures/keyed-notes.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import Fastify from '../helpers/fastify.ts'
import { openers } from '../helpers/sources.ts'
import { everybody } from '../helpers/everybody.ts'
import { created, duplicate, forbidden, notAllowed, referred, unmet, validation } from '../helpers/answers.ts'

// docs/http.md: Writes by a filter

const bulk = { batch: true, delete: true, bulk: ['PATCH', 'DELETE'] as Array<'PATCH' | 'DELETE'> }

const every = (name: string, run: (tools: Tools) => Promise<void>, own: World = world, bodies = {}) => {
  everySource(name, async tools => {
    await tools.send('POST', '/notes', ['a', 'b', 'c', 'd'].map((text, index) => ({
      text, owner: index < 2 ? 'ann' : 'bo', marks: [{ name: text }, { name: 'x' }]
    })))
    await run(tools)
  }, { requestStrategies: bulk, bodies }, own)
}

const done = (affected: number) => ({ status: 'ok', affected })

every('PATCH of a list updates the items that a filter finds, and no others', async ({ t, send, get, same }) => {
  calls.length = 0
  same(await send('PATCH', '/notes?owner=bo', { owner: 'cy' }), 200, done(2))
  t.strictSame(calls, ['updated c', 'updated d'])
  same(await get('/notes?fields=text,owner'), 200, [
    { text: 'a', owner: 'ann' }, { text: 'b', owner: 'ann' }, { text: 'c', owner: 'cy' }, { text: 'd', owner: 'cy' }
  ])
  same(await send('PATCH', '/notes?owner=nobody', { owner: 'x' }), 200, done(0))
  same(await send('PATCH', '/marks?note.text=*a,b', { name: 'y' }), 200, done(4))
  same(await send('PATCH', '/notes/by_text/c/marks?name=x', { name: 'z' }), 200, done(1))
  same(await send('PATCH', '/notes/by_owner/cy', { owner: 'bo' }), 200, done(2))
  same(await get('/marks?fields=name'), 200, ['y', 'y', 'y', 'y', 'c', 'z', 'd', 'x'].map(name => ({ name })))
  same(await send('PATCH', '/notes?text=a&fields=text', { owner: 'q' }, { prefer: 'return=representation' }), 200,
    [{ text: 'a' }], { 'preference-applied': 'return=representation' })
  same(await send('PATCH', '/notes?text=a', { owner: 'q' }, { prefer: 'return=minimal' }), 204, '')
})

every('DELETE of a list deletes the items that a filter finds', async ({ send, get, same }) => {
  same(await send('DELETE', '/marks?name=x'), 200, done(4))
  same(await send('DELETE', '/notes/1/marks?name=*a,b'), 200, done(1))
  same(await get('/marks?fields=name'), 200, [{ name: 'b' }, { name: 'c' }, { name: 'd' }])
  same(await send('DELETE', '/notes?text=*a,b'), 409, referred)
  same(await get('/notes?fields=text'), 200, ['a', 'b', 'c', 'd'].map(text => ({ text })))
  same(await send('DELETE', '/marks?id>0'), 200, done(3))
  same(await send('DELETE', '/notes/by_owner/bo'), 200, done(2))
})

every('a filter is required, and what decides no more than an order is refused', async ({ send, same }) => {
  same(await send('DELETE', '/notes'), 400, {
    error: 'filter_required',
    message: 'DELETE of a list requires a filter. For all of its items, use one that all satisfy.'
  })
  for (const [query, code] of [['text=a&sort=text', 'invalid_sort'], ['text=a&size=1', 'invalid_page'],
    ['colour=red', 'invalid_filter'], ['text=a&fields=text', 'invalid_fields']] as const) {
    const answer = await send('DELETE', `/notes?${query}`)
    same(answer, 400, { ...answer.json<object>(), error: code })
  }
  same(await send('PATCH', '/notes?text=a', { marks: [] }), 400,
    validation(['/marks', 'cannot be written in many items at once']))
})

every('more items than the limit, or than the client means, are refused', async ({ send, get, same }) => {
  const tooMany = (most: number) => ({
    status: 'conflict',
    error: 'too_many_affected',
    message: `More than ${most} items match. Nothing was written.`,
    affected: most + 1
  })
  same(await send('PATCH', '/notes?id>0', { owner: 'x' }), 409, tooMany(3))
  same(await send('PATCH', '/notes?owner=bo', { owner: 'x' }, { prefer: 'max-affected=1' }), 409, tooMany(1))
  same(await send('PATCH', '/notes?id>0', { owner: 'x' }, { prefer: 'max-affected=9' }), 409, tooMany(3))
  same(await send('PATCH', '/notes?owner=bo', { owner: 'x' }, { prefer: 'max-affected=2' }), 200, done(2))
  for (const most of ['many', '-1', '"1.5"', '']) {
    same(await send('DELETE', '/notes?owner=nobody', undefined, { prefer: `max-affected=${most}` }), 400, {
      error: 'invalid_parameter',
      message: "'Prefer: max-affected' takes a whole number.",
      parameter: 'Prefer',
      position: 1
    })
  }
  same(await get('/notes?owner=ann&fields=text'), 200, [{ text: 'a' }, { text: 'b' }])
}, world, { affected: 3 })

every('all are written or none, also in batches and under keys', async ({ send, get, same }) => {
  same(await send('PATCH', '/notes?owner=bo', { text: 'same' }), 409, duplicate('text'))
  same(await send('PATCH', '/notes?owner=bo', { text: 'refused' }), 400, { error: 'argument', message: 'is refused' })
  for (const owner of ['bo', 'nobody']) {
    same(await send('PATCH', `/notes?owner=${owner}`, { owner: 'x' }, { 'if-match': '"other"' }), 412,
      unmet("The tag of a page cannot guard a write of its whole list. Send 'If-Match: *', or none."))
  }
  same(await send('PATCH', '/notes?owner=bo', { owner: 'cy' }, { 'if-match': '*' }), 200, done(2))
  same(await send('POST', '/', [
    { method: 'DELETE', path: '/marks?name=x' }, { method: 'PATCH', path: '/notes?owner=cy', body: { owner: 'bo' } }
  ]), 200, [{ status: 200, body: done(4) }, { status: 200, body: done(2) }])
  const keyed = { 'idempotency-key': 'k' }
  same(await send('DELETE', '/marks?id>0', undefined, keyed), 200, done(4))
  same(await send('DELETE', '/marks?id>0', undefined, keyed), 200, done(4), { 'idempotency-replayed': 'true' })
  same(await get('/notes?owner=bo&fields=text'), 200, [{ text: 'c' }, { text: 'd' }])
})

every('the client and own code write by a filter', async ({ t, app, get, same }) => {
  const client = createClient(await app.listen({ port: 0 }))
  const notes = client.resource('notes')
  t.strictSame(await notes.updateMany({ owner: 'bo' }, { owner: 'cy' }, { max: 2 }), done(2))
  t.strictSame(await notes.updateMany({ text: ['a', ...Array.from({ length: 400 }, (_, index) => `unknown ${index}`)] },
    { owner: 'di' }, { returning: ['owner'] }), [{ owner: 'di' }])
  t.strictSame(await client.resource('marks').deleteMany({ name: 'x' }), done(4))
  t.strictSame(await notes.item(1).resource('marks').deleteMany({ id: { gt: 0 } }), done(1))
  await t.rejects(notes.deleteMany({ id: { gt: 0 } }, { max: 3 }), { code: 'too_many_affected', outcome: 'failed' })
  await t.rejects(notes.updateMany({}, { owner: 'x' }), { code: 'filter_required' })
  const own = app.dataApi.collection('notes').asSystem()
  t.equal(await own.updateMany({ owner: 'cy' }, { owner: 'bo' }, { max: 2 }), 2)
  t.equal(await app.dataApi.collection('marks').asSystem().deleteMany({ name: ['b', 'c'] }), 2)
  await t.rejects(own.updateMany({ owner: 'bo' }, { owner: 'x' }, { max: 1 }), { code: 'too_many_affected' })
  await t.rejects(own.deleteMany({ id: { gt: 0 } }, { max: 0.5 }), { code: 'invalid_parameter' })
  await t.rejects(own.deleteMany({}), { code: 'filter_required' })
  await t.rejects(own.deleteMany({ owner: undefined }), { code: 'invalid_filter' })
  same(await get('/notes?fields=text,owner'), 200, [
    { text: 'a', owner: 'di' }, { text: 'b', owner: 'ann' }, { text: 'c', owner: 'bo' }, { text: 'd', owner: 'bo' }
  ])
  same(await get('/marks?fields=name'), 200, [{ name: 'd' }])
})

const scoped = { ...world, collections: guarded }

every('hidden items are neither written nor counted, and none may leave the scope', async ({ send, get, same }) => {
  const bo = { 'x-user': 'bo' }
  same(await send('POST', '/notes', { text: 'e', owner: 'bo' }, bo), 201, created(1))
  same(await send('POST', '/notes', { text: 'f' }), 201, created(2))
  same(await send('DELETE', '/notes?id>0', undefined, bo), 200, done(1))
  same(await get('/notes?fields=text'), 200, [{ text: 'f' }])
  same(await send('PATCH', '/notes?id>0', { owner: 'bo' }), 403, forbidden)
}, { ...scoped, tables: { ...world.tables } })

const unreadable: World = {
  ...world,
  collections: source => ({
    ...collections(source),
    notes: collection(Note, { source: source('notes'), rules: { read: () => false, delete: () => false } })
  })
}

every('who may not read, or not write, may not write by a filter', async ({ send, same, request }) => {
  const denied = mayNot('read', 'notes')
  same(await send('PATCH', '/notes?text=a', { owner: 'x' }), 403, denied)
  same(await send('DELETE', '/notes?text=a'), 403, denied)
  same(await request({ method: 'OPTIONS', url: '/marks' }), 204, '', {
    allow: 'GET, HEAD, OPTIONS, QUERY, POST, PATCH, DELETE'
  })
}, unreadable)

everySource('they are off unless the application says otherwise', async ({ send, same }) => {
  const allow = 'GET, HEAD, OPTIONS, QUERY, POST, PATCH'
  same(await send('DELETE', '/notes?text=a'), 405, notAllowed('DELETE', allow), { allow })
}, { requestStrategies: { delete: true } }, world)

const flags = { readable: true, writable: true }
const Seat = Type.Object({ row: Type.Integer(flags), seat: Type.Integer(flags), state: Type.String(flags) })

test('a thousand items with keys of two fields are written under a scope', async t => {
  const seats = Array.from({ length: 1000 }, (_, index) => ({ row: index, seat: 1, state: 'free' }))
  const opened = await openers.sqlite({ seats }, `create table seats (
    "row" integer not null, seat integer not null, state text not null, primary key ("row", seat)) strict;`)
  const app = Fastify()
  const scope = () => ({ seat: 1 })
  await app.register(dataApi, {
    rules: everybody,
    collections: { seats: collection(Seat, { source: opened.source('seats'), key: ['row', 'seat'], scope }) },
    requestStrategies: bulk
  })
  const patched = await app.inject({ method: 'PATCH', url: '/seats?state=free', payload: { state: 'sold' } })
  t.strictSame(patched.json(), done(1000))
  const posted = await app.inject({
    method: 'POST', url: '/seats', payload: seats.map(one => ({ ...one, row: one.row + 1000 }))
  })
  t.equal(posted.statusCode, 201)
  await app.close()
  await opened.close()
})

// A write of one may change what the path names, what others show, and who sees them.
const Node = Type.Object({
  id: Type.Integer({ readable: true, identifier: true }),
  slug: Type.String({ ...flags, identifier: true }),
  owner: Type.String({ ...flags }),
  parentId: Type.Optional(Type.Integer()),
  parent: SubItem('nodes', { foreignKey: 'parentId', ...flags }),
  children: SubCollection('nodes', { foreignKey: 'parentId', ...flags }),
  friends: SubCollection('nodes', { through: 'friends', foreignKey: 'nodeId', otherKey: 'friendId', ...flags })
})

const node = (id: number, parentId: number | null) => ({ id, slug: `n${id}`, owner: 'ann', parentId })

const tree: World = {
  ddl: `create table nodes (
  id key, slug text not null unique, owner text not null, "parentId" integer references nodes) strict;
create table friends ("nodeId" integer not null references nodes, "friendId" integer not null references nodes,
  primary key ("nodeId", "friendId")) strict;`,
  tables: {
    nodes: [node(1, null), node(2, 1), node(3, 1)],
    friends: [1, 2, 3].map(friendId => ({ nodeId: 1, friendId }))
  },
  collections: source => ({
    nodes: collection(Node, {
      source: source('nodes'),
      setters: {
        owner: (node, owner) => {
          node.owner = owner
          node.slug = `${owner}${node.id}`
        }
      },
      scope: ({ request }, where) => request.headers['x-scoped'] === undefined
        ? true
        : where.any(where.equals('id', 1), where.some('parent', one => one.equals('owner', 'ann')))
    })
  })
}

const many = (name: string, run: (tools: Tools) => Promise<void>) => {
  everySource(name, run, { requestStrategies: bulk }, tree)
}

many('an item of the path may be among the items', async ({ send, get, same }) => {
  same(await send('PATCH', '/nodes/by_slug/n1/friends?id>0', { owner: 'bo' }), 200, done(3))
  same(await get('/nodes?fields=slug'), 200, [{ slug: 'bo1' }, { slug: 'bo2' }, { slug: 'bo3' }])
  same(await send('DELETE', '/nodes/by_slug/bo1/friends?id>1'), 200, done(2))
  same(await get('/nodes/1/friends?fields=id'), 200, [{ id: 1 }])
})

many('the items are shown as all writes have left them', async ({ send, same }) => {
  const prefer = { prefer: 'return=representation' }
  same(await send('PATCH', '/nodes?id<3&fields=owner,children(owner)', { owner: 'bo' }, prefer), 200, [
    { owner: 'bo', children: [{ owner: 'bo' }, { owner: 'ann' }] }, { owner: 'bo', children: [] }
  ])
})

many('no item is updated if that takes another of them away from the caller', async ({ send, get, same }) => {
  same(await send('PATCH', '/nodes?id>0', { owner: 'bo' }, { 'x-scoped': '1' }), 403, forbidden)
  same(await get('/nodes?fields=owner'), 200, [{ owner: 'ann' }, { owner: 'ann' }, { owner: 'ann' }])
})
