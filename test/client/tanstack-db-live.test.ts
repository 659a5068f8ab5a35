import { createCollection, createLiveQueryCollection, eq, gt, isNull, lt, not, or } from '@tanstack/db'
import { deepStrictEqual } from 'node:assert'
import { type Test, test } from 'tap'
import { type ApiError, createClient } from '../../lib/clients/client/index.ts'
import { dataApiCollectionOptions, type LiveOptions } from '../../lib/clients/tanstack-db/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { eventually } from '../helpers/follow.ts'
import { members, serveThings, type Thing, things, type ThingsApi, type ThingsOptions } from '../helpers/tanstack-db.ts'

// docs/clients.md: Staying current

const live = { interval: 1, recheck: 3_600_000 }
const fields = ['id', 'text', 'title', 'size', 'weight', 'done', { group: ['id'] }] as const
const flat = { fields, flatten: true } as const

/** Serves things on a socket. Returns a client of them, and what is asked for. */
async function listen (t: Pick<Test, 'teardown'>, rows: readonly Thing[], options: ThingsOptions = { live }) {
  const { app } = await serveThings(rows, options)
  const requests: string[] = []
  app.server.on('request', ({ method, headers, url }) => {
    requests.push(`${headers.accept === 'text/event-stream' ? 'FOLLOW' : method} ${decodeURIComponent(String(url))}`)
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  const client = createClient<ThingsApi>(url, { retries: 0 })
  return { app, requests, client, write: client.things as unknown as Writing }
}

interface Writing {
  create (body: object): Promise<unknown>
  update (id: number, body: object): Promise<unknown>
  delete (id: number): Promise<unknown>
}

/** Live queries of every kind: of a condition, of the first rows of an order, of both, of all rows. */
const queriesOf = (source: ReturnType<typeof collectionOf>) => [
  createLiveQueryCollection(query => query.from({ thing: source }).where(({ thing }) => gt(thing.size, 1))),
  createLiveQueryCollection(query => query.from({ thing: source })
    .where(({ thing }) => or(isNull(thing.title), not(eq(thing.done, true))))),
  createLiveQueryCollection(query => query.from({ thing: source })
    .orderBy(({ thing }) => thing.title).orderBy(({ thing }) => thing.id).limit(3)),
  createLiveQueryCollection(query => query.from({ thing: source }).where(({ thing }) => lt(thing.size, 2))
    .orderBy(({ thing }) => thing.size, { direction: 'desc', nulls: 'last' })
    .orderBy(({ thing }) => thing.id).limit(2)),
  createLiveQueryCollection(query => query.from({ thing: source }))
]

const collectionOf = ({ things }: ReturnType<typeof createClient<ThingsApi>>, live: boolean | LiveOptions) =>
  createCollection(dataApiCollectionOptions(things, { ...flat, live }))

/** The rows of one of these queries. */
function rowsOf (query: ReturnType<typeof all>, index: number): readonly string[] {
  const rows = query.toArray.map(({ id, text, size }) => `${id} ${text} ${size}`)
  return index === 2 || index === 3 ? rows : rows.sort()
}

/** What queries show, but for one of them. */
const shownBy = (queries: ReturnType<typeof queriesOf>, but: number) =>
  JSON.stringify(queries.map((query, index) => index === but ? [] : rowsOf(query, index)))

/** A change, by this page or by another. */
const change = fc.record({
  isOwn: fc.boolean(),
  type: fc.constantFrom('create', 'update', 'update', 'delete'),
  id: fc.integer({ min: 1, max: 12 }),
  values: fc.record(members)
})

/** Changes of things that this page has made. */
const changesOfOwn = fc.array(fc.tuple(change, fc.constantFrom(61, 62)), { minLength: 2, maxLength: 8 }).map(
  changes => changes.map(([change, id], index) =>
    index === 0 ? { ...change, id, isOwn: true, type: 'create' } : { ...change, id })
)

/** Changes a row of a collection, if it can. */
async function changed (source: ReturnType<typeof collectionOf>, type: string, id: number, values: object) {
  const { groupId: group, ...rest } = values as Thing
  const row = { ...rest, group_id: group }
  if (type === 'create' && !source.has(id)) await source.insert({ ...row, id }).isPersisted.promise.catch(() => {})
  if (type === 'update' && source.has(id)) {
    await source.update(id, draft => { Object.assign(draft, row) }).isPersisted.promise.catch(() => {})
  }
  if (type === 'delete' && source.has(id)) await source.delete(id).isPersisted.promise.catch(() => {})
}

/** Changes a thing as another client does. */
async function changedByOther (write: Writing, type: string, id: number, { groupId, ...rest }: Omit<Thing, 'id'>) {
  const body = { ...rest, group: groupId === null ? null : { id: groupId } }
  const done = type === 'create'
    ? write.create({ id, ...body })
    : type === 'update' ? write.update(id, body) : write.delete(id)
  await done.catch((error: unknown) => {
    if (!['identifier_not_found', 'duplicate'].includes((error as ApiError).code)) throw error
  })
}

for (const how of [{ streams: 8, poll: 200 }, { streams: 2, poll: 5 }, { streams: 0, poll: 5 }]) {
  test(`queries show what the API has, however it changes: ${JSON.stringify(how)}`, async t => {
    t.capture(console, 'warn')
    await fc.assert(fc.asyncProperty(
      things, fc.array(change, { maxLength: 8 }), fc.nat(4), async (rows, changes, leaving) => {
        const ends: Array<() => unknown> = []
        const { client, write } = await listen({ teardown: end => ends.push(end) }, rows)
        const source = collectionOf(client, how)
        const queries = queriesOf(source)
        await Promise.all(queries.map(query => query.preload()))
        for (const { isOwn, type, id: number, values } of changes) {
          const id = (type === 'create' ? undefined : rows[number % rows.length]?.id) ?? number
          if (isOwn) {
            await changed(source, type, id, values)
            continue
          }
          await changedByOther(write, type, id, values)
        }
        // A query that is left takes none of the rows of others.
        await queries[leaving]?.cleanup()
        const expected = queriesOf(collectionOf(client, false))
        await Promise.all(expected.map(query => query.preload()))
        const meant = shownBy(expected, leaving)
        await eventually(() => shownBy(queries, leaving) === meant, () => `${shownBy(queries, leaving)} ${meant}`)
        await Promise.all(queries.map(query => query.cleanup()))
        await source.cleanup()
        for (const end of ends) await end()
      }
    ), { numRuns: runsOf(15) })
  })
}

for (const how of [false, { streams: 8 }, { streams: 0 }]) {
  test(`a query has what the API has, though no query showed what was written: ${JSON.stringify(how)}`, async t => {
    t.capture(console, 'warn')
    await fc.assert(fc.asyncProperty(
      things, changesOfOwn, fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1 }),
      async (rows, changes, order) => {
        const ends: Array<() => unknown> = []
        const { client, write } = await listen({ teardown: end => ends.push(end) }, rows)
        const source = collectionOf(client, how)
        source.startSyncImmediate()
        for (const { isOwn, type, id, values } of changes) {
          await (isOwn ? changed(source, type, id, values) : changedByOther(write, type, id, values))
        }
        for (const index of order) {
          const [shown, meant] = await Promise.all([source, collectionOf(client, false)].map(async source => {
            const query = queriesOf(source)[index] as ReturnType<typeof all>
            await query.preload()
            const rows = rowsOf(query, index)
            await query.cleanup()
            return rows
          }))
          deepStrictEqual(shown, meant)
        }
        await source.cleanup()
        for (const end of ends) await end()
      }
    ), { numRuns: runsOf(60) })
  })
}

