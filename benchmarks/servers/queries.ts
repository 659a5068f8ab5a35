/** A row with the fields of an answer. */
export type Row = Readonly<Record<string, unknown>>

/** A result that SQLite and memory return at once, and PostgreSQL as a promise. */
export type Eventually<T> = T | Promise<T>

export interface NewTrack {
  readonly title: string
  readonly position: number
  readonly seconds: number
  readonly plays: number
  readonly album_id: number
}
export interface TrackChange { readonly title?: string, readonly seconds?: number }

/** The queries of the routes written by hand, each of one statement or of the few that an author would write. */
export interface Queries {
  artist (id: number): Eventually<Row | undefined>
  album (id: number): Eventually<Row | undefined>
  track (id: number): Eventually<Row | undefined>
  albumTitle (id: number): Eventually<string | undefined>
  /** Returns the newest albums of a genre. An index serves it. */
  albums (genre: string, limit: number): Eventually<readonly Row[]>
  /** Returns the most expensive albums under a price. No index serves it. */
  albumsUnder (price: number, limit: number): Eventually<readonly Row[]>
  /** Returns the albums under a price by the names of their artists. */
  albumsByArtist (price: number, limit: number): Eventually<readonly Row[]>
  /** Returns the artists of a country who have the most albums, with the numbers of their albums. */
  prolific (country: string, limit: number): Eventually<readonly Row[]>
  genresUnder (price: number, limit: number): Eventually<readonly Row[]>
  /** Returns artists of a country by name, with albums and their tracks: one query for each parent on each level. */
  trees (country: string, limit: number): Eventually<readonly Row[]>
  /** Returns the trees as JSON text, from a single statement. */
  treesText (country: string, limit: number): Eventually<string>
  /** Returns the tracks of an artist's album; undefined where there is no such album. */
  tracksOf (artist: number, album: number): Eventually<readonly Row[] | undefined>
  /** Returns the most played tracks, from the first or after a track. */
  charts (after: readonly [plays: number, id: number] | undefined, limit: number): Eventually<readonly Row[]>
  tracksUnder (plays: number, limit: number): Eventually<readonly Row[]>
  artists (country: string, limit: number): Eventually<readonly Row[]>
  createTrack (track: NewTrack): Eventually<number>
  /** Changes a track. Returns false where there is no such track. */
  changeTrack (id: number, change: TrackChange): Eventually<boolean>
}

/** Returns a row with the number of albums as the plugin shows it. */
export const counted = ({ id, name, count }: Row): Row => ({ id, name, albums: { count } })

/** Returns a group in the form of the API. */
export const latest = ({ genre, count, released }: Row): Row => ({ genre, count, released: { max: released } })
