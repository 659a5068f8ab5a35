import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, sqlite, SubCollection } from '../../lib/index.ts'
import type { Source } from '../../lib/core/declare/source.ts'
import { valuesOf } from '../helpers/explorer-forms.ts'
import { explore } from '../helpers/explorer-pages.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'

// docs/explorer.md: Forms. What becomes of the items that hang on one which is deleted, as the database tells.

const tables = `
  create table artists (id integer primary key, name varchar(20) not null);
  create table tags (id integer primary key);
  create table albums (id integer primary key, artist_id integer references artists on delete cascade);
  create table letters (id integer primary key, artist_id integer references artists on delete set null);
  create table bills (id integer primary key, "Artist_Id" integer references artists);
  create table strange (id integer primary key, artist_id integer);
  create table artist_tags (
    artist_id integer references artists on delete cascade, tag_id integer references tags,
    primary key (artist_id, tag_id)
  );
  insert into artists values (1, 'Can'), (2, 'Ada'), (3, 'Neu!');
  insert into tags values (1);
  insert into albums values (1, 1), (2, 1), (3, 2);
  insert into letters values (1, 1), (2, 2);
  insert into bills values (1, 2);
  insert into strange values (1, 1);
  insert into artist_tags values (1, 1);`

const flags = { readable: true } as const
const key = { id: Type.Integer({ identifier: true, ...flags }) }
const link = { foreignKey: 'artistId', ...flags } as const
const Artist = Type.Object({
  ...key,
  name: Type.String({ listed: true, ...flags }),
  albums: SubCollection('albums', link),
  letters: SubCollection('letters', link),
  bills: SubCollection('bills', { ...link, title: 'Open bills' }),
  strange: SubCollection('strange', link),
  tags: SubCollection('tags', { through: 'artist_tags', foreignKey: 'artistId', otherKey: 'tagId', ...flags })
})
const Hanging = Type.Object({ ...key, artistId: Type.Union([Type.Integer(), Type.Null()]) })

type Table = (name: string, options: object) => Source

function serveOn (table: Table, rules: object = {}) {
  const source = (name: string) => table(name, { columns: 'snake_case' })
  return explore({
    collections: {
      artists: collection(Artist, { source: source('artists'), requestStrategies: { delete: true }, ...rules }),
      tags: collection(Type.Object(key), { source: source('tags') }),
      ...Object.fromEntries(['albums', 'letters', 'strange'].map(name =>
        [name, collection(Hanging, { source: source(name) })])),
      bills: collection(Hanging, { source: table('bills', { columns: { artistId: 'Artist_Id' } }) })
    }
  })
}

/** The rows of the table of what hangs on an item. */
const rowsOf = (page: string) => [...page.matchAll(/<th scope="row">([^]*?)<\/tr>/g)].map(([, row = '']) =>
  row.replaceAll(/<\/t[hd]><td[^>]*>/g, ': ').replaceAll(/<[^>]*>/g, ''))

const databases = {
  sqlite: async (work: (table: Table) => Promise<void>) => {
    const db = sqlite(':memory:')
    db.exec(tables)
    await work((name, options) => db.table(name, options))
    db.close()
  },
  ...!withoutPostgres && {
    postgres: (work: (table: Table) => Promise<void>) =>
      onDatabase(tables, db => work((name, options) => db.table(name, options)))
  }
}

for (const [kind, onTables] of Object.entries(databases)) {
  test(`the page of a deletion says what becomes of the items that hang on it (${kind})`, t => onTables(async table => {
    const { app, page, post, json } = await serveOn(table)
    const first = await page('/artists/1?_delete')
    t.strictSame(rowsOf(first), [
      'albums: 2: deleted with it', 'letters: 1: kept; they no longer refer to it',
      'Open bills: 0: would forbid it; there are none', 'strange: 1: not known',
      'tags: 1: kept; they no longer refer to it'
    ])
    t.match(first, '<button class="stop">Delete it and 2 items</button>')
    const forbidden = await page('/artists/2?_delete')
    t.match(forbidden, 'Not to be deleted, because of its <a href="/artists/2/bills"><bdi>Open bills</bdi></a>.')
    t.notMatch(forbidden, /<button class="stop"|cannot be undone/)
    t.match(await page('/artists/3?_delete'), '<button class="stop">Delete</button>')
    t.equal((await post('/artists/1', valuesOf(first))).status, 303)
    t.equal((await json('/albums')).length, 1)
    t.equal((await app.inject({ method: 'DELETE', url: '/artists/2' })).statusCode, 409)
    await app.close()
  }))

  test(`it says nothing where the application has a hand in it (${kind})`, t => onTables(async table => {
    for (const rules of [{ hooks: { deleting: () => {} } }, { delete: () => ({ name: 'gone' }) }]) {
      const { app, page } = await serveOn(table, rules)
      t.strictSame(rowsOf(await page('/artists/2?_delete')), ['albums: 1', 'letters: 1', 'Open bills: 1'])
      await app.close()
    }
  }))
}
