import { createClient } from '../../lib/clients/client/index.ts'
import { collection } from '../../lib/index.ts'
import { mayNot } from '../fixtures/company.ts'
import { calls, collections, guarded, Note, world } from '../fixtures/keyed-notes.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import { created, duplicate, forbidden, missing, ok, unmet, validation } from '../helpers/answers.ts'

// docs/http.md: Arrays of changes

const every = (
  name: string, run: (tools: Tools) => Promise<void>, requestStrategies: object = { batch: true }, own: World = world
) => {
  everySource(name, async tools => {
    await tools.send('POST', '/notes', ['a', 'b', 'c'].map(text => ({ text, marks: [{ name: text }] })))
    await run(tools)
  }, { requestStrategies, bodies: { items: 6 } }, own)
}

const notFound = (identifier: string, pointer: string) => ({ ...missing(identifier), pointer })

every('each element changes the item that it names', async ({ t, send, get, same }) => {
  calls.length = 0
  same(await send('PATCH', '/notes', [{ id: 3, owner: 'x' }, { text: 'a', owner: 'y' }, { id: 2, text: 'd' }]), 200,
    [ok, ok, ok])
  t.strictSame(calls, ['updated c', 'updated a', 'updated d'])
  same(await get('/notes?fields=text,owner,version'), 200, [
    { text: 'a', owner: 'y', version: 2 },
    { text: 'd', owner: 'ann', version: 2 },
    { text: 'c', owner: 'x', version: 2 }
  ])
  same(await send('PATCH', '/notes/a/marks', [{ id: 1, name: 'z' }]), 200, [ok])
  same(await send('PATCH', '/notes/a/marks', [{ id: 2, name: 'z' }]), 404, notFound('2', '/0'))
  same(await send('PATCH', '/notes/zz/marks', [{ id: 2, name: 'z' }]), 404, missing('zz'))
  same(await send('PATCH', '/notes/by_owner/x', [{ id: 3, marks: [{ name: 'new' }, { id: 1 }] }]), 200, [ok])
  same(await send('PATCH', '/notes/by_owner/x', [{ id: 1, owner: 'x' }]), 404, notFound('1', '/0'))
  same(await send('PATCH', '/notes?fields=id,owner', [{ id: 2, owner: 'q' }, { id: 1 }],
    { prefer: 'return=representation' }), 200, [{ id: 2, owner: 'q' }, { id: 1, owner: 'y' }],
  { 'preference-applied': 'return=representation' })
  same(await send('PATCH', '/notes', [{ id: 2, owner: 'q' }], { prefer: 'return=minimal' }), 204, '')
  same(await send('PATCH', '/notes', []), 200, [])
})

every('all are changed or none, and errors point at their elements', async ({ send, get, same }) => {
  const first = { id: 1, owner: 'x' }
  const unreadable = 'must be a string of valid Unicode without NUL characters; found the number 5'
  const range = "must be an integer between -9007199254740991 and 9007199254740991; found the string '1'"
  for (const [body, status, answer] of [
    [[first, { owner: 'x' }], 400, validation(['/1/id', 'is required'])],
    [[{ id: '1', owner: 'x' }], 400, validation(['/0/id', range])],
    [[{ id: 1, owner: 5 }], 400, validation(['/0/owner', unreadable])],
    [[1], 400, validation(['/0', 'must be an object; found the number 1'])],
    [first, 400, validation(['', 'must be an array of items, each with an identifier; found an object'])],
    [[first, { id: 9, owner: 'x' }], 404, notFound('9', '/1')],
    [[first, { text: 'a', owner: 'y' }], 400, validation(['/1', 'names an item that another element names'])],
    [[first, { id: 2, text: 'c' }], 409, duplicate('text', '/1')],
    [[first, { id: 2, text: 'refused' }], 400, { error: 'argument', message: 'is refused', pointer: '/1' }],
    [Array.from({ length: 7 }, () => ({ id: 1 })), 413,
      { error: 'content_too_large', message: 'The body holds more than 6 items.' }]
  ] as const) same(await send('PATCH', '/notes', body), status, answer)
  for (const [query, code] of [['owner=x', 'invalid_filter'], ['sort=id', 'invalid_sort'], ['size=1', 'invalid_page'],
    ['fields=id', 'invalid_fields']] as const) {
    const answer = await send('PATCH', `/notes?${query}`, [first])
    same(answer, 400, { ...answer.json<object>(), error: code })
  }
  same(await send('PATCH', '/notes', [first], { 'if-match': '"1.a"' }), 412,
    unmet("The tag of a page cannot guard a write of its whole list. Send 'If-Match: *', or none."))
  same(await send('PATCH', '/notes', [first], { prefer: 'dry-run' }), 200, ok)
  same(await get('/notes?owner!=ann'), 200, [])
})

