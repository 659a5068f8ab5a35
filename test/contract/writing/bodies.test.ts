import { Type } from '@sinclair/typebox'
import Fastify from '../../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../../lib/index.ts'
import { contents, uuid } from '../../fixtures/shop.ts'
import { everySource } from '../../helpers/every-source.ts'
import { upsert, writes } from '../../helpers/shop-writes.ts'
import { constraint, created, ok, validation } from '../../helpers/answers.ts'

// docs/http.md: Writing

writes('bodies are JSON; another content type is 415, also that of a merge patch', async ({ request, same }) => {
  const expected = {
    error: 'unsupported_media_type',
    message: "The 'Content-Type' of the body must be application/json."
  }
  for (const type of ['text/plain', 'application/json; charset=utf-16', 'application/merge-patch+json', '']) {
    same(await request({
      method: 'PUT', url: '/artists/1', headers: { 'content-type': type }, payload: '{"rating":1}'
    }), 415, expected, { accept: 'application/json' })
  }
})

writes('JSON is taken however its type is written', async ({ request, same, get }) => {
  for (const [index, type] of [
    'application/json', 'Application/JSON; charset=UTF-8', ' application/json ;x=y',
    'application/json; charset="utf-8"'
  ].entries()) {
    same(await request({
      method: 'PATCH', url: '/artists/1', headers: { 'content-type': type }, payload: `{"rating":${index}}`
    }), 200, ok)
    same(await get('/artists/1/rating'), 200, index)
  }
})

writes('broken JSON is 400', async ({ t, request }) => {
  for (const payload of [
    '{', '{"rating":1}x', '\'x\'', 'nul', '{"rating":01}', '\uFEFF', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    `${'['.repeat(33)}${']'.repeat(33)}`, '['.repeat(500000)
  ]) {
    const response = await request({
      method: 'PUT', url: '/artists/1', headers: { 'content-type': 'application/json' }, payload
    })
    t.strictSame([response.statusCode, response.json().error], [400, 'malformed_body'], String(payload).slice(0, 20))
  }
})

writes('a write without a body is 400', async ({ request, same }) => {
  same(await request({ method: 'PUT', url: '/artists/1' }), 400,
    { error: 'malformed_body', message: 'The body is empty; send the fields to change.' })
  same(await request({ method: 'PUT', url: '/artists/1/rating', headers: { 'content-type': 'application/json' } }), 400,
    { error: 'malformed_body', message: 'The body is empty; send the value as JSON.' })
  same(await request({ method: 'POST', url: '/artists' }), 400, {
    error: 'malformed_body', message: 'The body is empty; send the item as JSON: {} if its fields all have defaults.'
  })
})

writes('a body over the limit is 413, in bytes and in items', async ({ t, send }) => {
  for (const body of [
    { name: 'x'.repeat(2 ** 20) }, Array.from({ length: 4 }, (_, n) => ({ code: `L${n}` })),
    [{ code: 'LX', artists: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }]
  ]) {
    const response = await send('POST', '/labels', body)
    t.strictSame([response.statusCode, response.json().error], [413, 'content_too_large'])
  }
  t.equal((await send('POST', '/labels', [{ code: 'L1' }, { code: 'L2' }, { code: 'L3' }])).statusCode, 201)
}, { bodies: { items: 3 } })

writes('an unknown member, or one that is not writable, is 400 naming every offender, and nothing is written', async ({
  t, opened, send, same
}) => {
  const before = await contents(opened)
  same(await send('PUT', '/artists/1', { nmae: 'x', rating: 1, old_name: 'y', oldName: 1, label_id: 2, id: 9 }),
    400, validation(
      ['/nmae', "there is no such field; did you mean 'name'?"], [
        '/oldName', "there is no such field; did you mean 'old_name'?"
      ], ['/label_id', 'there is no such field'],
      ['/old_name', 'cannot be written, and differs from the current value'], [
        '/id', 'cannot be written, and differs from the current value'
      ]
    ))
  same(await send('POST', '/artists',
    JSON.parse('{"name":"x","email":null,"__proto__":{"rating":1},"constructor":1,"id":9,"a/b~c":1}')), 400, validation(
    ['/__proto__', 'there is no such field'], ['/constructor', 'there is no such field'], ['/id', 'cannot be written'],
    ['/a~1b~0c', 'there is no such field']
  ))
  t.strictSame(await contents(opened), before)
})

