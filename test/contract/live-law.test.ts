import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { world } from '../fixtures/notes.ts'
import dataApi from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { eventually, type Follower, listen } from '../helpers/follow.ts'
import { type Place, places } from '../helpers/live-places.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/live.md. Whatever is written through whichever door, and however its clients come, go and read: a document that
// is patched is the one that GET gives.

const id = fc.integer({ min: 1, max: 4 })
const text = fc.constantFrom('a', 'b', 'c/d', 'e~f')
const write = (method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, payload?: object): InjectOptions =>
  ({ method, url, ...payload && { payload } })

// Writes of several tables, and of one.
const wide = fc.oneof(
  fc.tuple(text, id).map(([text, tag]) => write('POST', '/notes', { text, tags: [{ id: tag }], safe: { id: 5 } })),
  fc.tuple(text, text).map(([text, word]) => write('POST', '/notes', { text, tags: [{ word }], safe: {} })),
  fc.tuple(id, text, id).map(([note, text, id]) => write('PATCH', `/notes/${note}`, { text, parts: [{ id }] }))
)
const narrow = fc.oneof(
  text.map(text => write('POST', '/notes', { text })),
  fc.tuple(id, text).map(([id, text]) => write('PATCH', `/notes/${id}`, { text })),
  fc.tuple(id, fc.constantFrom(5, 6, null)).map(([id, safe]) => write('PATCH', `/notes/${id}`, { safe_id: safe })),
  fc.tuple(id, fc.constantFrom('open', 'secret')).map(([id, kind]) => write('POST', `/notes/${id}/parts`, { kind })),
  fc.tuple(id, fc.constantFrom('open', 'secret', 'new')).map(([id, word]) => write('PATCH', `/tags/${id}`, { word })),
  fc.tuple(id, id).map(([id, tag]) => write('POST', `/notes/${id}/tags`, { id: tag })),
  fc.tuple(id, id).map(([id, tag]) => write('DELETE', `/notes/${id}/tags/${tag}`)),
  fc.tuple(id).map(([id]) => write('DELETE', `/parts/${id}`))
)
const apiWrite = fc.oneof({ weight: 1, arbitrary: wide }, { weight: 2, arbitrary: narrow })

const urls = [
  '/', '/notes', '/notes?sort=-text&fields=id,text,tags(word),safe(email)', '/notes/1',
  '/notes/2/text', '/parts?sort=note.text&fields=id', '/notes/by_text', '/notes/by_id', '/parts?note.text=b',
  '/safes?notes.text^=a&fields=id', '/notes/1/safe',
  '/notes?tags.word=open', '/notes?limit=2&offset=1&sort=text', '/safes/6/notes?fields=text,parts(kind;sort=-kind)',
  '/notes?sort=parts.count()&fields=id,tags.count()', '/notes?tags.count()>0',
  '/notes?sort=parts.kind.max()&fields=id', '/notes/by_text/a', '/notes?sort=-id&limit=2'
]

// Only rows with these values matter to them, or rows without.
const pointed = [
  '/safes/5/notes', '/notes?safe_id=6&fields=id', '/notes/3/parts', '/notes/3/safe', '/notes?text!=b', '/parts/1/note',
  '/notes?id=*2,3&fields=parts(id),safe(id)', '/notes/1?fields=parts(id,note(text)),safe(notes(text))',
  '/notes?where=(safe_id=5|safe_id=6)', '/notes?where=(text=a|safe_id=5)', '/safes/ann@x/notes',
  '/notes?safe_id=6&text=b', '/notes/2/tags', '/tags/1/notes'
]

// What lies in one table alone depends on no other.
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('/tags', '/parts', '/safes', '/tags/1', '/tags/2') },
  { weight: 3, arbitrary: fc.constantFrom(...pointed) },
  { weight: 5, arbitrary: fc.constantFrom(...urls) }
)

