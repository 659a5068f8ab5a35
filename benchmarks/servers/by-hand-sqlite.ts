import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { counted, latest, type Queries, type Row } from './queries.ts'
import { sqlitePragmas } from './setting.ts'

const album = 'id, title, released, genre, price, label, artist_id'
const artist = 'id, name, country, founded, rating, label'
const track = 'id, title, position, seconds, plays, album_id'

/** Returns queries of statements that are prepared once, on the driver that the plugin's `sqlite()` uses. */
export function sqliteQueries (file: string): Queries {
  const driver = openDriver(file, undefined)
  driver.exec(sqlitePragmas)
  const prepare = (text: string) => driver.prepare(text)

  const artistById = prepare(`select ${artist} from artists where id = ?`)
  const albumById = prepare(`select ${album} from albums where id = ?`)
  const trackById = prepare(`select ${track} from tracks where id = ?`)
  const titleById = prepare('select title from albums where id = ?')
  const albumsOfGenre = prepare(`select ${album} from albums where genre = ? order by released desc, id limit ?`)
  const albumsUnder = prepare(`select ${album} from albums where price < ? order by price desc, id limit ?`)
  const byArtist = album.split(', ').map(column => `albums.${column}`).join(', ')
  const albumsByArtist = prepare(`select ${byArtist} from albums left join artists on artists.id = albums.artist_id
    where price < ? order by artists.name, albums.id limit ?`)
  const prolific = prepare(`select id, name, (select count(*) from albums where artist_id = artists.id) as count
    from artists where country = ? order by count desc, name limit ?`)
  const genresUnder = prepare(`select genre, count(*) as count, max(released) as released from albums where price < ?
    group by genre order by count desc, genre limit ?`)
  const artistsOfCountry = prepare('select id, name from artists where country = ? order by name limit ?')
  const albumsOfArtist = prepare('select id, title from albums where artist_id = ? order by id limit 100')
  const tracksOfAlbum = prepare('select id, title, seconds from tracks where album_id = ? order by id limit 100')
  const trees = prepare(treesText)
  const albumOfArtist = prepare('select id from albums where id = ? and artist_id = ?')
  const fullTracksOfAlbum = prepare(`select ${track} from tracks where album_id = ? order by id limit 100`)
  const charts = prepare(`select ${track} from tracks order by plays desc, id limit ?`)
  const chartsAfter = prepare(
    `select ${track} from tracks where plays <= ?1 and (plays < ?1 or id > ?2) order by plays desc, id limit ?3`
  )
  const tracksUnder = prepare(`select ${track} from tracks where plays < ? order by plays desc, id limit ?`)
  const fullArtists = prepare(`select ${artist} from artists where country = ? order by name limit ?`)
  const insert = prepare(
    'insert into tracks (title, position, seconds, plays, album_id) values (?, ?, ?, ?, ?) returning id'
  )
  const update = prepare('update tracks set title = coalesce(?, title), seconds = coalesce(?, seconds) where id = ?')

  return {
    artist: id => artistById.get(id) as Row | undefined,
    album: id => albumById.get(id) as Row | undefined,
    track: id => trackById.get(id) as Row | undefined,
    albumTitle: id => (titleById.get(id) as { title: string } | undefined)?.title,
    albums: (genre, limit) => albumsOfGenre.all(genre, limit) as Row[],
    albumsUnder: (price, limit) => albumsUnder.all(price, limit) as Row[],
    albumsByArtist: (price, limit) => albumsByArtist.all(price, limit) as Row[],
    prolific: (country, limit) => (prolific.all(country, limit) as Row[]).map(counted),
    genresUnder: (price, limit) => (genresUnder.all(price, limit) as Row[]).map(latest),
    trees: (country, limit) => (artistsOfCountry.all(country, limit) as Row[]).map(artist => ({
      ...artist,
      albums: (albumsOfArtist.all(artist['id']) as Row[]).map(one => ({ ...one, tracks: tracksOfAlbum.all(one['id']) }))
    })),
    treesText: (country, limit) => (trees.get(country, limit) as { text: string }).text,
    tracksOf: (artist, id) => albumOfArtist.get(id, artist) === undefined
      ? undefined
      : fullTracksOfAlbum.all(id) as Row[],
    charts: (after, limit) => (after === undefined ? charts.all(limit) : chartsAfter.all(...after, limit)) as Row[],
    tracksUnder: (plays, limit) => tracksUnder.all(plays, limit) as Row[],
    artists: (country, limit) => fullArtists.all(country, limit) as Row[],
    createTrack: one => (insert.get(
      one.title, one.position, one.seconds, one.plays, one.album_id
    ) as { id: number }).id,
    changeTrack: (id, { title, seconds }) => Number(update.run(title ?? null, seconds ?? null, id).changes) > 0
  }
}

const treesText = `
  select json_group_array(json_object('id', id, 'name', name, 'albums', (
    select json_group_array(json_object('id', id, 'title', title, 'tracks', (
      select json_group_array(json_object('id', id, 'title', title, 'seconds', seconds))
      from (select id, title, seconds from tracks where album_id = album.id order by id limit 100)
    ))) from (select id, title from albums where artist_id = artist.id order by id limit 100) as album
  ))) as text from (select id, name from artists where country = ? order by name limit ?) as artist`
