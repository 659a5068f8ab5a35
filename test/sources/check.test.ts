import { Type, type TObject } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, {
  collection, DeclarationError, expression, type PostgresDatabase, sqlite, SubCollection
} from '../../lib/index.ts'
import { faultsOf, Id, key, onBoth, onPostgres, onSqlite, open, over, shown } from '../helpers/checked-tables.ts'

// docs/databases.md: Declarations and tables

onBoth('all faults are told in one error, and each says what to write instead', `
create table artists (id integer primary key, name text not null, founded integer not null);
create table albums (id integer primary key, album_title text not null, artist_id integer not null);
create table album_track (album_id integer not null, track integer not null)`, async (t, db) => {
  const Artist = Type.Object({
    id: Id,
    name: Type.String({ ...key, ...open }),
    fuonded: Type.Integer(open),
    albums: SubCollection('albums', { foreignKey: 'artistId', ...shown })
  })
  const Album = Type.Object({
    id: Id,
    albumTitle: Type.String(open),
    artistId: Type.Integer(),
    tracks: SubCollection('tracks', { through: 'album_tracks', foreignKey: 'albumId', otherKey: 'trackId', ...shown })
  })
  const Track = Type.Object({ id: Id })
  t.strictSame(await faultsOf({
    artists: collection(Artist, { source: db.table('artists') }),
    albums: collection(Album, { source: db.table('albums') }),
    tracks: collection(Track, { source: db.table('track') })
  }), [
    "collection 'artists', field 'fuonded': the table 'artists' has no column 'fuonded'; did you mean 'founded'? " +
      "Write columns: { fuonded: 'founded' }",
    "collection 'albums', field 'albumTitle': the table 'albums' has no column 'albumTitle', but 'album_title'; " +
      "write table(name, { columns: 'snake_case' })",
    "collection 'albums', field 'artistId': the table 'albums' has no column 'artistId', but 'artist_id'; " +
      "write table(name, { columns: 'snake_case' })",
    "collection 'tracks': there is no table or view 'track'; create it, or name another one in table()",
    "collection 'artists', field 'name': identifies items, but no unique index proves that the values of the column " +
      "'artists.name' are unique; add one, or remove the flag 'identifier'",
    ...[['artists', 'founded'], ['albums', 'album_title'], ['albums', 'artist_id']].map(([table = '', column = '']) =>
      `collection '${table}': the column '${table}.${column}' must not be null and has no default, and no field ` +
      "stores it, so no item can be created; declare it, or fill it in the hook 'creating', give the column a " +
      'default, or set requestStrategies: { create: false }'),
    "collection 'albums', field 'tracks': there is no table or view 'album_tracks'; did you mean 'album_track'?"
  ])
})

onBoth('the columns of a join table are checked', `
create table t (id integer primary key);
create table links (thing integer not null, other integer not null, weight integer not null)`, async (t, db) => {
  const link = (foreignKey: string, otherKey: string, more = {}) => over(db, {
    id: Id, others: SubCollection('things', { through: 'links', foreignKey, otherKey, ...shown, ...more })
  }, { requestStrategies: { create: false } })
  t.strictSame(await faultsOf(link('thing', 'others')), [
    "collection 'things', field 'others': its join table 'links' has no column 'others' (otherKey); " +
    "did you mean 'other'?"
  ])
  t.strictSame(await faultsOf(link('thing', 'other')), [])
  t.match(await faultsOf(link('thing', 'other', { writable: true })), [/a link has no value for 'links.weight'/])
})

onBoth('an expression that the database refuses is a fault', `
create table t (id integer primary key, name text not null)`, async (t, db) => {
  const asked = (column: string) => faultsOf({
    things: collection(Type.Object({ id: Id }), {
      source: db.table('t'),
      computed: { isLate: expression({ type: Type.Boolean(shown), sql: eb => eb(column, '>', 1) }) }
    })
  })
  t.strictSame(await asked('id'), [], 'it is not compared with a column')
  const found = "collection 'things', field 'isLate': the database refuses its expression: "
  const advice = "; an expression takes the columns of the table 't'"
  t.match(await asked('idd'), [new RegExp(`^${found}.*column.*idd.*${advice}$`)])
})

