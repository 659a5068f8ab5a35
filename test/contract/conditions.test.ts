import Fastify from '../helpers/fastify.ts'
import { Type } from '@sinclair/typebox'
import { hash } from 'node:crypto'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory } from '../../lib/index.ts'
import { collections, contents, ddl, tables, uuid } from '../fixtures/shop.ts'
import { everyWrite } from '../helpers/batch-of-one.ts'
import type { Tools } from '../helpers/every-source.ts'
import { created, missing, ok, unmet, validation } from '../helpers/answers.ts'

// docs/http.md: Conditional requests

const conditions = (
  name: string, run: (tools: Tools) => Promise<void>, options: Omit<DataApiOptions, 'collections'> = {}
) => { everyWrite(name, run, options, { collections, tables, ddl }) }

const changed = unmet("The item no longer matches 'If-Match'. Read it again before you change it.")
const there = unmet("The item exists and matches 'If-None-Match'.")
const required = {
  error: 'precondition_required',
  message: "This request requires the header 'If-Match'. Send the 'ETag' that you got with the item."
}

const tagOf = async ({ get }: Tools, url: string) => String((await get(url)).headers.etag)

conditions('GET of an item, scalar, page, dictionary or the directory carries a strong ETag', async ({ t, get }) => {
  for (const url of [
    '/artists/1', '/artists/1/name', '/artists', '/artists?limit=1', '/artists/by_name', '/artists/by_genre',
    '/artists/1/label', '/artists/3/label', '/albums/7?fields=title', '/'
  ]) {
    t.match((await get(url)).headers.etag, /^"[\w.-]+"$/, url)
  }
  t.equal((await get('/artists', { accept: 'application/x-ndjson' })).headers.etag, undefined)
  t.equal((await get('/artists/99')).headers.etag, undefined)
})

conditions('the same representation has the same tag, another has another', async tools => {
  const { t } = tools
  const urls = [
    '/artists/1', '/artists/1?fields=name', '/artists/1?fields=name,rating', '/artists/1/name', '/artists/by_id/2',
    '/artists', '/artists?limit=1', '/artists?limit=2', '/artists/3/label'
  ]
  const tags = await Promise.all(urls.map(url => tagOf(tools, url)))
  t.equal(new Set(tags).size, urls.length)
  t.strictSame(await Promise.all(urls.map(url => tagOf(tools, url))), tags)
  t.equal(await tagOf(tools, '/artists/Noisia'), tags[0])
})

conditions('If-None-Match answers 304 where the client has the representation already', async tools => {
  const { get, request, same } = tools
  for (const url of [
    '/artists/1', '/artists/1/name', '/artists?limit=1', '/artists/by_name', '/', '/artists/3/label'
  ]) {
    const etag = await tagOf(tools, url)
    same(await get(url, { 'if-none-match': etag }), 304, '',
      { etag, vary: (await get(url)).headers.vary as string, 'content-type': undefined })
    same(await get(url, { 'if-none-match': `"x", W/${etag}` }), 304, '', { etag })
    same(await get(url, { 'if-none-match': '*' }), 304, '', { etag })
    same(await request({ method: 'HEAD', url, headers: { 'if-none-match': etag } }), 304, '', { etag })
    tools.t.equal((await get(url, { 'if-none-match': '"x", y' })).statusCode, 200)
  }
})

conditions('a read with If-Match is 412 if what it would answer has none of these tags', async tools => {
  const { get, request, same } = tools
  const stale = unmet("What was read no longer matches 'If-Match'. Read it again without this header.")
  for (const url of [
    '/artists/1', '/artists/1/name', '/artists?limit=1', '/artists/by_name', '/', '/artists/3/label', '/openapi.json'
  ]) {
    const etag = await tagOf(tools, url)
    same(await get(url, { 'if-match': '"x", y' }), 412, stale)
    same(await get(url, { 'if-match': '"x"', 'if-none-match': etag }), 412, stale)
    same(await request({ method: 'HEAD', url, headers: { 'if-match': '"x"' } }), 412, '')
    for (const tags of [etag, `"x", W/${etag}`, '*']) {
      tools.t.equal((await get(url, { 'if-match': tags })).statusCode, 200)
      same(await get(url, { 'if-match': tags, 'if-none-match': etag }), 304, '', { etag })
    }
  }
  const payload = 'limit=1'
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const query = { method: 'QUERY', url: '/artists', payload } as never
  same(await request({ ...query as object, headers: { ...type, 'if-match': '"x"' } }), 412, stale)
  tools.t.equal((await get('/artists', { accept: 'text/csv', 'if-match': '"x"' })).statusCode, 200)
  same(await get('/artists/99', { 'if-match': '"x"' }), 404, missing('99'))
})

