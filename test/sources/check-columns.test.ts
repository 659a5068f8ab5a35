import { Type, type TObject } from '@sinclair/typebox'
import { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { faultsOf, Id, key, onBoth, onPostgres, onSqlite, open, over, shown } from '../helpers/checked-tables.ts'

// docs/databases.md: Declarations and tables. The type and the values of a column must fit its field.

type Types = Readonly<Record<string, TObject['properties'][string]>>

/** Returns fields that are shown and may be null. */
const nullable = (types: Types) =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, Type.Optional({ ...type, ...shown })]))

onSqlite('a type that cannot hold the field is a fault in SQLite only where it is certain', `
create table t (id integer primary key, untyped, flag boolean, at datetime, price decimal(10, 2), words clob,
  note varchar(20));
create table s (id integer primary key, i integer, r real, w text, b blob, x any) strict`, async (t, db) => {
  const at = Type.String({ format: 'date-time' })
  const loose = { untyped: Type.Boolean(), flag: Type.Boolean(), at, price: Type.Number() }
  t.strictSame(await faultsOf(over(db, { id: Id, ...nullable(loose) })), [])
  t.strictSame(await faultsOf(over(db, { id: Id, ...nullable({ words: Type.Integer(), note: Type.Boolean() }) })), [
    "collection 'things', field 'words': the column 't.words' is clob, but the field is an integer; declare " +
      "Type.String(), or change the column's type",
    "collection 'things', field 'note': the column 't.note' is varchar(20), but the field is a boolean; declare " +
      "Type.String(), or change the column's type"
  ])
  const strict = (types: Types) => faultsOf({
    things: collection(Type.Object({ id: Id, ...nullable(types) }), { source: db.table('s') })
  })
  t.strictSame(await strict({
    i: Type.Boolean(), r: Type.Number(), w: Type.String({ format: 'uuid' }), x: Type.Integer()
  }), [])
  t.equal((await strict({ i: Type.String({ format: 'date' }), w: Type.Number(), b: Type.String() })).length, 3)
  t.equal((await strict({ w: Type.String({ format: 'int64' }), r: Type.String({ format: 'byte' }) })).length, 2)
})

