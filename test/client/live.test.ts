import { setTimeout as sleep } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import { diff, documentDigest } from '../../lib/doors/live/diff.ts'
import { answering, failed, serve } from '../helpers/clients.ts'
import fc from '../helpers/fast-check.ts'
import { eventually } from '../helpers/follow.ts'

// docs/clients.md: Live documents

const live = { interval: 1, recheck: 3_600_000 }

/** An answer of events, which ends after them. What stands behind the last empty line has broken off. */
const events = (...texts: readonly string[]) =>
  new Response(texts.join('\n\n'), { headers: { 'content-type': 'text/event-stream' } })

const event = (name: string, data: unknown, id = '"1"') => `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}`

/** Returns the first values. */
async function take<T> (values: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  for await (const value of values) if (taken.push(value) === count) break
  return taken
}

test('a list is followed: its items as they are, and what has changed', async t => {
  const { authors } = await serve(t, { live })
  const pages = authors.live({ fields: ['name'], sort: 'name', where: { name: { ne: 'X' } }, limit: 3 })
  const { value: first } = await pages.next()
  t.strictSame(first, { items: [{ name: 'Ada' }, { name: 'Bo' }], changed: [] })
  await authors.update(2, { name: 'Zoe' })
  const { value: second } = await pages.next()
  t.strictSame(second, { items: [{ name: 'Ada' }, { name: 'Zoe' }], changed: [{ name: 'Zoe' }] })
  t.equal(second.items[0], first.items[0], 'what did not change is the same object')
  t.equal(second.items[1], second.changed[0])
  await authors.update(2, { name: 'Aaa' })
  const { value: third } = await pages.next()
  t.strictSame(third.items, [{ name: 'Aaa' }, { name: 'Ada' }])
  t.equal(third.items[1], first.items[0], 'also where its place did')
  t.ok(Object.isFrozen(third.items) && third.items.every(Object.isFrozen))
  await pages.return(undefined as never)
})

test('a wrapped page, an item, a sub-item and a dictionary are followed', async t => {
  const { authors } = await serve(t, { live, responseContent: { pageLinks: 'wrapped' } })
  const [{ items, changed } = { items: [], changed: [] }] = await take(authors.live({ size: 1, fields: ['id'] }), 1)
  t.strictSame([items, changed], [[{ id: 1 }], []])
  const one = authors.item(1).live({ fields: ['name', { books: ['title'] }] })
  const { value: before } = await one.next()
  t.strictSame(before, { name: 'Ada', books: [{ title: 'One' }] })
  await authors.update(1, { name: 'Eve' })
  const { value: after } = await one.next()
  t.strictSame(after, { name: 'Eve', books: [{ title: 'One' }] })
  t.equal(after['books'], before['books'])
  t.ok(Object.isFrozen(after) && Object.isFrozen(after['books']))
  await one.return(undefined as never)
  const [book] = (await authors.item(1).resource('books').list()).items
  const author = authors.item(1).resource('books').item(String(book?.['id'])).resource('author')
  t.match(await take(author.live(), 1), [{ name: 'Eve' }])
  const { authors: others } = await serve(t, { live })
  t.match(await take(others.resource('by_name').live(), 1), [{ Ada: { id: 1 }, Bo: { id: 2 } }])
})

test('a document that cannot be read any more throws the error of GET', async t => {
  const { authors } = await serve(t, { live })
  const one = authors.item(2).live()
  await one.next()
  const next = failed(one.next())
  await authors.delete(2)
  t.match(await next, { name: 'ApiError', status: 404, code: 'identifier_not_found' })
  t.match(await failed(authors.item(9).live().next()), { status: 404 })
  const { authors: still } = await serve(t)
  t.match(await failed(still.live().next()), { status: 406, code: 'not_acceptable' })
  t.match(await failed(answering(new Response('<p>')).authors.live().next()), { code: 'not_api', message: '<p>' })
})

test('a stream that breaks off is taken up with the tag, however often', async t => {
  const { authors, sent } = answering(
    events('retry: 1', ':', event('snapshot', [{ id: 1 }, { id: 2 }], '"a"'), 'id: "b"\nevent: pat'),
    new Error('no network'),
    new Error('no network'),
    new Response('no', { status: 503 }),
    new Response('no', { status: 429 }),
    events('retry: 1', event('patch', [{ op: 'remove', path: '/0' }], '"b"'), ''),
    events('retry: 1', event('snapshot', [{ id: 2 }, { id: 3 }], '"c"'), 'event: end\ndata: {}', ''),
    new Response('{"error":"forbidden","message":"no"}', { status: 403 })
  )
  const values: Array<ReadonlyArray<Readonly<Record<string, unknown>>>> = []
  const pages = authors.live({ sort: 'id' })
  const reading = (async () => { for await (const { items, changed } of pages) values.push(items, changed) })()
  t.match(await failed(reading), { status: 403, code: 'forbidden' })
  t.strictSame(values, [
    [{ id: 1 }, { id: 2 }], [],
    [{ id: 2 }], [],
    [{ id: 2 }, { id: 3 }], [{ id: 3 }]
  ])
  t.equal(values[2]?.[0], values[0]?.[1])
  t.equal(values[4]?.[0], values[0]?.[1], 'also in another snapshot')
  const tags = sent.map(({ init }) => (init.headers as Record<string, string>)['last-event-id'])
  t.strictSame(tags, [undefined, '"a"', undefined, '"a"', '"a"', '"a"', '"b"', '"c"'])
  t.match(sent[0], { url: 'http://host/authors?.sort=id', init: { headers: { accept: 'text/event-stream' } } })
})

