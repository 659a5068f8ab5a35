import Fastify from 'fastify'
import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, DataApiError, memory, sqlite, SubItem, type WriteContext } from '../../lib/index.ts'
import { collections, contents, ddl, shop, tables, uuid } from '../fixtures/shop.ts'
import { everySource, type Tools } from '../helpers/every-source.ts'
import { isOfCatalog, openers } from '../helpers/sources.ts'

// docs/http.md: Writing

const world = { collections, tables, ddl }

const writes = (name: string, run: (tools: Tools) => Promise<void>, options: Parameters<typeof everySource>[2] = {}) => { everySource(name, run, options, world) }

const ok = { status: 'ok' }
const validation = (...details: ReadonlyArray<readonly [pointer: string, message: string]>) => ({
  error: 'validation',
  message: `The body is not valid; 'details' lists ${details.length === 1 ? '1 problem' : `${details.length} problems`}.`,
  details: details.map(([pointer, message]) => ({ pointer, message }))
})
const missing = (identifier: string) => ({ status: 'not_found', error: 'identifier_not_found', message: `An item was not found with the identifier '${identifier}'.` })

// Bodies

writes('bodies are JSON; another content type is 415', async ({ t, opened, request, same }) => {
  const before = await contents(opened)
  const expected = { error: 'unsupported_media_type', message: "The 'Content-Type' of the body must be application/json or application/merge-patch+json." }
  for (const type of ['text/plain', 'application/xml', 'application/vnd.api+json', 'application/jsonp', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', '']) {
    same(await request({ method: 'PUT', url: '/artists/1', headers: { 'content-type': type }, payload: '{"rating":1}' }), 415, expected, { accept: 'application/json, application/merge-patch+json' })
  }
  t.strictSame(await contents(opened), before)
})

writes('a merge patch is taken as JSON, and so is JSON however its type is written', async ({ request, same, get }) => {
  for (const [index, type] of ['application/merge-patch+json', 'application/json', 'Application/JSON; charset=UTF-8', ' application/json ;x=y', 'application/json; charset="utf-8"'].entries()) {
    same(await request({ method: 'PATCH', url: '/artists/1', headers: { 'content-type': type }, payload: `{"rating":${index}}` }), 200, ok)
    same(await get('/artists/1/rating'), 200, index)
  }
})

writes('broken JSON is 400', async ({ t, request }) => {
  for (const payload of ['{', '{"rating":1}x', '\'x\'', 'nul', '{"rating":01}', '\uFEFF', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), `${'['.repeat(33)}${']'.repeat(33)}`, '['.repeat(500000)]) {
    const response = await request({ method: 'PUT', url: '/artists/1', headers: { 'content-type': 'application/json' }, payload })
    t.strictSame([response.statusCode, response.json().error], [400, 'malformed_body'], String(payload).slice(0, 20))
  }
})

writes('an update without a body is 400', async ({ request, same }) => {
  same(await request({ method: 'PUT', url: '/artists/1' }), 400, { error: 'malformed_body', message: 'The body is empty; send the fields to change.' })
  same(await request({ method: 'PUT', url: '/artists/1/rating', headers: { 'content-type': 'application/json' } }), 400, { error: 'malformed_body', message: 'The body is empty; send the value as JSON.' })
})

writes('a body over the limit is 413, in bytes and in items', async ({ t, send }) => {
  for (const body of [{ name: 'x'.repeat(2 ** 20) }, Array.from({ length: 4 }, (_, n) => ({ code: `L${n}` })), [{ code: 'LX', artists: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }]]) {
    const response = await send('POST', '/labels', body)
    t.strictSame([response.statusCode, response.json().error], [413, 'content_too_large'])
  }
  t.equal((await send('POST', '/labels', [{ code: 'L1' }, { code: 'L2' }, { code: 'L3' }])).statusCode, 201)
}, { bodies: { items: 3 } })

writes('an unknown member, or one that is not writable, is 400 naming every offender, and nothing is written', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  same(await send('PUT', '/artists/1', { nmae: 'x', rating: 1, old_name: 'y', oldName: 1, label_id: 2, id: 9 }), 400, validation(
    ['/nmae', "there is no such field; did you mean 'name'?"], ['/oldName', "there is no such field; did you mean 'old_name'?"], ['/label_id', 'there is no such field'],
    ['/old_name', 'cannot be written, and differs from the current value'], ['/id', 'cannot be written, and differs from the current value']
  ))
  same(await send('POST', '/artists', JSON.parse('{"name":"x","email":null,"__proto__":{"rating":1},"constructor":1,"id":9,"a/b~c":1}')), 400, validation(
    ['/__proto__', 'there is no such field'], ['/constructor', 'there is no such field'], ['/id', 'cannot be written'], ['/a~1b~0c', 'there is no such field']
  ))
  t.strictSame(await contents(opened), before)
})

writes('a read-only member whose value equals the current one is let through, so GET, edit, PUT works', async ({ get, send, same }) => {
  for (const url of ['/artists/1', '/albums/7', '/labels/1', `/tracks/${uuid(1)}`]) {
    const item = (await get(url)).json()
    same(await send('PUT', url, item), 200, ok)
    same(await get(url), 200, item)
  }
  const track = (await get('/tracks/Intro')).json()
  same(await send('PUT', '/tracks/Intro', { ...track, title: 'Outro' }), 200, ok)
  same(await get('/tracks/Outro'), 200, { ...track, title: 'Outro' })
  same(await send('PUT', '/tracks/Outro', { ...track, seconds: 91 }), 400, validation(['/seconds', 'cannot be written, and differs from the current value']))
})

