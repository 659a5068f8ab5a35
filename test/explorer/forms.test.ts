import fc, { runsOf } from '../helpers/fast-check.ts'
import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, input, memory } from '../../lib/index.ts'
import { serve, valuesOf } from '../helpers/explorer-forms.ts'
import { explore, sent } from '../helpers/explorer-pages.ts'

// docs/explorer.md: Forms.

test('a form creates an item, and leads to it', async t => {
  const { get, post, json } = await serve()
  const { status, body } = await get('/api/artists?_new')
  t.equal(status, 200)
  const created = await post('/api/artists', {
    ...valuesOf(body), name: 'Noisia', founded: '2003', active: 'true', tags: '["a"]', label: 'Vision', notes: ''
  })
  t.strictSame([created.status, created.location], [303, '/api/artists/by_id/3?_done=created'])
  t.hasStrict(await json('/api/artists/3'), {
    name: 'Noisia', founded: 2003, active: true, notes: '', tags: ['a'], born: null, label: { id: 2, name: 'Vision' }
  })
})

test('a form that changes nothing writes nothing, and one change writes one member', async t => {
  const { get, post, json } = await serve()
  const before = await json('/api/artists/1')
  const form = valuesOf((await get('/api/artists/1?_edit')).body)
  t.equal((await post('/api/artists/1', form)).location, '/api/artists/1?_done=unchanged')
  t.strictSame(await json('/api/artists/1'), before)
  t.equal((await post('/api/artists/1', { ...form, founded: '' })).location, '/api/artists/1?_done=saved')
  t.strictSame(await json('/api/artists/1'), { ...before, founded: null })
})

const required = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

test('a form that is sent twice is done once, and leads where it led', async t => {
  const { get, post, json } = await serve({
    idempotency: {}, requestStrategies: { requireIdempotencyKey: [...required] }
  })
  const twice = async (url: string, form: Record<string, string>) => {
    const first = await post(url, form)
    t.equal(first.status, 303)
    t.strictSame(await post(url, form), first)
  }
  const form = valuesOf((await get('/api/albums?_new')).body)
  t.match(form['_key'], /^[0-9a-f-]{36}$/)
  t.not(valuesOf((await get('/api/albums?_new')).body)['_key'], form['_key'])
  await twice('/api/albums', { ...form, title: 'Ege Bamyasi' })
  t.equal((await json('/api/albums')).length, 3)
  await twice('/api/albums', { ...form, title: 'Soundtracks' })
  t.equal((await json('/api/albums')).length, 4, 'another text in the same form is another write')
  await twice('/api/artists/1', { ...valuesOf((await get('/api/artists/1?_edit')).body), founded: '1969' })
  await twice('/api/artists/2', valuesOf((await get('/api/artists/2?_delete')).body))
  t.equal((await json('/api/artists')).length, 1)
  await twice('/api/artists/1/albums', { _link: '8' })
  t.equal((await post('/api/artists/1/albums/8', { _method: 'DELETE' })).status, 303)
  t.equal((await json('/api/artists/1/albums')).length, 1)
})

test('a form of a caller who sends no keys has none', async t => {
  const { get, post } = await serve({ idempotency: { caller: () => null } })
  const form = valuesOf((await get('/api/albums?_new')).body)
  t.notOk('_key' in form)
  t.equal((await post('/api/albums', { ...form, title: 'Ege Bamyasi', _key: 'mine' })).status, 303)
})

test('after a change of its name an item is found by its key', async t => {
  const { get, post } = await serve()
  const form = valuesOf((await get('/api/artists/Can?_edit')).body)
  t.equal((await post('/api/artists/Can', { ...form, name: 'CAN' })).location, '/api/artists/1?_done=saved')
})

