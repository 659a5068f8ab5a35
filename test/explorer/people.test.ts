import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory, SubCollection } from '../../lib/index.ts'
import { style } from '../../lib/doors/explorer/style.ts'
import { serve as serveForms, valuesOf } from '../helpers/explorer-forms.ts'
import { explore, plain, serve } from '../helpers/explorer-pages.ts'

// docs/explorer.md: What a page has, Forms, Behind a login.

const open = { readable: true, writable: true } as const
const Event = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  at: Type.String({ format: 'date-time', ...open }),
  ends: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], open),
  state: Type.Union([Type.Literal('open'), Type.Literal('packed')], open),
  gift: Type.Union([Type.Boolean(), Type.Null()], open),
  data: Type.Any(open)
})

test('a form has the input of each type, and what it sends is the same value', async t => {
  const at = '2026-11-24T09:41:00.000Z'
  const rows = [{ id: 1, at, ends: null, state: 'open' as const, gift: null, data: { a: 1 } }]
  const { page, post, json } = await explore({ collections: { events: collection(Event, { source: memory(rows) }) } })
  const body = await page('/events/1?_edit')
  t.match(body, /<input id="field-at"[^>]* required type="datetime-local"[^>]* value="2026-11-24T09:41:00.000"/)
  t.match(body, '<span>UTC</span>')
  t.match(body, /<legend><bdi>state<\/bdi><\/legend><div class="choice"><label><input type="radio" name="state"/)
  t.match(body, /name="gift" value="true">true<.*name="gift" value="false">false<.*name="gift" value="" checked>null</)
  t.match(body, /<textarea id="field-data"[^>]* class="mono" dir="ltr" spellcheck="false">/)
  // A browser leaves out seconds that are 0.
  const form = { ...valuesOf(body), at: '2026-11-24T09:41' }
  t.equal((await post('/events/1', form)).location, '/events/1?_done=unchanged')
  const changes = { at: '2026-12-01T10:00:30', gift: 'false', state: 'packed' }
  t.equal((await post('/events/1', { ...form, ...changes })).status, 303)
  t.match(await json('/events/1'), { at: '2026-12-01T10:00:30.000Z', gift: false, state: 'packed' })
})

test('the page of a deletion shows the item and how many items hang on it', async t => {
  const { get } = await serveForms()
  const { body } = await get('/api/artists/1?_delete')
  t.match(body, /<dt><bdi>name<\/bdi><\/dt><dd><bdi>Can<\/bdi><\/dd>/)
  t.match(body, '<a href="/api/artists/1/albums"><bdi>albums</bdi></a></th><td class="num">1</td></tr>')
  t.notMatch(body, 'What becomes of them')
  t.match(body, 'This cannot be undone.')
  t.notMatch((await get('/api/artists/2?_delete')).body, 'What hangs on it')
  const soft = await serveForms({}, { delete: () => ({ active: false }) })
  t.notMatch((await soft.get('/api/artists/1?_delete')).body, 'This cannot be undone.')
})

test('the page of an error leads to the request that was probably meant', async t => {
  const { get } = await serve()
  for (const [url, corrected] of [
    ['/api/artist/1?fields=id', '/api/artists/1?fields=id'],
    ['/api/artists?nam=Can&sort=id', '/api/artists?name=Can&sort=id'],
    ['/api/artists?sort=id,nam', '/api/artists?sort=id,name'],
    ['/api/artists?fields=nam', '/api/artists?fields=name']
  ] as const) {
    const { body } = await get(url)
    const [, link = ''] = /<p><a href="([^"]*)"><bdi>/.exec(body) ?? []
    t.equal(plain(link), corrected, url)
    t.equal(body.includes('<u>nam</u>') && body.includes('Fields of artists'), url.includes('nam'))
    t.equal((await get(corrected)).status, 200)
  }
  for (const url of ['/api/artists?zzz=1', '/api/artists?founded=x', '/api/artists/77']) {
    t.notMatch((await get(url)).body, /<p><a href="[^"]*"><bdi>/, url)
  }
})

test('the page of an error names no fields that only some callers may know', async t => {
  for (const rules of [{ fields: { founded: { read: () => true } } }, { read: () => true }]) {
    const { get } = await serveForms({}, { rules })
    const { body } = await get('/api/artists?nam=Can')
    t.match(body, '<u>nam</u>')
    t.notMatch(body, 'Fields of')
  }
})

test('a directory of many collections is an index by name, in which one can be looked for', async t => {
  const Thing = (description: string) =>
    Type.Object({ id: Type.Integer({ identifier: true, readable: true }) }, { description })
  const names = Array.from({ length: 200 }, (_, index) => `table_${String(199 - index).padStart(3, '0')}`)
  const collections = Object.fromEntries(names.map((name, index) =>
    [name, collection(Thing(index === 7 ? 'Who did what' : `Number ${index}`), { source: memory([]) })]))
  const { page } = await explore({ collections })
  const linked = async (url: string) =>
    [...(await page(url)).matchAll(/<li>\n<a href="\/(table_\d+)">/g)].map(([, name]) => name)
  t.strictSame(await linked('/'), names.toSorted())
  t.strictSame(await linked('/?_find=TABLE_01'), names.toSorted().filter(name => name.startsWith('table_01')))
  t.strictSame(await linked('/?_find=did+what'), [names[7]])
  t.match(await page('/?_find=nothing'), 'No collection has this in its name.')
})

test('a 401 leads to the login of the application, and has its style in it', async t => {
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    parts: SubCollection('things', { foreignKey: 'id', readable: true })
  })
  const things = collection(Thing, { source: memory([{ id: 1 }]) })
  const { get } = await explore({ collections: { things }, explorer: { login: '/login?from=pages' } }, app => {
    app.addHook('onRequest', async () => { throw Object.assign(new Error('Log in.'), { statusCode: 401 }) })
  })
  const { status, body, headers } = await get('/things?sort=id')
  t.equal(status, 401)
  t.match(body, 'href="/login?from=pages&amp;next=%2Fthings%3Fsort%3Did"')
  t.ok(body.includes(`<style>${style}</style>`))
  t.match(headers['content-security-policy'], /style-src 'self' 'sha256-/)
  for (const login of ['//evil.example', 'javascript:alert(1)']) {
    await t.rejects(explore({ collections: { things }, explorer: { login } }))
  }
})