writes('the body is validated against the schema, strictly, without coercion, and all violations stand in one 400', async ({ t, opened, request, send, same }) => {
  const before = await contents(opened)
  same(await send('PUT', '/artists/1', { name: '', email: 5, born: '2001-02-30', rating: '5', active: 'true', tags: [1, 'x', null], pin: '12', genre: 'pop' }), 400, validation(
    ['/email', 'must be a string of valid Unicode without NUL characters or null; found the number 5'],
    ['/born', "must be a date such as 2001-12-31 or null; found the string '2001-02-30'"],
    ['/rating', "must be a number; found the string '5'"],
    ['/active', "must be true or false; found the string 'true'"],
    ['/genre', "must be one of rock, jazz or null; found the string 'pop'"],
    ['/name', 'must have at least 1 character'],
    ['/tags/0', 'must be a string'],
    ['/tags/2', 'must be a string'],
    ['/pin', 'must match the pattern ^[0-9]{4}$']
  ))
  for (const [body, message] of [[{ rating: 10.5 }, 'must be at most 10'], [{ rating: null }, 'must be a number; found null'], [{ name: null }, 'must be a string of valid Unicode without NUL characters; found null'], [{ name: ['x'] }, 'must be a string of valid Unicode without NUL characters; found an array'], [{ active: 0 }, 'must be true or false; found the number 0'], [{ name: 'a\0b' }, "must be a string of valid Unicode without NUL characters; found the string 'a\0b'"], [{ name: '\ud800' }, "must be a string of valid Unicode without NUL characters; found the string '\ud800'"]] as const) {
    same(await send('PUT', '/artists/1', body), 400, validation([`/${Object.keys(body)[0]}`, message]))
  }
  for (const [body, found] of [[1, 'the number 1'], ['x', "the string 'x'"], ['x'.repeat(51), 'a string of 51 characters'], [true, 'true'], [null, 'null'], [[{}], 'an array']]) {
    same(await send('PUT', '/artists/1', body), 400, validation(['', `must be an object; found ${String(found)}`]))
  }
  same(await request({ method: 'PUT', url: '/albums/7/year', headers: { 'content-type': 'application/json' }, payload: '9007199254740993' }), 400, validation(['', 'must be an integer between -9007199254740991 and 9007199254740991; found a number out of range']))
  t.strictSame(await contents(opened), before)
})

test("the host's Ajv settings do not leak in", async t => {
  const app = Fastify({ ajv: { customOptions: { coerceTypes: 'array', removeAdditional: 'all', useDefaults: true, allErrors: false } } })
  app.setValidatorCompiler(() => () => true)
  const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), width: Type.Integer({ readable: true, writable: true }) })
  await app.register(dataApi, { collections: { things: collection(Thing, { source: memory([{ id: 1, width: 1 }]) }) } })
  const response = await app.inject({ method: 'PUT', url: '/things/1', payload: { width: '2', more: 1 } })
  t.strictSame([response.statusCode, response.json().details.length], [400, 2])
  await app.close()
})

writes('a value is stored in its canonical form', async ({ get, send, same }) => {
  same(await send('POST', '/tracks', { title: 'Outro', played_at: '2024-05-06T09:08:07+02:00', id: 'ABCDEF00-0000-4000-8000-000000000001' }), 201, { status: 'created', id: 'abcdef00-0000-4000-8000-000000000001' })
  same(await get('/tracks/Outro?fields=id,played_at'), 200, { id: 'abcdef00-0000-4000-8000-000000000001', played_at: '2024-05-06T07:08:07.000Z' })
  same(await send('PUT', '/artists/1', { rating: -0 }), 200, ok)
  same(await get('/artists/1/rating'), 200, 0)
})

// Creating

writes('a new item is 201 with Location and an acknowledgement with its id', async ({ get, send, same }) => {
  same(await send('POST', '/artists', { name: 'Amon Tobin', email: 'a@example.org', rating: 9.5, genre: 'jazz' }), 201, { status: 'created', id: 4 }, { location: '/artists/4', 'content-type': 'application/json; charset=utf-8' })
  same(await get('/artists/4'), 200, { id: 4, name: 'Amon Tobin', email: 'a@example.org', born: null, rating: 9.5, active: true, tags: [], old_name: null, genre: 'jazz', label: null, albums: [] })
})

writes('on create, every writable field that is neither optional nor has a default must be there', async ({ send, same }) => {
  same(await send('POST', '/artists'), 400, validation(['/name', 'is required'], ['/email', 'is required']))
  same(await send('POST', '/artists', {}), 400, validation(['/name', 'is required'], ['/email', 'is required']))
  same(await send('POST', '/albums', { title: 'x' }), 400, validation(['/artist', 'is required']))
})

test('the body is optional where nothing must be in it', async t => {
  const Visit = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), at: Type.Optional(Type.String({ readable: true, writable: true })) })
  const app = Fastify()
  await app.register(dataApi, { collections: { visits: collection(Visit, { source: memory([]) }) } })
  t.strictSame((await app.inject({ method: 'POST', url: '/visits' })).json(), { status: 'created', id: 1 })
  t.strictSame((await app.inject({ method: 'POST', url: '/visits', headers: { 'content-type': 'application/json' } })).json(), { status: 'created', id: 2 })
  await app.close()
})

writes('the acknowledgement is what is configured', async ({ send, same }) => {
  same(await send('POST', '/labels', { code: 'NINJA' }), 201, { status: 'created' }, { location: '/labels/3' })
  same(await send('POST', '/labels', [{ code: 'A1' }, { code: 'A2' }]), 201, [{ status: 'created' }, { status: 'created' }])
}, { responseContent: { createdBody: 'status' } })

writes('and may be none', async ({ send, same }) => {
  same(await send('POST', '/labels', { code: 'NINJA' }), 201, '', { location: '/labels/3', 'content-type': undefined })
}, { responseContent: { createdBody: 'none' } })

writes('Location is safe whatever it holds, below the prefix', async ({ send, same, get }) => {
  same(await send('POST', '/api/labels', { code: 'NINJA' }), 201, { status: 'created', id: 3 }, { location: '/api/labels/3' })
  same(await send('POST', '/api/artists/by_name/Can/albums', { title: 'x' }), 201, { status: 'created', id: 9 }, { location: '/api/artists/by_name/Can/albums/9' })
  same(await get('/api/artists/by_name/Can/albums/9/title'), 200, 'x')
}, { prefix: '/api' })

writes('POST to a sub-collection links the new item to its parent', async ({ get, send, same }) => {
  same(await send('POST', '/labels/1/artists/Noisia/albums', { title: 'Closer' }), 201, { status: 'created', id: 9 }, { location: '/labels/1/artists/Noisia/albums/9' })
  same(await get('/albums/9/artist/name'), 200, 'Noisia')
  same(await send('POST', '/artists/99/albums', { title: 'x' }), 404, missing('99'))
  same(await send('POST', '/artists/1/albums', { title: 'x', artist: { id: 2 } }), 400, validation(['/artist', 'contradicts the URL']))
})

writes('also many to many', async ({ get, opened, send, same, t }) => {
  same(await send('POST', '/albums/7/tracks', { id: uuid(9), title: 'Collider' }), 201, { status: 'created', id: uuid(9) }, { location: `/albums/7/tracks/${uuid(9)}` })
  same(await get('/albums/7/tracks?fields=title&sort=title'), 200, [{ title: 'Collider' }, { title: 'Intro' }])
  t.equal((await opened.rows('album_tracks')).length, 3)
})

