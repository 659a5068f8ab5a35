import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { createRequire } from 'node:module'
import { test } from 'tap'
import dataApi, { collection, sqlite, SubCollection, SubItem } from '../../lib/index.ts'
import type { SqliteDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'

// What the statements leave an index to serve. A plan is SQLite's own account of what it will do.

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite') as {
  DatabaseSync: new (file: string) => SqliteDriver
}

const readable = { readable: true } as const
const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  country: Type.Union([Type.String(), Type.Null()], readable),
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true })
})
const Album = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  year: Type.Integer(readable),
  artistId: Type.Integer(),
  artist: SubItem('artists', { foreignKey: 'artistId', readable: true })
})

const position = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url')

const plans: Record<string, RegExp> = {
  '/albums/7': /SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid=\?\)/,
  '/artists/7': /MULTI-INDEX OR.*SEARCH \S+ USING INTEGER PRIMARY KEY.*SEARCH \S+ USING INDEX \S+ \(name=\?\)/,
  '/artists/by_name/x': /SEARCH \S+ USING INDEX \S+ \(name=\?\)/,
  '/artists/7/albums': /SEARCH \S+ USING INDEX albums_by_artist \(artist_id=\?\)/,
  '/artists?fields=albums(id)': /SEARCH \S+ USING \w* ?INDEX albums_by_artist \(artist_id=\?\)/,
  '/albums?year>=1990&sort=year': /SEARCH \S+ USING \w* ?INDEX albums_by_year \(year>\?\)/,
  [`/albums?sort=year&after=${position('year,id', 1990, 7)}`]: /SEARCH \S+ USING \w* ?INDEX albums_by_year \(year>\?/,
  [`/albums?sort=year+desc&after=${position('-year,id', 1990,
    7)}`]: /SEARCH \S+ USING \w* ?INDEX albums_by_year \(year<\?/,
  [`/albums?after=${position('id', 7)}`]: /SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid>\?\)/,
  '/artists?sort=country': /SCAN \S+ USING INDEX artists_by_country(?!.*TEMP B-TREE)/,
  '/albums?artist.name=x': /SEARCH \S+ USING INDEX albums_by_artist \(artist_id=\?\)/,
  '/albums/by_year': /SCAN \S+ USING COVERING INDEX albums_by_year/
}

test('an index serves identifiers, foreign keys, filters, orders and positions', async t => {
  const raw = new DatabaseSync(':memory:')
  let last = ''
  const driver: SqliteDriver = {
    prepare (text) { last = text; return raw.prepare(text) },
    exec: script => raw.exec(script),
    function: (...args) => raw.function(...args),
    aggregate: (...args) => raw.aggregate(...args),
    close: () => raw.close()
  }
  const db = sqlite('', { driver })
  db.exec(`create table artists (id integer primary key, name text not null unique, country text) strict;
    create table albums (id integer primary key, year integer not null, artist_id integer not null) strict;
    create index albums_by_artist on albums (artist_id); create index albums_by_year on albums (year, id);
    create index artists_by_country on artists (country, id)`)
  const columns = { columns: 'snake_case' } as const
  const app = Fastify()
  await app.register(dataApi, {
    collections: {
      artists: collection(Artist, { source: db.table('artists', columns) }),
      albums: collection(Album, { source: db.table('albums', columns) })
    }
  })
  for (const [url, plan] of Object.entries(plans)) {
    await app.inject(url)
    const details = raw.prepare(`explain query plan ${last}`).all(
      ...Array.from(last.matchAll(/\?/g), () => 1)
    ) as Array<{ detail: string }>
    t.match(details.map(({ detail }) => detail).join('; '), plan, url)
  }
  await app.close()
  db.close()
})