onSqlite('a writable generated column is one fault', `
create table t (id integer primary key, a integer, b integer generated always as (a * 2))`, async (t, db) => {
  const number = Type.Optional(Type.Integer(open))
  t.match(await faultsOf(over(db, { id: Id, a: number, b: number })),
    [/^collection 'things', field 'b': is flagged 'writable', but the column 't.b' is generated/])
})

onBoth('what a table needs for a new item must come from somewhere', `
create table t (id integer primary key, name text, rank integer not null, born text default 'x' not null,
  twice integer generated always as (rank * 2) stored)`, async (t, db) => {
  const name = Type.Optional(Type.String(open))
  const rank = Type.Integer(shown)
  t.match(await faultsOf(over(db, { id: Id, name, rank })), [/^collection 'things', field 'rank': .*nothing fills it/])
  t.match(await faultsOf(over(db, { id: Id, name })), [/^collection 'things': the column 't.rank' must not be null/])
  t.match(await faultsOf(over(db, { id: Id, rank: Type.Optional(Type.Integer(open)) })), [/may be left out or null/])
  t.strictSame(await faultsOf(over(db, { id: Id, name, rank }, { requestStrategies: { create: false } })), [])
  t.strictSame(await faultsOf(over(db, { id: Id, name, rank }, { hooks: { creating () {} } })), [])
  t.strictSame(await faultsOf(over(db, { id: Id, name, rank: Type.Integer({ ...shown, default: 1 }) })), [])
  t.strictSame(await faultsOf(over(db, { id: Id, rank: Type.Integer(open), born: Type.String(shown) })), [])
  t.match(await faultsOf(over(db, { id: Id, rank: Type.Integer(open), twice: Type.Integer(open) })),
    [/^collection 'things', field 'twice': is flagged 'writable', but the column 't.twice' is generated/])
})

onBoth('an identifier needs a unique index of its own', `
create table t (a integer not null, b integer not null, c integer not null, d integer not null unique,
  primary key (a, b));
create unique index partial on t (c) where c > 0;
create unique index expressed on t (abs(c))`, async (t, db) => {
  const one = (name: string) => over(db, { [name]: Id })
  t.match(await faultsOf(one('a')), [/use the whole primary key \(a, b\) as 'key' of the collection/])
  t.match(await faultsOf(one('c')), [/no unique index proves that the values of the column 't.c' are unique/])
  t.strictSame(await faultsOf(one('d')), [])
})

onBoth('so do the fields that are unique together', `
create table t (id integer primary key, a integer not null, b integer not null, c integer not null, unique (a, b))`,
async (t, db) => {
  const Thing = Type.Object({ id: Id, a: Type.Integer(), b: Type.Integer(), c: Type.Integer() })
  const over = (fields: Array<'a' | 'b' | 'c'>) => ({
    things: collection(Thing, { source: db.table('t'), unique: [fields] })
  })
  t.strictSame(await faultsOf(over(['b', 'a'])), [])
  t.match(await faultsOf(over(['b', 'c'])), [/no unique index covers the columns 't\.b', 't\.c'; add one$/])
})

onBoth('a view is served with a warning', `
create table t (id integer primary key, name text);
create view v as select id, name from t`, async (t, db) => {
  const Thing = Type.Object({ id: Id, name: Type.String(shown) })
  t.match(await db.check({ things: collection(Thing, { source: db.table('v') }) }), [
    /^collection 'things': 'v' is a view, .*; make sure that 'id' is unique and never null$/
  ])
  const Wrong = Type.Object({ id: Id, nam: Type.String(shown) })
  t.match(await faultsOf({ things: collection(Wrong, { source: db.table('v') }) }),
    [/has no column 'nam'; did you mean/])
})

