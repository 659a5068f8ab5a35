import { Type } from '@sinclair/typebox'
import { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { everyWrite } from '../helpers/batch-of-one.ts'
import { everySource, type Tools } from '../helpers/every-source.ts'
import type { Collections } from '../helpers/sources.ts'
import { created, missing, notAllowed, ok, reference, unmet, validation } from '../helpers/answers.ts'

// docs/http.md: Writing

const flags = { readable: true, writable: true }
const Album = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String(flags),
  artistId: Type.Integer(),
  labelId: Type.Union([Type.Integer(), Type.Null()]),
  label: SubItem('labels', { foreignKey: 'labelId', ...flags }),
  tracks: SubCollection('tracks', {
    through: 'album_tracks', foreignKey: 'albumId', otherKey: 'trackId', creates: true, ...flags
  })
})
const Track = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ identifier: true, ...flags, minLength: 1 }),
  albums: SubCollection('albums', {
    through: 'album_tracks', foreignKey: 'trackId', otherKey: 'albumId', readable: true
  })
})
const Label = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String(flags),
  albums: SubCollection('albums', { foreignKey: 'labelId', ...flags })
})
const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String(flags),
  albums: SubCollection('albums', { foreignKey: 'artistId', ...flags })
})

const tables = {
  artists: [{ id: 1, name: 'Noisia' }, { id: 2, name: 'Can' }],
  labels: [{ id: 1, name: 'Vision' }, { id: 2, name: 'Spoon' }],
  albums: [
    { id: 7, title: 'Outer Edges', artistId: 1, labelId: 1 },
    { id: 8, title: 'Tago Mago', artistId: 2, labelId: 2 },
    { id: 9, title: 'Split the Atom', artistId: 1, labelId: 1 }
  ],
  tracks: [{ id: 1, title: 'Intro' }, { id: 2, title: 'Anomaly' }, { id: 3, title: 'Outro' }],
  album_tracks: [{ albumId: 7, trackId: 1 }, { albumId: 7, trackId: 2 }, { albumId: 8, trackId: 1 }]
}

const ddl = `
create table artists (id key, name text not null);
create table labels (id key, name text not null);
create table albums (id key, title text not null, "artistId" integer not null references artists,
  "labelId" integer references labels);
create table tracks (id key, title text not null unique);
create table album_tracks ("albumId" integer references albums on delete cascade,
  "trackId" integer references tracks on delete cascade, primary key ("albumId", "trackId"))`

const collections: Collections = source => ({
  artists: collection(Artist, { source: source('artists') }),
  labels: collection(Label, { source: source('labels') }),
  albums: collection(Album, { source: source('albums') }),
  tracks: collection(Track, { source: source('tracks') })
})

const links = (name: string, run: (tools: Tools) => Promise<void>) => {
  everyWrite(name, run, { requestStrategies: { delete: true } }, { collections, tables, ddl })
}

const idsOf = async ({ get }: Tools, url: string) =>
  (await get(`${url}?fields=id`)).json().map(({ id }: { id: number }) => id)

links('DELETE behind a many-to-many relation unlinks the item and deletes it for nobody', async tools => {
  const { t, get, send, same } = tools
  same(await send('DELETE', '/albums/7/tracks/1'), 200, ok)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [2])
  t.strictSame(await idsOf(tools, '/albums/8/tracks'), [1])
  same(await get('/tracks/1/title'), 200, 'Intro')
  same(await send('DELETE', '/albums/7/tracks/1'), 404, missing('1'))
  same(await send('DELETE', '/albums/7/tracks/by_title/Anomaly'), 200, ok)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [])
  same(await send('DELETE', '/tracks/1'), 200, ok)
  t.strictSame(await idsOf(tools, '/tracks'), [2, 3])
})

