import type { FastifyInstance, InjectOptions } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import tap, { test } from 'tap'
import { world } from '../fixtures/notes.ts'
import dataApi, { memory, sqlite } from '../../lib/index.ts'
import { openDriver } from '../../lib/sources/sql/sqlite/driver.ts'
import Fastify from '../helpers/fastify.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { eventually, type Follower, listen } from '../helpers/follow.ts'
import { openLogged } from '../helpers/logged-postgres.ts'
import { newFile } from '../helpers/on-sqlite.ts'
import { openers, sqliteDdl, type Opened, type Tables } from '../helpers/sources.ts'

// docs/live.md. Whatever is written through whichever door, and however its clients come, go and read: a document that
// is patched is the one that GET gives.

/** A database, and a door that is not the API's. */
interface Place {
  readonly source: Opened['source']
  /** The same tables as another process knows them; undefined where only one process can serve them. */
  readonly elsewhere?: Opened['source']
  /** Writes behind the back of the API; undefined where only the option `recheck` would notice it. */
  readonly behind?: (write: Behind) => void | Promise<unknown>
  close (): void | Promise<void>
}

const places: Readonly<Record<string, (tables: Tables) => Place | Promise<Place>>> = {
  memory (tables) {
    const rows = structuredClone(tables) as Record<string, Array<Record<string, unknown>>>
    const source = (table: string) => memory(rows[table] ?? [], { joins: rows, statementTimeout: 0 })
    return {
      source,
      behind ({ id, text }) {
        for (const note of rows['notes'] ?? []) if (note['id'] === id) note['text'] = text
        source('notes').refresh()
      },
      close () {}
    }
  },
  sqlite (tables) {
    const file = newFile()
    const db = sqlite(file)
    db.exec(sqliteDdl(world.ddl ?? ''))
    const other = openDriver(file, undefined)
    other.exec('pragma foreign_keys = on; pragma busy_timeout = 5000')
    for (const [table, rows] of Object.entries(tables)) {
      for (const row of rows) {
        const names = Object.keys(row).map(name => `"${name}"`)
        other.prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`)
          .run(...Object.values(row))
      }
    }
    return {
      source: table => db.table(table),
      behind ({ by, what, id, text }) {
        const driver = by === 'another connection' ? other : db.driver
        if (what === 'update') driver.prepare('update notes set text = ? where id = ?').run(text, id)
        else driver.exec(`delete from parts where "noteId" = ${id}; delete from notes where id = ${id}`)
      },
      close () {
        other.close()
        db.close()
      }
    }
  },
  ...openers.postgres && {
    postgres: tables => openers.postgres(tables, world.ddl),
    async 'postgres with a log' (tables) {
      const { db, second, other, close } = await openLogged(tables, world.ddl ?? '')
      return {
        source: table => db.table(table),
        elsewhere: table => second.table(table),
        async behind ({ by, what, id, text }) {
          const script = what === 'update'
            ? `update notes set text = '${text}' where id = ${id}`
            : `delete from parts where "noteId" = ${id}; delete from notes where id = ${id}`
          await (by === 'another connection' ? other.query(script) : db.pool.query(script))
        },
        close
      }
    }
  }
}

interface Behind {
  readonly by: 'another connection' | 'the same connection'
  readonly what: 'update' | 'delete'
  readonly id: number
  readonly text: string
}

const id = fc.integer({ min: 1, max: 4 })
const text = fc.constantFrom('a', 'b', 'c/d', 'e~f')
const write = (method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, payload?: object): InjectOptions =>
  ({ method, url, ...payload && { payload } })

const apiWrite = fc.oneof(
  text.map(text => write('POST', '/notes', { text })),
  fc.tuple(text, id).map(([text, tag]) => write('POST', '/notes', { text, tags: [{ id: tag }], safe: { id: 5 } })),
  fc.tuple(id, text).map(([id, text]) => write('PATCH', `/notes/${id}`, { text })),
  fc.tuple(id, fc.constantFrom(5, 6, null)).map(([id, safe]) => write('PATCH', `/notes/${id}`, { safe_id: safe })),
  fc.tuple(id, fc.constantFrom('open', 'secret')).map(([id, kind]) => write('POST', `/notes/${id}/parts`, { kind })),
  fc.tuple(id, fc.constantFrom('open', 'secret', 'new')).map(([id, word]) => write('PATCH', `/tags/${id}`, { word })),
  fc.tuple(id, id).map(([id, tag]) => write('POST', `/notes/${id}/tags`, { id: tag })),
  fc.tuple(id, id).map(([id, tag]) => write('DELETE', `/notes/${id}/tags/${tag}`)),
  fc.tuple(id).map(([id]) => write('DELETE', `/parts/${id}`))
)

const urls = [
  '/', '/notes', '/notes?sort=-text&fields=id,text,tags(word),safe(email)', '/notes/1', '/notes/2/tags',
  '/notes/2/text', '/parts?sort=note.text&fields=id', '/notes/by_text', '/notes/by_id', '/parts?note.text=b',
  '/safes?notes.text^=a&fields=id', '/notes/1/safe',
  '/notes?tags.word=open', '/notes?limit=2&offset=1&sort=text', '/safes/6/notes?fields=text,parts(kind;sort=-kind)',
  '/notes?sort=parts.count()&fields=id,tags.count()', '/notes?tags.count()>0',
  '/notes?sort=parts.kind.max()&fields=id', '/notes/by_text/a', '/tags/1/notes', '/notes?sort=-id&limit=2'
]

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
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('own' as const), id, text, fails: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('hop' as const),
      client: fc.nat({ max: 3 }),
      tag: fc.constantFrom('true' as const, 'false' as const, 'none' as const)
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), client: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), time: fc.integer({ min: 0, max: 8 }) }) }
)

const client = fc.record({ url: fc.constantFrom(...urls), scope: fc.constantFrom(...scopes) })

async function serve (place: Place, wrapped: boolean, source = place.source) {
  const app = Fastify({ forceCloseConnections: true })
  opened.add({ app, place })
  await app.register(dataApi, {
    collections: world.collections(source),
    requestStrategies: { delete: true },
    responseContent: { pageLinks: wrapped ? 'wrapped' : 'header' },
    baseUrl: 'http://localhost',
    live: { interval: 1, recheck: 3_600_000 }
  })
  return app
}

// What a failure left open would keep the process alive.
const opened = new Set<{ readonly app: FastifyInstance, readonly place: Place }>()
tap.teardown(async () => { for (const one of opened) await close(one) })

async function close ({ place }: { readonly place: Place }): Promise<void> {
  for (const one of opened) {
    if (one.place !== place) continue
    opened.delete(one)
    await one.app.close()
  }
  await place.close()
}

for (const [name, open] of Object.entries(places)) {
  for (const wrapped of [false, true]) {
    test(`a patched document is GET's, after whatever was written (${name}${wrapped ? ', wrapped' : ''})`, async t => {
      await fc.assert(fc.asyncProperty(
        fc.array(client, { minLength: 4, maxLength: 4 }), fc.array(act, { minLength: 1, maxLength: 20 }),
        async (clients, acts) => {
          const place = await open(world.tables)
          const app = await serve(place, wrapped)
          // Clients and writes come to each process in turn.
          const apps = [app, ...place.elsewhere ? [await serve(place, wrapped, place.elsewhere)] : []]
          const listening = await Promise.all(apps.map(listen))
          let turn = 0
          const nextApp = () => apps[turn++ % apps.length] ?? app
          const follow = (...given: Parameters<typeof listening[number]>) =>
            (listening[turn++ % apps.length] as typeof listening[number])(...given)
          const followers = await Promise.all(clients.map(({ url, scope }) => follow(url, { scope })))
          const again = async (at: number, headers: Record<string, string> = {}) => {
            const { url = '', scope = '' } = clients[at] ?? {}
            followers[at] = await follow(url, { scope, ...headers }, followers[at])
          }
          for (const one of acts) await run(one)
          for (const [at] of clients.entries()) {
            followers[at]?.response.resume()
            await eventually(() => isRight(at), () => JSON.stringify([clients[at], followers[at]?.events]))
          }
          await close({ place })

          async function isRight (at: number): Promise<boolean> {
            const { url = '', scope = '' } = clients[at] ?? {}
            const follower = followers[at] as Follower
            const got = await app.inject({ url, headers: { scope } })
            if (follower.status !== 200) return got.statusCode === follower.status
            const last = follower.events.at(-1)
            if (last?.event === 'end' && got.statusCode !== 200) return isDeepStrictEqual(last.data, got.json())
            // As EventSource does.
            if (follower.isClosed) await again(at)
            return isDeepStrictEqual(follower.document, got.json()) && follower.tag === got.headers.etag
          }

          async function run (one: typeof acts[number]): Promise<void> {
            switch (one.kind) {
              case 'api': await nextApp().inject(one.request); break
              case 'behind': await place.behind?.(one as Behind); break
              case 'own': {
                const work = nextApp().dataApi.asSystem().transaction(async tx => {
                  await tx.collection('notes').update(one.id, { text: one.text })
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
        }), { numRuns: runsOf(30), endOnFailure: true })
      t.pass()
    })
  }
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
    await fc.assert(fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...urls), { minLength: 3, maxLength: 6 }),
      fc.array(fc.record({ request: unhiding, text }), { minLength: 1, maxLength: 8 }),
      async (paths, acts) => {
        const headers = { scope: 'no secret tags' }
        const sides = await Promise.all([world.tables, twin].map(async tables => {
          const place = await open(tables)
          const app = await serve(place, false)
          const follow = await listen(app)
          return { app, place, followers: await Promise.all(paths.map(path => follow(path, headers))) }
        }))
        const told = (at: number) => sides[at]?.followers.map(({ status, events }) => ({ status, events }))
        const settle = () => eventually(async () => (await Promise.all(sides.map(async ({ app, followers }) =>
          (await Promise.all(paths.map(async (url, at) => {
            const { statusCode, headers: { etag } } = await app.inject({ url, headers })
            const one = followers[at] as Follower
            return one.isClosed || (statusCode === 200 && one.tag === etag)
          }))).every(Boolean)))).every(Boolean), () => JSON.stringify([paths, told(0), told(1)]))
        await settle()
        for (const { request, text } of acts) {
          const before = JSON.stringify(told(1))
          await sides[1]?.app.dataApi.asSystem().collection('notes').update(-1, { text })
          await sleep(10)
          if (JSON.stringify(told(1)) !== before) throw new Error(`a hidden change was told: ${before}`)
          for (const { app } of sides) await app.inject({ ...request, headers })
          await settle()
          if (!isDeepStrictEqual(told(0), told(1))) throw new Error(JSON.stringify([told(0), told(1)]))
        }
        for (const side of sides) await close(side)
      }), { numRuns: runsOf(12), endOnFailure: true })
    t.pass()
  })
}
