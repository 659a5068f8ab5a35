import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, frameworkErrors, memory } from '../../lib/index.ts'
import { everySource, type Tools } from '../helpers/every-source.ts'
import { missing, noField, notAllowed } from '../helpers/answers.ts'
import { walkPages } from '../helpers/walk-pages.ts'

// docs/http.md: URLs

everySource('the root is the directory of collections, in the order declared', async ({ get, same }) => {
  same(await get('/'), 200, ['artists', 'albums', 'tracks', 'labels'].map(name => ({ name, type: 'collection' })))
})

everySource('a collection is an array of its items in listed form', async ({ get, same }) => {
  same(await get('/albums'), 200, [
    { id: 1, title: 'Outer Edges' }, { id: 2, title: 'Split the Atom' }, { id: 3, title: 'Tago Mago' },
    { id: 4, title: 'Ege Bamyasi' }, { id: 5, title: 'Untitled' }
  ])
})

everySource('an item is found by its identifier, and a field of it is its value alone, as JSON', async ({
  get, same
}) => {
  same(await get('/tracks/2'), 200,
    { id: 2, title: 'Halleluhwah', seconds: 1112, albums: [{ id: 3, title: 'Tago Mago' }] })
  same(await get('/artists/1/name'), 200, 'Noisia')
  same(await get('/artists/1/age'), 200, 23)
  same(await get('/artists/3/start_date'), 200, null)
  same(await get('/artists/1/http_listener'), 200, true)
  same(await get('/artists/1/years_active'), 200, 23)
  same(await get('/artists/1/album_count'), 200, 2)
})

everySource('paths chain to any depth through sub-items and sub-collections', async ({ get, same }) => {
  same(await get('/artists/2/albums/3/tracks/by_title/Intro/seconds'), 200, 90)
  same(await get('/artists/1/albums/1/artist/label/owner/albums/2/title'), 200, 'Split the Atom')
  same(await get(`/artists/1${'/albums/1/artist'.repeat(6)}/name`), 200, 'Noisia')
})

everySource('every rule holds at every depth', async ({ get, same }) => {
  same(await get('/artists/2/albums?year>1971&fields=title'), 200, [{ title: 'Ege Bamyasi' }])
  same(await get('/artists/2/albums/by_year?fields=id'), 200, { 1971: [{ id: 3 }], 1972: [{ id: 4 }] })
  same(await get('/artists/1/albums?limit=1&fields=id'), 200, [{ id: 1 }],
    { link: '<http://localhost/artists/1/albums?limit=1&fields=id&after=WyJpZCIsMV0>; rel="next"' })
  same(await get('/artists/1/albums/3'), 404, missing('3'))
})

everySource('segments are split before they are decoded, so an encoded slash is data', async ({ get, same }) => {
  same(await get('/artists/AC%2FDC%20100%25%3F%23%3B/id'), 200, 4)
  same(await get('/artists/AC/DC%20100%25%3F%23%3B/id'), 404, noField('DC 100%?#;'))
  same(await get('/artists/AC%252FDC%20100%25%3F%23%3B/id'), 404, missing('AC%2FDC 100%?#;'))
  same(await get('/artists/%F0%9F%8E%B8%20%C3%89mile/id'), 200, 6)
  same(await get('/artists/%F0%9F%8E%B8%20E%CC%81mile/id'), 404, missing('\u{1F3B8} E\u0301mile'))
})

everySource('broken percent-encoding is 400', async ({ t, get, same }) => {
  // Fastify's router answers a broken path itself, before any plugin sees it.
  for (const url of ['/artists/%E0%A4%A', '/artists/%', '/artists/%zz', '/artists/%ff']) {
    t.equal((await get(url)).statusCode, 400, url)
  }
  same(await get('/artists?name=%ff'), 400,
    { error: 'malformed_url', message: "The parameter 'name=%ff' is not valid percent-encoded UTF-8." })
})

test('a broken path has the same shape where the application hands Fastify frameworkErrors', async t => {
  const app = Fastify({ frameworkErrors })
  await app.register(dataApi, { prefix: '/api', collections: {} })
  const response = await app.inject('/api/artists/%zz')
  t.strictSame([response.statusCode, response.headers['content-type'], response.json()], [400,
    'application/json; charset=utf-8', {
      error: 'malformed_url', message: 'The path of the URL is not valid percent-encoded UTF-8.'
    }])
})

everySource('a trailing slash changes nothing', async ({ t, get }) => {
  for (const url of ['/artists', '/artists/1', '/artists/1/albums', '/artists/1/name', '/artists/by_name']) {
    t.equal((await get(`${url}/`)).body, (await get(url)).body, url)
  }
})

