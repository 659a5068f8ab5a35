import { Type } from '@sinclair/typebox'
import Fastify from '../../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../../lib/index.ts'
import type { Tools } from '../../helpers/every-source.ts'
import { writes } from '../../helpers/shop-writes.ts'
import { ambiguous, missing, noField, notAllowed, ok, validation } from '../../helpers/answers.ts'

// docs/http.md: Writing

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
  const paths = [
    '/artists/1', '/artists/Noisia', '/artists/by_email/noisia@example.org', '/artists/~Noisia', '/artists/me',
    '/labels/VSN/artists/Noisia', '/albums/7/artist', '/artists/by_active/true/1', '/albums/by_year/2016/7/artist'
  ]
  for (const [index, url] of paths.entries()) {
    same(await send('PUT', url, { rating: index }, { 'x-me': '1' }), 200, ok)
    same(await get('/artists/1/rating'), 200, index)
  }
  same(await send('PUT', '/artists/2', { rating: 1 }), 409, ambiguous('2', '/artists/by_id/2', '/artists/by_name/2'))
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
  for (const [field, value] of Object.entries({
    name: 'Renamed',
    rating: 0.1,
    active: false,
    tags: [
      'a', 'b'
    ],
    born: '1999-12-31',
    biography: 'A longer one.',
    genre: 'jazz',
    email: null
  })) {
    same(await send('PUT', `/artists/by_id/1/${field}`, value), 200, ok)
    same(await get(`/artists/1/${field}`), 200, value)
  }
  for (const field of ['born', 'biography', 'genre']) {
    same(await send('PUT', `/artists/by_id/1/${field}`, null), 200, ok)
    same(await get(`/artists/1/${field}`), 200, null)
  }
  same(await send('PUT', '/artists/1/rating', null), 400, validation(['', 'must be a number; found null']))
  same(await send('PUT', '/artists/1/tags', ['a', 1]), 400, validation(['/1', 'must be a string']))
  same(await send('PUT', '/artists/1/nam', 'x'), 404, {
    status: 'not_found',
    error: 'field_not_found',
    message: "There is no field 'nam'. Did you mean 'name'?",
    suggestion: 'name'
  })
  same(await send('PUT', '/artists/99/rating', 1), 404, missing('99'))
})

writes('a field that may be written but not read takes a PUT, and is otherwise not there', async ({
  opened, get, send, same, t
}) => {
  same(await send('PUT', '/artists/1/pin', '9876'), 200, ok)
  t.equal((await opened.rows('artists')).find(row => row['id'] === 1)?.['pin'], '9876')
  same(await send('PUT', '/artists/1/pin', '9'), 400, validation(['', 'must match the pattern ^[0-9]{4}$']))
  same(await send('PUT', '/artists/1', { pin: '1111' }, { prefer: 'return=representation' }), 200,
    (await get('/artists/1')).json())
  const absent = noField('pin')
  same(await get('/artists/1/pin'), 404, absent)
  for (const method of ['PATCH', 'DELETE'] as const) same(await send(method, '/artists/1/pin', '1111'), 404, absent)
})

writes('what is not writable is 405 with a true Allow, and OPTIONS agrees', async ({ t, request, send, same }) => {
  const truth: Record<string, string> = {
    '/artists': 'GET, HEAD, OPTIONS, QUERY, POST, PATCH',
    '/artists/1': 'GET, HEAD, OPTIONS, PUT, PATCH',
    '/artists/1/name': 'GET, HEAD, OPTIONS, PUT',
    '/artists/1/id': 'GET, HEAD, OPTIONS',
    '/artists/1/old_name': 'GET, HEAD, OPTIONS',
    '/artists/by_name': 'GET, HEAD, OPTIONS',
    '/artists/1/albums': 'GET, HEAD, OPTIONS, QUERY, POST, PATCH',
    '/albums/7/artist': 'GET, HEAD, OPTIONS, PUT, PATCH',
    '/artists/by_genre/rock': 'GET, HEAD, OPTIONS, QUERY, POST, PATCH'
  }
  for (const [url, allow] of Object.entries(truth)) {
    same(await request({ method: 'OPTIONS', url }), 204, '', { allow })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const response = await send(method, url, {})
      if (allow.includes(method)) t.not(response.statusCode, 405, `${method} ${url}`)
      else {
        same(response, 405, notAllowed(method, allow), { allow })
      }
    }
  }
  same(await request({ method: 'OPTIONS', url: '/artists/1' }), 204, '',
    { 'accept-patch': 'application/json, application/merge-patch+json' })
  same(await request({ method: 'OPTIONS', url: '/artists' }), 204, '',
    { 'accept-post': 'application/json' })
})

const allowOf = async ({ request }: Tools, url: string) =>
  String((await request({ method: 'OPTIONS', url })).headers.allow)

writes('strategies of the API decide which methods write', async tools => {
  tools.t.equal(await allowOf(tools, '/artists/1'), 'GET, HEAD, OPTIONS, PATCH, DELETE')
  tools.t.equal(await allowOf(tools, '/artists'), 'GET, HEAD, OPTIONS, QUERY, PATCH')
  tools.t.equal(await allowOf(tools, '/artists/1/name'), 'GET, HEAD, OPTIONS, PUT')
  tools.same(await tools.send('PUT', '/artists/1', { rating: 1 }), 405,
    notAllowed('PUT', 'GET, HEAD, OPTIONS, PATCH, DELETE'))
}, { requestStrategies: { create: false, update: ['PATCH'], delete: true } })

writes('where nothing may be updated no scalar is', async tools => {
  tools.t.equal(await allowOf(tools, '/artists/1/name'), 'GET, HEAD, OPTIONS')
  tools.t.equal(await allowOf(tools, '/artists/1'), 'GET, HEAD, OPTIONS')
}, { requestStrategies: { update: [] } })

test("a collection's own strategies go before those of the API", async t => {
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), width: Type.Integer({ readable: true, writable: true })
  })
  const app = Fastify()
  await app.register(dataApi, {
    requestStrategies: { delete: true, update: ['PUT'] },
    collections: {
      ones: collection(Thing, { source: memory([]), requestStrategies: { delete: false } }),
      others: collection(Thing, { source: memory([]) })
    }
  })
  const allow = async (url: string) => (await app.inject({ method: 'OPTIONS', url })).headers.allow
  t.strictSame([await allow('/ones/1'), await allow('/others/1')],
    ['GET, HEAD, OPTIONS, PUT', 'GET, HEAD, OPTIONS, PUT, DELETE'])
})
