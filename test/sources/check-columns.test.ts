import { Type, type TObject } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import dataApi, { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { faultsOf, Id, key, onBoth, onPostgres, onSqlite, open, over, shown } from '../helpers/checked-tables.ts'

// docs/databases.md: Declarations and tables. The type and the values of a column must fit its field.

onSqlite('a type that cannot hold the field is a fault in SQLite only where it is certain', `
create table t (id integer primary key, untyped, flag boolean, at datetime, price decimal(10, 2), words clob,
  note varchar(20));
create table s (id integer primary key, i integer, r real, w text, b blob, x any) strict`, async (t, db) => {
  const loose = {
    untyped: Type.Boolean(),
    flag: Type.Boolean(),
    at: Type.String({ format: 'date-time' }),
    price: Type.Number()
  }
  const nullable = (types: Record<string, ReturnType<typeof Type.Boolean> | TObject['properties'][string]>) =>
    Object.fromEntries(Object.entries(types).map(([name, type]) => [name, Type.Optional({ ...type, ...shown })]))
  t.strictSame(await faultsOf(over(db, { id: Id, ...nullable(loose) })), [])
  t.strictSame(await faultsOf(over(db, { id: Id, ...nullable({ words: Type.Integer(), note: Type.Boolean() }) })), [
    "collection 'things', field 'words': the column 't.words' is clob, but the field is an integer; declare " +
      "Type.String(), or change the column's type",
    "collection 'things', field 'note': the column 't.note' is varchar(20), but the field is a boolean; declare " +
      "Type.String(), or change the column's type"
  ])
  const strict = (types: Record<string, TObject['properties'][string]>) => faultsOf({
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
  const all = (types: Record<string, TObject['properties'][string]>) => faultsOf(over(db, {
    id: Id,
    ...Object.fromEntries(Object.entries(types).map(([name, type]) => [name, Type.Optional({ ...type, ...shown })]))
  }))
  t.strictSame(await all({
    n: Type.Number(),
    big: Type.Integer(),
    real_: Type.Number(),
    at: Type.String({ format: 'date-time' }),
    day: Type.String({ format: 'date' }),
    list: Type.Array(Type.Integer()),
    doc: Type.Object({}),
    mood: Type.Union([Type.Literal('sad'), Type.Literal('happy')]),
    name: Type.String(),
    w: Type.String(),
    u: Type.String({ format: 'uuid' }),
    span: Type.String(),
    range: Type.String(),
    c: Type.String()
  }), [])
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

onBoth('a null where the field may not be null is a fault once there is one, and a warning before', `
create table t (id integer primary key, name text);
insert into t (name) values ('a')`, async (t, db) => {
  const declared = over(db, { id: Id, name: Type.String(shown) })
  t.strictSame(await db.check(declared), [
    "collection 'things', field 'name': may not be null, but the column 't.name' may be; declare Type.Optional(...) " +
    'or a union with Type.Null(), or make the column not null'
  ])
  const app = Fastify()
  await app.register(dataApi, { collections: over(db, { id: Id, name: Type.Optional(Type.String(open)) }) })
  await app.inject({ method: 'POST', url: '/things', payload: { name: null } })
  await app.close()
  t.match(await faultsOf(declared), [/may not be null, but the column 't.name' holds null/])
  t.strictSame(await db.check(over(db, { id: Id, name: Type.Optional(Type.String(shown)) })), [])
})

onSqlite('an identifier that no URL can name, or that clients see twice, is a fault', `
create table t (any_key primary key, n int unique, price text unique, at text unique, u text unique);
insert into t values (1, 1, '1.5', '2026-01-02', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11');
insert into t values ('1', 'x', '1.50', '2026-01-02 00:00', null);
insert into t values (null, 2, '2', '2026-01-03', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12')`, async (t, db) => {
  const one = (name: string, type: TObject['properties'][string]) =>
    faultsOf(over(db, { [name]: { ...type, ...key } }, { requestStrategies: { create: false } }))
  t.strictSame(await one('n', Type.Integer()), [
    "collection 'things', field 'n': identifies items, but the column 't.n' holds a value that is not an integer, " +
      'and no URL leads to its item; declare a type that holds all of its values, such as Type.String(), or correct ' +
      'the value'
  ])
  t.match(await one('anyKey', Type.String()), [/has no column/])
  t.match(await one('any_key', Type.String()), [/a value that is not a string/, /several values .* as one/])
  t.match(await one('price', Type.String({ format: 'decimal' })), [/several values of the column 't.price' as one/])
  t.match(await one('at', Type.String({ format: 'date-time' })), [/several values of the column 't.at' as one/])
  t.match(await one('u', Type.String({ format: 'uuid' })), [/holds null/, /not a string of the format 'uuid'/])
  t.strictSame(await one('price', Type.String()), [])
  t.strictSame(await one('n', Type.String()), [])
})

onBoth('an identifier without a segment of its own in a URL is warned of, but for a part of a key', `
create table t (a varchar(9) not null unique, b varchar(9) not null unique, primary key (a, b));
insert into t values ('', '..'), ('y', '.')`, async (t, db) => {
  const more = { requestStrategies: { create: false } }
  const warned = (name: string) => `collection 'things', field '${name}': the column 't.${name}' holds an empty ` +
    "text, '.' or '..', by which no URL leads to its item; correct the value"
  const named = Type.String({ ...key })
  t.strictSame(await db.check(over(db, { a: named, b: named }, more)), [warned('a'), warned('b')])
  const part = Type.String(shown)
  t.strictSame(await db.check(over(db, { a: part, b: part }, { ...more, key: ['a', 'b'] })), [])
})

onSqlite('keys of several fields or types, and days and times, are looked at as clients see them', `
create table t (a, b text, c text, d text, e text unique, primary key (a, b));
insert into t values ('1', '1.5', '2026-01-02', '12:00:00', 'x'), (1, '1.50', '2026-02-30', '12 o''clock', 'y');
insert into t values ('a', '2', '2026-01-03', '13:00:00', cast(x'ff' as text))`, async (t, db) => {
  const pair = async (a: TObject['properties'][string], b: TObject['properties'][string]) => (await faultsOf({
    things: collection(Type.Object({ a: { ...a, ...shown }, b: { ...b, ...shown } }), {
      source: db.table('t'), key: ['a', 'b'] as never, requestStrategies: { create: false }
    })
  })).filter(fault => !fault.includes('no unique index'))
  const mixed = Type.Union([Type.Number(), Type.String()])
  t.match(await pair(mixed, Type.String({ format: 'decimal' })), [
    "collection 'things', field 'a': identifies items, but clients see several values of the columns 't.a', 't.b' " +
      'as one; declare types that tell them apart, or correct the values'
  ])
  t.strictSame(await pair(mixed, Type.String()), [])
  const one = (name: string, type: TObject['properties'][string]) =>
    faultsOf(over(db, { [name]: { ...type, ...key } }, { requestStrategies: { create: false } }))
  t.match(await one('c', Type.String({ format: 'date' })), [/unique index/, /holds null|not a string of the format/])
  t.match(await one('d', Type.String({ format: 'time' })), [/unique index/, /not a string of the format 'time'/])
  t.match(await one('e', Type.String()), [/holds a value that is not a string/])
})

onSqlite('a value that no filter finds is a warning', `
create table t (id integer primary key, n integer, day text, f real, s text) ;
insert into t values (1, 5, '2026-01-02', 0.5, 'a'), (2, 0.5, 'today', null, x'00')`, async (t, db) => {
  const shownAs = (fields: TObject['properties']) => db.check(over(db, { id: Id, ...fields }))
  const optional = (type: TObject['properties'][string]) => Type.Optional({ ...type, ...shown })
  t.strictSame(await shownAs({ n: optional(Type.Integer()) }), [
    "collection 'things', field 'n': the column 't.n' holds a value that is not an integer, so that it is shown as " +
      'text and no filter finds it; declare a type that holds all values of the column, or correct the value'
  ])
  t.match(await shownAs({ day: optional(Type.String({ format: 'date' })) }), [/not a string of the format 'date'/])
  t.strictSame(await shownAs({
    n: optional(Type.Number()), day: optional(Type.String()), f: optional(Type.Number())
  }), [])
})

onPostgres('an identifier that no URL can name, or that clients see twice, is a fault', `
create table t (n numeric primary key, at timestamptz not null unique, u text not null unique);
insert into t values (1.5, '2026-01-02T00:00:00.000001Z', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11');
insert into t values (1.50000000000000000001, '2026-01-02T00:00:00.000002Z', 'x')`, async (t, db) => {
  const one = (name: string, type: TObject['properties'][string]) =>
    faultsOf(over(db, { [name]: { ...type, ...key } }, { requestStrategies: { create: false } }))
  t.match(await one('n', Type.Integer()), [/holds a value that is not an integer/])
  t.match(await one('n', Type.Number()), [/several values of the column 't.n' as one, since the field is a number/])
  t.match(await one('at', Type.String({ format: 'date-time' })), [/several values of the column 't.at' as one/])
  t.match(await one('u', Type.String({ format: 'uuid' })), [/holds a value that is not a string of the format 'uuid'/])
  t.strictSame(await one('n', Type.String({ format: 'decimal' })), [])
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
