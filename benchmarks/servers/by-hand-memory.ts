import { type Album, type Artist, makeWorld, type Sizes, type Track } from '../world.ts'
import type { Queries } from './queries.ts'

/** Returns queries over Maps by key and by foreign key, and loops over arrays. */
export function memoryQueries (sizes: Sizes): Queries {
  const world = makeWorld(sizes)
  const artists = byId(world.artists)
  const albums = byId(world.albums)
  const tracks = byId(world.tracks)
  const albumsOf = groupBy(world.albums, album => album.artistId)
  const tracksOf = groupBy(world.tracks, track => track.albumId)
  const artistsOf = (country: string, limit: number) => world.artists.filter(artist => artist.country === country)
    .sort((one, other) => compare(one.name, other.name))
    .slice(0, limit)
  const trees = (country: string, limit: number) => artistsOf(country, limit).map(({ id, name }) => ({
    id,
    name,
    albums: (albumsOf.get(id) ?? []).map(album => ({
      id: album.id,
      title: album.title,
      tracks: (tracksOf.get(album.id) ?? []).map(({ id, title, seconds }) => ({ id, title, seconds }))
    }))
  }))
  return {
    artist: id => artists.get(id),
    album: id => shown(albums.get(id), showAlbum),
    track: id => shown(tracks.get(id), showTrack),
    albumTitle: id => albums.get(id)?.title,
    albums: (genre, limit) => world.albums.filter(album => album.genre === genre)
      .sort((one, other) => compare(other.released, one.released) || one.id - other.id)
      .slice(0, limit)
      .map(showAlbum),
    albumsUnder: (price, limit) => world.albums.filter(album => album.price < price)
      .sort((one, other) => other.price - one.price || one.id - other.id)
      .slice(0, limit)
      .map(showAlbum),
    albumsByArtist: (price, limit) => world.albums.filter(album => album.price < price)
      .map(album => ({ album, name: artists.get(album.artistId)?.name ?? '' }))
      .sort((one, other) => compare(one.name, other.name) || one.album.id - other.album.id)
      .slice(0, limit)
      .map(({ album }) => showAlbum(album)),
    prolific: (country, limit) => world.artists.filter(artist => artist.country === country)
      .map(({ id, name }) => ({ id, name, albums: { count: albumsOf.get(id)?.length ?? 0 } }))
      .sort((one, other) => other.albums.count - one.albums.count || compare(one.name, other.name))
      .slice(0, limit),
    genresUnder: (price, limit) => [...byGenre(world.albums.filter(album => album.price < price))]
      .map(([genre, albums]) =>
        ({ genre, count: albums.length, released: { max: albums.map(one => one.released).sort().at(-1) } }))
      .sort((one, other) => other.count - one.count || compare(one.genre, other.genre))
      .slice(0, limit),
    trees,
    treesText: (country, limit) => JSON.stringify(trees(country, limit)),
    tracksOf: (artist, album) => albums.get(album)?.artistId === artist
      ? (tracksOf.get(album) ?? []).map(showTrack)
      : undefined,
    charts: (after, limit) => world.tracks.filter(track =>
      after === undefined || track.plays < after[0] || (track.plays === after[0] && track.id > after[1])
    )
      .sort((one, other) => other.plays - one.plays || one.id - other.id).slice(0, limit).map(showTrack),
    tracksUnder: (plays, limit) => world.tracks.filter(track => track.plays < plays)
      .sort((one, other) => other.plays - one.plays || one.id - other.id)
      .slice(0, limit)
      .map(showTrack),
    artists: (country, limit) => artistsOf(country, limit),
    createTrack ({ album_id: albumId, ...given }) {
      const track = { id: world.tracks.length + 1, ...given, albumId }
      world.tracks.push(track)
      tracks.set(track.id, track)
      tracksOf.get(albumId)?.push(track)
      return track.id
    },
    changeTrack (id, { title, seconds }) {
      const track = tracks.get(id)
      if (track === undefined) return false
      if (title !== undefined) track.title = title
      if (seconds !== undefined) track.seconds = seconds
      return true
    }
  }
}

const showAlbum = ({ artistId, ...album }: Album) => ({ ...album, artist_id: artistId })
const showTrack = ({ albumId, ...track }: Track) => ({ ...track, album_id: albumId })

const shown = <T, R>(value: T | undefined, show: (value: T) => R) => value === undefined ? undefined : show(value)

const compare = (one: string, other: string) => one < other ? -1 : Number(one > other)

const byId = <T extends Artist | Album | Track>(rows: readonly T[]) => new Map(rows.map(row => [row.id, row]))

function groupBy<T> (rows: readonly T[], keyOf: (row: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group === undefined) groups.set(keyOf(row), [row])
    else group.push(row)
  }
  return groups
}

function byGenre<T extends { readonly genre: string }> (albums: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const album of albums) {
    const group = groups.get(album.genre)
    if (group === undefined) groups.set(album.genre, [album])
    else group.push(album)
  }
  return groups
}