onSqlite('the key of an item that a trigger of a view creates must be given', `
create table t (id integer primary key, name text);
create view v as select id, name from t;
create trigger i instead of insert on v begin insert into t (name) values (new.name); end`, async (t, db) => {
  const over = (id: TObject['properties'][string], more = {}) => ({
    things: collection(Type.Object({ id, name: Type.Optional(Type.String(open)) }), { source: db.table('v'), ...more })
  })
  t.match(await faultsOf(over(Id)), [/^collection 'things', field 'id': is the key of new items, but no client may/])
  t.strictSame(await faultsOf(over(Type.Integer({ ...key, ...open }))), [])
  t.strictSame(await faultsOf(over(Id, { hooks: { creating () {} } })), [])
  t.strictSame(await faultsOf(over(Id, { requestStrategies: { create: false } })), [])
})

onSqlite('SQLite must have a statement for each write that clients may send', `
create table t (id integer primary key, name text, other integer references gone(id));
create table p (id integer primary key, name text);
create table c (id integer primary key, p text references p(name));
create table l (id integer primary key, name text);
create trigger shout after update on l begin update l set name = loud(name) where id = new.id; end`, async (t, db) => {
  const name = Type.Optional(Type.String(open))
  const one = (table: string, requestStrategies = {}) => ({
    things: collection(Type.Object({ id: Id, name }), { source: db.table(table), requestStrategies })
  })
  const fault = (writes: string, strategy: string) => `collection 'things': SQLite refuses ${writes} of the table ` +
    `'t': no such table: main.gone; mend its foreign keys or triggers, or set requestStrategies: { ${strategy}: false }`
  t.strictSame(await faultsOf(one('t', { delete: true })), [fault('inserts', 'create'), fault('deletions', 'delete')])
  t.strictSame(await faultsOf(one('t', { create: false })), [])
  t.match(await faultsOf(one('p', { delete: true })), [/refuses updates .*mismatch/, /refuses deletions .*mismatch/])
  t.match(await faultsOf(one('l')), [/refuses updates of the table 'l': no such function: loud; .* { update: \[\] }$/])
  db.driver.function('loud', { deterministic: true }, text => String(text).toUpperCase())
  t.strictSame(await faultsOf(one('l')), [])
})

onPostgres('a column that a view computes cannot be written', `
create table t (id integer primary key, name text);
create view v as select id, name, upper(name) as loud from t;
create view g as select id, max(name) as loud from t group by id`, async (t, db) => {
  const over = (view: string) => ({
    things: collection(Type.Object({ id: Type.Integer({ ...key, ...open }), loud: Type.Optional(Type.String(open)) }), {
      source: db.table(view)
    })
  })
  t.match(await faultsOf(over('v')), [/field 'loud': is flagged 'writable', but the view computes the column 'v.loud'/])
  t.strictSame(await faultsOf(over('g')), [])
})

onPostgres('odd but valid tables are served', `
create schema other;
create table other.hidden (id integer primary key);
create table parts (id integer, day date, primary key (id, day)) partition by range (day);
create table whole (id integer primary key) partition by range (id);
create table parent (id integer primary key);
create table child () inherits (parent);
create materialized view m as select 1 as id;
create table "Odd ""Name""" ("an id" integer primary key, "select" text not null check ("select" is not null));
create table identities (id integer generated always as identity primary key, n integer generated always as identity);
create function fill () returns trigger language plpgsql as $$ begin new.name := 'x'; return new; end $$;
create table filled (id integer generated by default as identity primary key, name text not null, note text);
create trigger fill before insert on filled for each row execute function fill();
create table nulls_last (a integer not null, b integer, unique (a) include (b))`, async (t, db) => {
  const id = Type.Object({ id: Id })
  const served = (table: Parameters<PostgresDatabase['table']>[0], schema: TObject = id, columns = {}) =>
    faultsOf({ things: collection(schema, { source: db.table(table, { columns }) }) })
  t.match(await served('hidden'),
    [/there is no table or view 'hidden' here; write table\(\{ schema: 'other', name: 'hidden' \}\)/])
  t.match(await served('parts'), [/use the whole primary key \(id, day\)/])
  for (const table of ['other.hidden', 'whole', 'parent', 'm']) t.strictSame(await served(table), [], table)
  t.match(await db.check({ things: collection(id, { source: db.table('parent') }) }), [/other tables inherit/])
  const given = Type.Integer({ ...key, ...open })
  const odd = Type.Object({ id: given, select: Type.String(open), tableoid: Type.Integer(shown) })
  t.strictSame(await served('Odd "Name"', odd, { id: 'an id' }), [])
  t.match(await served('identities', Type.Object({ id: Id, n: Type.Integer(open) })), [/generated always as identity/])
  t.strictSame(await served('filled', Type.Object({ id: Id, note: Type.Optional(Type.String(open)) })), [])
  t.strictSame(await served('nulls_last', Type.Object({ a: given, b: Type.Optional(Type.Integer(open)) })), [])
})