test('a stream that cannot be taken up is followed anew, at once', async t => {
  const end = ['event: end\ndata: {}', '']
  // A wait would be longer than the test.
  const { authors, sent } = answering(
    events('retry: 3600000', event('snapshot', [{ id: 1 }, { id: 2 }], '"a"'), ...end),
    new TypeError('Failed to fetch'),
    events(event('snapshot', [{ id: 1 }, { id: 3 }], '"b"'), ...end),
    new TypeError('Failed to fetch'),
    events(event('snapshot', [{ id: 3 }], '"c"'), event('patch', [{ op: 'remove', path: '/0' }], '"d"'), ...end),
    new Response('{"error":"forbidden","message":"no"}', { status: 403 })
  )
  const values: unknown[] = []
  const reading = (async () => { for await (const { items, changed } of authors.live()) values.push(items, changed) })()
  t.match(await failed(reading), { status: 403 })
  t.strictSame(values, [[{ id: 1 }, { id: 2 }], [], [{ id: 1 }, { id: 3 }], [{ id: 3 }], [{ id: 3 }], [], [], []])
  const tags = sent.map(({ init }) => (init.headers as Record<string, string>)['last-event-id'])
  t.strictSame(tags, [undefined, '"a"', undefined, '"b"', undefined, '"d"'])
})

test('a stream that does not begin is tried as often as other reads', async t => {
  const { authors, sent } = answering(...Array.from({ length: 3 }, () => new Error('no network')))
  t.match(await failed(authors.live().next()), { code: 'network', status: 0 })
  t.equal(sent.length, 3)
})

/** Shortens the timers of some delays, and notes the delays of all. */
function hasten (t: Test, least: number) {
  const { setTimeout: set } = globalThis
  const delays: number[] = []
  t.teardown(() => { globalThis.setTimeout = set })
  globalThis.setTimeout = ((run: () => void, delay = 0) => {
    delays.push(delay)
    return set(run, delay >= least ? 1 : delay)
  }) as typeof set
  return delays
}

test('a client waits longer each time, and not for a stream that is silent', async t => {
  const delays = hasten(t, 1000)
  const silent = new Response(new ReadableStream({
    start (controller) {
      controller.enqueue(new TextEncoder().encode(`retry: 2000\n\n${event('snapshot', [])}\n\n`))
    }
  }), { headers: { 'content-type': 'text/event-stream' } })
  // With the tag, and then without.
  const failures = Array.from({ length: 12 }, () => new Error('no network'))
  const { authors } = answering(silent, ...failures, new Response('no', { status: 404 }))
  t.match(await failed((async () => { for await (const one of authors.live()) t.ok(one) })()), { status: 404 })
  t.strictSame(delays.filter(delay => delay >= 1000), [
    // The second timer has found the stream silent.
    45_000, 45_000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000
  ])
})

test('a signal ends a stream, or the wait for the next, with its reason', async t => {
  const { app, url } = await serve(t, { live })
  const authors = createClient(`${url}/api`).resource('authors')
  const reading = new AbortController()
  const one = authors.live({}, { signal: reading.signal })
  await one.next()
  const next = one.next()
  reading.abort(new Error('enough'))
  await t.rejects(next, { message: 'enough' })
  const waiting = new AbortController()
  const other = authors.live({}, { signal: waiting.signal })
  await other.next()
  const last = other.next()
  app.server.closeAllConnections()
  await sleep(20)
  waiting.abort(new Error('enough'))
  await t.rejects(last, { message: 'enough' })
  const { authors: left, requests } = await serve(t, { live: { ...live, max: 1 } })
  await take(left.live(), 1)
  await eventually(async () => (await take(left.live(), 1)).length === 1, () => String(requests))
})

test('after any patch the document is the one that the server has', async t => {
  const name = fc.constantFrom('a', 'b/c', 'd~e', '~1', '__proto__', 'items', 'page', '0')
  const item = fc.record({ id: fc.nat({ max: 3 }) }, { noNullPrototype: true })
  const value = fc.oneof(fc.integer({ max: 3 }), fc.constant(null), item, fc.constant([]))
  const members = fc.array(fc.tuple(name, value), { maxLength: 5 }).map(Object.fromEntries)
  const list = fc.array(value, { maxLength: 8 })
  const wrapped = fc.record({ items: list, page: fc.record({ total: fc.nat({ max: 2 }) }) })
  const states = fc.oneof(members, list, wrapped).chain(() => fc.oneof(
    fc.array(members, { minLength: 2, maxLength: 5 }), fc.array(list, { minLength: 2, maxLength: 5 }),
    fc.array(wrapped, { minLength: 2, maxLength: 5 })
  ))
  await fc.assert(fc.asyncProperty(states, async ([first, ...others]) => {
    let before = first as unknown
    const patches = others.map(after => {
      const operations = diff(documentDigest(before, true), documentDigest(after, true), after)
      before = after
      return event('patch', operations)
    })
    const { authors } = answering(events(event('snapshot', first), ...patches, ''))
    const values = await take(authors.live() as AsyncGenerator<unknown>, others.length + 1)
    const last = others.at(-1) as { items?: unknown, page?: unknown }
    const isWrapped = Array.isArray(last.items) && Object.keys(last).length === 2 && Boolean(last.page)
    const expected = isWrapped ? last.items : last
    const got = values.at(-1) as { items?: unknown, changed?: unknown }
    t.strictSame(sorted(isWrapped || Array.isArray(last) ? got.items : got), sorted(expected))
  }))
})

/** Returns the members of an object in order, with one named `__proto__` as any other. */
const sorted = (value: unknown): unknown => Array.isArray(value)
  ? value
  : Object.entries(value as object).sort(([one], [other]) => one < other ? -1 : 1)