const scopes = ['', 'no secret tags', 'open parts'] as const

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('api' as const), request: apiWrite }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('behind' as const),
      by: fc.constantFrom('another connection', 'the same connection'),
      what: fc.constantFrom('update', 'delete'),
      id,
      text
    })
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('own' as const), id, text, fails: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('hop' as const),
      client: fc.nat({ max: 11 }),
      tag: fc.constantFrom('true' as const, 'false' as const, 'none' as const)
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), client: fc.nat({ max: 11 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), time: fc.integer({ min: 0, max: 8 }) }) }
)

// Two registrations serve the same rows: their paths begin alike or not, and their pages are alone or wrapped.
const prefixes = ['', '/wrapped'] as const

const client = fc.tuple(fc.constantFrom(...prefixes), path, fc.constantFrom(...scopes))
  .map(([prefix, url, scope]) => ({ url: prefix + url, scope }))

type Api = FastifyInstance['dataApi']

/** A process that serves a place, and a function that follows a document of it. */
interface Process {
  readonly app: FastifyInstance
  readonly apis: readonly [Api, ...Api[]]
  readonly follow: Awaited<ReturnType<typeof listen>>
}

/** Serves a place for all cases of a test. */
async function serve (t: Test, source: Place['source']): Promise<Process> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  const apis: Api[] = []
  for (const prefix of prefixes) {
    await app.register(async scope => {
      await scope.register(dataApi, {
        rules: everybody,
        collections: world.collections(source),
        requestStrategies: { delete: true },
        responseContent: { pageLinks: prefix === '' ? 'header' : 'wrapped' },
        baseUrl: 'http://localhost',
        live: { interval: 1, recheck: 3_600_000 }
      })
      apis.push(scope.dataApi)
    }, { prefix })
  }
  return { app, apis: apis as [Api, ...Api[]], follow: await listen(app) }
}

/** Ends all streams of a case, as its clients do. */
async function leave (processes: readonly Process[], followers: readonly Follower[]): Promise<void> {
  for (const { response } of followers) response.destroy()
  const open = () => processes.flatMap(({ apis }) => apis).reduce((sum, api) => sum + (api.live()?.streams ?? 0), 0)
  await eventually(() => open() === 0, () => `${open()} streams stayed open`)
}

for (const [name, open] of Object.entries(places)) {
  test(`a patched document is GET's, after whatever was written (${name})`, async t => {
    const place = await open(world)
    t.teardown(() => place.close())
    const processes = [await serve(t, place.source)]
    if (place.elsewhere) processes.push(await serve(t, place.elsewhere))
    await fc.assert(fc.asyncProperty(
      fc.array(client, { minLength: 12, maxLength: 12 }), fc.array(act, { minLength: 1, maxLength: 10 }),
      async (clients, acts) => {
        await place.fill(world.tables)
        // Clients and writes come to each process in turn.
        let turn = 0
        const next = () => processes[turn++ % processes.length] as Process
        const followers = await Promise.all(clients.map(({ url, scope }) => next().follow(url, { scope })))
        const again = async (at: number, headers: Record<string, string> = {}) => {
          const { url = '', scope = '' } = clients[at] ?? {}
          followers[at] = await next().follow(url, { scope, ...headers }, followers[at])
        }
        for (const one of acts) await run(one)
        for (const [at, { url, scope }] of clients.entries()) {
          followers[at]?.response.resume()
          const got = await next().app.inject({ url, headers: { scope } })
          await eventually(() => isRight(at, got), () => JSON.stringify([clients[at], followers[at]?.events]))
        }
        await leave(processes, followers)

        async function isRight (at: number, got: LightMyRequestResponse): Promise<boolean> {
          const follower = followers[at] as Follower
          const { events } = follower
          const twice = events.find(({ event, id }, n) => event === 'patch' && id === events[n - 1]?.id)
          if (twice !== undefined) throw new Error(`a patch without another tag: ${JSON.stringify(events)}`)
          if (follower.status !== 200) return got.statusCode === follower.status
          const last = follower.events.at(-1)
          if (last?.event === 'end' && got.statusCode !== 200) return isDeepStrictEqual(last.data, got.json())
          // As EventSource does.
          if (follower.isClosed) await again(at)
          return isDeepStrictEqual(follower.document, got.json()) && follower.tag === got.headers.etag
        }

        async function run (one: typeof acts[number]): Promise<void> {
          switch (one.kind) {
            case 'api': await next().app.inject(one.request); break
            case 'behind': await place.behind?.(one); break
            case 'own': {
              const work = next().apis[0].asSystem().transaction(async tx => {
                await tx.collection('notes').update(one.id, { text: one.text })
                await tx.collection('tags').update(one.id % 2 + 1, { word: one.text })
                if (one.fails) throw new Error('no')
              })
              await work.catch(() => {})
              break
            }
            case 'hop': {
              const { tag = '', status } = followers[one.client] as Follower
              await followers[one.client]?.leave()
              const lastEventId = one.tag === 'true' && status === 200 ? tag : '"false"'
              await again(one.client, one.tag === 'none' ? {} : { 'last-event-id': lastEventId })
              break
            }
            case 'pause': followers[one.client]?.response.pause(); break
            case 'wait': await sleep(one.time)
          }
        }
      }), { numRuns: runsOf(24), endOnFailure: true })
    t.pass()
  })
}