writes('POST to a group gives the field its value where writable, else 405', async ({ get, send, same }) => {
  same(await send('POST', '/artists/by_genre/jazz', { name: 'Sun Ra', email: null }), 201, { status: 'created', id: 4 }, { location: '/artists/by_genre/jazz/4' })
  same(await get('/artists/4/genre'), 200, 'jazz')
  same(await send('POST', '/artists/by_genre/jazz', { name: 'x', email: null, genre: 'rock' }), 400, validation(['/genre', 'contradicts the URL']))
  same(await send('POST', '/labels/1/artists/by_genre/rock', { name: 'Both', email: null, genre: 'rock' }), 201, { status: 'created', id: 5 })
  same(await get('/artists/Both?fields=genre,label(id)'), 200, { genre: 'rock', label: { id: 1 } })
  for (const url of ['/artists/by_old_name/x', '/artists/by_genre/none', '/artists/by_genre', '/']) {
    const allow = url.includes('old') || url.includes('none') ? 'GET, HEAD, OPTIONS, QUERY' : 'GET, HEAD, OPTIONS'
    same(await send('POST', url, { name: 'x', email: null }), 405, { error: 'method_not_allowed', message: `POST is not allowed here. Allowed methods: ${allow}.` }, { allow })
  }
})

writes('an array creates all or none: 201 with an array of acknowledgements', async ({ t, opened, send, same }) => {
  same(await send('POST', '/artists', [{ name: 'A', email: null }, { name: 'B', email: null }]), 201, [{ status: 'created', id: 4 }, { status: 'created', id: 5 }], { location: undefined })
  same(await send('POST', '/labels', []), 201, [])
  const before = await contents(opened)
  same(await send('POST', '/artists', [{ name: 'C', email: null }, { nam: 'D' }, 3]), 400, validation(
    ['/1/nam', "there is no such field; did you mean 'name'?"], ['/1/name', 'is required'], ['/1/email', 'is required'], ['/2', 'must be an object; found the number 3']
  ))
  same(await send('POST', '/artists', [{ name: 'C', email: null }, { name: 'forbidden', email: null }]), 400, { error: 'argument', message: 'An artist cannot be named so.', pointer: '/1' })
  same(await send('POST', '/artists', [{ name: 'C', email: null }, { name: 'C', email: null }]), 409, { status: 'conflict', error: 'duplicate', message: "An item with the same 'name' already exists.", fields: ['name'], pointer: '/1' })
  t.strictSame(await contents(opened), before)
})

// Nested writes

writes('a sub-item in a body sets the reference, by an object that holds an identifier or by null', async ({ get, send, same }) => {
  same(await send('PATCH', '/artists/1', { label: { id: 2 } }), 200, ok)
  same(await get('/artists/1/label/code'), 200, 'SPOON')
  same(await send('PATCH', '/artists/1', { label: { code: 'VSN' } }), 200, ok)
  same(await get('/artists/1/label/id'), 200, 1)
  same(await send('PATCH', '/artists/1', { label: null }), 200, ok)
  same(await get('/artists/1/label'), 200, null)
  same(await send('PATCH', '/albums/7', { artist: null }), 400, validation(['/artist', 'must be an object; found null']))
  same(await send('PATCH', '/albums/7', { artist: 2 }), 400, validation(['/artist', 'must be an object; found the number 2']))
})

writes('what cannot be found and not be created is 409 reference', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  same(await send('PATCH', '/artists/1', { rating: 1, label: { id: 99 } }), 409, { status: 'conflict', error: 'reference', message: "The item referred to by 'label' does not exist.", fields: ['label'], pointer: '/label' })
  t.strictSame(await contents(opened), before)
})

writes('an element that is linked is not changed: what else is said of it must be so', async ({ send, same }) => {
  same(await send('PATCH', '/artists/1', { label: { id: 2, code: 'SPOON', city: null } }), 200, ok)
  same(await send('PATCH', '/artists/1', { label: { id: 2, code: 'VSN' } }), 400, validation(['/label/code', 'cannot be written, and differs from the current value']))
  same(await send('PATCH', '/artists/1', { label: { id: 2, nope: 1 } }), 400, validation(['/label/nope', 'there is no such field']))
})

writes('a member that is a sub-collection or sub-item creates or links its elements in the same transaction', async ({ get, send, same }) => {
  const label = { code: 'NINJA', artists: [{ name: 'Noisia' }, { name: 'Coldcut', email: null, albums: [{ title: 'Let Us Play', tracks: [{ title: 'Intro' }, { title: 'Return to Margin' }] }] }] }
  same(await send('POST', '/labels', label), 201, { status: 'created', id: 3 })
  same(await get('/labels/3?fields=artists(name,albums(title,tracks(title;sort=title)))'), 200, {
    artists: [
      { name: 'Noisia', albums: [{ title: 'Outer Edges', tracks: [{ title: 'Intro' }] }] },
      { name: 'Coldcut', albums: [{ title: 'Let Us Play', tracks: [{ title: 'Intro' }, { title: 'Return to Margin' }] }] }
    ]
  })
  same(await get('/labels/3/artists?fields=name'), 200, [{ name: 'Noisia' }, { name: 'Coldcut' }])
  same(await get('/artists/Coldcut/albums/9/tracks?fields=title&sort=title'), 200, [{ title: 'Intro' }, { title: 'Return to Margin' }])
  same(await send('PATCH', '/artists/Can', { label: { code: 'NEW', city: 'Köln' } }), 200, ok)
  same(await get('/artists/Can/label?fields=code,city'), 200, { code: 'NEW', city: 'Köln' })
})

