import { Type } from '@sinclair/typebox'
import { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { everySource } from '../helpers/every-source.ts'
import { noField } from '../helpers/answers.ts'

// docs/http.md: What an item shows

everySource('an item shows its readable fields that are not hidden, under their names on the wire', async ({
  t, get
}) => {
  const { body } = await get('/artists/1')
  t.equal(body, '{"id":1,"name":"Noisia","age":23,"start_date":"2003-01-01","score":0.30000000000000004,' +
    '"http_listener":true,' +
    '"label":{"id":1,"name":"Vision"},"albums":[{"id":1,"title":"Outer Edges"},{"id":2,"title":"Split the ' +
      'Atom"}],"years_active":23,"album_count":2}')
})

everySource('a field that is not readable is in no response, and does not exist for who asks for it', async ({
  t, get
}) => {
  const blur = (body: string) =>
    body.replaceAll(/pin|old_name|secret_code|nothing/g, 'x').replaceAll(/"position":\d+/g, '')
  for (const name of ['pin', 'old_name', 'secret_code']) {
    t.notMatch((await get(`/artists/1?fields=id,${'name'}`)).body, name)
    for (const url of [
      '/artists/1/x', '/artists?x=1', '/artists?where=(x=1|id=1)', '/artists?sort=x', '/artists?fields=x',
      '/artists/1?fields=x', '/artists/by_x', '/albums?artist.x=1', '/albums?fields=artist(x)'
    ]) {
      const [secret, unknown] = [await get(url.replace('x', name)), await get(url.replace('x', 'nothing'))]
      t.strictSame([secret.statusCode, blur(secret.body)], [unknown.statusCode, blur(unknown.body)], `${url} ${name}`)
    }
  }
})

everySource('a hidden field is shown only when named in the selection or navigated to', async ({ t, get, same }) => {
  t.notOk('biography' in (await get('/artists/1')).json())
  t.notOk('fans' in (await get('/artists/1')).json())
  same(await get('/artists/1?fields=biography'), 200, { biography: 'Three from Groningen.' })
  same(await get('/artists/1/biography'), 200, 'Three from Groningen.')
  same(await get('/artists/1/fans?fields=id'), 200, [{ id: 2 }, { id: 5 }])
  same(await get('/artists?id=*1,2&fields=fans(name)'), 200,
    [{ fans: [{ name: 'Can' }, { name: 'me' }] }, { fans: [{ name: 'Noisia' }] }])
})

everySource('elements in listed form are the identifiers and what is marked listed', async ({ get, same }) => {
  same(await get('/artists?id=1'), 200, [{ id: 1, name: 'Noisia', age: 23 }])
  same(await get('/albums/1/artist'), 200, (await get('/artists/1')).json())
  same(await get('/albums/1?fields=artist'), 200, { artist: { id: 1, name: 'Noisia', age: 23 } })
})

everySource('where none is marked listed, they are all scalars that are readable and not hidden', async ({
  get, same
}) => {
  same(await get('/tracks?id=1'), 200, [{ id: 1, title: 'Intro', seconds: 90 }])
  same(await get('/labels'), 200, [{ id: 1, name: 'Vision' }, { id: 2, name: 'Spoon' }])
})

everySource('a selection shows exactly the named fields, in the order named, duplicates once', async ({ t, get }) => {
  t.equal((await get('/artists/1?fields=score,name,id,name')).body,
    '{"score":0.30000000000000004,"name":"Noisia","id":1}')
  t.equal((await get('/artists?id=1&select=name;id+age%20score')).body,
    '[{"name":"Noisia","id":1,"age":23,"score":0.30000000000000004}]')
})

everySource('a selection nests, and each embedded collection takes its own query', async ({ get, same }) => {
  same(await get('/artists/by_id/2?fields=name,albums(title,tracks(title))'), 200, {
    name: 'Can',
    albums: [
      { title: 'Tago Mago', tracks: [{ title: 'Intro' }, { title: 'Halleluhwah' }] },
      { title: 'Ege Bamyasi', tracks: [] }
    ]
  })
  same(await get('/artists/by_id/2?fields=name,albums(title;sort=year desc;limit=1;where=year>=1971)'), 200,
    { name: 'Can', albums: [{ title: 'Ege Bamyasi' }] })
  same(await get('/artists/by_id/2?fields=albums(tracks(seconds;sort=seconds+desc;limit=1);page=1;size=1)'), 200,
    { albums: [{ tracks: [{ seconds: 1112 }] }] })
  same(await get('/artists/by_id/2?fields=albums(limit=1;offset=1)'), 200,
    { albums: [{ id: 4, title: 'Ege Bamyasi' }] })
  same(await get('/artists/by_id/2?fields=albums(title;where=(year=1971|title^=Nothing))'), 200,
    { albums: [{ title: 'Tago Mago' }] })
  same(await get('/artists/by_id/2?fields=albums(title;title="Ege Bamyasi")'), 200,
    { albums: [{ title: 'Ege Bamyasi' }] })
  same(await get('/albums/1?fields=artist(label(owner(name)))'), 200,
    { artist: { label: { owner: { name: 'Noisia' } } } })
})

everySource('a selection that says nothing, or what cannot be, is 400', async ({ t, get }) => {
  const wrong: Record<string, [message: string, position: number]> = {
    '/artists?fields=': ['Expected the name of at least one field.', 1],
    '/artists?fields=,': ['Expected the name of at least one field.', 1],
    '/artists?fields=id,nam': ["There is no field 'nam' to select. Did you mean 'name'?", 4],
    '/artists?fields=name(id)': ["The field 'name' is a scalar and has no fields to select.", 1],
    '/artists?fields=albums()': ['The parentheses are empty.', 7],
    '/artists?fields=albums(id': ['The parenthesis is not closed.', 7],
    '/artists?fields=id)': ["Expected a field's name, not ')'.", 3],
    '/artists?fields=albums(id),albums(title)': [
      "The field 'albums' is selected twice; combine the two selections.", 12
    ],
    '/artists?fields=albums(after=x)': ["'after' cannot be used inside a selection.", 8]
  }
  for (const [url, [message, position]] of Object.entries(wrong)) {
    const response = await get(url)
    t.strictSame([
      response.statusCode, response.json().error, response.json().message, response.json().parameter,
      response.json().position
    ], [400, 'invalid_fields', message, 'fields', position], url)
  }
  t.strictSame((await get('/albums?fields=artist(id;sort=id)')).json().error, 'invalid_sort')
})

everySource('a computed field looks like any other', async ({ get, same }) => {
  same(await get('/artists/by_id/2?fields=years_active,album_count'), 200, { years_active: 58, album_count: 2 })
  same(await get('/artists?album_count>1&sort=album_count,name&fields=name'), 200,
    [{ name: 'Can' }, { name: 'Noisia' }])
  same(await get('/albums?artist.album_count=1&fields=id'), 200, [{ id: 5 }])
  same(await get('/artists/1/years_active/x'), 404, noField('x'))
})

const Node = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  one: Type.String({ readable: true }),
  two: Type.String({ readable: true }),
  parentId: Type.Union([Type.Integer(), Type.Null()]),
  parent: SubItem('nodes', { foreignKey: 'parentId', readable: true, hidden: true }),
  children: SubCollection('nodes', { foreignKey: 'parentId', readable: true, hidden: true })
})
const lengthened = (name: string) => ['one', 'two'].includes(name) ? `${'long_'.repeat(14)}${name}` : name

// PostgreSQL cuts names at 63 bytes.
everySource('names that differ in their last characters only are two members, however long they are', async ({
  get, same
}) => {
  const item = (n: number) => ({ [lengthened('one')]: `one ${n}`, [lengthened('two')]: `two ${n}` })
  const names = Object.keys(item(0)).join(',')
  same(await get(`/nodes?fields=${names}&sort=id`), 200, [item(1), item(2)])
  same(await get(`/nodes?fields=id,parent(${names}),children(${names})&sort=id`), 200, [
    { id: 1, parent: null, children: [item(2)] }, { id: 2, parent: item(1), children: [] }
  ])
  same(await get(`/nodes/2?fields=${names},parent(${names})`), 200, { ...item(2), parent: item(1) })
  same(await get(`/nodes/1/children?fields=${names},parent(${names})`), 200, [{ ...item(2), parent: item(1) }])
}, { naming: lengthened }, {
  tables: {
    nodes: [{ id: 1, one: 'one 1', two: 'two 1', parentId: null }, { id: 2, one: 'one 2', two: 'two 2', parentId: 1 }]
  },
  collections: source => ({ nodes: collection(Node, { source: source('nodes') }) })
})