test('faults stand beside their fields, with what was typed', async t => {
  const { get, post } = await serve()
  const form = valuesOf((await get('/api/artists/1?_edit')).body)
  const { status, body } = await post('/api/artists/1', {
    ...form, name: '', founded: 'soon', tags: '[', label: 'Nobody'
  })
  t.equal(status, 400)
  t.match(body, /name="tags"[^>]*aria-invalid="true"/)
  t.match(body, /An item was not found with the identifier &#39;Nobody&#39;/)
  t.match(body, 'value="soon"')
  const { body: second } = await post('/api/artists/1', { ...form, name: '', founded: 'soon' })
  for (const name of ['founded', 'name']) {
    t.match(second, new RegExp(`name="${name}" aria-describedby="hint-${name} fault-${name}" aria-invalid="true"`))
  }
  for (const [name, status, told] of [
    ['Taken', 400, 'This name is taken.'], ['Ada', 409, /<a href="#field-name">name<\/a>/]
  ] as const) t.match(await post('/api/artists/1', { ...form, name }), { status, body: told })
})

test('a page asks before an item is deleted', async t => {
  const { app, get, post } = await serve()
  const form = valuesOf((await get('/api/artists/2?_delete')).body)
  t.equal((await get('/api/artists/2')).status, 200)
  await app.inject({ method: 'PATCH', url: '/api/artists/2', payload: { founded: 1970 } })
  t.equal((await post('/api/artists/2', form)).status, 412)
  const again = valuesOf((await get('/api/artists/2?_delete')).body)
  t.equal((await post('/api/artists/2', again)).location, '/api/artists?_done=deleted')
  t.equal((await get('/api/artists/2')).status, 404)
})

test('links are made by any identifier, and unmade without deleting', async t => {
  const { get, post, json } = await serve()
  t.match((await get('/api/artists/1/albums')).body, 'name="_link"')
  const linked = await post('/api/artists/1/albums', { _link: '8' })
  t.equal(linked.location, '/api/artists/1/albums?_done=linked')
  t.equal((await json('/api/artists/1/albums')).length, 2)
  const unlinked = await post('/api/artists/1/albums/8', { _method: 'DELETE' })
  t.equal(unlinked.location, '/api/artists/1/albums?_done=unlinked')
  t.equal((await json('/api/artists/1/albums')).length, 1)
  t.equal((await json('/api/albums/8'))['title'], 'Future Days')
  t.equal((await post('/api/artists/1/albums', { _link: '99' })).status, 404)
})

test('only a page of this API can send a form', async t => {
  const { app, json } = await serve({ baseUrl: 'https://public.example/api' })
  const { 'sec-fetch-site': _, ...headers } = sent
  for (const [more, status] of [
    [{ 'sec-fetch-site': 'same-origin' }, 303],
    [{ 'sec-fetch-site': 'none' }, 303],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:80' }, 403],
    [{ 'sec-fetch-site': 'Same-Origin' }, 403],
    [{ 'sec-fetch-site': '' }, 403],
    [{ origin: 'http://localhost' }, 303],
    [{ origin: 'https://public.example' }, 303],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'https://public.example.evil.example' }, 403],
    [{}, 403],
    // Another client, as without the explorer.
    [{ 'sec-fetch-site': 'same-origin', accept: '*/*' }, 415],
    [{ 'sec-fetch-site': 'same-origin', 'x-http-method-override': 'QUERY' }, 406]
  ] as const) {
    const { statusCode } = await app.inject({
      method: 'POST', url: '/api/artists', headers: { ...headers, ...more }, payload: `name=${Math.random()}`
    })
    t.equal(statusCode, status, JSON.stringify(more))
  }
  t.equal((await json('/api/artists')).length, 6)
})

test('who may not write gets no form, and a form that is sent anyway writes nothing', async t => {
  const { get, post, json } = await serve({}, {
    rules: { create: () => false, update: () => false, delete: () => false }
  })
  t.notMatch((await get('/api/artists')).body, '?_new')
  t.notMatch((await get('/api/artists/1')).body, /\?_(edit|delete)/)
  for (const url of ['/api/artists?_new', '/api/artists/1?_edit', '/api/artists/1?_delete']) {
    t.equal((await get(url)).status, 403, url)
  }
  t.equal((await post('/api/artists', { name: 'x' })).status, 403)
  t.equal((await post('/api/artists/1', { _method: 'PATCH', name: 'x' })).status, 403)
  t.equal((await post('/api/artists/1', { _method: 'DELETE' })).status, 403)
  t.equal((await json('/api/artists')).length, 2)
  t.equal((await post('/api/artists/1', { _method: 'TRACE' })).status, 400)
})