writes('errors of elements point at the element, and leave nothing', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  const artists = (...more: object[]) => ({ code: 'NINJA', artists: [{ name: 'One', email: null }, ...more] })
  same(await send('POST', '/labels', artists({ email: null, rating: 11 })), 400, validation(['/artists/1/rating', 'must be at most 10'], ['/artists/1/name', 'is required']))
  same(await send('POST', '/labels', artists({ name: 'Two', rating: 11 })), 400, validation(['/artists/1/rating', 'must be at most 10'], ['/artists/1/email', 'is required']))
  same(await send('POST', '/labels', artists({ name: 'forbidden', email: null })), 400, { error: 'argument', message: 'An artist cannot be named so.', pointer: '/artists/1' })
  same(await send('POST', '/labels', artists({ name: 'Two', email: 'can@example.org' })), 409, { status: 'conflict', error: 'duplicate', message: "An item with the same 'email' already exists.", fields: ['email'], pointer: '/artists/1' })
  same(await send('POST', '/labels', artists({ id: 99 })), 409, { status: 'conflict', error: 'reference', message: "The item referred to by 'artists' does not exist.", fields: ['artists'], pointer: '/artists/1' })
  same(await send('POST', '/labels', { code: 'NINJA', artists: {} }), 400, validation(['/artists', 'must be an array; found an object']))
  t.strictSame(await contents(opened), before)
})

// Updating

writes('an update is partial, by PUT and by PATCH', async ({ get, send, same }) => {
  for (const [method, rating] of [['PUT', 6], ['PATCH', 7]] as const) {
    const before = (await get('/artists/1')).json()
    same(await send(method, '/artists/1', { rating }), 200, ok)
    same(await get('/artists/1'), 200, { ...before as object, rating })
  }
  same(await send('PUT', '/artists/1', {}), 200, ok)
  same(await send('PUT', '/artists/99', { rating: 1 }), 404, missing('99'))
  same(await send('PUT', '/labels/99', { city: 'x' }), 404, missing('99'))
  same(await send('PUT', '/labels/99', {}), 404, missing('99'))
})

writes('an item is updated by any of its identifiers and through any path', async ({ get, send, same }) => {
  const paths = ['/artists/1', '/artists/Noisia', '/artists/by_email/noisia@example.org', '/artists/~Noisia', '/artists/me', '/labels/VSN/artists/Noisia', '/albums/7/artist', '/artists/by_active/true/1', '/albums/by_year/2016/7/artist']
  for (const [index, url] of paths.entries()) {
    same(await send('PUT', url, { rating: index }, { 'x-me': '1' }), 200, ok)
    same(await get('/artists/1/rating'), 200, index)
  }
  same(await send('PUT', '/artists/2', { rating: 1 }), 409, {
    status: 'conflict',
    error: 'ambiguous_identifier',
    message: "More than one item has the identifier '2'. Use one of these paths instead: /artists/by_id/2, /artists/by_name/2",
    candidates: ['/artists/by_id/2', '/artists/by_name/2']
  })
  same(await send('PUT', '/labels/1/artists/Can', { rating: 1 }), 404, missing('Can'))
  same(await send('PUT', '/albums/99/artist', { rating: 1 }), 404, missing('99'))
  same(await send('PUT', '/albums/8/artist/label/city', 'Köln'), 200, ok)
  same(await get('/labels/2/city'), 200, 'Köln')
})

writes('a sub-item that is null cannot be edited by its URL: 404', async ({ send, same }) => {
  same(await send('PUT', '/artists/3/label', { city: 'x' }), 404, missing('label'))
  same(await send('PUT', '/artists/3/label/city', 'x'), 404, missing('label'))
})

writes('scalar PUT: the body is the new value as JSON, and null is a value', async ({ get, send, same }) => {
  for (const [field, value] of Object.entries({ name: 'Renamed', rating: 0.1, active: false, tags: ['a', 'b'], born: '1999-12-31', biography: 'A longer one.', genre: 'jazz', email: null })) {
    same(await send('PUT', `/artists/by_id/1/${field}`, value), 200, ok)
    same(await get(`/artists/1/${field}`), 200, value)
  }
  for (const field of ['born', 'biography', 'genre']) {
    same(await send('PUT', `/artists/by_id/1/${field}`, null), 200, ok)
    same(await get(`/artists/1/${field}`), 200, null)
  }
  same(await send('PUT', '/artists/1/rating', null), 400, validation(['', 'must be a number; found null']))
  same(await send('PUT', '/artists/1/tags', ['a', 1]), 400, validation(['/1', 'must be a string']))
  same(await send('PUT', '/artists/1/nam', 'x'), 404, { status: 'not_found', error: 'field_not_found', message: "There is no field 'nam'. Did you mean 'name'?", suggestion: 'name' })
  same(await send('PUT', '/artists/99/rating', 1), 404, missing('99'))
})

writes('a field that may be written but not read takes a PUT, and is otherwise not there', async ({ opened, get, send, same, t }) => {
  same(await send('PUT', '/artists/1/pin', '9876'), 200, ok)
  t.equal((await opened.rows('artists')).find(row => row['id'] === 1)?.['pin'], '9876')
  same(await send('PUT', '/artists/1/pin', '9'), 400, validation(['', 'must match the pattern ^[0-9]{4}$']))
  same(await send('PUT', '/artists/1', { pin: '1111' }, { prefer: 'return=representation' }), 200, (await get('/artists/1')).json())
  const absent = { status: 'not_found', error: 'field_not_found', message: "There is no field 'pin'." }
  same(await get('/artists/1/pin'), 404, absent)
  for (const method of ['PATCH', 'DELETE'] as const) same(await send(method, '/artists/1/pin', '1111'), 404, absent)
})

writes('what is not writable is 405 with a true Allow, and OPTIONS agrees', async ({ t, request, send, same }) => {
  const truth: Record<string, string> = {
    '/': 'GET, HEAD, OPTIONS',
    '/artists': 'GET, HEAD, OPTIONS, QUERY, POST',
    '/artists/1': 'GET, HEAD, OPTIONS, PUT, PATCH',
    '/artists/1/name': 'GET, HEAD, OPTIONS, PUT',
    '/artists/1/id': 'GET, HEAD, OPTIONS',
    '/artists/1/old_name': 'GET, HEAD, OPTIONS',
    '/artists/by_name': 'GET, HEAD, OPTIONS',
    '/artists/1/albums': 'GET, HEAD, OPTIONS, QUERY, POST',
    '/albums/7/artist': 'GET, HEAD, OPTIONS, PUT, PATCH',
    '/artists/by_genre/rock': 'GET, HEAD, OPTIONS, QUERY, POST'
  }
  for (const [url, allow] of Object.entries(truth)) {
    same(await request({ method: 'OPTIONS', url }), 204, '', { allow })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const response = await send(method, url, {})
      if (allow.includes(method)) t.not(response.statusCode, 405, `${method} ${url}`)
      else same(response, 405, { error: 'method_not_allowed', message: `${method} is not allowed here. Allowed methods: ${allow}.` }, { allow })
    }
  }
  same(await request({ method: 'OPTIONS', url: '/artists/1' }), 204, '', { 'accept-patch': 'application/json, application/merge-patch+json' })
  same(await request({ method: 'OPTIONS', url: '/artists' }), 204, '', { 'accept-post': 'application/json, application/merge-patch+json' })
})

