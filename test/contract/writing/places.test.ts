import type { Tools } from '../../helpers/every-source.ts'
import { everySource } from '../../helpers/every-source.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import { contents, uuid } from '../../fixtures/shop.ts'
import { missing, ok, unmet, validation } from '../../helpers/answers.ts'
import { upsert, world, writes } from '../../helpers/shop-writes.ts'

// docs/http.md: Upserting. The place is known before the body is judged.

/** URLs whose items are elsewhere, each with the segment that names none there. */
const elsewhere: Readonly<Record<string, string>> = {
  '/artists/Can/albums/7': '7',
  '/artists/Can/albums/by_id/7': '7',
  '/labels/SPOON/artists/2/albums/7': '7',
  '/labels/2/artists/Noisia': 'Noisia',
  '/labels/2/artists/1': '1',
  '/artists/by_rating/9/Noisia': 'Noisia',
  [`/albums/8/tracks/${uuid(1)}`]: uuid(1),
  '/albums/8/tracks/Intro': 'Intro',
  '/artists/99/albums/7': '99'
}

const names = [
  'id', 'name', 'title', 'email', 'born', 'rating', 'year', 'tags', 'label', 'artist', 'albums', 'tracks', 'pin', 'nope'
]
const values = fc.constantFrom<unknown>(
  null, 1, 7, -1, true, '', 'x', 'Noisia', 'Intro', 'Outer Edges', 'noisia@example.org', uuid(1), [], [{ id: 7 }],
  { id: 1 }, { id: 99 }, { name: 'New' }
)
const members = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 5 })

/** Bodies that are right, lack something, hold values of others, or are wrong. */
const bodies = fc.oneof({ weight: 9, arbitrary: members }, values)

/** Sends drawn bodies to drawn places, and expects the answer of GET. */
const answersAsGet = (withStrategies: string) => async ({ t, opened, get, send }: Tools) => {
  const before = await contents(opened)
  for (const [url, segment] of Object.entries(elsewhere)) {
    const answer = await get(url)
    t.strictSame([answer.statusCode, answer.json()], [404, missing(segment)])
  }
  const drawn = fc.tuple(fc.constantFrom(...Object.entries(elsewhere)), fc.constantFrom('PUT', 'PATCH'), bodies)
  await fc.assert(fc.asyncProperty(drawn, async ([[url, segment], method, body]) => {
    const answer = await send(method as 'PUT', url, body)
    const told = [answer.statusCode, answer.json<unknown>()]
    if (JSON.stringify(told) === JSON.stringify([404, missing(segment)])) return
    throw new Error(`${method} ${url} ${JSON.stringify(body)} ${withStrategies}: ${JSON.stringify(told)}`)
  }), { numRuns: runsOf(300) })
  t.strictSame(await contents(opened), before)
}

everySource('whatever the body is, a URL whose item is elsewhere is 404', answersAsGet('with upserts'), upsert, world)
everySource('so it is without upserts', answersAsGet('without upserts'), {}, world)

writes('what a body lacks or repeats of others is told where an item can be created', async ({ send, same }) => {
  for (const [url, body] of [
    ['/artists/Can/albums/7', {}],
    ['/labels/2/artists/1', { rating: 1 }],
    ['/labels/2/artists/1', { name: 'Noisia' }],
    ['/labels/2/artists/1', { name: 'Noisia', email: 'noisia@example.org' }],
    [`/albums/8/tracks/${uuid(1)}`, {}]
  ] as const) {
    for (const method of ['PUT', 'PATCH'] as const) {
      same(await send(method, url, body), 404, missing(url.slice(url.lastIndexOf('/') + 1)))
    }
  }
  same(await send('PUT', '/artists/Can/albums/20', {}), 400, validation(['/title', 'is required']))
  same(await send('PUT', '/artists/Can/albums/8', {}), 200, ok)
}, upsert)

everySource('an element whose item is elsewhere is 404, whatever it lacks', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  for (const element of [{ id: 7 }, { id: 7, year: 1 }, { id: 7, title: 'Outer Edges' }]) {
    same(await send('PATCH', '/artists/Can/albums', [{ id: 8, year: 1 }, element]), 404,
      { ...missing('7'), pointer: '/1' })
  }
  same(await send('PATCH', '/artists/Can/albums', [{ id: 20 }]), 400, validation(['/0/title', 'is required']))
  t.strictSame(await contents(opened), before)
}, upsert, world)

everySource('a line of an import that names an item elsewhere is 404', async ({ t, opened, request, same }) => {
  const before = await contents(opened)
  const merge = (payload: string) => request({
    method: 'POST',
    url: '/artists/Can/albums?by=id',
    headers: { 'content-type': 'application/x-ndjson', prefer: 'resolution=merge' },
    payload
  })
  for (const line of ['{"id":7}', '{"id":7,"year":1}', '{"id":7,"year":"x"}', '{"id":7,"title":"x"}']) {
    same(await merge(`{"id":8,"year":1}\n${line}`), 404, { ...missing('7'), line: 2 })
  }
  t.strictSame(await contents(opened), before)
}, { ...upsert, imports: true }, world)

writes('where nothing can be created, preconditions are not asked', async ({ send, same }) => {
  const tag = { 'if-match': '"x"' }
  same(await send('PUT', '/artists/Can/albums/7', { title: 'x' }, tag), 404, missing('7'))
  same(await send('PUT', '/artists/Can/albums/20', { title: 'x' }, tag), 412,
    unmet("The item does not exist, so it cannot match 'If-Match'."))
}, upsert)
