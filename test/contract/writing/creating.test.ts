import { Type } from '@sinclair/typebox'
import { collection, SubItem } from '../../../lib/index.ts'
import { Album, contents, ddl, shop, tables, uuid } from '../../fixtures/shop.ts'
import { everySource } from '../../helpers/every-source.ts'
import { upsert, writes } from '../../helpers/shop-writes.ts'
import { constraint, created, duplicate, missing, notAllowed, validation } from '../../helpers/answers.ts'

// docs/http.md: Writing

writes('a new item is 201 with Location and an acknowledgement with its id', async ({ get, send, same }) => {
  same(await send('POST', '/artists', { name: 'Amon Tobin', email: 'a@example.org', rating: 9.5, genre: 'jazz' }), 201,
    created(4), { location: '/artists/by_id/4', 'content-type': 'application/json; charset=utf-8' })
  same(await get('/artists/4'), 200, {
    id: 4,
    name: 'Amon Tobin',
    email: 'a@example.org',
    born: null,
    rating: 9.5,
    active: true,
    tags: [],
    old_name: null,
    genre: 'jazz',
    label: null,
    albums: []
  })
})

writes('on create, every writable field that is neither optional nor has a default must be there', async ({
  send, same
}) => {
  same(await send('POST', '/artists', {}), 400, validation(['/name', 'is required'], ['/email', 'is required']))
  same(await send('POST', '/albums', { title: 'x' }), 400, validation(['/artist', 'is required']))
})

writes('the acknowledgement is what is configured', async ({ send, same }) => {
  same(await send('POST', '/labels', { code: 'NINJA' }), 201, { status: 'created' }, { location: '/labels/by_id/3' })
  same(await send('POST', '/labels', [{ code: 'A1' }, { code: 'A2' }]), 201,
    [{ status: 'created' }, { status: 'created' }])
}, { responseContent: { createdBody: 'status' } })

writes('and may be none', async ({ send, same }) => {
  same(await send('POST', '/labels', { code: 'NINJA' }), 201, '',
    { location: '/labels/by_id/3', 'content-type': undefined })
}, { responseContent: { createdBody: 'none' } })

writes('Location is safe whatever it holds, below the prefix', async ({ send, same, get }) => {
  same(await send('POST', '/api/labels', { code: 'NINJA' }), 201, created(3),
    { location: '/api/labels/by_id/3' })
  same(await send('POST', '/api/artists/by_name/Can/albums', { title: 'x' }), 201, created(9),
    { location: '/api/artists/by_name/Can/albums/9' })
  same(await get('/api/artists/by_name/Can/albums/9/title'), 200, 'x')
}, { prefix: '/api' })

writes('POST to a sub-collection links the new item to its parent', async ({ get, send, same }) => {
  same(await send('POST', '/labels/1/artists/Noisia/albums', { title: 'Closer' }), 201, created(9),
    { location: '/labels/1/artists/Noisia/albums/9' })
  same(await get('/albums/9/artist/name'), 200, 'Noisia')
  same(await send('POST', '/artists/99/albums', { title: 'x' }), 404, missing('99'))
  same(await send('POST', '/artists/1/albums', { title: 'x', artist: { id: 2 } }), 400,
    validation(['/artist', 'contradicts the URL']))
})

writes('also many to many', async ({ get, opened, send, same, t }) => {
  same(await send('POST', '/albums/7/tracks', { id: uuid(9), title: 'Collider' }), 201,
    created(uuid(9)), { location: `/albums/7/tracks/by_id/${uuid(9)}` })
  same(await get('/albums/7/tracks?fields=title&sort=title'), 200, [{ title: 'Collider' }, { title: 'Intro' }])
  t.equal((await opened.rows('album_tracks')).length, 3)
})