const allowOf = async ({ request }: Tools, url: string) => String((await request({ method: 'OPTIONS', url })).headers.allow)

writes('strategies of the API decide which methods write', async tools => {
  tools.t.equal(await allowOf(tools, '/artists/1'), 'GET, HEAD, OPTIONS, PATCH, DELETE')
  tools.t.equal(await allowOf(tools, '/artists'), 'GET, HEAD, OPTIONS, QUERY')
  tools.t.equal(await allowOf(tools, '/artists/1/name'), 'GET, HEAD, OPTIONS, PUT')
  tools.same(await tools.send('PUT', '/artists/1', { rating: 1 }), 405, { error: 'method_not_allowed', message: 'PUT is not allowed here. Allowed methods: GET, HEAD, OPTIONS, PATCH, DELETE.' })
}, { requestStrategies: { create: false, update: ['PATCH'], delete: true } })

writes('where nothing may be updated no scalar is', async tools => {
  tools.t.equal(await allowOf(tools, '/artists/1/name'), 'GET, HEAD, OPTIONS')
  tools.t.equal(await allowOf(tools, '/artists/1'), 'GET, HEAD, OPTIONS')
}, { requestStrategies: { update: [] } })

test("a collection's own strategies go before those of the API", async t => {
  const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), width: Type.Integer({ readable: true, writable: true }) })
  const app = Fastify()
  await app.register(dataApi, {
    requestStrategies: { delete: true, update: ['PUT'] },
    collections: {
      ones: collection(Thing, { source: memory([]), requestStrategies: { delete: false } }),
      others: collection(Thing, { source: memory([]) })
    }
  })
  const allow = async (url: string) => (await app.inject({ method: 'OPTIONS', url })).headers.allow
  t.strictSame([await allow('/ones/1'), await allow('/others/1')], ['GET, HEAD, OPTIONS, PUT', 'GET, HEAD, OPTIONS, PUT, DELETE'])
  await app.close()
})

// Upserting and deleting

const upsert = { requestStrategies: { upsert: true } }

writes('an upsert creates the item at that URL with the identifier in the URL: 201 {status: created}', async ({ get, send, same }) => {
  same(await send('PUT', '/artists/Plaid', { email: 'p@example.org' }), 201, { status: 'created' }, { location: undefined })
  same(await send('PUT', '/artists/Plaid', { email: 'p2@example.org' }), 200, ok)
  same(await get('/artists/Plaid?fields=id,name,email'), 200, { id: 4, name: 'Plaid', email: 'p2@example.org' })
  same(await send('PATCH', '/artists/by_email/b@example.org', { name: 'Burial' }), 201, { status: 'created' })
  same(await get('/artists/by_email/b@example.org/name'), 200, 'Burial')
  same(await send('PUT', '/artists/17', { name: 'Seventeen', email: null }), 201, { status: 'created' })
  same(await get('/artists/17/name'), 200, 'Seventeen')
  same(await send('PUT', '/artists/1/albums/20', { title: 'Twenty' }), 201, { status: 'created' })
  same(await get('/albums/20/artist/name'), 200, 'Noisia')
  same(await send('PUT', `/albums/7/tracks/${uuid(5)}`, { title: 'Fifth' }), 201, { status: 'created' })
  same(await get('/albums/7/tracks/Fifth/seconds'), 200, 0)
}, upsert)

writes('an upsert whose body contradicts the URL is 400', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  for (const url of ['/artists/Plaid', '/artists/Noisia', '/artists/by_name/Noisia']) same(await send('PUT', url, { name: 'Else', email: null }), 400, validation(['/name', 'contradicts the URL']))
  same(await send('PUT', '/artists/50', { id: 51, name: 'x', email: null }), 400, validation(['/id', 'contradicts the URL']))
  same(await send('PUT', '/artists/1/albums/20', { title: 'x', artist: { id: 2 } }), 400, validation(['/artist', 'contradicts the URL']))
  t.strictSame(await contents(opened), before)
  same(await send('PUT', '/artists/50', { id: 50, name: 'x', email: null }), 201, { status: 'created' })
}, upsert)

writes('what must be there must be there on an upsert that creates', async ({ send, same }) => {
  same(await send('PUT', '/artists/Plaid', { rating: 1 }), 400, validation(['/email', 'is required']))
  same(await send('PUT', '/artists/Noisia', { rating: 1 }), 200, ok)
}, upsert)

writes('a URL that can be neither edited nor created is 404', async ({ send, same }) => {
  const nowhere = { '/artists/me': 'me', '/artists/by_slug/x': 'x', '/artists/by_id/x': 'x', '/artists/99/albums/7/artist': '99', '/artists/by_old_name/none/Plaid': 'Plaid' }
  for (const [url, segment] of Object.entries(nowhere)) same(await send('PUT', url, { rating: 1 }), 404, missing(segment))
  same(await send('PUT', '/artists/3/label', { city: 'x' }), 404, missing('label'))
  same(await send('PUT', '/artists/99/albums/7', { title: 'x' }), 404, missing('99'))
  same(await send('PUT', '/artists/Plaid/rating', 1), 404, missing('Plaid'))
}, upsert)

writes('without the strategy nothing is created', async ({ send, same }) => {
  same(await send('PUT', '/artists/Plaid', { email: null }), 404, missing('Plaid'))
})

const deletes = { requestStrategies: { delete: true } }

writes('DELETE is 200 {status: ok}, and then 404', async ({ get, send, same }) => {
  same(await send('DELETE', '/artists/3'), 200, ok)
  same(await send('DELETE', '/artists/3'), 404, missing('3'))
  same(await send('DELETE', '/albums/7'), 200, ok)
  same(await get('/albums/7'), 404, missing('7'))
  same(await send('DELETE', '/artists/1/albums/8'), 404, missing('8'))
  same(await send('DELETE', '/artists'), 405, { error: 'method_not_allowed', message: 'DELETE is not allowed here. Allowed methods: GET, HEAD, OPTIONS, QUERY, POST.' })
}, deletes)