conditions('a page whose links or count differ is another representation', async ({ t, get, send }) => {
  const before = await get('/labels?limit=2', { prefer: 'count=exact' })
  await send('POST', '/labels', { code: 'ZZZ' })
  const after = await get('/labels?limit=2', { prefer: 'count=exact', 'if-none-match': String(before.headers.etag) })
  t.strictSame([after.statusCode, after.body, before.headers['x-total-count'], after.headers['x-total-count']],
    [200, before.body, '2', '3'])
})

conditions('what is embedded changes the representation, and not what If-Match guards', async tools => {
  const { t, get, send, same } = tools
  const etag = await tagOf(tools, '/artists/1')
  same(await send('PUT', '/albums/7/title', 'Inner Edges'), 200, ok)
  t.equal((await get('/artists/1', { 'if-none-match': etag })).statusCode, 200)
  same(await send('PUT', '/artists/1/rating', 1, { 'if-match': etag }), 200, ok)
})

conditions('If-Match on PUT, PATCH and DELETE guards against lost updates', async tools => {
  const { t, opened, send, same } = tools
  const etag = await tagOf(tools, '/artists/1')
  same(await send('PUT', '/artists/1', { rating: 1 }, { 'if-match': etag }), 200, ok)
  const before = await contents(opened)
  same(await send('PUT', '/artists/1', { rating: 2 }, { 'if-match': etag }), 412, changed)
  same(await send('PATCH', '/artists/1', { rating: 2 }, { 'if-match': etag }), 412, changed)
  same(await send('PUT', '/artists/1/rating', 2, { 'if-match': etag }), 412, changed)
  same(await send('DELETE', '/artists/1', undefined, { 'if-match': etag }), 412, changed)
  t.strictSame(await contents(opened), before)
  same(await send('PATCH', '/artists/1', { rating: 2 }, { 'if-match': `"x", ${await tagOf(tools, '/artists/1')}` }),
    200, ok)
  same(await send('DELETE', '/artists/3', undefined, { 'if-match': await tagOf(tools, '/artists/3') }), 200, ok)
}, { requestStrategies: { delete: true } })

conditions('a tag got from a partial or scalar representation of the item works too', async tools => {
  for (const url of [
    '/artists/1?fields=name', '/artists/Noisia/rating', '/labels/1/artists/1?fields=biography', '/albums/7/artist',
    '/artists/1/born'
  ]) {
    const etag = await tagOf(tools, url)
    const rating = (await tools.get('/artists/1/rating')).json() === 1 ? 2 : 1
    tools.same(await tools.send('PUT', '/artists/1/rating', rating, { 'if-match': etag }), 200, ok)
    tools.same(await tools.send('PUT', '/artists/1/rating', rating, { 'if-match': etag }), 412, changed)
  }
  tools.same(await tools.send('PUT', '/artists/1/rating', 9, { 'if-match': await tagOf(tools, '/artists/by_id/2') }),
    412, changed)
  tools.same(await tools.send('PUT', '/artists/1/rating', 9, { 'if-match': await tagOf(tools, '/artists') }), 412,
    changed)
})

conditions('every change of what may be read changes the tag: of hidden fields and by setters too', async tools => {
  for (const [field, value] of Object.entries({ biography: 'x', name: 'y', email: null, tags: [], active: false })) {
    const etag = await tagOf(tools, '/artists/by_id/1?fields=id')
    tools.same(await tools.send('PUT', `/artists/by_id/1/${field}`, value), 200, ok)
    tools.t.not(await tagOf(tools, '/artists/by_id/1?fields=id'), etag, field)
  }
  const etag = await tagOf(tools, '/artists/1')
  tools.same(await tools.send('PUT', '/artists/1/pin', '4321'), 200, ok)
  tools.t.equal(await tagOf(tools, '/artists/1'), etag, 'what may not be read is not told by a tag')
})