links('behind a relation that is not writable, DELETE is 405 where it would be taken for an unlinking', async ({
  request, send, same
}) => {
  const allow = 'GET, HEAD, OPTIONS, PUT, PATCH'
  same(await send('DELETE', '/tracks/1/albums/7'), 405, notAllowed('DELETE', allow), { allow })
  for (const [url, more] of [['/tracks/1/albums', ''], ['/albums/7/tracks', ', PUT'], ['/artists/1/albums', '']]) {
    same(await request({ method: 'OPTIONS', url: url ?? '' }), 204, '',
      { allow: `GET, HEAD, OPTIONS, QUERY, POST${more}, PATCH` })
  }
})

links('POST of an existing item to a sub-collection links it: 200', async tools => {
  const { t, send, same } = tools
  same(await send('POST', '/albums/7/tracks', { id: 3 }), 200, ok)
  same(await send('POST', '/albums/7/tracks', { id: 3 }), 200, ok)
  same(await send('POST', '/albums/8/tracks', { id: 3, title: 'Outro' }), 200, ok)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [1, 2, 3])
  t.strictSame(await idsOf(tools, '/albums/8/tracks'), [1, 3])
  same(await send('POST', '/albums/8/tracks', { title: 'Anomaly' }), 200, ok)
  same(await send('POST', '/albums/8/tracks', { id: 3, title: 'Other' }), 400,
    validation(['/title', 'cannot be written, and differs from the current value']))
  same(await send('POST', '/albums/8/tracks', { id: 99 }), 409,
    reference('There is no track with the id 99.', ['tracks']))
  same(await send('POST', '/albums/8/tracks', [{ id: 3 }, { title: 'New' }]), 201, [ok, created(4)])
  same(await send('POST', '/albums/8/tracks', { title: 'Newer' }), 201, created(5),
    { location: '/albums/8/tracks/by_id/5' })
  same(await send('POST', '/albums/8/tracks?fields=title', { id: 3 }, { prefer: 'return=representation' }), 200,
    { title: 'Outro' })
  same(await send('POST', '/albums/99/tracks', { id: 3 }), 404, missing('99'))
})

links('PUT of the whole list replaces the links, all or none', async tools => {
  const { t, send, same } = tools
  same(await send('PUT', '/albums/7/tracks', [{ id: 3 }, { id: 1 }]), 200, ok)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [1, 3])
  t.strictSame(await idsOf(tools, '/albums/8/tracks'), [1])
  t.equal((await send('PUT', '/albums/7/tracks', [{ id: 2 }, { id: 99 }])).statusCode, 409)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [1, 3])
  same(await send('PUT', '/albums/7/tracks', [{ id: 2 }, { title: 'New' }]), 200, ok)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [2, 4])
  same(await send('PUT', '/albums/7/tracks', []), 200, ok)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [])
  t.strictSame(await idsOf(tools, '/tracks'), [1, 2, 3, 4])
  same(await send('PUT', '/albums/7/tracks', { id: 2 }), 400,
    validation(['', 'must be an array of all items of the list; found an object']))
  t.equal((await send('PUT', '/tracks', [])).statusCode, 405)
  t.equal((await send('PUT', '/artists/1/albums', [])).statusCode, 405)
})

links('PUT of the whole list compares no tag of a page, and is 412 with one', async tools => {
  const { t, get, send, same } = tools
  const etag = String((await get('/albums/7/tracks')).headers['etag'])
  for (const headers of [{ 'if-match': etag }, { 'if-match': '"x"' }, { 'if-none-match': '*' }]) {
    const { statusCode, body } = await send('PUT', '/albums/7/tracks', [{ id: 3 }], headers)
    t.match([statusCode, JSON.parse(body)], [412, { error: 'precondition_failed' }])
    t.equal((await send('PUT', '/albums/99/tracks', [{ id: 3 }], headers)).statusCode, 404)
  }
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [1, 2])
  same(await send('PUT', '/albums/7/tracks', [{ id: 3 }], { 'if-match': '*' }), 200, ok)
  same(await send('PUT', '/albums/7/tracks', [{ id: 1 }], { 'if-none-match': '"x"' }), 200, ok)
  t.strictSame(await idsOf(tools, '/albums/7/tracks'), [1])
})

