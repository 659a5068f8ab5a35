import { hash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { memoryQueries } from './by-hand-memory.ts'
import { postgresQueries } from './by-hand-postgres.ts'
import { sqliteQueries } from './by-hand-sqlite.ts'
import type { Eventually, NewTrack, Queries, Row, TrackChange } from './queries.ts'
import { bodies, params, queries as asked, rows } from './schemas.ts'
import type { Setting } from './setting.ts'

/**
 * Returns the same API written by hand: with prepared statements, schemas for requests and answers, and no promise
 * where the result is available at once. `tagged`: items and scalars have a strong ETag, and are answered by 304.
 */
export function openByHand (setting: Setting, tagged = false): FastifyInstance {
  const app = Fastify()
  if (tagged) addTags(app)
  const queries = open(setting)
  addReads(app, queries)
  addListings(app, queries)
  addWrites(app, queries)
  return app
}

function addTags (app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.method !== 'GET' || typeof payload !== 'string') {
      done(null, payload)
      return
    }
    const tag = `"${hash('sha1', payload, 'base64url')}"`
    reply.header('etag', tag)
    if (request.headers['if-none-match'] !== tag) done(null, payload)
    else {
      reply.code(304)
      done(null, '')
    }
  })
}

function open (setting: Setting): Queries {
  switch (setting.source) {
    case 'memory': return memoryQueries(setting.sizes)
    case 'sqlite': return sqliteQueries(setting.file)
    case 'postgres': return postgresQueries(setting.url)
  }
}

interface Id { Params: { id: number } }
interface Of<Query> { Querystring: Query & { limit: number } }

function addReads (app: FastifyInstance, queries: Queries): void {
  app.get<Id>('/artists/:id', {
    schema: { params: params.id, response: { 200: rows.artist } }
  }, ({ params: { id } }, reply) => answer(reply, queries.artist(id)))
  app.get<Id>('/albums/:id', {
    schema: { params: params.id, response: { 200: rows.album } }
  }, ({ params: { id } }, reply) => answer(reply, queries.album(id)))
  app.get<Id>('/tracks/:id', {
    schema: { params: params.id, response: { 200: rows.track } }
  }, ({ params: { id } }, reply) => answer(reply, queries.track(id)))
  app.get<Id>('/albums/:id/title', {
    schema: { params: params.id }
  }, ({ params: { id } }, reply) => answer(reply, queries.albumTitle(id), JSON.stringify))
  app.get<{
    Params: { artist: number, album: number }
  }>('/artists/:artist/albums/:album/tracks', { schema: { params: params.path, response: { 200: rows.tracks } } },
    ({ params: { artist, album } }, reply) => answer(reply, queries.tracksOf(artist, album)))
}

function addListings (app: FastifyInstance, queries: Queries): void {
  app.get<Of<{ genre: string }>>('/albums', { schema: { querystring: asked.genre, response: { 200: rows.albums } } },
    ({ query: { genre, limit } }, reply) => answer(reply, queries.albums(genre, limit)))
  app.get<Of<{ price: number }>>('/albums-under', {
    schema: { querystring: asked.price, response: { 200: rows.albums } }
  },
  ({ query: { price, limit } }, reply) => answer(reply, queries.albumsUnder(price, limit)))
  app.get<Of<{ price: number }>>('/genres-under', {
    schema: { querystring: asked.price, response: { 200: rows.genres } }
  },
  ({ query: { price, limit } }, reply) => answer(reply, queries.genresUnder(price, limit)))
  app.get<Of<{ price: number }>>('/albums-by-artist', {
    schema: { querystring: asked.price, response: { 200: rows.albums } }
  },
  ({ query: { price, limit } }, reply) => answer(reply, queries.albumsByArtist(price, limit)))
  app.get<Of<{ country: string }>>('/prolific', {
    schema: { querystring: asked.country, response: { 200: rows.prolific } }
  },
  ({ query: { country, limit } }, reply) => answer(reply, queries.prolific(country, limit)))
  app.get<Of<{ country: string }>>('/trees', { schema: { querystring: asked.country, response: { 200: rows.trees } } },
    ({ query: { country, limit } }, reply) => answer(reply, queries.trees(country, limit)))
  app.get<Of<{ country: string }>>('/trees-text', { schema: { querystring: asked.country } },
    ({ query: { country, limit } }, reply) => answer(reply, queries.treesText(country, limit), text => text))
  app.get<Of<{ plays?: number, id?: number }>>('/tracks', {
    schema: { querystring: asked.after, response: { 200: rows.tracks } }
  },
  ({ query: { plays, id, limit } }, reply) => answer(
    reply, queries.charts(plays === undefined || id === undefined ? undefined : [plays, id], limit)
  ))
  app.get<Of<{ plays: number }>>('/tracks-under', {
    schema: { querystring: asked.plays, response: { 200: rows.tracks } }
  },
  ({ query: { plays, limit } }, reply) => answer(reply, queries.tracksUnder(plays, limit)))
  app.get<Of<{ country: string }>>('/artists-by-name', {
    schema: { querystring: asked.country, response: { 200: rows.artistsByName } }
  },
  ({ query: { country, limit } }, reply) => answer(reply, then(queries.artists(country, limit), byName)))
}

function addWrites (app: FastifyInstance, queries: Queries): void {
  app.post<{ Body: NewTrack }>('/tracks', {
    schema: { body: bodies.track, response: { 201: rows.created } }
  }, ({ body }, reply) =>
    answer(reply, then(queries.createTrack(body), id => {
      reply.code(201).header('location', `/tracks/${id}`)
      return { status: 'created', id }
    })))
  app.patch<Id & { Body: TrackChange }>('/tracks/:id', {
    schema: { params: params.id, body: bodies.change, response: { 200: rows.ok } }
  },
  ({ params: { id }, body }, reply) => answer(reply, then(queries.changeTrack(id, body), acknowledge)))
  app.put<Id & { Body: string }>('/tracks/:id/title', {
    schema: { params: params.id, body: bodies.title, response: { 200: rows.ok } }
  },
  ({ params: { id }, body }, reply) => answer(reply, then(queries.changeTrack(id, { title: body }), acknowledge)))
}

const acknowledge = (changed: boolean) => changed ? { status: 'ok' } : undefined

const byName = (artists: readonly Row[]) => Object.fromEntries(artists.map(artist => [artist['name'], artist]))

function then<T, R> (found: Eventually<T>, make: (value: T) => R): Eventually<R> {
  return found instanceof Promise ? found.then(make) : make(found)
}

/** Sends the result, or 404 where it is undefined; at once unless it is a promise. `text`: makes its JSON. */
function answer<T> (reply: FastifyReply, found: Eventually<T | undefined>, text?: (value: T) => string): void {
  const send = (value: T | undefined) => {
    if (value === undefined) reply.code(404).send({ error: 'not found' })
    else if (text === undefined) reply.send(value)
    else reply.type('application/json; charset=utf-8').send(text(value))
  }
  if (found instanceof Promise) found.then(send, (error: unknown) => { reply.send(error) })
  else send(found)
}
