import { Type } from '@sinclair/typebox'
import { createRequire } from 'node:module'
import { collection } from '../../lib/core/declare/collection.ts'
import { computed, expression } from '../../lib/core/declare/computed.ts'
import { SubCollection, SubItem } from '../../lib/core/declare/relations.ts'
import { compileModel } from '../../lib/core/model/compile.ts'
import type {
  Collection, DataField, Field, Model, ScalarField, SubCollectionField, SubItemField
} from '../../lib/core/model/model.ts'
import type { Operator, Scalar } from '../../lib/core/model/values.ts'
import type { Listing, Order, Predicate, ReadPlan, Selection, Shown, Step } from '../../lib/core/plan/plan.ts'
import { always, compareList, compareValue } from '../../lib/core/plan/predicates.ts'
import { memory } from '../../lib/core/sources/memory/memory.ts'
import type { ReadResult, DataSource as Source } from '../../lib/core/sources/source.ts'
import type { SqliteDriver, SqliteDriverClass } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { sqlite, type SqliteDatabase, type SqliteOptions } from '../../lib/core/sources/sql/sqlite/sqlite.ts'
import { isOfCatalog } from './sources.ts'

// The world: artists of a label, albums of an artist, tags of albums through a join table.

export interface ArtistRow {
  id: number,
  name: string,
  age: number | null,
  score: number | null,
  active: boolean | null,
  born: string | null,
  seen: string | null,
  meta: unknown,
  labelId: number | null,
  bossId: number | null
}
export interface AlbumRow { id: number, title: string, year: number | null, artistId: number | null }
export interface World {
  artists: ArtistRow[]
  albums: AlbumRow[]
  labels: { id: number, name: string | null }[]
  tags: { id: number, word: string }[]
  links: { albumId: number, tagId: number }[]
}

export const artist = (id: number, name: string, rest: Partial<ArtistRow> = {}): ArtistRow => ({
  id,
  name,
  age: null,
  score: null,
  active: null,
  born: null,
  seen: null,
  meta: null,
  labelId: null,
  bossId: null,
  ...rest
})

export const someWorld: World = {
  labels: [{ id: 1, name: 'Hospital' }, { id: 2, name: null }],
  artists: [
    artist(1, 'Ada', {
      age: 36,
      score: 0.1 + 0.2,
      active: true,
      born: '1815-12-10',
      seen: '2024-01-01T00:00:00.000Z',
      meta: { a: [1, null, 'x'] },
      labelId: 1
    }),
    artist(2, 'bo', { age: 36, score: -2.5, active: false, labelId: 1, bossId: 1 }),
    artist(3, 'Ångström%_', { labelId: 2, bossId: 2, meta: 'text' }),
    artist(4, '', { age: 0, score: 1e21, active: true, bossId: 3 }),
    artist(5, '\u{1F600}', { age: -1, score: 5e-5 }),
    artist(6, '\uFFFD', { age: 9007199254740991, born: '0001-01-01' }),
    artist(7, 'ÅNGSTRÖM*?[\\"\'', { bossId: 1 })
  ],
  albums: [
    { id: 10, title: 'Out', year: 2000, artistId: 1 },
    { id: 11, title: 'In', year: null, artistId: 1 },
    { id: 12, title: 'Up', year: 1999, artistId: 1 },
    { id: 13, title: 'Out', year: 2001, artistId: 2 },
    { id: 14, title: 'Lost', year: 2001, artistId: null }
  ],
  tags: [{ id: 100, word: 'rock' }, { id: 101, word: 'jazz' }, { id: 102, word: 'unused' }],
  links: [{
    albumId: 10, tagId: 100
  }, { albumId: 10, tagId: 101 }, { albumId: 10, tagId: 100 }, { albumId: 12, tagId: 101 }, { albumId: 13, tagId: 100 }]
}

export const tables = `
  create table labels (id integer primary key, name text);
  create table artists (id integer primary key, "select" text not null collate nocase, age integer, score real,
    active integer, born text, seen text, meta text, label_id integer, boss_id integer);
  create table albums (id integer primary key, title text not null, year integer, artist_id integer);
  create table tags (id integer primary key, "a""b]c" text not null);
  create table album_tags (album_id integer, tag_id integer);
  create index artists_name on artists ("select" collate binary);
  create index artists_age on artists (age);
  create index albums_artist on albums (artist_id);
  create index albums_title on albums (title);
`

export type Sources = { readonly [name in 'artists' | 'albums' | 'labels' | 'tags']: Source }

