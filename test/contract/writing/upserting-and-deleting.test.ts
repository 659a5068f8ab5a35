import { Type } from '@sinclair/typebox'
import Fastify from '../../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, sqlite } from '../../../lib/index.ts'
import { contents, uuid } from '../../fixtures/shop.ts'
import { deletes, upsert, writes } from '../../helpers/shop-writes.ts'
import { constraint, duplicate, missing, notAllowed, ok, referred, validation } from '../../helpers/answers.ts'

// docs/http.md: Writing

writes('an upsert creates the item at that URL with the identifier in the URL: 201 {status: created}', async ({
  get, send, same
}) => {
  same(await send('PUT', '/artists/Plaid', { email: 'p@example.org' }), 201,
    { status: 'created' }, { location: undefined })
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
  for (const url of ['/artists/Plaid', '/artists/Noisia', '/artists/by_name/Noisia']) {
    same(await send('PUT', url, { name: 'Else', email: null }), 400, validation(['/name', 'contradicts the URL']))
  }
  same(await send('PUT', '/artists/50', { id: 51, name: 'x', email: null }), 400,
    validation(['/id', 'contradicts the URL']))
  same(await send('PUT', '/artists/1/albums/20', { title: 'x', artist: { id: 2 } }), 400,
    validation(['/artist', 'contradicts the URL']))
  t.strictSame(await contents(opened), before)
  same(await send('PUT', '/artists/50', { id: 50, name: 'x', email: null }), 201, { status: 'created' })
}, upsert)

writes('what must be there must be there on an upsert that creates', async ({ send, same }) => {
  same(await send('PUT', '/artists/Plaid', { rating: 1 }), 400, validation(['/email', 'is required']))
  same(await send('PUT', '/artists/Noisia', { rating: 1 }), 200, ok)
}, upsert)

writes('a URL that can be neither edited nor created is 404', async ({ send, same }) => {
  const nowhere = {
    '/artists/me': 'me',
    '/artists/by_slug/x': 'x',
    '/artists/by_id/x': 'x',
    '/artists/99/albums/7/artist': '99',
    '/artists/by_old_name/none/Plaid': 'Plaid'
  }
  for (const [url, segment] of Object.entries(nowhere)) {
    same(await send('PUT', url, { rating: 1 }), 404, missing(segment))
  }
  same(await send('PUT', '/artists/3/label', { city: 'x' }), 404, missing('label'))
  same(await send('PUT', '/artists/99/albums/7', { title: 'x' }), 404, missing('99'))
  same(await send('PUT', '/artists/Plaid/rating', 1), 404, missing('Plaid'))
}, upsert)

writes('a URL whose item is elsewhere can be neither edited nor created', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  const artist = { email: null }
  for (const [url, body, segment] of [
    ['/artists/Can/albums/7', { title: 'x' }, '7'],
    ['/artists/Can/albums/by_id/7', { title: 'x' }, '7'],
    ['/labels/2/artists/Noisia', artist, 'Noisia'],
    ['/labels/2/artists/1', { ...artist, name: 'Else' }, '1'],
    ['/artists/by_rating/9/Noisia', artist, 'Noisia'],
    [`/albums/8/tracks/${uuid(1)}`, { title: 'x' }, uuid(1)]
  ] as const) {
    for (const method of ['PUT', 'PATCH'] as const) same(await send(method, url, body), 404, missing(segment))
  }
  // A value that the client sends may be taken, too.
  same(await send('PUT', '/labels/2/artists/50', { name: 'Noisia', email: null }), 409, duplicate('name'))
  t.strictSame(await contents(opened), before)
}, upsert)

writes('without the strategy nothing is created', async ({ send, same }) => {
  same(await send('PUT', '/artists/Plaid', { email: null }), 404, missing('Plaid'))
})
writes('DELETE is 200 {status: ok}, and then 404', async ({ get, send, same }) => {
  same(await send('DELETE', '/artists/3'), 200, ok)
  same(await send('DELETE', '/artists/3'), 404, missing('3'))
  same(await send('DELETE', '/albums/7'), 200, ok)
  same(await get('/albums/7'), 404, missing('7'))
  same(await send('DELETE', '/artists/1/albums/8'), 404, missing('8'))
  same(await send('DELETE', '/artists'), 405, notAllowed('DELETE', 'GET, HEAD, OPTIONS, QUERY, POST, PATCH'))
}, deletes)

writes('an item that others refer to is 409 reference, with `on delete restrict` too', async ({
  t, opened, send, same
}) => {
  const before = await contents(opened)
  same(await send('DELETE', '/artists/1'), 409,
    referred)
  same(await send('DELETE', '/labels/VSN'), 409,
    referred)
  t.strictSame(await contents(opened), before)
}, deletes)

test('a check or not-null that the schema does not know of is 400 constraint', async t => {
  const db = sqlite(':memory:', { check: 'off' })
  db.exec(
    'create table things (id integer primary key, width integer check (width < 10), made_by text not null) strict'
  )
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    width: Type.Integer({ readable: true, writable: true }),
    madeBy: Type.Optional(Type.String({ readable: true, writable: true }))
  })
  const app = Fastify()
  await app.register(dataApi,
    { collections: { things: collection(Thing, { source: db.table('things', { columns: 'snake_case' }) }) } })
  const post = async (payload: object) => (await app.inject({ method: 'POST', url: '/things', payload })).json()
  t.strictSame(await post({ width: 1 }), constraint('made_by'))
  t.strictSame(await post({ width: 10, made_by: 'x' }),
    constraint('width'))
  await app.close()
  db.close()
})

writes('what the URL gives is held to the schema and to the setter as if the body gave it', async ({
  t, opened, send, same
}) => {
  const before = await contents(opened)
  same(await send('PUT', '/labels/X', {}), 400, validation(['/code', 'must have at least 2 characters']))
  same(await send('POST', '/artists/by_rating/99', { name: 'Loud', email: null }), 400,
    validation(['/rating', 'must be at most 10']))
  same(await send('PUT', '/artists/forbidden', { email: null }), 400,
    { error: 'argument', message: 'An artist cannot be named so.' })
  t.strictSame(await contents(opened), before)
}, upsert)
