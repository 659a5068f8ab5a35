import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory, SubCollection } from '../../lib/index.ts'
import { serve, valuesOf } from '../helpers/explorer-forms.ts'
import { explore } from '../helpers/explorer-pages.ts'

// docs/explorer.md: Forms. Rows that are selected are changed, and deleted, together.

const bulk = { requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'] } } as const
const both = '/api/artists?id=*1,2'

test('selected rows lead to a page that changes them, and one that deletes them', async t => {
  const { get, page } = await serve({}, bulk)
  const body = await page('/api/artists')
  t.match(body, /<button name="_edit">Edit<\/button><button name="_delete" class="danger">Delete<\/button>/)
  for (const word of ['_edit', '_delete']) {
    const { location } = await get(`/api/artists?_row=1&_row=2&_query=&_field=id&${word}=`)
    t.equal(location, `${both}&${word}`)
  }
  t.match((await get(`${both}&_edit`)).body, /<h1><bdi>Edit 2 items of artists<\/bdi><\/h1><p class="about">Can, Ada\./)
  t.match((await get(`${both}&_delete`)).body, '<button class="stop">Delete 2 items</button>')
})

test('a form of many items has what they have now, and no field that must be filled in', async t => {
  const { page } = await serve({}, bulk)
  const body = await page(`${both}&_edit`)
  const now = Object.fromEntries([...body.matchAll(/name="_set\.(\w+)"[^]*?<td data-l="Now"><div>([^]*?)<\/div>/g)]
    .map(([, name, shown = '']) => [name, shown.replaceAll(/<[^>]*>/g, '')]))
  t.match(now, { name: 'Can in 1, Ada in 1', founded: '1968 in 2', label: 'Spoon in 1, null in 1', pin: '' })
  t.notMatch(body, ' required')
  t.notMatch(body, 'leaves it')
})

test('only fields whose boxes are checked are changed, in all items', async t => {
  const { get, post, json } = await serve({}, bulk)
  const form = valuesOf((await get(`${both}&_edit`)).body)
  const before = await json(both)
  t.equal((await post(both, form)).location, `${both}&_done=unchanged`)
  t.strictSame(await json(both), before)
  const set = {
    '_set.founded': 'on', founded: '', '_set.label': 'on', label: 'Vision', '_set.active': 'on', active: 'true'
  }
  t.equal((await post(both, { ...form, ...set })).location, `${both}&_done=2+saved`)
  t.match((await get(`${both}&_done=2+saved`)).body, '<p class="note good" role="status">2 items were saved.</p>')
  t.match(await json(`${both}&fields=name,founded,label,active,notes`), [
    { name: 'Can', founded: null, label: { id: 2 }, active: true, notes: 'a\nb' },
    { name: 'Ada', founded: null, label: { id: 2 }, active: true, notes: 'a\nb' }
  ])
})

test('what is typed beside a box that is not checked is asked for, and nothing is written', async t => {
  const { get, post, json } = await serve({}, bulk)
  const form = valuesOf((await get(`${both}&_edit`)).body)
  const typed = { ...form, founded: '1970', '_set.notes': 'on', notes: 'new' }
  const asked = await post(both, typed)
  t.match([asked.status, asked.body], [400, /name="_set.founded" checked>[^]*value="1970"[^]*It is checked now/])
  t.match(await json(`${both}&fields=founded,notes`), [{ founded: 1968, notes: 'a\nb' }, { founded: 1968 }])
})

test('one item that refuses keeps all from being changed, and the page says why', async t => {
  const { get, post, json } = await serve({}, bulk)
  const form = valuesOf((await get(`${both}&_edit`)).body)
  for (const [name, status, fault] of [
    ['Taken', 400, '<li>This name is taken.</li>'], ['Same', 409, 'id="fault-name">'], ['', 400, 'id="fault-name">']
  ] as const) {
    const refused = await post(both, { ...form, '_set.name': 'on', name })
    t.equal(refused.status, status)
    t.match(refused.body, fault, name)
  }
  t.match(await json(`${both}&fields=name`), [{ name: 'Can' }, { name: 'Ada' }])
})

test('an item is searched for, and the box is checked by what was taken', async t => {
  const { get, post } = await serve({}, bulk)
  const form = valuesOf((await get(`${both}&_edit`)).body)
  const found = await post(both, { ...form, label: 'vis', _search: 'label' })
  t.match([found.status, found.body], [200, 'name="_take" value="label=Vision"'])
  t.match((await post(both, { ...form, _take: 'label=Vision' })).body, /name="_set.label" checked>/)
})

test('a form that is sent twice changes and deletes once', async t => {
  const { get, post, json } = await serve({ idempotency: {} }, bulk)
  for (const word of ['_edit', '_delete']) {
    const form = { ...valuesOf((await get(`${both}&${word}`)).body), '_set.notes': 'on', notes: word }
    const first = await post(both, form)
    t.equal(first.status, 303)
    t.strictSame(await post(both, form), first)
  }
  t.strictSame(await json('/api/artists'), [])
})

test('no more items are written than the page has shown', async t => {
  const { app, get, post, json } = await serve({}, bulk)
  const form = valuesOf((await get('/api/artists?founded=1968&_delete')).body)
  await app.inject({ method: 'POST', url: '/api/artists', payload: { name: 'Neu!', founded: 1968 } })
  t.equal((await post('/api/artists?founded=1968', form)).status, 409)
  t.equal((await json('/api/artists')).length, 3)
  const { status, location } = await post(both, valuesOf((await get(`${both}&_delete`)).body))
  t.strictSame([status, location], [303, '/api/artists?_done=2+deleted'])
  t.equal((await json('/api/artists')).length, 1)
})

test('a form needs a filter, items of one page, and a caller who may write by a filter', async t => {
  const { get, post } = await serve({}, { ...bulk, pages: { defaultSize: 1, maxSize: 1 } })
  t.equal((await get('/api/artists?_edit')).status, 400)
  t.match(await get(`${both}&_delete`), { status: 409, body: /More than 1 items match/ })
  const { get: getAlone, post: postAlone } = await serve()
  t.notMatch((await getAlone('/api/artists')).body, 'name="_edit"')
  t.equal((await getAlone(`${both}&_edit`)).status, 405)
  for (const [send, status] of [[post, 303], [postAlone, 405]] as const) {
    t.equal((await send('/api/artists?id=1', { _method: 'DELETE', _count: '1' })).status, status)
    t.equal((await send('/api/artists?id=2', { _method: 'PATCH', _count: '1' })).status, status)
  }
})

test('behind a relation whose items can be unlinked, they are', async t => {
  const Album = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), artistId: Type.Union([Type.Integer(), Type.Null()])
  })
  const Artist = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    albums: SubCollection('albums', { foreignKey: 'artistId', readable: true, writable: true })
  })
  const { page, post, json } = await explore({
    collections: {
      artists: collection(Artist, { source: memory([{ id: 1 }]) }),
      albums: collection(Album, { source: memory([{ id: 7, artistId: 1 }, { id: 8, artistId: 1 }]) })
    },
    requestStrategies: { bulk: ['DELETE'] }
  })
  const body = await page('/artists/1/albums?id=7&_delete')
  t.match(body, /They stay\.[^]*Unlink 1 item</)
  const { location } = await post('/artists/1/albums?id=7', valuesOf(body))
  t.equal(location, '/artists/1/albums?_done=1+unlinked')
  t.equal((await json('/albums')).length, 2)
  t.match(await page(String(location)), '1 item was unlinked.')
})