writes('POST to a group gives the field its value where writable, else 405', async ({ get, send, same }) => {
  same(await send('POST', '/artists/by_genre/jazz', { name: 'Sun Ra', email: null }), 201, created(4),
    { location: '/artists/by_genre/jazz/by_id/4' })
  same(await get('/artists/4/genre'), 200, 'jazz')
  same(await send('POST', '/artists/by_genre/jazz', { name: 'x', email: null, genre: 'rock' }), 400,
    validation(['/genre', 'contradicts the URL']))
  same(await send('POST', '/labels/1/artists/by_genre/rock', { name: 'Both', email: null, genre: 'rock' }), 201,
    created(5))
  same(await get('/artists/Both?fields=genre,label(id)'), 200, { genre: 'rock', label: { id: 1 } })
  for (const url of ['/artists/by_old_name/x', '/artists/by_genre/none', '/artists/by_genre', '/']) {
    const isList = url.includes('old') || url.includes('none')
    const allow = `GET, HEAD, OPTIONS${isList ? ', QUERY, PATCH' : ''}`
    same(await send('POST', url, { name: 'x', email: null }), 405,
      notAllowed('POST', allow), { allow })
  }
})

writes('nothing is created at a URL whose parts contradict each other', async ({ get, send, same }) => {
  const allow = 'GET, HEAD, OPTIONS, QUERY, PATCH'
  for (const url of ['/artists/by_genre/jazz/by_genre/rock', '/labels/1/artists/by_genre/jazz/by_genre/rock']) {
    const message = `POST is not allowed here. Allowed methods: ${allow}.`
    same(await send('POST', url, { name: 'x', email: null }), 405, { error: 'method_not_allowed', message }, { allow })
    same(await send('PUT', `${url}/9`, { name: 'x', email: null }), 404, missing('9'))
  }
  same(await get('/artists/x'), 404, missing('x'))
  const twice = '/artists/by_genre/jazz/by_genre/jazz'
  same(await send('POST', twice, { name: 'Sun Ra', email: null }), 201, created(4),
    { location: `${twice}/by_id/4` })
}, upsert)

writes('an array creates all or none: 201 with an array of acknowledgements', async ({ t, opened, send, same }) => {
  same(await send('POST', '/artists', [{ name: 'A', email: null }, { name: 'B', email: null }]), 201,
    [created(4), created(5)], { location: undefined })
  same(await send('POST', '/labels', []), 201, [])
  const before = await contents(opened)
  same(await send('POST', '/artists', [{ name: 'C', email: null }, { nam: 'D' }, 3]), 400, validation(
    ['/1/nam', "there is no such field; did you mean 'name'?"], ['/1/name', 'is required'],
    ['/1/email', 'is required'], ['/2', 'must be an object; found the number 3']
  ))
  same(await send('POST', '/artists', [{ name: 'C', email: null }, { name: 'forbidden', email: null }]), 400,
    { error: 'argument', message: 'An artist cannot be named so.', pointer: '/1' })
  same(await send('POST', '/artists', [{ name: 'C', email: null }, { name: 'C', email: null }]), 409,
    duplicate('name', '/1'))
  t.strictSame(await contents(opened), before)
})

writes('every identifier that another item has is named', async ({ send, same }) => {
  const taken = duplicate(['name', 'email'])
  same(await send('POST', '/artists', { email: 'noisia@example.org', name: 'Can' }), 409, taken)
  same(await send('PUT', '/artists/3', { email: 'noisia@example.org', name: 'Can' }), 409, taken)
  same(await send('POST', '/tracks', { id: uuid(2), title: 'Intro' }), 409, duplicate(['id', 'title']))
  same(await send('PUT', '/artists/1/email', 'can@example.org'), 409, duplicate('email'))
  same(await send('PUT', '/labels/1', { code: 'SPOON' }), 409, duplicate('code'))
})

const Counted = Type.Object({
  id: Type.Integer({ identifier: true, readable: true, writable: true }),
  word: Type.Optional(Type.String({ readable: true, writable: true }))
})