everySource('an empty segment is 404', async ({ get, same }) => {
  for (const url of ['//artists', '/artists//', '/artists//albums', '/artists/1//albums', '/artists/by_name//id']) {
    same(await get(url), 404, missing(''))
  }
})

everySource('the walk checks its ancestors', async ({ get, same }) => {
  for (const path of ['999/albums', '999/albums/1/title', '1/albums/999/tracks', '999/albums/x']) {
    same(await get(`/artists/${path}`), 404, missing('999'))
  }
})

everySource('a sub-item that is null is null, and any longer path through it is 404', async ({ get, same }) => {
  same(await get('/artists/3/label'), 200, null)
  same(await get('/artists/3/label/name'), 404, missing('label'))
  same(await get('/artists/3/label/owner/albums'), 404, missing('label'))
  same(await get('/artists/1/label'), 200, { id: 1, name: 'Vision', owner: { id: 1, name: 'Noisia', age: 23 } })
})

everySource('by_ an identifier is a dictionary of items', async ({ get, same }) => {
  same(await get('/tracks/by_title'), 200, {
    Anomaly: { id: 3, title: 'Anomaly', seconds: 250 },
    Halleluhwah: { id: 2, title: 'Halleluhwah', seconds: 1112 },
    Intro: { id: 1, title: 'Intro', seconds: 90 }
  })
  same(await get('/tracks/by_id?fields=title'), 200,
    { 1: { title: 'Intro' }, 2: { title: 'Halleluhwah' }, 3: { title: 'Anomaly' } })
})

everySource('by_ another readable scalar is a dictionary of arrays of items by value; null has no member', async ({
  get, same
}) => {
  same(await get('/albums/by_genre'), 200, {
    bass: [{ id: 1, title: 'Outer Edges' }, { id: 2, title: 'Split the Atom' }],
    rock: [{ id: 3, title: 'Tago Mago' }, { id: 4, title: 'Ege Bamyasi' }]
  })
  same(await get('/artists/by_http_listener?fields=id'), 200,
    { false: [2, 3, 4, 5, 6, 7, 8, 9, 10].map(id => ({ id })), true: [{ id: 1 }] })
  same(await get('/artists/by_album_count?id<4&fields=name'), 200,
    { 1: [{ name: '10' }], 2: [{ name: 'Noisia' }, { name: 'Can' }] })
})

everySource('a member of it is a collection, with every query parameter', async ({ get, same }) => {
  same(await get('/albums/by_genre/rock?sort=year+desc&fields=year'), 200, [{ year: 1972 }, { year: 1971 }])
  same(await get('/albums/by_year/1971/by_genre/rock'), 200, [{ id: 3, title: 'Tago Mago' }])
  same(await get('/albums/by_genre/rock/3/title'), 200, 'Tago Mago')
  same(await get('/albums/by_genre/rock/1'), 404, missing('1'))
  same(await get('/albums/by_year/1900'), 200, [])
  same(await get('/albums/by_year/soon'), 200, [])
})

everySource('a segment by_x where x is no field is an ordinary identifier', async ({ get, same }) => {
  for (const segment of ['by_nothing', 'by_slug', 'by_pin', 'by_secret_code']) {
    same(await get(`/artists/${segment}`), 404, missing(segment))
  }
})

everySource('filters, order, selection and pages of members apply to dictionaries', async ({ get, same }) => {
  same(await get('/albums/by_genre?year>1971&sort=year+desc&fields=year'), 200,
    { bass: [{ year: 2016 }, { year: 2010 }], rock: [{ year: 1972 }] })
  same(await get('/albums/by_genre?limit=1&fields=id'), 200, { bass: [{ id: 1 }, { id: 2 }] },
    { link: '<http://localhost/albums/by_genre?limit=1&fields=id&after=WyJnZW5yZSIsImJhc3MiXQ>; rel="next"' })
  same(await get('/albums/by_genre?fields=id&after=WyJnZW5yZSIsImJhc3MiXQ'), 200, { rock: [{ id: 3 }, { id: 4 }] })
  same(await get('/tracks/by_title?limit=2&fields=id'), 200, { Anomaly: { id: 3 }, Halleluhwah: { id: 2 } })
  same(await get('/tracks/by_title?page=2&size=2&fields=id'), 200, { Intro: { id: 1 } })
})

