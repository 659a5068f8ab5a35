/** The amount of data: the numbers of artists, of albums of each artist, and of tracks of each album. */
export interface Sizes { readonly artists: number, readonly albumsEach: number, readonly tracksEach: number }

/** The sizes of the full benchmark: 10,000 artists, 40,000 albums, 200,000 tracks. */
export const fullSizes: Sizes = { artists: 10_000, albumsEach: 4, tracksEach: 5 }
export const quickSizes: Sizes = { artists: 1_000, albumsEach: 4, tracksEach: 5 }

// Type aliases, because interfaces are not assignable to records of unknown, the type of a table's rows.
export type Artist = {
  id: number
  name: string
  country: string
  founded: number
  rating: number
  label: string | null
}
export type Album = {
  id: number
  title: string
  released: string
  genre: string
  price: number
  label: string | null
  artistId: number
}
export type Track = { id: number, title: string, position: number, seconds: number, plays: number, albumId: number }
export interface World { readonly artists: Artist[], readonly albums: Album[], readonly tracks: Track[] }

export const genres = [
  'ambient', 'blues', 'classical', 'country', 'folk', 'hiphop', 'jazz', 'metal', 'pop', 'rock'
] as const
export const countries = [
  'AR', 'AU', 'BR', 'CA', 'CN', 'DE', 'ES', 'FR', 'GB', 'IN', 'IT', 'JP', 'KR', 'MX', 'NG', 'NL', 'PL', 'SE', 'US',
  'ZA'
] as const

const words = [
  'Amber', 'Breaking', 'Cathedral', 'Distant', 'Echo', 'Falling', 'Garden', 'Harbour', 'Iron', 'Juniper', 'Kingdom',
  'Lantern', 'Midnight', 'North', 'Orbit', 'Paper', 'Quiet', 'River', 'Silver', 'Thunder'
] as const

/** Makes the same rows at each call, so that all servers have the same data. Keys count from 1. */
export function makeWorld ({ artists: count, albumsEach, tracksEach }: Sizes): World {
  const random = seeded(20_240_229)
  const artists = times(count, index => makeArtist(index + 1, random))
  const albums = times(count * albumsEach, index => makeAlbum(index + 1, Math.floor(index / albumsEach) + 1, random))
  const tracks = times(albums.length * tracksEach, index => makeTrack(
    index + 1, Math.floor(index / tracksEach) + 1, index % tracksEach + 1, random
  ))
  return { artists, albums, tracks }
}

/** Returns the key of a track's album, or of an album's artist, as makeWorld() assigns them. */
export const ownerOf = (key: number, each: number): number => Math.floor((key - 1) / each) + 1

function makeArtist (id: number, random: Random): Artist {
  return {
    id,
    name: `${title(random)} ${id}`,
    country: pick(countries, random),
    founded: 1950 + whole(random, 75),
    rating: whole(random, 1000) / 100,
    label: label(random)
  }
}

function makeAlbum (id: number, artistId: number, random: Random): Album {
  return {
    id,
    title: title(random),
    released: day(random),
    genre: pick(genres, random),
    price: whole(random, 4000) / 100,
    label: label(random),
    artistId
  }
}

function makeTrack (id: number, albumId: number, position: number, random: Random): Track {
  return {
    id,
    title: title(random),
    position,
    seconds: 60 + whole(random, 540),
    plays: whole(random, 1_000_000),
    albumId
  }
}

/** Returns a number from 0 to below 1. */
type Random = () => number

/** Returns the pseudorandom generator Mulberry32; its 32 bits of state are enough for test data. */
export function seeded (seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const whole = (random: Random, below: number) => Math.floor(random() * below)
const pick = <T>(list: readonly [T, ...T[]], random: Random): T => list[whole(random, list.length)] ?? list[0]
const title = (random: Random) => `${pick(words, random)} ${pick(words, random)}`
const label = (random: Random) => random() < 0.3 ? null : `${pick(words, random)} Records`
const day = (random: Random) => new Date(Date.UTC(1960, 0, 1 + whole(random, 23_000))).toISOString().slice(0, 10)

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Returns the tables by name, each after those that it refers to. */
export const tablesOf = ({ artists, albums, tracks }: World): ReadonlyArray<readonly [
  table: string, rows: ReadonlyArray<Readonly<Record<string, unknown>>>
]> =>
  [['artists', artists], ['albums', albums], ['tracks', tracks]]
