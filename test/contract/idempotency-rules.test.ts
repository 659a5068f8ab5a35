import { collection, type Context } from '../../lib/index.ts'
import { mayNot } from '../fixtures/company.ts'
import { idempotency, Mark, Note, world } from '../fixtures/keyed-notes.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import type { Opened } from '../helpers/sources.ts'
import { created } from '../helpers/answers.ts'

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