everySource('the members of a dictionary stand in their order, whatever they are called', async ({ t, get }) => {
  t.equal((await get('/artists/by_name?fields=id&id=*1,2,3,7')).body,
    '{"10":{"id":3},"Can":{"id":2},"Noisia":{"id":1},"__proto__":{"id":7}}')
  t.equal((await get('/artists/by_name?fields=id&id=*1,2,7')).body,
    '{"Can":{"id":2},"Noisia":{"id":1},"__proto__":{"id":7}}')
  t.equal((await get('/albums/by_year?sort=year+desc&fields=id')).body,
    '{"2016":[{"id":1}],"2010":[{"id":2}],"1972":[{"id":4}],"1971":[{"id":3},{"id":5}]}')
})

everySource('a longer path through a scalar is 404, as is an unknown field', async ({ get, same }) => {
  same(await get('/artists/1/name/length'), 404, noField('length'))
  same(await get('/artists/1/nope'), 404, noField('nope'))
  same(await get('/artists/1/nam'), 404,
    { ...noField('nam'), message: "There is no field 'nam'. Did you mean 'name'?", suggestion: 'name' })
  same(await get('/artists/1/nope/nope'), 404, noField('nope'))
})

everySource('a query parameter on a resource that cannot use it is 400', async ({ t, get, same }) => {
  for (const [url, error] of [
    ['/?sort=name', 'invalid_sort'], ['/artists/1?sort=name', 'invalid_sort'], ['/artists/1?page=1', 'invalid_page'],
    ['/artists/1/name?fields=id', 'invalid_fields'], ['/artists/3/label?limit=1', 'invalid_page']
  ] as const) {
    const response = await get(url)
    t.strictSame([response.statusCode, response.json().error], [400, error], url)
  }
  const message = "The parameter 'nope' cannot be used here: a single item cannot be filtered."
  same(await get('/artists/1/albums/1?nope=1'), 400,
    { error: 'invalid_filter', message, parameter: 'nope', position: 1 })
})

everySource('HEAD is GET without the body', async ({ t, get, request }) => {
  for (const url of [
    '/', '/artists', '/artists/1', '/artists/1/name', '/artists/by_name', '/artists/3/label', '/artists/999',
    '/artists?nope=1'
  ]) {
    const [got, head] = [await get(url), await request({ method: 'HEAD', url })]
    t.strictSame([head.statusCode, head.body, { ...head.headers, date: '' }],
      [got.statusCode, '', { ...got.headers, date: '' }], url)
  }
})

everySource('OPTIONS is 204 with what the resource takes', async ({ request, same }) => {
  for (const url of ['/', '/labels/1', '/labels/1/name', '/artists/1/age', '/artists/by_name']) {
    same(await request({ method: 'OPTIONS', url }), 204, '', { allow: 'GET, HEAD, OPTIONS' })
  }
  for (const url of ['/albums', '/artists/1/albums', '/albums/by_genre/rock']) {
    same(await request({ method: 'OPTIONS', url }), 204, '',
      { allow: 'GET, HEAD, OPTIONS, QUERY', 'accept-query': 'application/x-www-form-urlencoded' })
  }
  same(await request({ method: 'OPTIONS', url: '/nope' }), 404,
    { status: 'not_found', error: 'collection_not_found', message: "There is no collection 'nope'." })
})

const form = 'application/x-www-form-urlencoded'
const overriding = { 'content-type': form, 'x-http-method-override': 'QUERY' }
const query = ({ request }: Pick<Tools, 'request'>, url: string, payload: string, type = form) =>
  request({ method: 'QUERY' as 'GET', url, headers: { 'content-type': type }, payload })

everySource('links in the answer to a QUERY are followed with the same body', async tools => {
  const all = (await tools.get('/albums?fields=id&sort=year')).json<unknown>()
  for (const paging of ['size=2', 'size=2&page=1', 'limit=2&offset=0']) {
    const seen = await walkPages(url => query(tools, url, `fields=id&sort=year&${paging}`), '/albums')
    tools.t.strictSame(seen, all, paging)
  }
})

everySource('QUERY is GET with the query string in the body', async tools => {
  const { same } = tools
  same(await query(tools, '/albums', 'year%3E=1972&fields=year&sort=year'), 200,
    [{ year: 1972 }, { year: 2010 }, { year: 2016 }])
  same(await query(
    tools, '/artists/2/albums?sort=year', 'fields=year', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'
  ), 200, [{ year: 1971 }, { year: 1972 }])
  same(await query(tools, '/albums?limit=1', 'fields=id'), 200,
    [{ id: 1 }], { link: '<http://localhost/albums?limit=1&after=WyJpZCIsMV0>; rel="next"' })
  tools.t.equal((await query(tools, '/albums', '')).statusCode, 200)
  const untyped = await tools.request({ method: 'QUERY' as 'GET', url: '/albums', payload: 'fields=id' })
  tools.t.equal(untyped.statusCode, 415)
  same(await query(tools, '/albums', '{}', 'application/json'), 415,
    { error: 'unsupported_media_type', message: `The 'Content-Type' of the body must be ${form}.` })
  const allow = 'GET, HEAD, OPTIONS'
  same(await query(tools, '/albums/1', 'fields=id'), 405, notAllowed('QUERY', allow), { allow })
})

