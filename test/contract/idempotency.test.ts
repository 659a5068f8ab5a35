import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, sqlite } from '../../lib/index.ts'
import { mayNot } from '../fixtures/company.ts'
import { calls, collections, guarded, Note, world } from '../fixtures/keyed-notes.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'
import { created, duplicate, forbidden, missing, unmet } from '../helpers/answers.ts'

// docs/http.md: Idempotency keys

const every = (name: string, run: Parameters<typeof everySource>[1], own: World = world) => {
  everySource(name, run, { requestStrategies: { batch: true, upsert: true, delete: true } }, own)
}

const key = (name: string, more: Record<string, string> = {}) => ({ 'idempotency-key': name, ...more })
const mismatch = {
  error: 'idempotency_mismatch',
  message: "Another request was sent with this 'Idempotency-Key'. Send this one with a new key."
}

every('a write that is sent again under its key is done once, and gets the same answer', async tools => {
  const { t, send, get, same } = tools
  calls.length = 0
  const first = await send('POST', '/notes', { text: 'a' }, key('"k1"'))
  same(first, 201, created(1), { location: '/notes/by_id/1', 'idempotency-replayed': undefined })
  for (const name of ['"k1"', 'k1', ' k1 ']) {
    same(await send('POST', '/notes', { text: 'a' }, key(name)), 201, created(1), {
      location: '/notes/by_id/1', 'idempotency-replayed': 'true', 'content-type': 'application/json; charset=utf-8'
    })
  }
  t.strictSame(calls, ['creating a', 'created a'])
  same(await get('/notes?fields=id,text'), 200, [{ id: 1, text: 'a' }])
  same(await send('POST', '/notes', { text: 'b' }, key('k2')), 201, created(2))
})

every('every kind of write is answered again as it was', async ({ t, send, get }) => {
  const writes = [
    ['POST', '/notes', { text: 'a', marks: [{ name: 'x' }] }, {}],
    ['POST', '/notes', [{ text: 'b' }, { text: 'c' }], {}],
    ['POST', '/notes', { text: 'd' }, { prefer: 'return=representation' }],
    ['POST', '/notes', { text: 'e' }, { prefer: 'return=minimal' }],
    ['PUT', '/notes/by_text/f', { owner: 'bo' }, {}],
    ['PATCH', '/notes/by_text/a', { owner: 'bo' }, { prefer: 'return=representation' }],
    ['PUT', '/notes/by_text/b/owner', 'bo', {}],
    ['POST', '/notes/by_text/a/marks', { name: 'y' }, {}],
    ['PATCH', '/marks/1', { note: { text: 'b' } }, { prefer: 'return=minimal' }],
    ['DELETE', '/notes/by_text/c', undefined, {}],
    ['DELETE', '/notes/by_text/d', undefined, { prefer: 'return=minimal' }],
    ['POST', '/', [{ method: 'POST', path: '/notes', body: { text: 'g' }, as: 'g' },
      { method: 'POST', path: '/$g/marks', body: { name: 'z' }, return: 'representation' }], {}]
  ] as const
  for (const [index, [method, url, body, headers]] of writes.entries()) {
    const once = await send(method, url, body, key(`k${index}`, headers))
    t.ok(once.statusCode < 300, `${method} ${url} ${once.statusCode}`)
    const rows = [(await get('/notes')).body, (await get('/marks')).body]
    const again = await send(method, url, body, key(`k${index}`, headers))
    const { date: _now, 'idempotency-replayed': replayed, ...others } = again.headers
    const { date: _then, ...told } = once.headers
    t.strictSame([again.statusCode, again.body, replayed, others], [once.statusCode, once.body, 'true', told])
    t.strictSame([(await get('/notes')).body, (await get('/marks')).body], rows)
  }
})

every('another request under a key is refused', async ({ get, send, same }) => {
  await send('POST', '/notes', { text: 'a' }, key('k'))
  same(await send('POST', '/notes', { text: 'b' }, key('k')), 422, mismatch)
  const shown = { prefer: 'return=representation' }
  same(await send('POST', '/notes?fields=id', { text: 'a' }, key('k', shown)), 422, mismatch)
  same(await send('PUT', '/notes/1', { text: 'a' }, key('k')), 422, mismatch)
  same(await send('PUT', '/notes/1', { text: 'a' }, key('p', { 'if-match': '*' })), 200, { status: 'ok' })
  same(await send('PUT', '/notes/1', { text: 'a' }, key('p')), 422, mismatch)
  const conditions = { 'if-match': '*', 'if-none-match': '"x"' }
  same(await send('PUT', '/notes/1', { text: 'a' }, key('p', conditions)), 422, mismatch)
  same(await send('POST', '/', [{ method: 'POST', path: '/notes', body: { text: 'a' } }], key('k')), 422, mismatch)
  same(await get('/notes?fields=text'), 200, [{ text: 'a' }])
})