everySource('a key that would leave nothing to count on with is refused, however it is written', async ({
  send, same
}) => {
  const refused = constraint('id')
  same(await send('POST', '/counted', { id: Number.MAX_SAFE_INTEGER }), 400, refused)
  same(await send('PUT', '/counted/1/id', Number.MAX_SAFE_INTEGER), 400, refused)
  same(await send('PUT', '/counted/1', { id: 2 ** 52 + 1 }, { prefer: 'return=representation' }), 400, refused)
  same(await send('POST', '/counted', [{}, { id: 2 ** 53 - 2 }]), 400, { ...refused, pointer: '/1' })
  same(await send('PUT', '/counted/1/id', 2 ** 52), 200, { status: 'ok' })
  same(await send('POST', '/counted', {}), 201, { status: 'created', id: 2 ** 52 + 1 })
}, {}, {
  tables: { counted: [{ id: 1, word: null }] },
  ddl: 'create table counted (id key, word text) strict',
  collections: source => ({ counted: collection(Counted, { source: source('counted') }) })
})

const Loose = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  word: Type.Optional(Type.Union([Type.String(), Type.Null()], { readable: true, writable: true })),
  needed: Type.Union([Type.String(), Type.Null()], { readable: true, writable: true })
})

everySource('a field that is optional may be left out of a create, whether its values may be null or not', async ({
  get, send, same
}) => {
  same(await send('POST', '/loose', { needed: null }), 201, created(2))
  same(await send('POST', '/loose', [{ needed: 'a', word: null }, { needed: 'b', word: 'c' }]), 201,
    [created(3), created(4)])
  same(await send('POST', '/loose', { word: 'd' }), 400, validation(['/needed', 'is required']))
  same(await get('/loose?offset=1&fields=word'), 200, [{ word: null }, { word: null }, { word: 'c' }])
}, {}, {
  tables: { loose: [{ id: 1, word: null, needed: null }] },
  ddl: 'create table loose (id key, word text, needed text) strict',
  collections: source => ({ loose: collection(Loose, { source: source('loose') }) })
})

const Referring = Type.Object({
  ...Album.properties, artistId: Type.Integer({ readable: true, writable: true })
})

everySource('of a sub-item and its foreign key, one is enough where both are writable', async ({ get, send, same }) => {
  const titles = [{ title: 'a', artist: { id: 2 } }, { title: 'b', artist_id: 2 }]
  same(await send('POST', '/albums', titles), 201, [created(9), created(10)])
  same(await get('/artists/by_id/2/albums?sort=id&fields=title,artist_id&offset=1'), 200,
    [{ title: 'a', artist_id: 2 }, { title: 'b', artist_id: 2 }])
  same(await send('POST', '/albums', { title: 'c', artist: { name: 'New', email: null } }), 201,
    created(11))
  same(await send('POST', '/albums', { title: 'd' }), 400,
    validation(['/artist', "is required, or in its place 'artist_id'"]))
}, {}, {
  tables,
  ddl,
  collections: source => ({ ...shop()(source), albums: collection(Referring, { source: source('albums') }) })
})

const Node = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  parentId: Type.Union([Type.Integer(), Type.Null()], { readable: true, writable: true }),
  parent: SubItem('nodes', { foreignKey: 'parentId', hidden: true, readable: true, writable: true })
})

everySource('one is enough where the foreign key can be null, too, and one must be there', async tools => {
  const { get, send, same } = tools
  const nodes = [{ parent: { id: 1 } }, { parent: null }, { parent_id: 1 }, { parent_id: null }]
  same(await send('POST', '/nodes', nodes), 201, [2, 3, 4, 5].map(id => ({ status: 'created', id })))
  same(await get('/nodes?offset=1&fields=parent_id'), 200, [1, null, 1, null].map(id => ({ parent_id: id })))
  same(await send('POST', '/nodes', {}), 400, validation(['/parent_id', "is required, or in its place 'parent'"]))
  same(await send('PUT', '/nodes/1', {}), 200, { status: 'ok' })
}, {}, {
  tables: { nodes: [{ id: 1, parentId: null }] },
  ddl: 'create table nodes (id key, "parentId" integer references nodes)',
  collections: source => ({ nodes: collection(Node, { source: source('nodes') }) })
})