writes('an item that others refer to is 409 reference', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  same(await send('DELETE', '/artists/1'), 409, { status: 'conflict', error: 'reference', message: 'Other items still refer to this item.', fields: [] })
  same(await send('DELETE', '/labels/VSN'), 409, { status: 'conflict', error: 'reference', message: 'Other items still refer to this item.', fields: [] })
  t.strictSame(await contents(opened), before)
}, deletes)

writes('a duplicate is 409, naming the field', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  const duplicate = (field: string) => ({ status: 'conflict', error: 'duplicate', message: `An item with the same '${field}' already exists.`, fields: [field] })
  same(await send('PUT', '/artists/1', { name: 'Can' }), 409, duplicate('name'))
  same(await send('PUT', '/artists/1/email', 'can@example.org'), 409, duplicate('email'))
  same(await send('POST', '/labels', { code: 'VSN' }), 409, duplicate('code'))
  same(await send('PUT', '/labels/1/code', 'SPOON'), 409, duplicate('code'))
  t.strictSame(await contents(opened), before)
})

test('a check or not-null that the schema does not know of is 400 constraint', async t => {
  const db = sqlite(':memory:')
  db.exec('create table things (id integer primary key, width integer check (width < 10), made_by text not null) strict')
  const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), width: Type.Integer({ readable: true, writable: true }), madeBy: Type.Optional(Type.String({ readable: true, writable: true })) })
  const app = Fastify()
  await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things', { columns: 'snake_case' }) }) } })
  const post = async (payload: object) => (await app.inject({ method: 'POST', url: '/things', payload })).json()
  t.strictSame(await post({ width: 1 }), { error: 'constraint', message: "The database does not accept this item because of 'made_by'.", fields: ['made_by'] })
  t.strictSame(await post({ width: 10, made_by: 'x' }), { error: 'constraint', message: "The database does not accept this item because of 'width'.", fields: ['width'] })
  await app.close()
  db.close()
})

// Setters and hooks

writes('a setter may change other fields of the item, and may reject the value: 400 {error: argument, message}', async ({ get, send, same }) => {
  same(await send('PUT', '/artists/1/name', 'Vision'), 200, ok)
  same(await get('/artists/1?fields=name,old_name'), 200, { name: 'Vision', old_name: 'Noisia' })
  same(await send('PUT', '/artists/1/name', 'forbidden'), 400, { error: 'argument', message: 'An artist cannot be named so.' })
  same(await send('PATCH', '/artists/1', { rating: 1, name: 'forbidden' }), 400, { error: 'argument', message: 'An artist cannot be named so.' })
  same(await get('/artists/1?fields=name,rating'), 200, { name: 'Vision', rating: 5 })
})

test('hooks run in their order: setters, then creating, updating or deleting, then saved', async t => {
  const noted: string[] = []
  for (const open of Object.values(openers)) {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { collections: shop(noted)(opened.source), ...deletes })
    const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => app.inject({ method, url, ...payload && { payload } })
    await send('POST', '/artists', { name: 'A', email: null })
    await send('PUT', '/artists/A', { name: 'B' })
    await send('PUT', '/artists/B', { name: 'B', rating: 5 })
    await send('DELETE', '/artists/B')
    await send('PUT', '/labels/1', { artists: [{ id: 2 }] })
    t.strictSame(noted.splice(0), ['name A', 'creating A', 'saved created 4 A', 'name B', 'updating A B', 'saved updated 4 B', 'updating B B', 'deleting B', 'saved deleted 4 B', 'updating Can Can', 'saved updated 2 Can'])
    await app.close()
    await opened.close()
  }
})

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  a: Type.Optional(Type.Integer({ readable: true, writable: true })),
  b: Type.Optional(Type.Integer({ readable: true, writable: true })),
  trace: Type.Optional(Type.String({ readable: true })),
  at: Type.Optional(Type.String({ format: 'date-time', readable: true }))
})

everySource('setters run in the order of the body, hooks and setters may wait, and what they change is written together', async ({ get, send, same }) => {
  same(await send('PUT', '/notes/1', { b: 1, a: 2 }), 200, ok)
  same(await get('/notes/1'), 200, { id: 1, a: 2, b: 1, trace: 'b1a2!', at: '2026-01-02T03:04:05.006Z' })
  same(await send('PUT', '/notes/1', { a: null }), 200, ok)
  same(await get('/notes/1'), 200, { id: 1, a: null, b: 1, trace: 'b1a2!aundefined!', at: '2026-01-02T03:04:05.006Z' })
}, {}, {
  tables: { notes: [{ id: 1, a: 0, b: 0, trace: '', at: null }, { id: 2, a: 1, b: 1, trace: 'x', at: '2026-01-02T03:04:05.006Z' }] },
  collections: source => ({
    notes: collection(Note, {
      source: source('notes'),
      setters: {
        async a (note, value) { await new Promise(resolve => setTimeout(resolve, 2)); note.trace = `${note.trace ?? ''}a${value}`; note.a = value },
        b (note, value) { note.trace = `${note.trace ?? ''}b${value}`; note.b = value }
      },
      hooks: {
        async updating (note, before) {
          await Promise.resolve()
          note.trace = `${note.trace}!`
          // A Date is taken as its text.
          Object.assign(note, { at: new Date('2026-01-02T03:04:05.006Z') })
          if (before.id !== note.id) throw new Error('the item is another')
        }
      }
    })
  })
})

everySource('a value that no field takes is the application\'s own error', async ({ t, get, send }) => {
  const before = (await get('/notes')).body
  t.equal((await send('PUT', '/notes/1', { a: 1 })).statusCode, 500)
  t.equal((await get('/notes')).body, before)
}, {}, {
  tables: { notes: [{ id: 1, a: 0, b: 0, trace: '', at: null }, { id: 2, a: 1, b: 1, trace: 'x', at: '2026-01-02T03:04:05.006Z' }] },
  collections: source => ({ notes: collection(Note, { source: source('notes'), setters: { a (note) { Object.assign(note, { trace: 5 }) } } }) })
})