every('nothing is kept of a write that fails, so that its key is free', async ({ send, same }) => {
  same(await send('POST', '/notes', { text: 'refused' }, key('k')), 400, { error: 'argument', message: 'is refused' })
  await send('POST', '/notes', { text: 'a' })
  same(await send('POST', '/notes', { text: 'a' }, key('k')), 409, duplicate('text'))
  same(await send('DELETE', '/notes/1', undefined, key('k', { 'if-match': '"other"' })), 412,
    unmet("The item no longer matches 'If-Match'. Read it again before you change it."))
  same(await send('DELETE', '/notes/2', undefined, key('k')), 404, missing('2'))
  same(await send('POST', '/notes', { text: 'b' }, key('k')), 201, created(2))
})

every('a key is one text of printable characters', async ({ send, same }) => {
  const refused = {
    error: 'invalid_idempotency_key',
    message: "'Idempotency-Key' must be one text of 1 to 255 printable characters without spaces."
  }
  const wrong = ['', '""', '"a b"', 'a, b', '"a", "b"', '"a', 'a"', '"a"b"', 'ä', 'x'.repeat(256)]
  for (const name of [...wrong, 'a\u00a0', '\u00a0"a"', 'a\u2028', '\ufeffa', '\u000ba']) {
    same(await send('POST', '/notes', { text: 'a' }, key(name)), 400, refused)
  }
  same(await send('POST', '/', [], key('a b')), 400, refused)
  const quoted = await send('POST', '/notes', { text: 'a' }, key(`"\\"\\\\${'x'.repeat(253)}"`))
  same(quoted, 201, created(1))
})

every('a read ignores a key', async ({ get, same }) => {
  same(await get('/notes', key('')), 200, [])
})

every('OPTIONS tells where writes may have a key', async ({ request, same }) => {
  for (const [url, supported] of [['/', 'supported'], ['/notes', 'supported'], ['/notes/1', 'supported'],
    ['/notes/by_owner', undefined]] as const) {
    same(await request({ method: 'OPTIONS', url }), 204, '', { 'idempotency-key': supported })
  }
})

every('a key that has expired is as new', async ({ t, send, same }) => {
  const { now } = Date
  t.teardown(() => { Date.now = now })
  await send('POST', '/notes', { text: 'a' }, key('k'))
  Date.now = () => now() + 86_390_000
  same(await send('POST', '/notes', { text: 'b' }, key('k')), 422, mismatch)
  Date.now = () => now() + 86_410_000
  same(await send('POST', '/notes', { text: 'b' }, key('k')), 201, created(2))
  same(await send('POST', '/notes', { text: 'b' }, key('k')), 201, created(2), { 'idempotency-replayed': 'true' })
})

const keysOf = (name: string, length: number, from: number) => Array.from({ length }, (_, n) => ({
  caller: '', key: `${name}${n}`, fingerprint: 'f', results: '[]', at: new Date(from + n % 7).toISOString()
}))
// More than a slice and less than two, so that the deletion at the start is over with the last of them.
const keyRows = [...keysOf('expired', 2000, 1_000_000_000_000), ...keysOf('later', 1500, Date.now() - 3_600_000)]

every('all keys that have expired are deleted at the start and after a write', async ({ t, get, send, opened }) => {
  const { now } = Date
  t.teardown(() => { Date.now = now })
  const leftOf = async (most: number) => {
    for (let tries = 0; tries < 1000 && (await opened.rows('data_api_keys')).length > most; tries++) {
      await new Promise(resolve => { setTimeout(resolve, 10) })
    }
    return (await opened.rows('data_api_keys')).map(row => row['key'])
  }
  await get('/notes')
  t.strictSame((await leftOf(1500)).sort(), keyRows.slice(2000).map(row => row.key).sort())
  Date.now = () => now() + 86_400_000
  t.equal((await send('POST', '/notes', { text: 'a' }, key('last'))).statusCode, 201)
  t.strictSame(await leftOf(1), ['last'])
}, { ...world, unshared: true, tables: { ...world.tables, data_api_keys: keyRows } })

const guardedWorld = { ...world, collections: guarded }

