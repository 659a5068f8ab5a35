import Database from 'better-sqlite3'
import { asc, desc, eq, relations } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// Fastify with drizzle, as its documents write queries: with the schemas of the route by hand, on better-sqlite3.

const artists = sqliteTable('artists', { id: integer().primaryKey(), name: text(), country: text() })
const albums = sqliteTable('albums', {
  id: integer().primaryKey(),
  title: text().notNull(),
  released: text().notNull(),
  genre: text().notNull(),
  price: real().notNull(),
  label: text(),
  artist_id: integer().notNull()
})
const tracks = sqliteTable('tracks', {
  id: integer().primaryKey(),
  title: text().notNull(),
  position: integer().notNull(),
  seconds: integer().notNull(),
  plays: integer().notNull(),
  album_id: integer().notNull()
})
const schema = {
  artists,
  albums,
  tracks,
  ofArtists: relations(artists, ({ many }) => ({ albums: many(albums) })),
  ofAlbums: relations(albums, ({ many, one }) => ({
    artist: one(artists, { fields: [albums.artist_id], references: [artists.id] }),
    tracks: many(tracks)
  })),
  ofTracks: relations(tracks, ({ one }) => ({
    album: one(albums, { fields: [tracks.album_id], references: [albums.id] })
  }))
}

export function open ({ file, pragmas, Fastify, schemas: { params, bodies, queries, rows } }) {
  const client = new Database(file)
  client.exec(pragmas)
  const db = drizzle(client, { schema })
  const app = Fastify()
  const orMissing = (reply, found) => found ?? reply.code(404).send({ error: 'not found' })

  app.get('/albums/:id', { schema: { params: params.id, response: { 200: rows.album } } }, async (request, reply) =>
    orMissing(reply, db.select().from(albums).where(eq(albums.id, request.params.id)).get()))
  app.get('/albums/:id/title', { schema: { params: params.id } }, async (request, reply) => {
    const found = db.select({ title: albums.title }).from(albums).where(eq(albums.id, request.params.id)).get()
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(found.title))
  })
  app.get('/albums', { schema: { querystring: queries.genre, response: { 200: rows.albums } } }, async ({ query }) =>
    db.select().from(albums).where(eq(albums.genre, query.genre))
      .orderBy(desc(albums.released), asc(albums.id)).limit(query.limit).all())
  app.get('/trees', { schema: { querystring: queries.country, response: { 200: rows.trees } } }, async ({ query }) =>
    db.query.artists.findMany({
      columns: { id: true, name: true },
      where: eq(artists.country, query.country),
      orderBy: asc(artists.name),
      limit: query.limit,
      with: {
        albums: {
          columns: { id: true, title: true },
          orderBy: asc(albums.id),
          limit: 100,
          with: { tracks: { columns: { id: true, title: true, seconds: true }, orderBy: asc(tracks.id), limit: 100 } }
        }
      }
    }))
  app.get('/tracks/:id', { schema: { params: params.id, response: { 200: rows.track } } }, async (request, reply) =>
    orMissing(reply, db.select().from(tracks).where(eq(tracks.id, request.params.id)).get()))
  app.post('/tracks', { schema: { body: bodies.track, response: { 201: rows.created } } }, async ({ body }, reply) => {
    const { id } = db.insert(tracks).values(body).returning({ id: tracks.id }).get()
    return reply.code(201).send({ status: 'created', id })
  })
  app.patch('/tracks/:id', {
    schema: { params: params.id, body: bodies.change, response: { 200: rows.ok } }
  }, async (request, reply) => {
    const { changes } = db.update(tracks).set(request.body).where(eq(tracks.id, request.params.id)).run()
    return orMissing(reply, changes > 0 ? { status: 'ok' } : undefined)
  })
  return app
}
