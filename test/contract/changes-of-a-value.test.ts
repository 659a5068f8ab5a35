import { Type } from '@sinclair/typebox'
import { createClient } from '../../lib/clients/client/index.ts'
import { ArgumentError, collection } from '../../lib/index.ts'
import { keysDdl } from '../fixtures/keyed-notes.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import { forbidden, validation } from '../helpers/answers.ts'

// docs/http.md: Changes of a value

const flags = { readable: true, writable: true }

const Song = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  plays: Type.Integer({ ...flags, minimum: 0, maximum: 1000 }),
  rank: Type.Union([Type.Integer(), Type.Null()], flags),
  score: Type.Number(flags),
  listeners: Type.String({ ...flags, format: 'int64' }),
  price: Type.String({ ...flags, format: 'decimal' }),
  tags: Type.Array(Type.String(), { ...flags, maxItems: 4 }),
  title: Type.String(flags),
  notes: Type.Unknown(flags),
  seconds: Type.Integer({ readable: true }),
  secret: Type.Integer({ writable: true }),
  hits: Type.Integer(flags),
  version: Type.Integer({ readable: true, version: true, hidden: true })
})

const numbers = { plays: 41, rank: null, score: 0.5, listeners: '9007199254740993', price: '19.90', seconds: 300 }
const song = {
  id: 1, ...numbers, tags: ['dnb', 'bass', 'dnb'], title: 'Diplodocus', notes: {}, secret: 7, hits: 1, version: 1
}

const world: World = {
  ddl: `create table songs (
  id key, plays integer not null, rank integer, score real not null, listeners bigint not null, price decimal not null,
  tags json not null, title text not null, notes json not null, seconds integer not null, secret integer not null,
  hits integer not null, version integer not null);`,
  tables: { songs: [song, { ...song, id: 2 }] },
  collections: source => ({
    songs: collection(Song, {
      source: source('songs'),
      setters: {
        hits (item, hits) {
          if (hits > 2) throw new ArgumentError('too many hits')
          item.hits = hits
          item.title = `${hits} hits`
        }
      },
      scope: ({ request }, where) => request.headers['x-scoped'] === undefined ? true : where.equals('plays', 41),
      rules: {
        read: ({ request }) => request.headers['x-blind'] === undefined,
        update: ({ request }) => request.headers['x-reader'] === undefined
      }
    })
  })
}

const every = (name: string, run: (tools: Tools) => Promise<void>) => {
  everySource(name, run, { requestStrategies: { batch: true } }, world)
}

const changed = (value: unknown) => ({ status: 'ok', value })

/** Tests what changes of the first song are answered, one after the other: a value, or a mistake. */
const changes = (sentence: string, ...all: ReadonlyArray<readonly [field: string, body: unknown, answer: object]>) => {
  every(sentence, async ({ send, same }) => {
    for (const [field, body, answer] of all) {
      same(await send('POST', `/songs/1/${field}`, body), 'error' in answer ? 400 : 200, answer)
    }
  })
}

changes('a number is added to a value, exactly',
  ['plays', { add: 1 }, changed(42)],
  ['plays', { add: -2 }, changed(40)],
  ['score', { add: 0.25 }, changed(0.75)],
  ['listeners', { add: '2' }, changed('9007199254740995')],
  ['price', { add: '0.10' }, changed('20.00')],
  ['price', { add: '-20.001' }, changed('-0.001')],
  ['price', { add: '0' }, changed('-0.001')])

changes('elements are appended to a list, and removed from it',
  ['tags', { append: 'nl' }, changed(['dnb', 'bass', 'dnb', 'nl'])],
  ['tags', { remove: 'dnb' }, changed(['bass', 'nl'])],
  ['tags', { remove: 'none' }, changed(['bass', 'nl'])])

const tooLarge = 'the new value must be an integer between -9223372036854775808 and 9223372036854775807, written as ' +
  "text; found the string '9232379236109516800'"

changes('a value that the field does not take is not written',
  ['plays', { add: 960 }, validation(['/add', 'the new value must be at most 1000'])],
  ['plays', { add: -42 }, validation(['/add', 'the new value must be at least 0'])],
  ['hits', { add: 2 ** 53 - 1 }, validation(['/add', 'the new value must be an integer between -9007199254740991 and ' +
    "9007199254740991; found the string '9007199254740992'"])],
  ['listeners', { add: '9223372036854775807' }, validation(['/add', tooLarge])],
  ['score', { add: 1e308 }, changed(1e308)],
  ['score', { add: 1e308 }, validation(['/add', 'the new value must be a number; found a number out of range'])],
  ['tags', { append: 5 }, validation(['/append', 'the new value must be a string'])],
  ['tags', { append: 'four' }, changed(['dnb', 'bass', 'dnb', 'four'])],
  ['tags', { append: 'five' }, validation(['/append', 'the new value must have at most 4 items'])],
  ['rank', { add: 1 }, validation(['/add', 'needs a value to change; found null'])],
  ['plays', { add: 0 }, changed(41)])

const form = (found: string) => validation(['', `must be {"add":...}; found ${found}`])

changes('the body is one change that the field has',
  ['plays', 1, form('the number 1')],
  ['plays', {}, form('an object')],
  ['plays', { add: 1, append: 1 }, form('an object')],
  ['plays', { append: 1 }, form('an object')],
  ['plays', { add: '1' }, validation(
    ['/add', "must be an integer between -9007199254740991 and 9007199254740991; found the string '1'"]
  )],
  ['price', { add: 1 }, validation(
    ['/add', 'must be a decimal number such as 19.90, written as text; found the number 1']
  )],
  ['tags', { add: 1 }, validation(['', 'must be {"append":...} or {"remove":...}; found an object'])])

