import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { test } from 'tap'
import dataApi, {
  collection, DeclarationError, expression, kysely, postgres, sqlite, SubCollection, SubItem, type TableOptions
} from '../../lib/index.ts'
import type { SqlSource, TableDefinition } from '../../lib/index.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { serverUrl } from '../helpers/sources.ts'

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true, writable: true }),
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true, writable: true })
})
const Album = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ readable: true, writable: true }),
  artistId: Type.Integer(),
  artist: SubItem('artists', { foreignKey: 'artistId', readable: true }),
  tags: SubCollection('tags', {
    through: 'album_tags', foreignKey: 'albumId', otherKey: 'tagId', readable: true, writable: true, creates: true
  })
})
const Tag = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  word: Type.String({ identifier: true, readable: true, writable: true })
})

type Table = (table: string | TableDefinition, options?: TableOptions) => SqlSource

/** Serves tables of two schemas, `music` and `odd.names`, and returns the answers to a few requests. */
async function answersOf (table: Table): Promise<unknown[]> {
  const app = Fastify()
  await app.register(dataApi, {
    collections: {
      artists: collection(Artist, {
        source: table({
          schema: 'odd.names', name: 'the artists', columns: { convention: 'snake_case', id: 'artist_id' }
        }),
        computed: {
          albumCount: expression({
            type: Type.Integer({ readable: true }),
            sql: eb => eb.selectFrom('music.albums').whereRef('music.albums.artist_id', '=', 'the artists.artist_id')
              .select(eb.fn.countAll().as('count'))
          })
        }
      }),
      albums: collection(Album, { source: table('music.albums', { columns: 'snake_case' }) }),
      tags: collection(Tag, { source: table({ schema: 'music', name: 'tags' }) })
    }
  })
  const json = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
    (await app.inject({ method, url, ...payload && { payload } })).json<unknown>()
  try {
    return [
      await json('POST', '/artists', { name: 'Can', albums: [{ title: 'Tago Mago', tags: [{ word: 'rock' }] }] }),
      await json('PATCH', '/artists/1/albums/1', { tags: [{ word: 'krautrock' }] }),
      await json('GET', '/artists?fields=id,name,album_count,albums(title,tags(word;sort=word))'),
      await json('GET', '/artists/1/albums/1/tags/rock'),
      await json('GET', '/tags?word^=k'),
      await json('POST', '/tags', { word: 'rock' })
    ]
  } finally {
    await app.close()
  }
}

const answers = [
  { status: 'created', id: 1 },
  { status: 'ok' },
  [{
    id: 1,
    name: 'Can',
    album_count: 1,
    albums: [{ title: 'Tago Mago', tags: [{ word: 'krautrock' }, { word: 'rock' }] }]
  }],
  { id: 1, word: 'rock' },
  [{ id: 2, word: 'krautrock' }],
  {
    status: 'conflict',
    error: 'duplicate',
    message: "An item with the same 'word' already exists.",
    fields: ['word']
  }
]

const ddl = (key: string, schemas: string) => `${schemas};
create table "odd.names"."the artists" (artist_id ${key}, name text not null);
create table music.albums (id ${key}, title text not null, artist_id integer not null);
create table music.tags (id ${key}, word text not null unique);
create table music.album_tags (album_id integer not null, tag_id integer not null, primary key (album_id, tag_id))`

test('a table of an attached database is named with its schema', async t => {
  const db = sqlite(':memory:')
  db.exec(ddl('integer primary key', "attach ':memory:' as music; attach ':memory:' as \"odd.names\""))
  // A table of the same name in the main database is another one.
  db.exec('create table albums (other); create table tags (other)')
  t.strictSame(await answersOf((table, options) => db.table(table, options)), answers)
  db.close()
})

const open = {
  postgres: (url: string) => postgres({ connectionString: url }),
  kysely (url: string) {
    const instance = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) })
    })
    const { table } = kysely(instance)
    return { table, close: () => instance.destroy() }
  }
}

for (const [kind, connect] of Object.entries(open)) {
  postgresTest(`a table of another schema is named with its schema (${kind})`, async t => {
    const database = `names_${process.pid}_${kind}`
    const admin = new pg.Client(serverUrl())
    await admin.connect()
    await admin.query(`create database ${database}`)
    const url = new URL(serverUrl())
    url.pathname = database
    const owner = new pg.Client(url.href)
    await owner.connect()
    await owner.query(ddl('integer primary key generated by default as identity',
      'create schema music; create schema "odd.names"'))
    await owner.query('create table albums (other integer); create table tags (other integer)')
    await owner.end()
    const db = connect(url.href)
    t.strictSame(await answersOf((table, options) => db.table(table, options)), answers)
    await db.close()
    await admin.query(`drop database ${database}`)
    await admin.end()
  })
}

test('a table of an attached file is read while a transaction is open', async t => {
  const folder = t.testdir({})
  const db = sqlite(`${folder}/main.db`)
  db.exec(
    `attach '${folder}/music.db' as music; create table music.artists (id integer primary key, name text not null)`
  )
  const Plain = Type.Object({ id: Artist.properties.id, name: Artist.properties.name })
  const app = Fastify()
  const reads: string[] = []
  const artists = collection(Plain, {
    source: db.table('music.artists'),
    hooks: { creating: async () => { reads.push((await app.inject('/artists')).body) } }
  })
  await app.register(dataApi, { collections: { artists } })
  await app.inject({ method: 'POST', url: '/artists', payload: { name: 'Can' } })
  await app.inject({ method: 'POST', url: '/artists', payload: { name: 'Neu' } })
  t.strictSame(reads, ['[]', '[{"id":1,"name":"Can"}]'])
  t.throws(() => db.table('musik.artists'), /there is no such database/)
  await app.close()
  db.close()
})

test('a convention for columns has exceptions', t => {
  const db = sqlite(':memory:')
  const columns = { convention: 'snake_case', id: 'category_id' }
  const { column } = db.table({ name: 'categories', columns })
  t.strictSame(['id', 'categoryName'].map(column), ['category_id', 'category_name'])
  const plain = db.table('categories', { columns: { id: 'category_id', convention: 'agreed_on' } })
  t.strictSame(['id', 'categoryName', 'convention'].map(plain.column), ['category_id', 'categoryName', 'agreed_on'])
  db.close()
  t.end()
})

test('a name with two dots, and an empty one, are refused', t => {
  const db = sqlite(':memory:')
  for (const name of ['a.b.c', '', '.artists', 'main.']) t.throws(() => db.table(name), DeclarationError, name)
  t.throws(() => db.table({ schema: '', name: 'artists' }), DeclarationError)
  t.equal(db.table({ name: 'a.b' }).table, 'a.b')
  db.close()
  t.end()
})