every('keys are those of their callers, who are denied as before', async ({ send, same, get }) => {
  const ann = key('k', { 'x-user': 'ann' })
  const bo = key('k', { 'x-user': 'bo' })
  same(await send('POST', '/notes', { text: 'a' }, ann), 201, created(1))
  same(await send('POST', '/notes', { text: 'b', owner: 'bo' }, bo), 201, created(2))
  same(await send('POST', '/notes', { text: 'a' }, ann), 201, created(1), {
    'cache-control': 'private', 'idempotency-replayed': 'true'
  })
  same(await send('POST', '/notes', { text: 'a' }, { ...ann, 'x-denied': '1' }), 403, mayNot('create', 'notes'))
  same(await send('POST', '/notes', { text: 'c' }, key('k', { 'x-user': '' })), 400, {
    error: 'invalid_idempotency_key',
    message: "'Idempotency-Key' is for known callers only. Log in, or send none."
  })
  same(await send('POST', '/notes', { text: 'c', owner: 'bo' }, key('l', { 'x-user': 'ann' })), 403, forbidden)
  same(await get('/notes?fields=text', { 'x-user': 'ann' }), 200, [{ text: 'a' }])
}, guardedWorld)

const required: Partial<DataApiOptions> = {
  requestStrategies: { batch: true, delete: true, requireIdempotencyKey: ['POST', 'DELETE'] }
}

everySource('writes without a key are refused where one is required', async ({ request, send, same }) => {
  const answer = {
    error: 'idempotency_key_required',
    message: "This request requires the header 'Idempotency-Key': a new text for each write, and the same one to " +
      'repeat it.'
  }
  same(await send('POST', '/notes', { text: 'a' }), 400, answer)
  same(await send('DELETE', '/notes/1'), 400, answer)
  same(await send('POST', '/', [{ method: 'DELETE', path: '/notes/1' }]), 400, { ...answer, operation: 0 })
  same(await send('POST', '/notes', { text: 'a' }, key('k')), 201, created(1))
  same(await send('PATCH', '/notes/1', { text: 'b' }), 200, { status: 'ok' })
  same(await send('POST', '/', [{ method: 'DELETE', path: '/notes/1' }], key('b')), 200, [
    { status: 200, body: { status: 'ok' } }
  ])
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-http-method-override': 'QUERY' }
  for (const keyed of [{}, key('k'), key('no, key')]) {
    same(await request({ method: 'POST', url: '/notes', payload: 'fields=text', headers: { ...form, ...keyed } }), 200,
      [], { 'idempotency-replayed': undefined })
  }
}, required, world)

test('logs tell which answers were given before', async t => {
  const app = Fastify()
  const told: unknown[] = []
  app.addHook('onResponse', async ({ dataApi: facts }) => { told.push(facts?.replayed) })
  await app.register(dataApi, { rules: everybody, collections: collections(() => memory([])), idempotency: {} })
  const send = () => app.inject({ method: 'POST', url: '/notes', headers: key('k'), payload: { text: 'a' } })
  await send()
  await send()
  t.strictSame(told, [undefined, true])
  await app.close()
})

test('without the option, keys are ignored', async t => {
  const app = Fastify()
  await app.register(dataApi, { rules: everybody, collections: collections(() => memory([])) })
  const headers = key('')
  t.equal((await app.inject({ method: 'POST', url: '/notes', headers, payload: { text: 'a' } })).statusCode, 201)
  t.notOk((await app.inject({ method: 'OPTIONS', url: '/notes' })).headers['idempotency-key'])
  await app.close()
})

test('a wrong option of keys is an error that names it', async t => {
  const [db, other] = [sqlite(':memory:'), sqlite(':memory:')]
  db.exec(`create table notes (
    id integer primary key, text text not null unique, owner text not null, version integer not null)`)
  const own = { notes: collection(Type.Omit(Note, ['marks']), { source: db.table('notes') }) } as never
  const plain = collections(() => memory([]))
  for (const [options, message, declared] of [
    [{ idempotency: { expires: 60 } },
      "option 'idempotency.expires': must be at least 3600, in seconds; found the number 60", plain],
    [{ idempotency: { caller: 'ann' as never } },
      "option 'idempotency.caller': expected a function; found the string 'ann'", plain],
    [{ idempotency: {} }, "option 'idempotency.caller': is needed where collections have rules or a scope: strangers " +
      'must not get the answers of others', guarded(() => memory([]))],
    [{ idempotency: { table: other.table('data_api_keys') } }, "option 'idempotency.table': has no table of the " +
      "database of collection 'notes'; its writes could not be repeated", own],
    [{ idempotency: { table: db.table('data_api_keys') } }, /data_api_keys/, own],
    [{ requestStrategies: { requireIdempotencyKey: ['POST' as const] } },
      "collection 'notes': requestStrategies.requireIdempotencyKey needs the option 'idempotency'", plain]
  ] as const) {
    const app = Fastify()
    const start = async () => {
      await app.register(dataApi, { rules: everybody, collections: declared as typeof plain, ...options as object })
      await app.ready()
    }
    await t.rejects(start(), { message })
    await app.close()
  }
  db.close()
  other.close()
})