test('setters and hooks get the transaction, so that their own statements join it', async t => {
  const db = sqlite(':memory:')
  db.exec('create table notes (id integer primary key, a integer, b integer, trace text, at text) strict; create table log (line text) strict')
  const log = async ({ transaction }: WriteContext, line: string) => { await transaction.query('insert into log values (?)', [line]) }
  const app = Fastify()
  await app.register(dataApi, {
    collections: {
      notes: collection(Note, {
        source: db.table('notes'),
        hooks: {
          async creating (note, context) {
            t.equal(context.transaction.kind, 'sqlite')
            await log(context, `creating ${note.a}`)
            t.strictSame((await context.transaction.query('select count(*) as lines from log')).map(row => ({ ...row })), [{ lines: note.a }])
            if (note.a === 2) throw new DataApiError('forbidden', 'Not two.')
          }
        }
      })
    }
  })
  t.equal((await app.inject({ method: 'POST', url: '/notes', payload: { a: 1 } })).statusCode, 201)
  const refused = await app.inject({ method: 'POST', url: '/notes', payload: { a: 2 } })
  t.strictSame([refused.statusCode, refused.json()], [403, { error: 'forbidden', message: 'Not two.' }])
  t.strictSame(db.driver.prepare('select line from log').all().map(row => Object.entries(row as object)), [[['line', 'creating 1']]])
  await app.close()
  db.close()
})

test('without a setter no row is read first: one statement writes', async t => {
  const opened = sqlite(':memory:')
  opened.exec('create table notes (id integer primary key, a integer, b integer, trace text, at text) strict; insert into notes (id) values (1)')
  const run: string[] = []
  const counting = new Proxy(opened.driver, {
    get (target, name) {
      if (name === 'prepare') {
        return (text: string) => {
          if (isOfCatalog(text)) return target.prepare(text)
          const statement = target.prepare(text)
          const counted = (kind: 'get' | 'run' | 'all') => (...parameters: unknown[]) => { run.push(text); return statement[kind](...parameters) }
          return { get: counted('get'), run: counted('run'), all: counted('all') }
        }
      }
      if (name === 'exec') return (text: string) => { run.push(text); return target.exec(text) }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) as unknown : value
    }
  })
  const db = sqlite('', { driver: counting })
  const app = Fastify()
  await app.register(dataApi, { requestStrategies: { delete: true }, collections: { notes: collection(Note, { source: db.table('notes') }) } })
  run.length = 0
  for (const [method, url, payload] of [['PUT', '/notes/1', { a: 5 }], ['PUT', '/notes/1/a', 7], ['PATCH', '/notes/1', { a: 1, b: 2 }], ['POST', '/notes', { a: 1 }], ['DELETE', '/notes/1', undefined]] as const) {
    const response = await app.inject({ method, url, headers: payload === undefined ? {} : { 'content-type': 'application/json' }, ...payload !== undefined && { payload: JSON.stringify(payload) } })
    t.ok(response.statusCode < 300, `${method} ${url}`)
    t.strictSame(run.splice(0).length, 1, `${method} ${url}`)
  }
  await app.close()
  opened.close()
})

// Preferences

writes('Prefer: return=representation answers with the item as GET would, and Preference-Applied says so', async ({ t, get, send, same }) => {
  const prefer = { prefer: 'return=representation' }
  const applied = { 'preference-applied': 'return=representation' }
  const updated = await send('PUT', '/artists/1', { rating: 9 }, prefer)
  same(updated, 200, { ...(await get('/artists/1')).json() as object, rating: 9 }, { ...applied, etag: String((await get('/artists/1')).headers.etag) })
  const created = await send('POST', '/artists?fields=name,label(code)', { name: 'New', email: null, label: { id: 1 } }, prefer)
  same(created, 201, { name: 'New', label: { code: 'VSN' } }, { ...applied, location: '/artists/4' })
  t.equal(created.headers.etag, (await get('/artists/4?fields=name,label(code)')).headers.etag)
  same(await send('POST', '/labels?fields=code', [{ code: 'A1' }, { code: 'A2' }], prefer), 201, [{ code: 'A1' }, { code: 'A2' }], applied)
  same(await send('PUT', '/artists/1/rating', 3, prefer), 200, 3, { ...applied, etag: String((await get('/artists/1/rating')).headers.etag) })
  same(await send('PUT', '/artists/Renamed', { email: 'r@example.org' }, prefer), 404, missing('Renamed'))
  same(await send('PUT', '/artists/New/name', 'Renamed', prefer), 200, 'Renamed', applied)
})

writes('return=minimal answers with no body', async ({ send, same }) => {
  const prefer = { prefer: 'return=minimal' }
  const applied = { 'preference-applied': 'return=minimal' }
  same(await send('PUT', '/artists/1', { rating: 9 }, prefer), 204, '', applied)
  same(await send('PUT', '/artists/1/rating', 9, prefer), 204, '', applied)
  same(await send('POST', '/labels', { code: 'NINJA' }, prefer), 201, '', { ...applied, location: '/labels/3' })
  same(await send('DELETE', '/labels/3', undefined, prefer), 204, '', applied)
}, deletes)

writes('a query parameter that a write cannot use is 400', async ({ t, send }) => {
  for (const [url, error] of [['/artists?rating>1', 'invalid_filter'], ['/artists?sort=name', 'invalid_sort'], ['/artists?limit=1', 'invalid_page'], ['/artists?fields=name', 'invalid_fields']] as const) {
    const response = await send('POST', url, { name: 'x', email: null })
    t.strictSame([response.statusCode, response.json().error], [400, error], url)
  }
})

const Order = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  parentId: Type.Optional(Type.Integer({ readable: true, writable: true })),
  makerId: Type.Optional(Type.Integer()),
  parent: SubItem('orders', { foreignKey: 'parentId' }),
  maker: SubItem('orders', { foreignKey: 'makerId', readable: true, writable: true })
})

everySource('a reference to nothing is 409, naming the field by which the client made it', async ({ t, opened, get, send, same }) => {
  const before = await opened.rows('orders')
  const refused = { status: 'conflict', error: 'reference', message: "The item referred to by 'parent_id' does not exist.", fields: ['parent_id'] }
  same(await send('PUT', '/orders/1', { parent_id: 99 }), 409, refused)
  same(await send('PUT', '/orders/1/parent_id', 99), 409, refused)
  same(await send('POST', '/orders', { parent_id: 99 }), 409, refused)
  same(await send('POST', '/orders', [{}, { parent_id: 99 }]), 409, { ...refused, pointer: '/1' })
  same(await send('PUT', '/orders/2', { parent_id: 99, maker: { id: 1 } }), 409, refused)
  t.strictSame(await opened.rows('orders'), before)
  same(await send('PUT', '/orders/2', { parent_id: 1, maker: { id: 2 } }), 200, ok)
  same(await get('/orders/2?fields=parent_id,maker(id)'), 200, { parent_id: 1, maker: { id: 2 } })
}, {}, {
  tables: { orders: [{ id: 1, parentId: null, makerId: null }, { id: 2, parentId: null, makerId: null }] },
  ddl: 'create table orders (id key, "parentId" integer references orders, "makerId" integer references orders)',
  collections: source => ({ orders: collection(Order, { source: source('orders') }) })
})