const three: readonly Thing[] = [1, 2, 3].map(
  id => ({ id, text: `t${id}`, title: null, size: id, weight: null, done: null, groupId: null })
)
const all = (source: ReturnType<typeof collectionOf>) =>
  createLiveQueryCollection(query => query.from({ thing: source }))
const row = { text: 'new', title: null, size: 1, weight: null, done: null, group_id: null }
const textsOf = (query: ReturnType<typeof all>) => query.toArray.map(({ text }) => text).sort().join()

test('a row that was written goes if a stream never has it, because somebody deletes it at once', async t => {
  const { client, write } = await listen(t, three, { live: { interval: 400, recheck: 3_600_000 } })
  const source = collectionOf(client, true)
  const query = all(source)
  await query.preload()
  await source.insert({ ...row, id: 4 }).isPersisted.promise
  await write.delete(4)
  t.equal(textsOf(query), 'new,t1,t2,t3')
  await eventually(() => textsOf(query) === 't1,t2,t3', () => textsOf(query))
  await Promise.all([query.cleanup(), source.cleanup()])
})

test('pages are read past what the browser keeps', async t => {
  const caches: unknown[] = []
  const { client } = await serveThings(three, {}, (deliver, init) => {
    caches.push(Object(init)['cache'])
    return deliver()
  })
  const source = collectionOf(client, { streams: 0 })
  await all(source).preload()
  t.strictSame(caches, ['no-cache'])
  await source.cleanup()
})