every('POST is allowed where PUT of such a value is', async ({ t, request, send, same }) => {
  const allow = async (path: string, headers = {}) =>
    (await request({ method: 'OPTIONS', url: `/songs/1/${path}`, headers })).headers['allow']
  for (const name of ['plays', 'rank', 'score', 'listeners', 'price', 'hits']) {
    t.equal(await allow(name), 'GET, HEAD, OPTIONS, PUT, POST', name)
  }
  t.equal(await allow('tags'), 'GET, HEAD, OPTIONS, PUT, POST, PATCH')
  t.equal(await allow('title'), 'GET, HEAD, OPTIONS, PUT')
  t.equal(await allow('notes'), 'GET, HEAD, OPTIONS, PUT, PATCH')
  t.equal(await allow('seconds'), 'GET, HEAD, OPTIONS')
  t.equal(await allow('plays', { 'x-reader': '1' }), 'GET, HEAD, OPTIONS')
  for (const [path, headers, status] of [
    ['1/title', {}, 405], ['1/seconds', {}, 405], ['1/secret', {}, 404], ['9/plays', {}, 404],
    ['1/plays', { 'x-reader': '1' }, 403], ['1/plays', { 'x-blind': '1' }, 403]
  ] as const) t.equal((await send('POST', `/songs/${path}`, { add: 1 }, headers)).statusCode, status, path)
  same(await send('POST', '/songs/1/plays', { add: 1 }, { 'x-scoped': '1' }), 403,
    forbidden)
  same(await send('POST', '/songs/1/plays', { add: 0 }, { 'x-scoped': '1' }), 200, changed(41))
})

every('a setter gets the new value', async ({ get, send, same }) => {
  same(await send('POST', '/songs/1/hits', { add: 1 }), 200, changed(2))
  same(await get('/songs/1?fields=title,version'), 200, { title: '2 hits', version: 2 })
  same(await send('POST', '/songs/1/hits', { add: 1 }), 400, { error: 'argument', message: 'too many hits' })
})

every('preconditions, preferences and batches are those of PUT', async ({ t, get, send, same }) => {
  const { headers: { etag } } = await get('/songs/1/plays')
  const tagged = { 'if-match': String(etag) }
  same(await send('POST', '/songs/1/plays', { add: 1 }, tagged), 200, changed(42))
  t.equal((await send('POST', '/songs/1/plays', { add: 1 }, tagged)).statusCode, 412)
  same(await send('POST', '/songs/1/plays', { add: 1 }, { prefer: 'dry-run' }), 200, { status: 'ok' })
  same(await send('POST', '/songs/1/plays', { add: 1 }, { prefer: 'return=minimal' }), 204, '')
  const shown = await send('POST', '/songs/1/plays', { add: 1 }, { prefer: 'return=representation' })
  same(shown, 200, 44, { 'preference-applied': 'return=representation' })
  t.equal(shown.headers['etag'], (await get('/songs/1/plays')).headers['etag'])
  const add = { method: 'POST', path: '/songs/1/plays', body: { add: 3 } }
  same(await send('POST', '/', [add, add]), 200,
    [{ status: 200, body: changed(47) }, { status: 200, body: changed(50) }])
})

every('two hundred that race add two hundred', async ({ t, get, send, same }) => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => send('POST', '/songs/2/plays', { add: 1 })))
  const values = answers.map(answer => answer.json<{ value: number }>().value)
  t.strictSame(values.toSorted((one, other) => one - other), Array.from({ length: 200 }, (_, index) => 42 + index))
  same(await get('/songs/2/plays'), 200, 241)
})

every('the client and own code add to numbers', async ({ t, app, same, get }) => {
  const client = createClient(await app.listen({ port: 0 }))
  const songs = client.resource('songs')
  t.strictSame(await songs.add(1, 'plays', 1), changed(42))
  t.strictSame(await songs.add(1, 'plays', 1, { dryRun: true }), { status: 'ok' })
  await t.rejects(songs.add(1, 'title', 1), { code: 'method_not_allowed' })
  await t.rejects(songs.add(undefined as never, 'plays', 1), TypeError)
  t.strictSame(await client.batch(batch => {
    const changes = batch.resource('songs')
    return [changes.add(changes.update(1, { plays: 5 }), 'plays', 2)]
  }), [changed(7)])
  const own = app.dataApi.collection('songs').asSystem()
  t.equal(await own.add(1, 'plays', -6), 1)
  t.equal(await own.add({ id: 1 }, 'listeners', 2n as never), '9007199254740995')
  await t.rejects(own.add(9, 'plays', 1), { code: 'identifier_not_found' })
  await t.rejects(own.add(1, 'title', 1), { code: 'validation' })
  await t.rejects(own.add(1, 'plays', 1000), { code: 'validation' })
  same(await get('/songs/1/plays'), 200, 1)
})

everySource('a change under a key is made once, and tells the value of now', async ({ send, same }) => {
  const key = { 'idempotency-key': 'k' }
  same(await send('POST', '/songs/1/plays', { add: 1 }, key), 200, changed(42))
  same(await send('POST', '/songs/1/plays', { add: 1 }), 200, changed(43))
  same(await send('POST', '/songs/1/plays', { add: 1 }, key), 200, changed(43), { 'idempotency-replayed': 'true' })
}, {}, {
  ...world,
  ddl: `${world.ddl}${keysDdl}`,
  tables: { ...world.tables, data_api_keys: [] },
  options: source => ({ idempotency: { table: source('data_api_keys'), caller: () => 'ann' } })
})