conditions('a tag with the mark W/ matches as without it, also in a list; no answer has such a tag', async tools => {
  const { t, get, send, same } = tools
  for (const [rating, list] of [[1, (tag: string) => tag], [4, (tag: string) => `W/"x", ${tag},"y"`]] as const) {
    const weak = `W/${await tagOf(tools, '/artists/1')}`
    const written = await send('PATCH', '/artists/1', { rating }, {
      'if-match': list(weak), prefer: 'return=representation'
    })
    t.match(written.headers.etag, /^"[\w.-]+"$/)
    same(await send('PATCH', '/artists/1', { rating: 2 }, { 'if-match': list(weak) }), 412, changed)
    same(await send('DELETE', '/artists/1', undefined, { 'if-match': list(weak) }), 412, changed)
    const etag = String((await get('/artists/1')).headers.etag)
    same(await get('/artists/1', { 'if-none-match': list(`W/${etag}`) }), 304, '', { etag })
    same(await send('PUT', '/artists/1', { rating: 3 }, { 'if-none-match': list(`W/${etag}`) }), 412, there)
  }
  same(await send('DELETE', '/artists/3', undefined, { 'if-match': `W/${await tagOf(tools, '/artists/3')}` }), 200, ok)
}, { requestStrategies: { delete: true } })

conditions('If-Match: * asks for an item that is there; what is no tag of it matches nothing', async tools => {
  const { send, same } = tools
  same(await send('PUT', '/artists/1', { rating: 1 }, { 'if-match': '*' }), 200, ok)
  for (const tag of [
    'x', '', '""', '"."', 'W/', 'W/"x"', (await tagOf(tools, '/artists/1')).replaceAll('"', '')
  ]) same(await send('PUT', '/artists/1', { rating: 2 }, { 'if-match': tag }), 412, changed)
})

conditions('an item that is not there is 404 before any precondition', async ({ send, same }) => {
  same(await send('PUT', '/artists/99', { rating: 1 }, { 'if-match': '"x"' }), 404,
    missing('99'))
})

conditions('If-None-Match: * on an upsert only creates', async ({ get, send, same }) => {
  same(await send('PUT', '/artists/Plaid', { email: null }, { 'if-none-match': '*' }), 201, { status: 'created' })
  same(await send('PUT', '/artists/Plaid', { rating: 1 }, { 'if-none-match': '*' }), 412, there)
  same(await send('PUT', '/artists/1', { rating: 1 },
    { 'if-none-match': String((await get('/artists/1')).headers.etag) }), 412, there)
  same(await send('PUT', '/artists/1', { rating: 1 }, { 'if-none-match': '"other"' }), 200, ok)
  same(await send('PUT', '/artists/Nobody', { email: null }, { 'if-match': '*' }), 412,
    unmet("The item does not exist, so it cannot match 'If-Match'."))
}, { requestStrategies: { upsert: true } })

conditions('a collection may require If-Match: 428 without it', async tools => {
  const { t, opened, send, same } = tools
  const before = await contents(opened)
  same(await send('PUT', '/labels/1', { city: 'x' }), 428, required)
  same(await send('PUT', '/labels/1/city', 'x'), 428, required)
  same(await send('DELETE', '/labels/1'), 428, required)
  same(await send('PUT', '/labels/XX', { city: 'x' }), 428, required)
  same(await send('PUT', '/albums/7/tracks', []), 428, required)
  t.strictSame(await contents(opened), before)
  t.equal((await send('PUT', '/albums/7/tracks', [], { 'if-match': '*' })).statusCode, 200)
  same(await send('PUT', '/labels/1', { city: 'x' }, { 'if-match': await tagOf(tools, '/labels/1') }), 200, ok)
  same(await send('PUT', '/labels/XX', { city: 'x' }, { 'if-none-match': '*' }), 201, { status: 'created' })
  same(await send('POST', '/labels', { code: 'YY' }), 201, created(4))
}, { requestStrategies: { requireIfMatch: true, upsert: true, delete: true } })

conditions('a value that an item has already does not count its version up', async ({ get, send, same }) => {
  const { title } = (await get('/albums/7')).json<{ title: string }>()
  for (const [method, url, body] of [
    ['PATCH', '/albums/7', { title }], ['PUT', '/albums/7', { title }], ['PUT', '/albums/7/title', title],
    ['PATCH', '/albums', [{ id: 7, title }]]
  ] as const) same(await send(method, url, body), 200, Array.isArray(body) ? [{ status: 'ok' }] : { status: 'ok' })
  same(await get('/albums/7/version'), 200, 3)
})