// The twin has a note more, which a secret tag hides. Its key is lower than those that are given next.
const hidden = { notes: { id: -1, text: 'hidden', safeId: 5 }, note_tags: { noteId: -1, tagId: 2 } }
const twin = {
  ...world.tables,
  notes: [hidden.notes, ...world.tables['notes'] ?? []],
  note_tags: [hidden.note_tags, ...world.tables['note_tags'] ?? []]
}

// Without the words of tags: another word would show the note.
const unhiding = apiWrite.filter(({ url }) => !String(url).startsWith('/tags'))

for (const [name, open] of Object.entries(places)) {
  test(`what a caller may not see makes no byte of a stream (${name})`, async t => {
    const headers = { scope: 'no secret tags' }
    const served = await Promise.all([world.tables, twin].map(async tables => {
      const place = await open(world)
      t.teardown(() => place.close())
      return { tables, place, process: await serve(t, place.source) }
    }))
    await fc.assert(fc.asyncProperty(
      fc.uniqueArray(path, { minLength: 3, maxLength: 6 }),
      fc.array(fc.record({ request: unhiding, text }), { minLength: 1, maxLength: 8 }),
      async (paths, acts) => {
        const sides = await Promise.all(served.map(async ({ tables, place, process }) => {
          await place.fill(tables)
          return { ...process, followers: await Promise.all(paths.map(path => process.follow(path, headers))) }
        }))
        const told = (at: number) => sides[at]?.followers.map(({ status, events }) => ({ status, events }))
        const settle = async () => {
          for (const { app, followers } of sides) {
            for (const [at, one] of followers.entries()) {
              const { statusCode, headers: { etag } } = await app.inject({ url: paths[at] ?? '', headers })
              const isRight = () => one.isClosed || (statusCode === 200 && one.tag === etag)
              await eventually(isRight, () => JSON.stringify([paths, told(0), told(1)]))
            }
          }
        }
        await settle()
        for (const { request, text } of acts) {
          const before = JSON.stringify(told(1))
          await sides[1]?.apis[0].asSystem().collection('notes').update(-1, { text })
          await sleep(10)
          if (JSON.stringify(told(1)) !== before) throw new Error(`a hidden change was told: ${before}`)
          for (const { app } of sides) await app.inject({ ...request, headers })
          await settle()
          if (!isDeepStrictEqual(told(0), told(1))) throw new Error(JSON.stringify([told(0), told(1)]))
        }
        for (const side of sides) await leave([side], side.followers)
      }), { numRuns: runsOf(12), endOnFailure: true })
    t.pass()
  })
}