onPostgres('a type that cannot hold the field is a fault in PostgreSQL', `
create type mood as enum ('sad', 'happy');
create domain word as text not null;
create domain short_word as word check (length(value) < 10);
create table t (id integer primary key, flag integer, price money, n numeric(10, 2), big bigint, real_ real,
  at timestamptz,
  day date, list integer[], doc jsonb, mood mood, name varchar(10), w short_word, u uuid, b bytea, span interval,
  range int4range, c "char")`, async (t, db) => {
  const all = (types: Types) => faultsOf(over(db, { id: Id, ...nullable(types) }))
  // postgres-types.test.ts has the types that fit.
  t.strictSame(await all({ flag: Type.Boolean(), price: Type.Number() }), [
    "collection 'things', field 'flag': the column 't.flag' is integer, but the field is a boolean; declare " +
      "Type.Integer(), or change the column's type",
    "collection 'things', field 'price': the column 't.price' is money, but the field is a number; declare " +
      "Type.String(), or change the column's type"
  ])
  const wrong = {
    name: Type.Integer(),
    day: Type.String({ format: 'date-time' }),
    at: Type.String({ format: 'date' }),
    doc: Type.Number(),
    u: Type.Integer(),
    c: Type.Boolean(),
    real_: Type.String({ format: 'decimal' }),
    range: Type.Number(),
    span: Type.String({ format: 'time' }),
    list: Type.Object({}),
    mood: Type.Union([Type.Literal('sad'), Type.Literal('mad')])
  }
  t.equal((await all(wrong)).length, Object.keys(wrong).length)
  t.match(await all({ mood: wrong.mood }), [
    /is the enum mood of 'sad', 'happy', which has no 'mad', and the field lacks 'happy'; declare Type.Union\(/
  ])
  t.match(await db.check(over(db, { id: Id, mood: Type.Optional(Type.Literal('sad', shown)) })),
    [/the field lacks 'happy'/])
})

onBoth('a literal that the check constraint of its column does not list is a fault', `
create table t (id integer primary key, kind text check (kind in ('a', 'b')), "Level" integer check ("Level" in (1, 2)),
  size text check (size in ('s', 'm') or length(size) > 3), other text check (other <> kind))`, async (t, db) => {
  const one = (name: string, ...choices: ReadonlyArray<string | number>) => over(db, {
    id: Id, [name]: Type.Optional(Type.Union(choices.map(choice => Type.Literal(choice)), shown))
  })
  t.strictSame(await faultsOf(one('kind', 'a', 'b', 'c')), [
    "collection 'things', field 'kind': the column 't.kind' has a check constraint that lists 'a', 'b', which has no " +
      '\'c\'; declare Type.Union([Type.Literal("a"), Type.Literal("b")])'
  ])
  t.match(await faultsOf(one('Level', 1, 3)), [/lists '1', '2', which has no '3'.*Type.Literal\(1\)/])
  t.match(await db.check(one('kind', 'a')), [/the field lacks 'b', which would be shown without being declared/])
  for (const right of [one('kind', 'b', 'a'), one('Level', 1, 2), one('size', 's', 'x'), one('other', 'y')]) {
    t.strictSame(await db.check(right), [])
  }
})

onSqlite('a foreign key has the collation of the key', `
create table books (id text primary key collate nocase, sequel text collate nocase);
create table copies (id integer primary key, book text references books);
create view loans as select id, case when book = 'a' collate rtrim then 'n1' end collate nocase as book from copies;
create table similar (book text, other text collate nocase)`, async (t, db) => {
  const books = collection(Type.Object({
    id: Type.String(key),
    sequel: Type.Optional(Type.String(shown)),
    next: Type.Optional(SubItem('books', { foreignKey: 'sequel', ...shown })),
    copies: SubCollection('copies', { foreignKey: 'book', ...shown }),
    alike: SubCollection('books', { through: 'similar', foreignKey: 'book', otherKey: 'other', ...shown })
  }), { source: db.table('books') })
  const Copy = Type.Object({
    id: Id, book: Type.Optional(Type.String(shown)), ofBook: Type.Optional(SubItem('books', { foreignKey: 'book' }))
  })
  const copies = collection(Copy, { source: db.table('copies') })
  const loans = collection(Copy, { source: db.table('loans') })
  t.strictSame(await faultsOf({ books, copies, loans }), [
    "collection 'copies', field 'book': its foreign key 'copies.book' is collate BINARY, but the key 'books.id', to " +
      'which it refers, is collate NOCASE; the relation would have other items from one side than from the other: ' +
      'give both columns one collation',
    "collection 'books', field 'alike': its foreign key 'similar.book' is collate BINARY, but the key 'books.id', to " +
      'which it refers, is collate NOCASE; the relation would have other items from one side than from the other: ' +
      'give both columns one collation'
  ])
})

onPostgres('a foreign key has a type that can be compared with the key', `
create table t (id integer primary key, parent text, u uuid, b bigint)`, async (t, db) => {
  const related = (foreignKey: string, type: TObject['properties'][string]) => over(db, {
    id: Id, [foreignKey]: Type.Optional(type), parentThing: SubItem('things', { foreignKey, ...shown })
  })
  t.strictSame(await faultsOf(related('b', Type.Integer())), [])
  t.match(await faultsOf(related('parent', Type.Integer())), [
    /field 'parent': the column 't.parent' is text, but the field is an integer/,
    /field 'parentThing': its foreign key 't.parent' is text, but the key 't.id', to which it refers, is integer/
  ])
})

onBoth('a column that may be null, of a field that may not, is a warning', `
create table t (id integer primary key, name text)`, async (t, db) => {
  t.strictSame(await db.check(over(db, { id: Id, name: Type.String(shown) })), [
    "collection 'things', field 'name': may not be null, but the column 't.name' may be, and pages lose rows with " +
    'null; declare Type.Optional(...) or a union with Type.Null(), or make the column not null'
  ])
  t.strictSame(await db.check(over(db, { id: Id, name: Type.Optional(Type.String(shown)) })), [])
})

onPostgres('a key of which clients do not see all digits is a fault, as are identifiers and foreign keys', `
create table p (id timestamptz primary key, n numeric not null unique, short timestamp(3) not null unique,
  real real not null unique, whole numeric(15,2) not null unique, seen timestamptz);
create table c (id integer primary key, p timestamptz references p)`, async (t, db) => {
  const dateTime = Type.String({ format: 'date-time', ...key })
  const of = Type.Optional(SubItem('p', { foreignKey: 'p' }))
  const serve = (id: TObject['properties'][string], more: TObject['properties'], p: TObject['properties'][string]) =>
    faultsOf({
      p: collection(Type.Object({ id, ...more }), { source: db.table('p'), requestStrategies: { create: false } }),
      c: collection(Type.Object({ id: Id, p: Type.Optional(p), of }), { source: db.table('c') })
    })
  const names = (column: string, type: string, what: string) => `names an item, but the column '${column}' is ` +
    `${type}, of which ${what} does not show all digits, so that several items may look like one; declare `
  const text = 'Type.String(), which shows all digits, or make the column timestamp(3) with time zone'
  t.strictSame(await serve(dateTime, { n: Type.Number(key) }, Type.String({ format: 'date-time' })), [
    "collection 'p', field 'id': " +
      names('p.id', 'timestamp with time zone', "a string of the format 'date-time'") + text,
    "collection 'p', field 'n': " +
      names('p.n', 'numeric', 'a number') + "Type.String({ format: 'decimal' }), which shows all digits",
    "collection 'c', field 'p': " +
      names('c.p', 'timestamp with time zone', "a string of the format 'date-time'") + text
  ])
  const others = { short: dateTime, real: Type.Number(key), whole: Type.Number(key) }
  const seen = Type.Optional(Type.String({ format: 'date-time', ...shown }))
  const n = Type.String({ format: 'decimal', ...key })
  t.strictSame(await serve(Type.String(key), { ...others, n, seen }, Type.String()), [])
})

onPostgres('a foreign key counts the spaces at the ends of texts as the key does', `
create table p (id varchar(9) primary key); create table c (id integer primary key, p char(9), same varchar(9));
create table l (x char(9) not null, y varchar(9) not null)`, async (t, db) => {
  const refers = (foreignKey: string, own: string) => faultsOf({
    p: collection(Type.Object({
      id: Type.String({ ...key, ...open }),
      links: SubCollection('p', { through: 'l', foreignKey: own, otherKey: 'y', ...shown })
    }), { source: db.table('p') }),
    c: collection(Type.Object({
      id: Type.Integer({ ...key, ...open }),
      p: Type.Optional(Type.String()),
      same: Type.Optional(Type.String()),
      of: Type.Optional(SubItem('p', { foreignKey, ...shown }))
    }), { source: db.table('c') })
  })
  t.match(await refers('p', 'x'), [
    /'c.p' is character\(9\), but the key 'p.id', .* varying\(9\); the database ignores spaces at the ends/,
    /'l.x' is character\(9\), but the key 'p.id', .* varying\(9\); the database ignores spaces at the ends/
  ])
  t.strictSame(await refers('same', 'y'), [])
})
