import { words } from '../lib/core/model/names.ts'
import { openDriver } from '../lib/core/sources/sql/sqlite/driver.ts'
import { tablesOf, type World } from './world.ts'

// The indexes serve the foreign keys, and the filters and orders of all scenarios but those whose names say otherwise.
// SQLite adds the rowid at the end of each index.
const tables = `
  create table artists (id integer primary key, name text not null unique, country text not null,
    founded integer not null, rating real not null, label text) strict;
  create table albums (id integer primary key, title text not null, released text not null, genre text not null,
    price real not null, label text, artist_id integer not null references artists (id)) strict;
  create table tracks (id integer primary key, title text not null, position integer not null, seconds integer not null,
    plays integer not null, album_id integer not null references albums (id)) strict`

const indexes = `
  create index artists_by_country on artists (country, name);
  create index albums_by_artist on albums (artist_id);
  create index albums_by_genre on albums (genre, released desc);
  create index tracks_by_album on tracks (album_id);
  create index tracks_by_plays on tracks (plays desc);
  analyze`

/** Creates a SQLite file with the world's rows. */
export function fillSqlite (file: string, world: World): void {
  const driver = openDriver(file, undefined)
  driver.exec(`pragma journal_mode = wal; pragma synchronous = off; ${tables}; begin`)
  for (const [table, rows] of tablesOf(world)) {
    const columns = Object.keys(rows[0] ?? {})
    const names = columns.map(columnOf).join(', ')
    const insert = driver.prepare(`insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`)
    for (const row of rows) insert.run(...Object.values(row))
  }
  driver.exec(`commit; ${indexes}; pragma wal_checkpoint(truncate)`)
  driver.close()
}

/** Returns the column name of a property. */
export const columnOf = (property: string): string => words(property).join('_')