conditions('a version field makes tags, and each write counts it up', async tools => {
  const { t, opened, get, send, same } = tools
  const version = async () => (await get('/albums/7/version')).json()
  const etag = await tagOf(tools, '/albums/7')
  same(await send('PUT', '/albums/7', { title: 'x' }), 200, ok)
  t.equal(await version(), 4)
  same(await send('PUT', '/albums/7/year', 1, { 'if-match': etag }), 412, changed)
  same(await send('PUT', '/albums/7/year', 1, { 'if-match': await tagOf(tools, '/albums/7/title') }), 200, ok)
  t.equal(await version(), 5)
  same(await send('POST', '/artists/1/albums', { title: 'new' }), 201, created(9))
  t.equal((await opened.rows('albums')).find(row => row['id'] === 9)?.['version'], 1)
  same(await send('PUT', '/albums/7', { version: 9 }), 400,
    validation(['/version', 'cannot be written, and differs from the current value']))
  same(await send('PATCH', '/artists/1', { albums: [{ id: 8 }] }), 200, ok)
  t.equal((await get('/albums/8/version')).json(), 2)
  same(await send('PATCH', '/albums/7', { tracks: [{ id: uuid(2) }] }), 200, ok)
})

conditions('a tag of a deleted item matches no item under its key with other values', async tools => {
  const { send, get, opened, t } = tools
  const tag = String((await get('/albums/8')).headers['etag'])
  await opened.remove('albums', 8)
  await opened.insert('albums', { id: 8, title: 'Second', year: 1971, version: 1, artistId: 2 })
  t.equal((await get('/albums/8/version')).json(), 1)
  t.equal((await send('PUT', '/albums/8', { year: 2000 }, { 'if-match': tag })).statusCode, 412)
  const again = String((await get('/albums/8')).headers['etag'])
  await opened.remove('albums', 8)
  await opened.insert('albums', { id: 8, title: 'Second', year: 1971, version: 1, artistId: 2 })
  t.equal((await send('PUT', '/albums/8', { year: 2000 }, { 'if-match': again })).statusCode, 200)
})

test('a version field that cannot count is refused at registration', async t => {
  const id = Type.Integer({ identifier: true, readable: true })
  const of = (v: ReturnType<typeof Type.Integer | typeof Type.String>) => Fastify().register(dataApi, {
    collections: { things: collection(Type.Object({ id, v }), { source: memory([]) }) }
  })
  const flags = { version: true, readable: true }
  for (const [field, message] of [
    [Type.String(flags), 'but is not an integer'], [Type.Optional(Type.Integer(flags)), 'but may be null'],
    [Type.Integer({ version: true }), "but not 'readable'; the ETags of items would reveal its value"],
    [Type.Integer({ ...flags, writable: true }), "but also 'writable'"]
  ] as const) {
    const expected = `collection 'things', field 'v': is flagged 'version', ${message}`
    await t.rejects(async () => of(field), { message: expected })
  }
})

test('the tag of a long answer is that of its whole text, and is made in several turns of the event loop', async t => {
  const readable = { readable: true }
  const Text = Type.Object({ id: Type.Integer({ identifier: true, ...readable }), text: Type.String(readable) })
  const rows = [{ id: 1, text: '' }]
  const app = Fastify()
  await app.register(dataApi, { collections: { texts: collection(Text, { source: memory(rows) }) } })
  for (const start of ['', 'x']) {
    // One of the parts, of whichever length, ends between two surrogates.
    rows[0] = { id: 1, text: `${start}${'\u{1F600}'.repeat(2 ** 21)}` }
    let turns = 0
    const count = () => {
      turns++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const { headers, body } = await app.inject('/texts?fields=text')
    clearImmediate(counting)
    t.equal(headers.etag, `"${hash('sha1', body, 'base64url').slice(0, 16)}"`)
    t.ok(turns >= 8, `${turns} turns`)
    const again = await app.inject({ url: '/texts?fields=text', headers: { 'if-none-match': String(headers.etag) } })
    t.equal(again.statusCode, 304)
  }
})