export function compile (sources: Sources): Model {
  const data = { readable: true, writable: true }
  const Artist = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String(data),
    age: Type.Optional(Type.Integer(data)),
    score: Type.Optional(Type.Number(data)),
    active: Type.Optional(Type.Boolean(data)),
    born: Type.Optional(Type.String({ format: 'date', ...data })),
    seen: Type.Optional(Type.String({ format: 'date-time', ...data })),
    meta: Type.Optional(Type.Unknown(data)),
    labelId: Type.Optional(Type.Integer(data)),
    bossId: Type.Optional(Type.Integer(data)),
    label: SubItem('labels', { foreignKey: 'labelId', readable: true }),
    boss: SubItem('artists', { foreignKey: 'bossId', readable: true }),
    albums: SubCollection('albums', { foreignKey: 'artistId', readable: true }),
    bossOf: SubCollection('artists', { foreignKey: 'bossId', readable: true })
  })
  const Album = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    title: Type.String(data),
    year: Type.Optional(Type.Integer(data)),
    artistId: Type.Optional(Type.Integer(data)),
    artist: SubItem('artists', { foreignKey: 'artistId', readable: true }),
    tags: SubCollection('tags', { through: 'album_tags', foreignKey: 'albumId', otherKey: 'tagId', readable: true })
  })
  const Label = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.Optional(Type.String(data)),
    artists: SubCollection('artists', { foreignKey: 'labelId', readable: true })
  })
  const Tag = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), word: Type.String(data) })
  return compileModel({
    labels: collection(Label, { source: sources.labels }),
    artists: collection(Artist, {
      source: sources.artists,
      computed: {
        initial: computed({ type: Type.String({ readable: true }), from: ['name'], get: ({ name }) => name.charAt(0) }),
        // A constant, a row's own column, and the table by its own name inside a subquery.
        ageNext: expression({
          type: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
          sql: eb => eb('age', '+', 1),
          memory: ({ age }) => typeof age === 'number' ? age + 1 : null
        }),
        newAlbums: expression({
          type: Type.Integer({ readable: true }),
          sql: eb => eb.selectFrom('albums').whereRef('albums.artist_id', '=', 'artists.id').where('year', '>=', 2000)
            .select(({ fn }) => fn.countAll().as('n')),
          memory: ({ id }) => current.albums.filter(album => album.artistId === id && (album.year ?? 0) >= 2000).length
        })
      }
    }),
    albums: collection(Album, { source: sources.albums }),
    tags: collection(Tag, { source: sources.tags })
  }, { naming: 'snake_case', pages: { defaultSize: 100, maxSize: 1000 }, reserved: new Map() })
}

/** For the memory part of an expression over other tables. */
export let current: World = someWorld

export const inMemory = ({ labels, artists, albums, tags, links }: World) => compile({
  labels: memory(labels),
  artists: memory(artists),
  albums: memory(albums, { joins: { album_tags: links } }),
  tags: memory(tags)
})

export function inSqlite (db: SqliteDatabase, world: World): Model {
  db.exec(tables)
  const insert = (table: string, rows: readonly object[]) => {
    for (const row of rows) {
      const values = Object.values(row)
      db.driver.prepare(`insert into ${table} values (${values.map(() => '?').join(', ')})`).run(...values.map(stored))
    }
  }
  insert('labels', world.labels)
  insert('artists', world.artists.map(row => ({ ...row, meta: row.meta === null ? null : JSON.stringify(row.meta) })))
  insert('albums', world.albums)
  insert('tags', world.tags)
  insert('album_tags', world.links)
  return compile({
    labels: db.table('labels'),
    artists: db.table('artists', { columns: { name: 'select', labelId: 'label_id', bossId: 'boss_id' } }),
    albums: db.table('albums', { columns: 'snake_case' }),
    tags: db.table('tags', { columns: { word: 'a"b]c' } })
  })
}

export const stored = (value: unknown) => typeof value === 'boolean' ? Number(value) : value

export interface Sent { readonly text: string, readonly parameters: readonly unknown[] }

