/** A row as it is sent. */
export type Row = Readonly<Record<string, unknown>>

/** An answer that SQLite and memory give at once, and PostgreSQL later. */
export type Eventually<T> = T | Promise<T>

export interface NewTrack {
  readonly title: string
  readonly position: number
  readonly seconds: number
  readonly plays: number
  readonly album_id: number
}
export interface TrackChange { readonly title?: string, readonly seconds?: number }

/** What the routes written by hand ask of their data: each a statement, or as few as its author would write. */
export interface Queries {
  artist (id: number): Eventually<Row | undefined>
  album (id: number): Eventually<Row | undefined>
  track (id: number): Eventually<Row | undefined>
  albumTitle (id: number): Eventually<string | undefined>
  /** The newest of a genre. Served by an index. */
  albums (genre: string, limit: number): Eventually<readonly Row[]>
  /** The dearest under a price. Served by no index. */
  albumsUnder (price: number, limit: number): Eventually<readonly Row[]>
  /** Artists of a country by name with their albums, and these with their tracks: a query a level and parent. */
  trees (country: string, limit: number): Eventually<readonly Row[]>
  /** The same from a single statement that gives JSON text. */
  treesText (country: string, limit: number): Eventually<string>
  /** The tracks of an artist's album; nothing where there is no such album. */
  tracksOf (artist: number, album: number): Eventually<readonly Row[] | undefined>
  /** The most played, all or those behind a track. */
  charts (after: readonly [plays: number, id: number] | undefined, limit: number): Eventually<readonly Row[]>
  tracksUnder (plays: number, limit: number): Eventually<readonly Row[]>
  artists (country: string, limit: number): Eventually<readonly Row[]>
  createTrack (track: NewTrack): Eventually<number>
  /** Whether there is such a track. */
  changeTrack (id: number, change: TrackChange): Eventually<boolean>
}
