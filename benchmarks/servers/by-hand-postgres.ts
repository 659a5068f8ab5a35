import pg from 'pg'
import { counted, latest, type Queries, type Row } from './queries.ts'
import { mostConnections } from './setting.ts'

const album = 'id, title, released::text as released, genre, price, label, artist_id'
const artist = 'id, name, country, founded, rating, label'
const track = 'id, title, position, seconds, plays, album_id'

/** Returns queries of named statements, which each connection prepares once. */
export function postgresQueries (connectionString: string): Queries {
  // Days are cast to text, which a server of DATABASE_URL may write otherwise.
  // In a variable: where the rivals are installed, the types are theirs, which lack `options`.
  const settings = { connectionString, max: mostConnections, options: '-c DateStyle=ISO' }
  const pool = new pg.Pool(settings)
  const named = (name: string, text: string) =>
    async (...values: readonly unknown[]) => (await pool.query<Row>({ name, text, values: [...values] })).rows

  const artistById = named('artist', `select ${artist} from artists where id = $1`)
  const albumById = named('album', `select ${album} from albums where id = $1`)
  const trackById = named('track', `select ${track} from tracks where id = $1`)
  const titleById = named('title', 'select title from albums where id = $1')
  const albumsOfGenre = named(
    'albums',
    `select ${album} from albums where genre = $1 order by albums.released desc, id limit $2`
  )
  const albumsUnder = named(
    'albums_under',
    `select ${album} from albums where price < $1 order by price desc, id limit $2`
  )
  const byArtist = album.split(', ').map(column => `albums.${column}`).join(', ')
  const albumsByArtist = named(
    'albums_by_artist',
    `select ${byArtist} from albums left join artists on artists.id = albums.artist_id
      where price < $1 order by artists.name, albums.id limit $2`
  )
  const prolific = named(
    'prolific',
    `select id, name, (select count(*) from albums where artist_id = artists.id)::int as count
      from artists where country = $1 order by count desc, name limit $2`
  )
  const genresUnder = named(
    'genres_under',
    `select genre, count(*)::int as count, max(released)::text as released from albums where price < $1
      group by genre order by count desc, genre limit $2`
  )
  const artistsOfCountry = named('artists', 'select id, name from artists where country = $1 order by name limit $2')
  const albumsOfArtist = named('albums_of', 'select id, title from albums where artist_id = $1 order by id limit 100')
  const tracksOfAlbum = named(
    'tracks_of', 'select id, title, seconds from tracks where album_id = $1 order by id limit 100'
  )
  const trees = named('trees', treesText)
  const albumOfArtist = named('album_of', 'select id from albums where id = $1 and artist_id = $2')
  const fullTracksOfAlbum = named(
    'full_tracks_of',
    `select ${track} from tracks where album_id = $1 order by id limit 100`
  )
  const charts = named('charts', `select ${track} from tracks order by plays desc, id limit $1`)
  const chartsAfter = named(
    'charts_after',
    `select ${track} from tracks where plays <= $1 and (plays < $1 or id > $2) order by plays desc, id limit $3`
  )
  const tracksUnder = named(
    'tracks_under',
    `select ${track} from tracks where plays < $1 order by plays desc, id limit $2`
  )
  const fullArtists = named('full_artists', `select ${artist} from artists where country = $1 order by name limit $2`)
  const insert = named(
    'insert', 'insert into tracks (title, position, seconds, plays, album_id) values ($1, $2, $3, $4, $5) returning id'
  )
  const update = named(
    'update',
    'update tracks set title = coalesce($1, title), seconds = coalesce($2, seconds) where id = $3 returning id'
  )

  return {
    artist: async id => (await artistById(id))[0],
    album: async id => (await albumById(id))[0],
    track: async id => (await trackById(id))[0],
    albumTitle: async id => (await titleById(id))[0]?.['title'] as string | undefined,
    albums: (genre, limit) => albumsOfGenre(genre, limit),
    albumsUnder: (price, limit) => albumsUnder(price, limit),
    albumsByArtist: (price, limit) => albumsByArtist(price, limit),
    prolific: async (country, limit) => (await prolific(country, limit)).map(counted),
    genresUnder: async (price, limit) => (await genresUnder(price, limit)).map(latest),
    trees: async (country, limit) => Promise.all((await artistsOfCountry(country, limit)).map(async artist => ({
      ...artist,
      albums: await Promise.all((await albumsOfArtist(artist['id'])).map(async one => ({
        ...one,
        tracks: await tracksOfAlbum(one['id'])
      })))
    }))),
    treesText: async (country, limit) => String((await trees(country, limit))[0]?.['text']),
    tracksOf: async (artist, id) => (await albumOfArtist(id, artist)).length === 0 ? undefined : fullTracksOfAlbum(id),
    charts: (after, limit) => after === undefined ? charts(limit) : chartsAfter(...after, limit),
    tracksUnder: (plays, limit) => tracksUnder(plays, limit),
    artists: (country, limit) => fullArtists(country, limit),
    createTrack: async one => Number((await insert(
      one.title, one.position, one.seconds, one.plays, one.album_id
    ))[0]?.['id']),
    changeTrack: async (id, { title, seconds }) => (await update(title ?? null, seconds ?? null, id)).length > 0
  }
}

// The result is cast to text, so that the driver does not parse JSON that is sent unchanged.
const treesText = `
  select coalesce(json_agg(json_build_object('id', id, 'name', name, 'albums', (
    select coalesce(json_agg(json_build_object('id', id, 'title', title, 'tracks', (
      select coalesce(json_agg(json_build_object('id', id, 'title', title, 'seconds', seconds)), '[]')
      from (select id, title, seconds from tracks where album_id = album.id order by id limit 100) as track
    ))), '[]') from (select id, title from albums where artist_id = artist.id order by id limit 100) as album
  ))), '[]')::text as text from (select id, name from artists where country = $1 order by name limit $2) as artist`