writes('a read-only member whose value equals the current one is let through, so GET, edit, PUT works', async ({
  get, send, same
}) => {
  for (const url of ['/artists/1', '/albums/7', '/labels/1', `/tracks/${uuid(1)}`]) {
    const item = (await get(url)).json()
    same(await send('PUT', url, item), 200, ok)
    same(await get(url), 200, item)
  }
  const track = (await get('/tracks/Intro')).json()
  same(await send('PUT', '/tracks/Intro', { ...track, title: 'Outro' }), 200, ok)
  same(await get('/tracks/Outro'), 200, { ...track, title: 'Outro' })
  same(await send('PUT', '/tracks/Outro', { ...track, seconds: 91 }), 400,
    validation(['/seconds', 'cannot be written, and differs from the current value']))
})

writes('the body is validated strictly against the schema, and all violations stand in one 400', async ({
  t, opened, request, send, same
}) => {
  const before = await contents(opened)
  same(await send('PUT', '/artists/1', {
    name: '', email: 5, born: '2001-02-30', rating: '5', active: 'true', tags: [1, 'x', null], pin: '12', genre: 'pop'
  }), 400, validation(
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
  for (const [body, message] of [
    [{ rating: 10.5 }, 'must be at most 10'],
    [{ rating: null }, 'must be a number; found null'],
    [{ name: null }, 'must be a string of valid Unicode without NUL characters; found null'],
    [{ name: ['x'] }, 'must be a string of valid Unicode without NUL characters; found an array'],
    [{ active: 0 }, 'must be true or false; found the number 0'],
    [{ name: 'a\0b' }, "must be a string of valid Unicode without NUL characters; found the string 'a\0b'"],
    [{ name: '\ud800' }, "must be a string of valid Unicode without NUL characters; found the string '\ud800'"]
  ] as const) {
    same(await send('PUT', '/artists/1', body), 400, validation([`/${Object.keys(body)[0]}`, message]))
  }
  for (const [body, found] of [[1, 'the number 1'], [
    'x', "the string 'x'"
  ], ['x'.repeat(51), 'a string of 51 characters'], [true, 'true'], [null, 'null'], [[{}], 'an array']]) {
    same(await send('PUT', '/artists/1', body), 400, validation(['', `must be an object; found ${String(found)}`]))
  }
  same(await request({
    method: 'PUT', url: '/albums/7/year', headers: { 'content-type': 'application/json' }, payload: '9007199254740993'
  }), 400,
  validation(['', 'must be an integer between -9007199254740991 and 9007199254740991; found a number out of range']))
  t.strictSame(await contents(opened), before)
})

test("the host's Ajv settings do not leak in", async t => {
  const app = Fastify({
    ajv: { customOptions: { coerceTypes: 'array', removeAdditional: 'all', useDefaults: true, allErrors: false } }
  })
  app.setValidatorCompiler(() => () => true)
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), width: Type.Integer({ readable: true, writable: true })
  })
  await app.register(dataApi, { collections: { things: collection(Thing, { source: memory([{ id: 1, width: 1 }]) }) } })
  const response = await app.inject({ method: 'PUT', url: '/things/1', payload: { width: '2', more: 1 } })
  t.strictSame([response.statusCode, response.json().details.length], [400, 2])
})

