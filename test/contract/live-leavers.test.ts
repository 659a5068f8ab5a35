import type { FastifyInstance } from 'fastify'
import { connect, type Http2ServerRequest, type Http2Stream } from 'node:http2'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { world } from '../fixtures/notes.ts'
import dataApi, { collection, type Database, memory, type Source } from '../../lib/index.ts'
import type { DataSource } from '../../lib/core/sources/source.ts'
import Fastify from '../helpers/fastify.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { eventually, type Follower, listen } from '../helpers/follow.ts'
import { type Place, places } from '../helpers/live-places.ts'
import { everybody } from '../helpers/everybody.ts'
import { Thing } from '../fixtures/things.ts'

// docs/live.md: clients share one read. Those who leave, at whatever moment, take nothing from those who stay.

const interval = 5

async function serve (t: Test, source: Place['source']) {
  const logged: string[] = []
  const logger = { level: 'error', stream: { write (line: string) { logged.push(line) } } }
  const app = Fastify({ forceCloseConnections: true, logger })
  await app.register(dataApi, {
    rules: everybody, collections: world.collections(source), live: { interval, recheck: 3_600_000 }
  })
  t.teardown(() => app.close())
  return { app, logged, follow: await listen(app) }
}

/** Keeps the event loop busy: what falls due and what arrives meanwhile is found in one turn. */
function keepBusy (milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

const urls = ['/notes', '/notes?sort=-text&fields=id,text,parts(kind)', '/notes/1']

const write = fc.oneof(
  fc.record({ method: fc.constant('POST' as const), url: fc.constant('/notes'), text: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ method: fc.constant('PATCH' as const), url: fc.constant('/notes/1'), text: fc.constantFrom('d', 'e') })
)

const step = fc.record({
  writes: fc.array(write, { minLength: 1, maxLength: 2 }),
  wait: fc.integer({ min: 0, max: interval }),
  /** How many of the oldest followers leave, and how. */
  leavers: fc.integer({ min: 0, max: 3 }),
  resets: fc.boolean(),
  busy: fc.constantFrom(0, 2 * interval, 4 * interval),
  /** The documents for which somebody comes. */
  comers: fc.array(fc.constantFrom(...urls), { maxLength: 3 })
})

for (const [name, open] of Object.entries(places)) {
  test(`whoever comes and leaves, those who stay have what GET gives (${name})`, async t => {
    const place = await open(world)
    t.teardown(() => place.close())
    const { app, logged, follow } = await serve(t, place.source)
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async steps => {
      await place.fill(world.tables)
      const following: Array<{ readonly url: string, readonly follower: Follower }> = []
      const come = async (url: string) => { following.push({ url, follower: await follow(url) }) }
      for (const url of [...urls, ...urls, ...urls]) await come(url)
      for (const { writes, wait, leavers, resets, busy, comers } of steps) {
        for (const { method, url, text } of writes) await app.inject({ method, url, payload: { text } })
        if (wait > 0) await sleep(wait)
        const leaving = following.splice(0, Math.min(leavers, following.length - 1))
        for (const { follower: { response } } of leaving) {
          if (resets) response.socket.resetAndDestroy()
          else response.destroy()
        }
        keepBusy(busy)
        for (const url of comers) await come(url)
      }
      for (const { url, follower } of following) {
        const { headers: { etag }, ...got } = await app.inject(url)
        const isRight = () => follower.tag === etag && isDeepStrictEqual(follower.document, got.json())
        await eventually(isRight, () => JSON.stringify([url, follower.events, logged]))
      }
      for (const { follower } of following) follower.response.destroy()
      await eventually(() => app.dataApi.live()?.streams === 0, () => 'all have left')
    }), { numRuns: runsOf(24), endOnFailure: true })
    t.strictSame(logged, [], 'a client that leaves is no error')
  })
}

/** Returns the source, which calls a function before each read. */
function readingAfter (source: Source, before: () => void): Source {
  const { database } = source as DataSource
  const { readJson: _readWritten, ...others } = database
  const reading: Database = {
    ...others,
    read (plan, fresh) {
      before()
      return database.read(plan, fresh)
    }
  }
  return { ...source, database: reading } as Source
}

test('the URLs of a document are those that GET has, also when the client that it is read for has left', async t => {
  const streams: Http2Stream[] = []
  let leave = () => {}
  const source = readingAfter(memory([1, 2, 3].map(id => ({ id, name: 'old' }))), () => { leave() })
  const options = { http2: true, forceCloseConnections: true, trustProxy: '127.0.0.1' } as const
  const app = Fastify(options) as unknown as FastifyInstance
  app.addHook('onRequest', async ({ raw }) => { streams.push((raw as unknown as Http2ServerRequest).stream) })
  await app.register(dataApi, {
    rules: everybody,
    collections: { things: collection(Thing, { source }) },
    live: { interval: 1, recheck: 3_600_000 }
  })
  const session = connect(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(async () => {
    session.destroy()
    await app.close()
  })
  const forwarded = { 'x-forwarded-host': 'api.example', 'x-forwarded-proto': 'https' }
  const follow = () => {
    const one = { text: '' }
    session.request({ ':path': '/things?size=2', accept: 'text/event-stream', ...forwarded })
      .setEncoding('utf8').on('error', () => {}).on('data', (chunk: string) => { one.text += chunk })
    return one
  }
  follow()
  await eventually(() => app.dataApi.live()?.streams === 1, () => 'the first stream')
  const second = follow()
  await eventually(() => second.text.includes('snapshot') && app.dataApi.live()?.waiting === 0, () => second.text)
  leave = () => { streams[0]?.destroy() }
  await app.dataApi.asSystem().collection('things').update(1, { name: 'new' })
  await eventually(() => second.text.includes('patch'), () => second.text)
  const { headers } = await app.inject({ url: '/things?size=2', headers: forwarded })
  t.match(headers.link, /https:\/\/api\.example/)
  t.match(second.text, `id: ${headers.etag}\nevent: patch`)
})