everySource('a POST that stands for QUERY is answered in all as QUERY', async ({ t, request, opened }) => {
  const { rows } = opened
  const before = await rows('albums')
  const send = (method: string, url: string, payload: string, headers: object) =>
    request({ method: method as 'GET', url, payload, headers: { ...headers } })
  const told = (response: Awaited<ReturnType<typeof send>>) =>
    [response.statusCode, response.body, { ...response.headers, date: undefined }]
  const { headers: { etag } } = await query({ request }, '/albums', 'fields=id')
  for (const [url, payload, headers = {}] of [
    ['/albums', ''], ['/albums?sort=year', 'fields=year&year%3E=1972'], ['/albums?limit=1', 'fields=id'],
    ['/albums', 'size=2', { prefer: 'count=exact' }], ['/albums', 'fields=id', { 'if-none-match': etag }],
    ['/albums', 'fields=id', { accept: 'application/x-ndjson' }], ['/albums', 'fields=id', { accept: 'text/csv' }],
    ['/albums', 'fields=id', { accept: 'text/html' }], ['/albums', 'nope=1'], ['/artists/2/albums', 'fields=year'],
    ['/albums', 'nope=1', { accept: 'application/problem+json' }], ['/albums/by_genre/rock', 'fields=id'],
    ['/albums', 'x'.repeat(2 ** 20 + 1)], ['/albums', 'fields=id', { 'content-type': `${form.toUpperCase()}; a=b` }],
    ['/albums', 'fields=id', { 'if-match': '"x"' }],
    ['/', ''], ['/albums/1', 'fields=id'], ['/albums/by_genre', ''], ['/nope', ''], ['/albums/99/tracks', '']
  ] as ReadonlyArray<readonly [string, string, object?]>) {
    const posted = await send('POST', url, payload, { ...overriding, ...headers })
    const asked = await send('QUERY', url, payload, { 'content-type': form, ...headers })
    t.strictSame(told(posted), told(asked), `${url} ${payload.slice(0, 20)} ${JSON.stringify(headers)}`)
  }
  t.strictSame(await rows('albums'), before)
})

test('a method in disguise is 400, and never run', async t => {
  const Note = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), text: Type.String({ readable: true, writable: true })
  })
  const rows = [{ id: 1, text: 'a' }]
  const app = Fastify()
  await app.register(dataApi, {
    ...{ mcp: true, explorer: true, imports: true, requestStrategies: { delete: true, batch: true, upsert: true } },
    collections: { notes: collection(Note, { source: memory(rows) }) }
  })
  const refusal = {
    error: 'invalid_method_override',
    message: "'X-HTTP-Method-Override' is for POST alone, with the value QUERY and a body of " +
      `${form}. Send any other method as itself. Nothing was done.`
  }
  const json = 'application/json'
  for (const { method, override, type } of [
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'query', 'QUERY,QUERY', '', 'X'].map(override =>
      ({ method: 'POST', override, type: form })),
    ...[json, 'application/x-ndjson', 'text/plain'].flatMap(type =>
      ['QUERY', 'PATCH'].map(override => ({ method: 'POST', override, type }))),
    ...['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PUT', 'PATCH', 'DELETE'].flatMap(method =>
      ['QUERY', 'GET', method].map(override => ({ method, override, type: method === 'QUERY' ? form : json })))
  ]) {
    for (const url of ['/', '/notes', '/notes/1', '/notes/1/text', '/mcp', '/openapi.json', '/llms.txt']) {
      const { statusCode, body } = await app.inject({
        method: method as 'GET',
        url,
        headers: { 'x-http-method-override': override, 'content-type': type },
        ...!['GET', 'HEAD'].includes(method) && { payload: '{"text":"b"}' }
      })
      if (url === '/llms.txt' && method !== 'GET' && method !== 'HEAD') continue
      t.strictSame([statusCode, method === 'HEAD' ? refusal : JSON.parse(body)], [400, refusal], `${method} ${url}`)
    }
  }
  t.strictSame(rows, [{ id: 1, text: 'a' }])
  const dropped = { method: 'POST', url: '/notes', headers: { 'content-type': form }, payload: 'fields=id' } as const
  t.equal((await app.inject(dropped)).statusCode, 415)
})