test('where the API is not live, that is asked once, and pages are read', async t => {
  const { client, requests, write } = await listen(t, three, {})
  const source = collectionOf(client, { poll: 5 })
  const queries = [all(source), createLiveQueryCollection(
    query => query.from({ thing: source }).where(({ thing }) => gt(thing.size, 1))
  )] as const
  await queries[0].preload()
  await queries[1].preload()
  await write.update(2, { text: 'new' })
  await eventually(() => textsOf(queries[0]) === 'new,t1,t3', () => textsOf(queries[0]))
  t.equal(requests.filter(one => one.startsWith('FOLLOW')).length, 1)
  for (const query of queries) await query.cleanup()
  await source.cleanup()
  const { length } = requests
  await new Promise(resolve => setTimeout(resolve, 30))
  t.ok(requests.length <= length + 1, 'what is left is not read any more')
})

// What comes while the end of a page is looked for is no sign that the API has cut it.
test('a page is followed on, however fast it grows', async t => {
  const { client, requests, write } = await listen(t, three)
  const source = collectionOf(client, { poll: false })
  const query = all(source)
  await query.preload()
  const body = { title: null, size: 1, weight: null, done: null, group: null }
  await Promise.all([4, 5, 6, 7].map(id => write.create({ id, text: `t${id}`, ...body })))
  await eventually(() => query.size === 7, () => String(query.size))
  await write.update(7, { text: 'new' })
  await eventually(() => textsOf(query) === 'new,t1,t2,t3,t4,t5,t6', () => textsOf(query))
  t.equal(requests.filter(one => one.startsWith('FOLLOW')).length, 1)
  await query.cleanup()
  await source.cleanup()
})

test('a list of more items than a page has is read page by page, also when it grows so long', async t => {
  const { client, requests, write } = await listen(t, three)
  const source = collectionOf(client, { poll: 5 })
  const query = all(source)
  await query.preload()
  t.equal(query.size, 3)
  // A page has seven items at most.
  for (const id of [4, 5, 6, 7, 8, 9]) {
    await write.create({ id, text: 'x', title: null, size: 1, weight: null, done: null, group: null })
  }
  await eventually(() => query.size === 9, () => String(query.size))
  t.ok(requests.some(one => /^GET .*\.after=/.test(one)), requests.join('\n'))
  await query.cleanup()
  await source.cleanup()
})

for (const how of [{ streams: 4, poll: 5 }, { streams: 0, poll: 5 }]) {
  test(`rows that may not be read any more go: ${JSON.stringify(how)}`, async t => {
    let isOpen = true
    const { client, write } = await listen(t, three, {
      live, mayRead: () => isOpen
    })
    const source = collectionOf(client, how)
    const query = all(source)
    await query.preload()
    t.equal(query.size, 3)
    isOpen = false
    await write.update(1, { text: 'new' }).catch(() => {})
    await eventually(() => source.size === 0, () => String(source.size))
    await query.cleanup()
    await source.cleanup()
  })
}

test('a query that begins while the API cannot be reached shows rows, also later ones, once it can', async t => {
  const { app } = await serveThings(three, { live })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  for (const [isLive, answer] of [[true, undefined], [true, 503], [{ poll: 50, streams: 0 }, 429]] as const) {
    let left = 3
    const send: typeof fetch = async (input, init) => {
      if (left-- <= 0) return fetch(input, init)
      if (answer === undefined) throw new TypeError('fetch failed')
      return new Response('', { status: answer })
    }
    const client = createClient<ThingsApi>(url, { retries: 0, fetch: send })
    const query = all(collectionOf(client, isLive))
    const following = query.subscribeChanges(() => {})
    await query.preload()
    const id = 100 + query.size
    await (client.things as unknown as Writing).create({ ...row, id })
    await eventually(async () => query.toArray.some(row => row.id === id), () => JSON.stringify(query.toArray))
    t.ok(left < 0)
    following.unsubscribe()
    await query.cleanup()
  }
})