writes('a value is stored in its canonical form', async ({ get, send, same }) => {
  same(await send('POST', '/tracks', {
    title: 'Outro', played_at: '2024-05-06T09:08:07+02:00', id: 'ABCDEF00-0000-4000-8000-000000000001'
  }), 201, created('abcdef00-0000-4000-8000-000000000001'))
  same(await get('/tracks/Outro?fields=id,played_at'), 200,
    { id: 'abcdef00-0000-4000-8000-000000000001', played_at: '2024-05-06T07:08:07.000Z' })
  same(await send('PUT', '/artists/1', { rating: -0 }), 200, ok)
  same(await get('/artists/1/rating'), 200, 0)
})

writes('values at their edges are taken or refused, on every source alike', async ({ request, send, same }) => {
  same(await send('POST', '/tracks', { title: 'Late', played_at: '9999-12-31T23:59:59-01:00' }), 400,
    validation(
      [
        '/played_at',
        'must be a date and time with a time zone and at most milliseconds, such as 2001-12-31T23:59:59.999Z or ' +
          "null; found the string '9999-12-31T23:59:59-01:00'"
      ]
    ))
  same(await send('PUT', '/labels/9007199254740991', { code: 'BIG' }), 400,
    constraint('id'))
  same(await request({
    method: 'PUT', url: '/artists/1', headers: { 'content-type': 'application/json' }, payload: '{"old_name":1e400}'
  }), 400, validation(['/old_name', 'cannot be written, and differs from the current value']))
  const [nul, half] = ['must not contain a NUL character', 'must not contain half of a surrogate pair']
  const beyond = 'must be within the range of a double'
  for (const [tags, ...mistakes] of [
    ['["a","a\\u0000"]', ['/1', nul]],
    ['{"x":[{"a/b":"\\ud800"},1e400],"y":-1e400}', ['/x/0/a~1b', half], ['/x/1', beyond], ['/y', beyond]],
    ['{"a\\u0000":"\\udc00"}', ['/a\0', 'has a name that contains a NUL character'], ['/a\0', half]],
    ['"\\u0000"', ['', nul]]
  ] as const) {
    for (const [method, url, payload, at] of [
      ['PUT', '/artists/1/tags', tags, ''],
      ['PATCH', '/artists/1', `{"tags":${tags}}`, '/tags'],
      ['POST', '/labels', `[{"code":"N2","artists":[{"name":"x","email":null,"tags":${tags}}]}]`, '/0/artists/0/tags']
    ] as const) {
      same(await request({ method, url, headers: { 'content-type': 'application/json' }, payload }), 400,
        validation(...mistakes.map(([pointer, message]) => [at + pointer, message] as const)))
    }
  }
}, upsert)

writes('a value for a field that cannot be written is 400 in a create, of whatever type it is', async ({
  t, opened, send, same
}) => {
  const before = await contents(opened)
  for (const id of ['x', 1.5, true, {}, [], 9]) {
    same(await send('POST', '/labels', { code: 'NEW', id }), 400, validation(['/id', 'cannot be written']))
  }
  t.strictSame(await contents(opened), before)
})

const wordOrNull = Type.Optional(Type.Union([Type.String(), Type.Null()], { readable: true, writable: true }))

everySource('a field may have the name of a member that every object inherits', async ({ get, send, same }) => {
  same(await send('POST', '/odd', {}), 201, created(1))
  same(await send('PATCH', '/odd/1', { toString: 'x' }), 200, ok)
  same(await send('PUT', '/odd/1', { constructor: 'y', doc: { valueOf: 1 } }), 200, ok)
  same(await get('/odd/1'), 200, { id: 1, constructor: 'y', toString: 'x', doc: { valueOf: 1 } })
  same(await send('PATCH', '/odd/1', { doc: {} }), 400, validation(['/doc', "must have the member 'valueOf'"]))
}, { naming: 'none' }, {
  tables: { odd: [] },
  ddl: 'create table odd (id key, constructor text, "toString" text, doc json) strict',
  collections: source => ({
    odd: collection(Type.Object({
      id: Type.Integer({ identifier: true, readable: true }),
      constructor: wordOrNull,
      toString: wordOrNull,
      doc: Type.Optional(Type.Object({ valueOf: Type.Integer() }, { readable: true, writable: true }))
    }), { source: source('odd') })
  })
})
