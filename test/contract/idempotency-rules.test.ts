import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import dataApi, { collection, type Context, memory, sqlite } from '../../lib/index.ts'
import { mayNot } from '../fixtures/company.ts'
import { collections as notes, idempotency, Mark, Note, world } from '../fixtures/keyed-notes.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import type { Opened } from '../helpers/sources.ts'
import { created } from '../helpers/answers.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: Idempotency keys. A repetition tells what its caller may read by then.

/** Returns a rule that denies what the header `x-denied` names. */
const unlessDenied = (name: string) => ({ request }: Context) =>
  !String(request.headers['x-denied'] ?? '').split(' ').includes(name)

const hiddenBy = ({ request }: Context) => String(request.headers['x-hidden'] ?? '')

const collections = (source: Opened['source']) => ({
  notes: collection(Note, {
    source: source('notes'),
    scope: { read: (context, where) => where.not(where.equals('owner', hiddenBy(context))) },
    rules: {
      read: unlessDenied('notes'),
      fields: {
        id: { read: unlessDenied('notes.id') },
        owner: { read: unlessDenied('notes.owner') },
        marks: { read: unlessDenied('notes.marks') }
      }
    }
  }),
  marks: collection(Mark, {
    source: source('marks'),
    scope: { read: (context, where) => where.not(where.equals('name', hiddenBy(context))) },
    rules: { read: unlessDenied('marks'), fields: { name: { read: unlessDenied('marks.name') } } }
  })
})

const guardedWorld: World = { ...world, collections, options: idempotency }

const every = (name: string, run: (tools: Tools) => Promise<void>) => {
  const requestStrategies = { batch: true, upsert: true, delete: true, bulk: ['PATCH' as const] }
  everySource(name, run, { requestStrategies }, guardedWorld)
}

const key = (name: string, more: Record<string, string> = {}) =>
  ({ 'idempotency-key': name, prefer: 'return=representation', ...more })

every('who may no longer read repeats no write but POST at the collection', async ({ send, same, opened }) => {
  const key = (name: string) => ({ 'idempotency-key': name, 'x-user': 'ann' })
  const writes = [
    ['POST', '/notes', { text: 'a' }, 'a'], ['PATCH', '/notes/1', { text: 'b' }, 'b'],
    ['PUT', '/notes/1/text', 'c', 'c'], ['DELETE', '/notes/1', undefined, 'd']
  ] as const
  const [creation, ...others] = writes
  for (const [method, url, body, name] of writes) await send(method, url, body, key(name))
  const blind = (name: string) => ({ ...key(name), 'x-denied': 'notes' })
  for (const [method, url, body, name] of others) {
    same(await send(method, url, body, blind(name)), 403, mayNot('read', 'notes'),
      { 'idempotency-replayed': undefined })
  }
  const [method, url, body, name] = creation
  same(await send(method, url, body, blind(name)), 201, created(1),
    { 'idempotency-replayed': 'true' })
  if ((await opened.rows('notes')).length > 0) throw new Error('something was created')
})

every('a repetition shows no field that its caller may not read by now', async ({ send, same }) => {
  const create = async (more?: Record<string, string>) =>
    send('POST', '/notes', { text: 'a', owner: 'bo' }, key('k', more))
  same(await create(), 201, { id: 1, text: 'a', owner: 'bo', marks: [] })
  same(await create({ 'x-denied': 'notes.owner' }), 201, { id: 1, text: 'a', marks: [] }, {
    'idempotency-replayed': 'true', location: '/notes/by_id/1'
  })
  same(await create({ 'x-denied': 'notes.id notes.owner' }), 201, { text: 'a', marks: [] }, {
    location: '/notes/by_text/a'
  })
})

