import pg from 'pg'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { type SqliteDatabase } from '../../lib/index.ts'
import type { Database } from '../../lib/core/sources/source.ts'
import { collections, ddl, tables, uuid } from '../fixtures/shop.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'
import { isOfCatalog, kyselyOpeners, type Opened, type Opener, openers } from '../helpers/sources.ts'

// docs/architecture.md: The way of a request. One read is one statement, on every source; memory() has reads of its
// database instead.

const { memory, sqlite, postgres } = openers

/** Each kind of source, and what counts its statements from then on. */
const counted: Record<string, readonly [Opener, (opened: Opened, count: () => void) => void]> = {
  memory: [memory, countReads],
  sqlite: [sqlite, countRuns],
  ...!withoutPostgres &&
    { postgres: [postgres, countQueries], 'kysely over pg': [kyselyOpeners['kysely over pg'], countQueries] }
}

function countReads (opened: Opened, count: () => void): void {
  const { database } = opened.source('artists')
  for (const name of ['read', 'change'] as const) countCalls(database, name, count)
}

function countCalls (database: Database, name: 'read' | 'change', count: () => void): void {
  const own = database[name].bind(database) as (...given: readonly unknown[]) => unknown
  Object.assign(database, { [name]: (...given: readonly unknown[]) => { count(); return own(...given) } })
}

function countRuns (opened: Opened, count: () => void): void {
  const { driver } = opened.source('artists').database as SqliteDatabase
  const prepare = driver.prepare.bind(driver)
  const counting = (text: string) => {
    if (isOfCatalog(text)) return prepare(text)
    const statement = prepare(text)
    const counted = <T>(run: (...parameters: unknown[]) => T) => (...parameters: unknown[]) => {
      count()
      return run.apply(statement, parameters)
    }
    const setReturnArrays = (on: boolean) => statement.setReturnArrays?.(on)
    return { get: counted(statement.get), all: counted(statement.all), run: counted(statement.run), setReturnArrays }
  }
  Object.defineProperty(driver, 'prepare', { value: counting })
}

let counter: ((text: string) => void) | undefined
const query: (...given: unknown[]) => unknown = Reflect.get(pg.Client.prototype, 'query')
Reflect.set(pg.Client.prototype, 'query', function (this: unknown, ...given: unknown[]) {
  const [asked] = given
  counter?.(typeof asked === 'string' ? asked : String(Reflect.get(asked as object, 'text')))
  return query.apply(this, given)
})

function countQueries (_opened: Opened, count: () => void): void {
  counter = count
}

const reads = [
  '/artists', '/artists/1', '/artists/Noisia/name', '/labels/VSN/artists/Noisia/albums/7/tracks/Intro/seconds',
  '/artists?fields=name,label(code,artists(name;sort=name ' +
    'desc;limit=1)),albums(title,tracks(title;where=seconds>1))&where=albums.tracks.seconds>1&sort=rating desc&size=1',
  '/artists/by_name', '/labels/VSN/artists/by_name/Noisia', '/artists/by_name?size=1', '/artists?size=1',
  '/artists?size=1&offset=1', '/artists/9', '/labels/9/artists/1/albums', '/albums/7/artist/label',
  `/tracks/${uuid(1)}`, '/artists?where=name=*Can,Noisia',
  '/artists?sort=label.code,-label.city&fields=name,albums(title;sort=artist.label.code)&size=1',
  '/artists?fields=name,albums.count(),label(artists.count())&sort=-albums.count()&albums.count()>0&size=1'
]

for (const [kind, [open, countOn]] of Object.entries(counted)) {
  test(`a read is one statement, and so is a write that nothing must be known for (${kind})`, async t => {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { collections: collections(opened.source), requestStrategies: { delete: true } })
    t.teardown(async () => {
      counter = undefined
      await app.close()
      await opened.close()
    })
    // What is asked of a database once.
    for (const url of ['/labels', '/artists/1/rating']) await app.inject(url)
    let statements = 0
    countOn(opened, () => { statements++ })
    for (const url of reads) {
      for (const headers of [{}, { prefer: 'count=exact' }]) {
        statements = 0
        const { statusCode } = await app.inject({ url, headers })
        t.strictSame([statements, statusCode], [1, /\/9(\/|$)/.test(url) ? 404 : 200], url)
      }
    }
    for (const [method, url, payload] of [['PUT', '/labels/1/city', '"x"'], [
      'PATCH', '/labels/1', '{"city":"y"}'
    ], ['POST', '/labels', '{"code":"NEW"}'], ['DELETE', '/labels/3', undefined]] as const) {
      statements = 0
      const { statusCode } = await app.inject({
        method, url, ...payload !== undefined && { headers: { 'content-type': 'application/json' }, payload }
      })
      // Through Kysely with its begin and commit: not every driver waits for the commit of a lone statement.
      const expected = kind.startsWith('kysely') ? 3 : 1
      t.strictSame([statements, statusCode < 300], [expected, true], `${method} ${url}`)
    }
  })
}

const told: Record<string, readonly [Opener, (opened: Opened, tell: (text: string) => void) => void]> = {
  sqlite: [sqlite, (opened, tell) => {
    const { driver } = opened.source('artists').database as SqliteDatabase
    const prepare = driver.prepare.bind(driver)
    Object.defineProperty(driver, 'prepare', {
      value (text: string) {
        tell(text)
        return prepare(text)
      }
    })
  }],
  ...!withoutPostgres && { postgres: [postgres, (_opened, tell) => { counter = tell }] }
}

for (const [kind, [open, watch]] of Object.entries(told)) {
  test(`what items show and are sorted by is made once, and so is what cursors hold (${kind})`, async t => {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { collections: collections(opened.source) })
    t.teardown(async () => {
      counter = undefined
      await app.close()
      await opened.close()
    })
    await app.inject('/artists?size=1')
    let text = ''
    watch(opened, of => { if (of.includes('from "artists"')) text = of })
    for (const sort of ['albums.count()', '-albums.title.max()']) {
      const call = sort.replace('-', '')
      for (const fields of ['name', `name,${call}`, `label(artists(${call};sort=${sort}))`]) {
        for (const headers of [{}, { accept: 'application/x-ndjson' }]) {
          const { statusCode } = await app.inject({ url: `/artists?size=2&sort=${sort}&fields=${fields}`, headers })
          const made = text.split('from "albums"').length - 1
          t.strictSame([statusCode, made], [200, fields.startsWith('label') ? 2 : 1], `${sort} ${fields}`)
        }
      }
    }
  })
}