every('with upserts, those that do not exist are created', async ({ send, get, same }) => {
  same(await send('PATCH', '/notes', [{ text: 'a', owner: 'x' }, { text: 'n', owner: 'y' }]), 201,
    [ok, created(4)])
  same(await send('PATCH', '/notes', [{ text: 'm' }, { text: 'm', owner: 'x' }]), 400,
    validation(['/1', 'names an item that another element names']))
  same(await send('PATCH', '/notes', [{ id: 9, owner: 'x' }]), 400, validation(['/0/text', 'is required']))
  same(await get('/notes?fields=text,owner&owner!=ann'), 200, [{ text: 'a', owner: 'x' }, { text: 'n', owner: 'y' }])
}, { upsert: true })

every('batches, keys, the client and own code take arrays of changes', async ({ t, app, send, get, same }) => {
  same(await send('POST', '/', [
    { method: 'PATCH', path: '/notes', body: [{ id: 2, owner: 'x' }, { id: 1, owner: 'x' }] },
    { method: 'DELETE', path: '/marks/1' }
  ]), 200, [{ status: 200, body: [ok, ok] }, { status: 200, body: ok }])
  const keyed = { 'idempotency-key': 'k', prefer: 'return=representation' }
  const sent = [{ id: 1, owner: 'z' }]
  same(await send('PATCH', '/notes?fields=owner', sent, keyed), 200, [{ owner: 'z' }])
  same(await send('PATCH', '/notes?fields=owner', sent, keyed), 200, [{ owner: 'z' }],
    { 'idempotency-replayed': 'true' })
  const notes = createClient(await app.listen({ port: 0 })).resource('notes')
  t.strictSame(await notes.updateEach([{ id: 3, owner: 'w' }, { id: 1, owner: 'w' }]), [ok, ok])
  t.strictSame(await notes.updateEach([{ id: 3, owner: 'v' }], { returning: ['owner'] }), [{ owner: 'v' }])
  t.strictSame(await notes.updateEach([]), [])
  const own = app.dataApi.collection('notes').asSystem()
  t.strictSame(await own.updateEach([{ id: 2, owner: 'u' }], { returning: ['id', 'owner'] }), [{ id: 2, owner: 'u' }])
  await t.rejects(own.updateEach([{ id: 9, owner: 'u' }]), { code: 'identifier_not_found' })
  await t.rejects(own.updateEach({ id: 2, owner: 'u' } as never), TypeError)
  same(await get('/notes?fields=owner'), 200, [{ owner: 'w' }, { owner: 'u' }, { owner: 'v' }])
}, { batch: true, delete: true })

every('where a precondition is required, and where PATCH is off, there are none', async ({ request, send, t }) => {
  t.equal((await request({ method: 'OPTIONS', url: '/notes' })).headers['allow'], 'GET, HEAD, OPTIONS, QUERY, POST')
  t.equal((await send('PATCH', '/notes', [{ id: 1, owner: 'x' }])).statusCode, 405)
}, { requireIfMatch: true })

every('hidden items do not exist, and none may leave the scope', async ({ send, same }) => {
  const bo = { 'x-user': 'bo' }
  same(await send('POST', '/notes', { text: 'e', owner: 'bo' }, bo), 201, created(4))
  same(await send('PATCH', '/notes', [{ id: 4, text: 'f' }, { id: 1, text: 'g' }], bo), 404, notFound('1', '/1'))
  same(await send('PATCH', '/notes', [{ id: 4, owner: 'ann' }], bo), 403, forbidden)
  same(await send('PATCH', '/notes', [{ id: 4, text: 'f' }], bo), 200, [ok])
}, {}, { ...world, collections: guarded })

const unreadable: World = {
  ...world,
  collections: source => ({
    ...collections(source), notes: collection(Note, { source: source('notes'), rules: { read: () => false } })
  })
}

every('who may not read changes no items by an array', async ({ send, same }) => {
  same(await send('POST', '/notes', { text: 'a' }), 201, created(1))
  same(await send('PATCH', '/notes', [{ id: 1, text: 'f' }]), 403, mayNot('read', 'notes'))
}, {}, unreadable)