every('a repetition shows no item that its caller may not read by now', async ({ send, same }) => {
  const create = async (more?: Record<string, string>) =>
    send('POST', '/notes', { text: 'a', owner: 'bo' }, key('k', more))
  same(await create(), 201, { id: 1, text: 'a', owner: 'bo', marks: [] })
  const acknowledged = { 'idempotency-replayed': 'true', etag: undefined, 'preference-applied': undefined }
  same(await create({ 'x-hidden': 'bo' }), 201, created(1), acknowledged)
  same(await create({ 'x-denied': 'notes' }), 201, created(1), acknowledged)
})

every('a repetition shows an item as it is by now, or acknowledges its write', async ({ get, send, same }) => {
  const create = async () => send('POST', '/notes?fields=text,owner', { text: 'a' }, key('k'))
  same(await create(), 201, { text: 'a', owner: 'ann' })
  await send('PATCH', '/notes/by_text/a', { owner: 'bo' })
  const { etag } = (await get('/notes/by_text/a?fields=text,owner')).headers
  same(await create(), 201, { text: 'a', owner: 'bo' }, { etag: String(etag), 'idempotency-replayed': 'true' })
  await send('DELETE', '/notes/by_text/a')
  same(await create(), 201, created(1), { etag: undefined, 'idempotency-replayed': 'true' })
})

/** Returns the writes of a round, each with the path of the items that it shows. */
const writesOf = (n: number) => [
  ['POST', '/notes', { text: `a${n}`, owner: 'bo', marks: [{ name: 'x' }] }, `/notes/by_text/a${n}`],
  ['POST', '/notes', [{ text: `b${n}`, marks: [{ name: 'y' }] }, { text: `c${n}`, owner: 'bo' }],
    `/notes?text=*b${n},c${n}`],
  ['PUT', `/notes/by_text/d${n}`, { owner: 'bo' }, `/notes/by_text/d${n}`],
  ['PATCH', '/notes/by_text/first', { owner: 'bo' }, '/notes/by_text/first'],
  ['PATCH', '/notes?text=first', { owner: 'bo' }, '/notes?text=first']
] as const

const cases = fc.record({
  index: fc.nat(4),
  fields: fc.constantFrom(
    'fields=id,text', 'fields=text,marks(name)', 'fields=owner', 'fields=text,marks(name,note(owner))'
  ),
  denied: fc.subarray(['notes', 'notes.id', 'notes.owner', 'notes.marks', 'marks', 'marks.name']),
  hidden: fc.constantFrom('', 'ann', 'bo', 'x'),
  batched: fc.boolean()
})

const query = (path: string, fields: string) => `${path}${path.includes('?') ? '&' : '?'}${fields}`

const parsed = (text: string): unknown => text === '' ? undefined : JSON.parse(text)