onSqlite('odd but valid tables are served', `
create table "Odd ""Name""" ("an id" text primary key, "select" text) without rowid;
create table plain (name text);
create table upper_case (ID integer primary key, NAME text not null);
create virtual table words using fts5(word);
create table counted (id integer primary key autoincrement, at text default current_timestamp not null, note text)`,
async (t, db) => {
  const text = Type.Optional(Type.String(open))
  for (const [table, fields, columns] of [
    ['Odd "Name"', { id: Type.String({ ...key, ...open }) }, { id: 'an id' }], ['plain', { rowid: Id, name: text }],
    ['upper_case', { id: Id, name: Type.String(open) }], ['counted', { id: Id, note: text }],
    ['words', { rowid: Id, word: Type.String(open) }]
  ] as const) {
    const things = collection(Type.Object(fields), { source: db.table(table, { columns: columns ?? {} }) })
    t.strictSame(await faultsOf({ things }), [], table)
  }
  db.exec('create temp table plain (id integer primary key)')
  t.strictSame(await faultsOf({ things: collection(Type.Object({ id: Id }), { source: db.table('plain') }) }), [])
})

test('check warns, or is off, where the application says so', async t => {
  const lines: string[] = []
  const logger = { level: 'warn', stream: { write (line: string) { lines.push(line) } } }
  for (const check of ['warn', 'off'] as const) {
    const db = sqlite(':memory:', { check })
    const app = Fastify({ logger })
    await app.register(dataApi, { collections: over(db, { id: Id }) })
    await app.ready()
    t.equal((await app.inject('/')).statusCode, 200)
    await t.rejects(db.check(over(db, { id: Id })), DeclarationError)
    await app.close()
    db.close()
  }
  t.equal(lines.filter(line => line.includes("there is no table or view 't'")).length, 1)
  t.throws(() => sqlite(':memory:', { check: 'of' as 'off' }), /option 'check': must be one of "error", "warn", "off"/)
})

onBoth('a foreign key that refers to several tables is a warning, unless constants or constraints say so', `
  create table posts (id integer primary key); create table photos (id integer primary key);
  create view pictures as select id from photos;
  create table t (id integer primary key, of integer, kind text,
    "to" integer references posts references photos)`,
async (t, db) => {
  const has = (foreignKey: string, where?: object) =>
    Type.Object({ id: Id, list: SubCollection('things', { foreignKey, ...where && { where: where as never } }) })
  const refers = async (foreignKey: string, other: string, ...where: object[]) => (await db.check({
    posts: collection(has(foreignKey, where[0]), { source: db.table('posts') }),
    photos: collection(has(foreignKey, where[1]), { source: db.table(other) }),
    ...over(db, {
      id: Id,
      of: Type.Optional(Type.Integer()),
      kind: Type.Optional(Type.String()),
      to: Type.Optional(Type.Integer())
    })
  })).filter(warning => warning.includes('refer'))
  t.strictSame(await refers('of', 'photos'), ["collection 'things', field 'of': its values refer to 'posts', " +
    "'photos', so that one row may belong to an item of each; tell them apart by 'where' in the options of " +
    'each relation, or add foreign keys'])
  t.equal((await refers('of', 'photos', { kind: 'post' })).length, 1)
  t.strictSame(await refers('of', 'photos', { kind: 'post' }, { kind: 'photo' }), [])
  t.strictSame(await refers('to', 'photos'), [])
  t.strictSame(await refers('of', 'posts'), [])
  t.strictSame(await refers('of', 'pictures'), [])
})