/** Opens a file with a driver that notes what is sent to it. */
export function watched (file = ':memory:', options: SqliteOptions = {}) {
  const sent: Sent[] = []
  const prepared: string[] = []
  const driver = openSqlite(file)
  const watching: SqliteDriver = {
    exec: script => driver.exec(script),
    function: (name, options, body) => driver.function(name, options, body),
    aggregate: (name, options) => driver.aggregate(name, options),
    get isTransaction () { return driver.isTransaction === true },
    close: () => driver.close(),
    prepare (text) {
      if (isOfCatalog(text)) return driver.prepare(text)
      prepared.push(text)
      const statement = driver.prepare(text)
      return {
        get (...parameters) { sent.push({ text, parameters }); return statement.get(...parameters) },
        all (...parameters) { sent.push({ text, parameters }); return statement.all(...parameters) },
        iterate: (...parameters) => statement.iterate(...parameters),
        setReturnArrays: on => statement.setReturnArrays?.(on),
        run: (...parameters) => statement.run(...parameters)
      }
    }
  }
  return { db: sqlite(file, { ...options, driver: watching }), sent, prepared }
}

export const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite') as {
  DatabaseSync: SqliteDriverClass
}
export const openSqlite = (file: string) => new DatabaseSync(file)

export function world (data: World = someWorld) {
  current = data
  const { db, sent, prepared } = watched()
  const model = inSqlite(db, data)
  return { db, sent, prepared, model, read: (plan: ReadPlan) => db.read(plan) as ReadResult, ...names(model) }
}

/** Short ways to what plans are made of. */
export function names (model: Model) {
  const at = (name: string): Collection => {
    const found = model.collections.get(name)
    if (found === undefined) throw new Error(name)
    return found
  }
  const field = (path: string): Field => {
    const [of = '', name = ''] = path.split('.')
    const found = at(of).properties.get(name)
    if (found === undefined) throw new Error(path)
    return found
  }
  const data = (path: string) => field(path) as DataField
  const value = (path: string): Shown => ({ kind: 'value', name: path, field: field(path) as ScalarField })
  const item = (path: string, select: Selection, where = always): Shown =>
    ({ kind: 'item', name: path, field: field(path) as SubItemField, where, select })
  const list = (path: string, listing: Listing): Shown =>
    ({ kind: 'list', name: path, field: field(path) as SubCollectionField, listing })
  const compare = (path: string, operator: Operator, value: Scalar | null | readonly (Scalar | null)[]): Predicate =>
    typeof value === 'object' && value !== null
      ? compareList(data(path), operator, value)
      : compareValue(data(path), operator, value)
  const some = (path: string, where: Predicate): Predicate =>
    ({ kind: 'some', field: field(path) as SubItemField, where })
  const step = (of: string, where: Predicate, via?: string): Step =>
    ({ collection: at(of), via: via === undefined ? undefined : field(via) as SubItemField, where })
  const by = (...terms: readonly string[]): Order =>
    terms.map(term => ({ field: data(term.replace('-', '')), descending: term.startsWith('-') }))
  const listing = (order: Order, select: Selection, { where = always, offset = 0, limit = Infinity } = {}): Listing =>
    ({ where, order, range: { offset, limit }, select })
  const page = (of: string, one: Listing, more: Partial<Extract<ReadPlan, { kind: 'list' }>> = {}): ReadPlan =>
    ({
      kind: 'list',
      steps: [],
      from: {
        collection: at(of), via: undefined
      },
      listing: one,
      cursorBound: always,
      extra: [],
      count: false,
      ...more
    })
  return { at, field, data, value, item, list, compare, some, step, by, listing, page }
}

export const not = (of: Predicate): Predicate => ({ kind: 'not', of })
export const rowsOf = (result: ReadResult) => result.kind === 'rows' ? result.rows : []
export const ids = (result: ReadResult) => rowsOf(result).map(row => row['id'])
export const groupsOf = (result: ReadResult) => result.kind === 'groups'
  ? result.groups.map(({ value, rows }) => [value, rows.map(row => row['id'])])
  : undefined

/** Operands for each field: values at the edges of its type, and values that rows hold. */
export const operands: Readonly<Record<string, readonly (Scalar | null)[]>> = {
  'artists.name': [
    'Ada', 'ada', '', 'Å', 'å', 'ström', '%', '_', '*', '\\', "'", '\u{1F600}', '\uFFFD', 'nobody', 'A', 'a'
  ],
  'artists.age': [36, 0, -1, 9007199254740991, 35.5, null],
  'artists.score': [0.1 + 0.2, 0.3, -2.5, 1e21, 5e-5, 0, null],
  'artists.active': [true, false, null],
  'artists.born': ['1815-12-10', '0001-01-01', '2000-01-01', null],
  'artists.seen': ['2024-01-01T00:00:00.000Z', null],
  'artists.ageNext': [37, 1, null],
  'artists.newAlbums': [0, 1, 2]
}