writes('what the URL gives is held to the schema and to the setter as if the body gave it', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  same(await send('PUT', '/labels/X', {}), 400, validation(['/code', 'must have at least 2 characters']))
  same(await send('POST', '/artists/by_rating/99', { name: 'Loud', email: null }), 400, validation(['/rating', 'must be at most 10']))
  same(await send('PUT', '/artists/forbidden', { email: null }), 400, { error: 'argument', message: 'An artist cannot be named so.' })
  t.strictSame(await contents(opened), before)
}, upsert)

writes('a body may repeat the parent that the URL names', async ({ get, send, same }) => {
  same(await send('POST', '/labels/1/artists', { name: 'Twice', email: null, label: { code: 'VSN' } }), 201, { status: 'created', id: 4 })
  same(await send('PUT', '/labels/VSN/artists/Twice', (await get('/labels/VSN/artists/Twice')).json()), 200, ok)
  for (const url of ['/labels/1/artists/Twice', '/labels/1/artists/Thrice']) same(await send('PUT', url, { email: null, label: { id: 2 } }), 400, validation(['/label', 'contradicts the URL']))
  same(await send('POST', '/labels/1/artists', { name: 'Else', email: null, label: { code: 'NEWER' } }), 400, validation(['/label', 'contradicts the URL']))
}, upsert)

writes('every identifier that another item has is named', async ({ send, same }) => {
  const duplicate = { status: 'conflict', error: 'duplicate', message: "An item with the same 'name' and 'email' already exists.", fields: ['name', 'email'] }
  same(await send('POST', '/artists', { email: 'noisia@example.org', name: 'Can' }), 409, duplicate)
  same(await send('PUT', '/artists/3', { email: 'noisia@example.org', name: 'Can' }), 409, duplicate)
  same(await send('POST', '/tracks', { id: uuid(2), title: 'Intro' }), 409, { status: 'conflict', error: 'duplicate', message: "An item with the same 'id' and 'title' already exists.", fields: ['id', 'title'] })
  same(await send('PUT', '/labels/1', { code: 'SPOON' }), 409, { status: 'conflict', error: 'duplicate', message: "An item with the same 'code' already exists.", fields: ['code'] })
})

writes('values at their edges are taken or refused, on every source alike', async ({ request, send, same }) => {
  same(await send('POST', '/tracks', { title: 'Late', played_at: '9999-12-31T23:59:59-01:00' }), 400, validation(['/played_at', "must be a date and time with a time zone and at most milliseconds, such as 2001-12-31T23:59:59.999Z or null; found the string '9999-12-31T23:59:59-01:00'"]))
  same(await send('PUT', '/labels/9007199254740991', { code: 'BIG' }), 400, { error: 'constraint', message: "The database does not accept this item because of 'id'.", fields: ['id'] })
  same(await request({ method: 'PUT', url: '/artists/1', headers: { 'content-type': 'application/json' }, payload: '{"old_name":1e400}' }), 400, validation(['/old_name', 'cannot be written, and differs from the current value']))
  for (const [tags, found] of [['["a\\u0000"]', 'an array'], ['["\\ud800"]', 'an array'], ['[1e400]', 'an array'], ['{"a\\u0000":1}', 'an object']] as const) {
    same(await request({ method: 'PUT', url: '/artists/1/tags', headers: { 'content-type': 'application/json' }, payload: tags }), 400, validation(['', `must be valid JSON without NUL characters and with finite numbers; found ${found}`]))
  }
}, upsert)

const Counted = Type.Object({ id: Type.Integer({ identifier: true, readable: true, writable: true }), word: Type.Optional(Type.String({ readable: true, writable: true })) })

everySource('a key that would leave nothing to count on with is refused, however it is written', async ({ send, same }) => {
  const refused = { error: 'constraint', message: "The database does not accept this item because of 'id'.", fields: ['id'] }
  same(await send('POST', '/counted', { id: Number.MAX_SAFE_INTEGER }), 400, refused)
  same(await send('PUT', '/counted/1/id', Number.MAX_SAFE_INTEGER), 400, refused)
  same(await send('PUT', '/counted/1', { id: 2 ** 52 + 1 }, { prefer: 'return=representation' }), 400, refused)
  same(await send('POST', '/counted', [{}, { id: 2 ** 53 - 2 }]), 400, { ...refused, pointer: '/1' })
  same(await send('PUT', '/counted/1/id', 2 ** 52), 200, { status: 'ok' })
  same(await send('POST', '/counted', {}), 201, { status: 'created', id: 2 ** 52 + 1 })
}, {}, { tables: { counted: [{ id: 1, word: null }] }, ddl: 'create table counted (id key, word text) strict', collections: source => ({ counted: collection(Counted, { source: source('counted') }) }) })

const Loose = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  word: Type.Optional(Type.Union([Type.String(), Type.Null()], { readable: true, writable: true })),
  needed: Type.Union([Type.String(), Type.Null()], { readable: true, writable: true })
})

everySource('a field that is optional may be left out of a create, whether its values may be null or not', async ({ get, send, same }) => {
  same(await send('POST', '/loose', { needed: null }), 201, { status: 'created', id: 2 })
  same(await send('POST', '/loose', [{ needed: 'a', word: null }, { needed: 'b', word: 'c' }]), 201, [{ status: 'created', id: 3 }, { status: 'created', id: 4 }])
  same(await send('POST', '/loose', { word: 'd' }), 400, validation(['/needed', 'is required']))
  same(await get('/loose?offset=1&fields=word'), 200, [{ word: null }, { word: null }, { word: 'c' }])
}, {}, {
  tables: { loose: [{ id: 1, word: null, needed: null }] },
  ddl: 'create table loose (id key, word text, needed text) strict',
  collections: source => ({ loose: collection(Loose, { source: source('loose') }) })
})

writes('a value for a field that cannot be written is 400 in a create, of whatever type it is', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  for (const id of ['x', 1.5, true, {}, [], 9]) {
    same(await send('POST', '/labels', { code: 'NEW', id }), 400, validation(['/id', 'cannot be written']))
  }
  t.strictSame(await contents(opened), before)
})