links('DELETE unlinks a foreign key that can be null from either side, and its lists are replaced', async tools => {
  const { t, get, send, same } = tools
  same(await send('DELETE', '/labels/1/albums/7'), 200, ok)
  same(await get('/albums/7/label'), 200, null)
  t.strictSame(await idsOf(tools, '/labels/1/albums'), [9])
  same(await send('DELETE', '/albums/9/label'), 200, ok)
  same(await get('/albums/9/label'), 200, null)
  same(await get('/labels/1/name'), 200, 'Vision')
  same(await send('POST', '/labels/1/albums', { id: 7 }), 200, ok)
  same(await send('PUT', '/labels/1/albums', [{ id: 8 }, { id: 9 }]), 200, ok)
  t.strictSame(await idsOf(tools, '/labels/1/albums'), [8, 9])
  t.strictSame(await idsOf(tools, '/labels/2/albums'), [])
  same(await get('/albums/7/label'), 200, null)
})

links('a foreign key that is never null: POST moves the item to the parent, and DELETE deletes it', async tools => {
  const { t, get, send, same } = tools
  same(await send('POST', '/artists/2/albums', { id: 7 }), 200, ok)
  t.strictSame(await idsOf(tools, '/artists/2/albums'), [7, 8])
  same(await send('DELETE', '/artists/2/albums/7'), 200, ok)
  t.equal((await get('/albums/7')).statusCode, 404)
})

links('If-Match guards an unlinking', async ({ get, send, same }) => {
  const { etag } = (await get('/albums/7/tracks/1')).headers
  await send('PATCH', '/tracks/1', { title: 'Changed' })
  same(await send('DELETE', '/albums/7/tracks/1', undefined, { 'if-match': String(etag) }), 412,
    unmet("The item no longer matches 'If-Match'. Read it again before you change it."))
  same(await get('/albums/7/tracks/1/title'), 200, 'Changed')
})

const denied = (rules: Rules, scope?: Scope): Collections => source => ({
  ...collections(source),
  albums: collection(Album, { source: source('albums'), rules }),
  tracks: collection(Track, { source: source('tracks'), ...scope && { scope } })
})
type Rules = NonNullable<Parameters<typeof collection<typeof Album>>[1]['rules']>
type Scope = NonNullable<Parameters<typeof collection<typeof Track>>[1]['scope']>

const writes = [
  ['DELETE', '/albums/7/tracks/1', undefined], ['POST', '/albums/7/tracks', { id: 3 }],
  ['PUT', '/albums/7/tracks', [{ id: 3 }]]
] as const

const refusals: ReadonlyArray<readonly [sentence: string, statuses: readonly number[], rules: Rules, scope?: Scope]> = [
  ['links ask the rule update of the item that has the relation', [403, 403, 403], { update: () => false }],
  ['links of a relation that the caller may not write are neither made nor unmade', [405, 403, 405],
    { fields: { tracks: { write: () => false } } }],
  ['links of items that do not exist for the caller are neither made nor unmade', [404, 409, 409], {},
    () => ({ title: 'Anomaly' })]
]

for (const [sentence, statuses, ...own] of refusals) {
  everySource(sentence, async ({ t, opened, send }) => {
    const found = []
    for (const [method, url, body] of writes) found.push((await send(method, url, body)).statusCode)
    t.strictSame(found, statuses)
    // A PUT leaves the links to hidden items.
    const isScoped = own.length > 1
    if (isScoped) t.equal((await send('PUT', '/albums/7/tracks', [])).statusCode, 200)
    const rows = (await opened.rows('album_tracks')).map(({ albumId, trackId }) => `${albumId} ${trackId}`)
    t.strictSame(rows, isScoped ? ['7 1', '8 1'] : ['7 1', '7 2', '8 1'])
  }, {}, { collections: denied(...own), tables, ddl })
}
