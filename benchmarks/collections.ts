import { Type } from '@sinclair/typebox'
import { collection, type Source, SubCollection, SubItem } from '../lib/index.ts'

const shown = { readable: true, writable: true } as const
const nullable = Type.Union([Type.String(), Type.Null()], shown)

// Relations are hidden, so that an item has the same fields as the answer of the route written by hand.
export const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, ...shown }),
  country: Type.String(shown),
  founded: Type.Integer(shown),
  rating: Type.Number(shown),
  label: nullable,
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true, hidden: true })
})

export const Album = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String(shown),
  released: Type.String({ format: 'date', ...shown }),
  genre: Type.String(shown),
  price: Type.Number(shown),
  label: nullable,
  artistId: Type.Integer(shown),
  artist: SubItem('artists', { foreignKey: 'artistId', readable: true, hidden: true }),
  tracks: SubCollection('tracks', { foreignKey: 'albumId', readable: true, hidden: true })
})

export const Track = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ minLength: 1, ...shown }),
  position: Type.Integer(shown),
  seconds: Type.Integer(shown),
  plays: Type.Integer(shown),
  albumId: Type.Integer(shown),
  album: SubItem('albums', { foreignKey: 'albumId', readable: true, hidden: true })
})

/** Returns the declarations of the benchmark's tables, for the plugin. */
export function collections (source: (table: 'artists' | 'albums' | 'tracks') => Source) {
  return {
    artists: collection(Artist, { source: source('artists') }),
    albums: collection(Album, { source: source('albums') }),
    tracks: collection(Track, { source: source('tracks') })
  }
}
