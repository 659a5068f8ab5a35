import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import dataApi, { collection, type Context, sqlite } from '../../lib/index.ts'
import { openDriver, type SqliteDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { Album, Artist, Track } from '../collections.ts'
import type { NewTrack, TrackChange } from './queries.ts'
import { bodies, params, rows } from './schemas.ts'
import { sqlitePragmas } from './setting.ts'

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  meta: Type.Object({}, { readable: true, writable: true })
})

/** Notes with a value of JSON, which no other scenario has. */
const notes = `
  create table if not exists notes (id integer primary key, meta text not null) strict;
  with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
  insert or ignore into notes
  select i, json_object('plays', 0, 'rating', 4.5, 'places', json_object('home', i, 'work', i)) from n`

const ownerOf = ({ headers }: Pick<FastifyRequest, 'headers'>) => Number(headers['x-owner'])
const isLead = ({ headers }: Pick<FastifyRequest, 'headers'>) => headers['x-role'] === 'lead'
const isMember = ({ headers }: Pick<FastifyRequest, 'headers'>) => isLead({ headers }) || headers['x-role'] === 'member'

/** Opens the plugin with a scope, two rules of fields and what is said of writes, for its scenarios. */
export async function openRuled (file: string): Promise<FastifyInstance> {
  const app = Fastify()
  const db = sqlite(file, { synchronous: 'normal' })
  db.exec(notes)
  const source = (table: string) => db.table(table, { columns: 'snake_case' })
  const lead = ({ request }: Context) => isLead(request)
  const member = ({ request }: Context) => isMember(request)
  await app.register(dataApi, {
    rules: { read: true, create: false, update: false, delete: false },
    collections: {
      artists: collection(Artist, { source: source('artists') }),
      albums: collection(Album, {
        source: source('albums'),
        scope: ({ request }) => ({ artistId: ownerOf(request) }),
        rules: { fields: { price: { read: member }, label: { read: lead } } }
      }),
      tracks: collection(Track, {
        source: source('tracks'),
        scope: ({ request }) => ({ albumId: ownerOf(request) }),
        rules: { update: member, fields: { title: { write: member }, plays: { write: lead } } }
      }),
      notes: collection(Note, { source: source('notes'), rules: { update: true } })
    }
  })
  return app
}

/** Opens routes by hand that check the same, and those for many items. */
export function openSpecial (file: string): FastifyInstance {
  const app = Fastify()
  const driver = openDriver(file, undefined)
  driver.exec(sqlitePragmas)
  driver.exec(notes)
  addRuled(app, driver)
  addMerged(app, driver)
  addMany(app, driver)
  return app
}

interface Id { Params: { id: number } }

function addRuled (app: FastifyInstance, driver: SqliteDriver): void {
  const select = (columns: string) =>
    driver.prepare(`select ${columns} from albums where id = ? and artist_id = ?`)
  const forAll = select('id, title, released, genre, artist_id')
  const forMembers = select('id, title, released, genre, price, artist_id')
  const forLeads = select('id, title, released, genre, price, label, artist_id')
  const update = driver.prepare(
    'update tracks set title = coalesce(?, title), seconds = coalesce(?, seconds) where id = ? and album_id = ?'
  )
  app.get<Id>('/albums/:id', { schema: { params: params.id, response: { 200: rows.album } } }, (request, reply) => {
    const statement = isLead(request) ? forLeads : isMember(request) ? forMembers : forAll
    const found = statement.get(request.params.id, ownerOf(request))
    reply.code(found === undefined ? 404 : 200).send(found ?? { error: 'not found' })
  })
  app.patch<Id & { Body: TrackChange }>('/tracks/:id', {
    schema: { params: params.id, body: bodies.change, response: { 200: rows.ok } }
  }, (request, reply) => {
    const { params: { id }, body: { title, seconds } } = request
    if (title !== undefined && !isMember(request)) return reply.code(403).send({ error: 'forbidden' })
    const { changes } = update.run(title ?? null, seconds ?? null, id, ownerOf(request))
    return reply.code(changes > 0 ? 200 : 404).send({ status: 'ok' })
  })
}

function addMerged (app: FastifyInstance, driver: SqliteDriver): void {
  const merge = driver.prepare('update notes set meta = json_patch(meta, ?) where id = ?')
  const parser = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/merge-patch+json', { parseAs: 'string' }, parser)
  app.patch<Id & { Body: { meta: object } }>('/notes/:id', {
    schema: { params: params.id, body: bodies.note, response: { 200: rows.ok } }
  }, ({ params: { id }, body: { meta } }, reply) => {
    const { changes } = merge.run(JSON.stringify(meta), id)
    return reply.code(changes > 0 ? 200 : 404).send({ status: 'ok' })
  })
}

function addMany (app: FastifyInstance, driver: SqliteDriver): void {
  const insert = driver.prepare(
    'insert into tracks (title, position, seconds, plays, album_id) values (?, ?, ?, ?, ?) returning id'
  )
  const create = ({ title, position, seconds, plays, album_id: album }: NewTrack) =>
    ({ status: 'created', ...insert.get(title, position, seconds, plays, album) as { id: number } })
  app.post<{ Body: readonly NewTrack[] }>('/tracks-many', {
    schema: {
      body: { type: 'array', items: bodies.track },
      response: { 201: { type: 'array', items: rows.created } }
    }
  }, ({ body }, reply) => {
    driver.exec('begin immediate')
    try {
      const created = body.map(create)
      driver.exec('commit')
      reply.code(201).send(created)
    } catch (error) {
      driver.exec('rollback')
      throw error
    }
  })
  const below = driver.prepare(
    'select id, title, released, genre, price, label, artist_id from albums where id < ? order by id'
  )
  app.get<{ Querystring: { below: number } }>('/albums-ndjson', ({ query }, reply) => {
    const found = below.iterate?.(Number(query.below)) ?? below.all(Number(query.below))
    reply.type('application/x-ndjson').send(Readable.from(linesOf(found)))
  })
}

/** Returns lines of JSON, 500 together. */
function * linesOf (found: Iterable<unknown>): Generator<string> {
  let text = ''
  let count = 0
  for (const row of found) {
    text += `${JSON.stringify(row)}\n`
    if (++count % 500 > 0) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