test('a page of two APIs that differ in what the caller may not see is the same', async t => {
  const hiding = { rules: { fields: { notes: { read: () => false, write: () => false } } } }
  const { get } = await serve({}, hiding)
  const { json, get: getOther } = await serve({}, hiding, 'another text')
  t.notMatch(JSON.stringify(await json('/api/artists/1')), 'another text')
  const urls = [
    '/api', '/api/artists', '/api/artists/1', '/api/artists/1?_edit', '/api/artists?_new', '/api/artists?notes=a'
  ]
  for (const url of urls) {
    const page = (await get(url)).body
    t.equal(page, (await getOther(url)).body, url)
    t.notMatch(page.replaceAll(/<style>[^]*?<\/style>/g, ''), url.includes('notes') ? 'a\nb' : 'notes', url)
  }
})

test('a form and a body in JSON leave the same rows', async t => {
  const values = fc.record({
    name: fc.string({ minLength: 1, unit: 'grapheme' }),
    founded: fc.option(fc.integer()),
    active: fc.boolean(),
    notes: fc.string({ unit: 'grapheme' }),
    tags: fc.array(fc.string({ unit: 'grapheme' })),
    born: fc.option(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }))
  }).filter(({ name, notes, tags }) => ![name, notes, ...tags].some(text => /[\0\r\p{Surrogate}]/u.test(text)))
  const [byForm, byJson] = [await serve(), await serve()]
  await fc.assert(fc.asyncProperty(values, async ({ born, ...item }) => {
    const day = born?.toISOString().slice(0, 10) ?? null
    await byJson.app.inject({ method: 'PATCH', url: '/api/artists/by_id/1', payload: { ...item, born: day } })
    const { body } = await byForm.get('/api/artists/by_id/1?_edit')
    await byForm.post('/api/artists/by_id/1', {
      ...valuesOf(body),
      ...item,
      founded: item.founded === null ? '' : String(item.founded),
      active: String(item.active),
      tags: JSON.stringify(item.tags),
      born: day ?? ''
    })
    const { renamed: _, ...one } = await byForm.json('/api/artists/by_id/1')
    const { renamed: __, ...other } = await byJson.json('/api/artists/by_id/1')
    t.strictSame(one, other)
  }), { numRuns: runsOf(30) })
})

test('a form has the inputs of its collection, and never shows the text of a password', async t => {
  const User = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), hash: Type.String() })
  const users = collection(User, {
    source: memory([{ id: 1, hash: 'old' }]),
    inputs: {
      password: input({
        type: Type.String({ format: 'password', minLength: 8 }), set (user, value) { user.hash = value }
      }),
      age: input({ type: Type.Optional(Type.Integer()), set () {} })
    }
  })
  const { app, post, page } = await explore({ collections: { users } })
  const body = await page('/users?_new')
  t.match(body, /<input id="field-password" name="password"[^>]* required type="password" autocomplete="new-password"/)
  t.match(body, /<input id="field-age"[^>]* inputmode="numeric"/)
  const refused = await post('/users', { _method: 'POST', password: 'secret', age: '' })
  t.match(refused, { status: 400, body: /must have at least 8 characters/ })
  t.notMatch(refused.body, /secret/)
  t.equal((await post('/users', { _method: 'POST', password: 'long enough', age: '' })).status, 303)
  t.match(await page('/users/1?_edit'), /type="password"/)
  t.equal((await post('/users/1', { _method: 'PATCH', password: 'changed one' })).status, 303)
  const { items } = await app.dataApi.asSystem().collection(users).list()
  t.strictSame(items, [{ id: 1, hash: 'changed one' }, { id: 2, hash: 'long enough' }])
})

test('a new item begins as another one, without its identifiers', async t => {
  const shown = { readable: true, writable: true } as const
  const Note = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    code: Type.String({ identifier: true, ...shown }),
    text: Type.String(shown),
    secret: Type.String({ writable: true })
  })
  const notes = memory([{ id: 1, code: 'a/b', text: 'seen', secret: 'unseen' }])
  const { page } = await explore({ collections: { notes: collection(Note, { source: notes }) } })
  t.match(await page('/notes/by_code/a%2Fb'), 'href="/notes?_new=1">Duplicate</a>')
  const form = await page('/notes?_new=1')
  t.match(form, 'value="seen"')
  t.notMatch(form, /unseen|a\/b/)
  t.match(await page('/notes/2'), /<form class="finder" [^>]*action="\/notes">[^]*name="_field" value="code"/)
})