every('a repetition shows what a read shows its caller, or acknowledges', async ({ t, get, send }) => {
  await send('POST', '/notes', { text: 'first', marks: [{ name: 'x' }] })
  let n = 0
  const seen = new Set<string>()
  await fc.assert(fc.asyncProperty(cases, async ({ index, fields, denied, hidden, batched }) => {
    const [method, path, body, read] = writesOf(++n)[index] ?? writesOf(n)[0]
    const ask = async (view: Record<string, string>) => {
      if (!batched) return send(method, query(path, fields), body, key(`k${n}`, view))
      return send('POST', '/', [{ method, path: query(path, fields), body }], key(`k${n}`, view))
    }
    t.ok((await ask({})).statusCode < 300)
    const view = { 'x-denied': denied.join(' '), 'x-hidden': hidden }
    const [again, now] = [await ask(view), await get(query(read, fields), view)]
    // The request itself names what its caller may not read.
    if (again.statusCode === 400 || again.statusCode === 403) return
    const [told] = batched ? parsed(again.body) as [{ body: unknown }] : [{ body: parsed(again.body) }]
    const items = now.statusCode === 200 ? [now.json<unknown>()].flat().length : 0
    const isWhole = items === [body].flat().length
    seen.add(`${isWhole} ${batched}`)
    if (isWhole) t.strictSame(told.body, now.json())
    else t.match(JSON.stringify(told.body), /^\[?\{"status":"(created|ok)"/)
  }), { numRuns: runsOf(150) })
  t.equal(seen.size, 4)
})

// Whose key it is, and where it leads.

test('what names no caller is 500 and logged, so that nobody gets the answers of others', async t => {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write (line: string) { lines.push(line) } } } })
  let caller: () => unknown
  await app.register(dataApi, {
    rules: everybody,
    collections: notes(() => memory([])),
    idempotency: { caller: () => caller() as string }
  })
  let count = 0
  const send = async (given: () => unknown) => {
    caller = given
    const headers = { 'idempotency-key': 'k' }
    const payload = { text: String(count++) }
    return (await app.inject({ method: 'POST', url: '/notes', headers, payload })).statusCode
  }
  const wrong = [
    async () => 'ann', async () => { throw new Error('late') },
    ...[{}, ['ann'], NaN, Infinity, false, true, 1n, Symbol('a')].map(one => () => one),
    ...['', 'a\0', '\ud800', 'x'.repeat(501)].map(one => () => one)
  ]
  for (const one of wrong) t.equal(await send(one), 500)
  t.equal(lines.length, wrong.length)
  t.match(lines[0], "option 'idempotency.caller', its result: expected a finite number, or a text of 1 to 500 " +
    'characters without NUL and halves of surrogates; found a promise')
  for (const none of [undefined, null]) t.equal(await send(() => none), 400)
  for (const one of ['ann', 7, '7', '#7', 'x'.repeat(500)]) t.equal(await send(() => one), 201)
  await app.close()
})

test('a key of one registration is another request to another, also where they share the table of keys', async t => {
  const db = sqlite(':memory:')
  const tables = ['notes', 'other_notes']
  for (const table of tables) db.exec(`create table ${table} (id integer primary key, text text not null unique)`)
  db.exec(`create table data_api_keys (caller text not null, key text not null, fingerprint text not null, results text,
    at text not null, primary key (caller, key))`)
  const apps: FastifyInstance[] = []
  const register = async (app: FastifyInstance, table: string) => {
    if (!apps.includes(app)) apps.push(app)
    const one = collection(Type.Pick(Note, ['id', 'text']), { source: db.table(table) })
    await app.register(dataApi, {
      rules: everybody,
      collections: { notes: one },
      requestStrategies: { batch: true },
      idempotency: { table: db.table('data_api_keys') }
    })
  }
  const [one, other, hosts] = [Fastify(), Fastify(), Fastify()]
  await register(one, 'notes')
  await register(other, 'other_notes')
  for (const host of ['a.test', 'b.test']) {
    await hosts.register(async scope => {
      scope.addHook('onRoute', route => { route.constraints = { host } })
      await register(scope, 'notes')
    })
  }
  const single = { url: '/notes', payload: { text: 'a' } }
  const batch = { url: '/', payload: [{ method: 'POST', path: '/notes', body: { text: 'b' } }] }
  for (const [index, write] of [single, batch].entries()) {
    const send = async (app: FastifyInstance, host = 'a.test') => {
      const headers = { 'idempotency-key': `k${index}`, host }
      const { statusCode, headers: told } = await app.inject({ method: 'POST', headers, ...write })
      return [statusCode, told['idempotency-replayed']]
    }
    const done = index === 0 ? 201 : 200
    t.strictSame(await send(one), [done, undefined])
    t.strictSame(await send(other), [422, undefined], 'another table')
    t.strictSame(await send(one, 'b.test'), [422, undefined], 'another host')
    t.strictSame(await send(hosts, 'b.test'), [422, undefined], 'another host of another application')
    t.strictSame(await send(hosts, 'a.test'), [done, 'true'], 'the same host and table')
    t.strictSame(await send(one, 'a.test:8080'), [done, 'true'], 'another port')
  }
  for (const app of apps) await app.close()
  db.close()
})
