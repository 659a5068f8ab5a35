import fc, { runsOf } from '../helpers/fast-check.ts'
import type { FastifyInstance } from 'fastify'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { test } from 'tap'
import type { Declared } from '../../lib/core/declare/collection.ts'
import { declareDesign } from '../../lib/tools/command/scaffold/declare.ts'
import type { Design } from '../../lib/tools/command/scaffold/design.ts'
import { choicesIn } from '../../lib/core/sources/sql/choices.ts'
import { writeProject } from '../../lib/tools/command/scaffold/write/project.ts'
import { makeSource, type SqlSource } from '../../lib/core/sources/sql/source.ts'
import { makeFile, newPath, runLine, serveTarget } from './helpers.ts'
import { hostileScript } from '../helpers/hostile-catalogues.ts'
import { short } from '../helpers/short-designs.ts'

const designOf = async (script: string, ...flags: readonly string[]): Promise<Design> => {
  const { design } = await serveTarget(makeFile(script), ...flags)
  return design
}

test('names, types and keys of a table are those of its catalogue', async t => {
  for (const [script, expected] of [
    // Words of SQL, quotes, Unicode, names that query parameters have, names that are equal on the wire.
    [`create table "order" (id integer primary key, "order" text, "limit" text, "sort" text, "E-Mail" text,
        "größe" real, "a.b" text, "x""y" text, "💥" text, _id text, "first name" text, FirstName text)`,
    {
      order: ['!id integer', 'order? string', 'limit? string', 'sort? string', 'eMail? string',
        'größe? number', 'aB? string', 'xY? string', 'unnamed? string', 'id_2? string', 'firstName? string',
        'first_name_2? string']
    }],
    ['create table "a.b" (id integer primary key)', { aB: ['!id integer'] }],
    // Keys: none, of several columns, unique columns; those that can be null are none.
    ['create table t (a text, b text)', { t: ['!rowid integer', 'a? string', 'b? string'] }],
    ['create table t (a text not null unique, b text unique, c integer)',
      { t: ['!a string', 'b? string', 'c? integer'] }],
    ['create table t (a integer, b text, c real, primary key (b, a))', { t: ['a integer', 'b string', 'c? number'] }],
    ['create table t (token text primary key, n int, pin text)', { t: ['!token string', 'n? integer'] }],
    // A key that holds a null, which SQLite allows, is none.
    ['create table t (id serial primary key, n int); insert into t values (null, 1), (null, 2)',
      { t: ['!rowid integer', 'id? string', 'n? integer'] }],
    ["create table t (a int, b text, primary key (a, b)); insert into t values (1, 'x'), (1, null)",
      { t: ['!rowid integer', 'a integer', 'b? string'] }],
    // Timestamps that clients may see as one are texts in a key.
    [`create table t (at text primary key, seen text);
      insert into t values ('2024-01-01T00:00:00.000001Z', '2024-01-01T00:00:00.000001Z')`,
    { t: ['!at string', 'seen? date-time'] }],
    ["create table t (at text primary key); insert into t values ('2024-01-01T00:00:00.001Z')",
      { t: ['!at date-time'] }],
    // Enums.
    [`create table t (id integer primary key, c text check (c in ('a', 'it''s')),
      n int not null check ("n" in (1, 2)), d text check (length(d) > 2), e text, check (e is null or e in ('x')))`,
    { t: ['!id integer', "c? a|it's", 'n 1|2', 'd? string', 'e? x'] }],
    // What the rows hold counts, not what is declared.
    [`create table t (id integer primary key, day date, at text, mixed int, several, flag boolean, wide integer,
        price decimal(5,2), data json, zoneless datetime, empty);
      insert into t values
        (1, '2020-02-29', '2020-01-01T10:00:00Z', 1, 1.5, 1, 9007199254740993, 5, '{}', '2020-01-01 10:00:00', null),
        (2, '2020-03-01', '2020-01-01T10:00:00.5+02:00', 'x', 'x', 0, 1, 5.5, '[]', '2020-01-01 11:00:00', null)`,
    {
      t: ['!id integer', 'day? date', 'at? date-time', 'mixed? string', 'flag? boolean', 'wide? int64',
        'price? number', 'data? json', 'zoneless? string', 'empty? string']
    }],
    ["create table t (id integer primary key, day date); insert into t values (1, '2020-02-30')",
      { t: ['!id integer', 'day? string'] }],
    ['create table t (id integer primary key, a int, b int generated always as (a + 1))',
      { t: ['!id integer', 'a? integer', 'b? integer'] }]
  ] as const) {
    t.strictSame(short(await designOf(script)), expected, script)
  }
})

test('relations are named after their columns, and after their tables on the other side', async t => {
  const shared = 'create table b (id integer primary key);'
  for (const [script, expected] of [
    [`${shared} create table a (id integer primary key, b_id int references b)`,
      { a: ['!id integer', '-bId? integer', 'b -> b(bId)'], b: ['!id integer', 'a => a(bId)'] }],
    // The name of an alias of a parameter, which yields to fields.
    [`create table orders (id integer primary key); create table lines (id integer primary key,
      order_id int references orders)`,
    {
      lines: ['!id integer', '-orderId? integer', 'order -> orders(orderId)'],
      orders: ['!id integer', 'lines => lines(orderId)']
    }],
    // A column without an ending, several references to one table, a self reference, a reference without a column.
    [`${shared} create table a (id integer primary key, boss int references b, ship_via int references b(id),
      a_id int references a)`,
    {
      a: ['!id integer', '-bossId? integer', 'boss -> b(bossId)', '-shipViaId? integer', 'shipVia -> b(shipViaId)',
        '-aId? integer', 'a -> a(aId)', 'aByA => a(aId)'],
      b: ['!id integer', 'aByBoss => a(bossId)', 'aByShipVia => a(shipViaId)']
    }],
    // The name is a column's already.
    [`create table b (id integer primary key, a text);
      create table a (id integer primary key, b_id int references b, b text)`,
    {
      a: ['!id integer', '-bId? integer', 'bB -> b(bId)', 'b? string'],
      b: ['!id integer', 'a? string', 'a_by_b_b => a(bId)']
    }],
    // A key of several columns, one of which is a reference itself.
    [`create table o (id integer primary key); create table l (o_id int references o, n int, primary key (o_id, n));
      create table p (id integer primary key, l_n int, l_o int, foreign key (l_o, l_n) references l (o_id, n))`,
    {
      l: ['oId integer', 'o -> o(oId)', 'n integer', 'p => p(lO,lN)'],
      o: ['!id integer', 'l => l(oId)'],
      p: ['!id integer', '-lN? integer', '-lO? integer', 'l -> l(lO,lN)']
    }],
    // Many to many, also of a table with itself; a join table that says more is a table.
    [`${shared} create table c (id integer primary key); create table bc (b_id int references b, c_id int references c,
      created_at text, primary key (b_id, c_id))`,
    { b: ['!id integer', 'c => c(bId) by bc.cId'], c: ['!id integer', 'b => b(cId) by bc.bId'] }],
    [`create table u (id integer primary key); create table follows (follower_id int references u,
      followed_id int references u, primary key (follower_id, followed_id))`,
    {
      u: ['!id integer', 'followed => u(followerId) by follows.followedId',
        'follower => u(followedId) by follows.followerId']
    }],
    [`${shared} create table c (id integer primary key); create table bc (b_id int references b,
      c_id int references c, note text, primary key (b_id, c_id))`,
    {
      b: ['!id integer', 'bc => bc(bId)'],
      bc: ['bId integer', 'b -> b(bId)', 'cId integer', 'c -> c(cId)', 'note? string'],
      c: ['!id integer', 'bc => bc(cId)']
    }],
    // References that lead to no table, to no key, or to a key of another type.
    [`create table b (id integer primary key, n int unique); insert into b values (1, 1);
      create table a (id integer primary key, x int references absent, y int references b (n), z text references b);
      insert into a values (1, 1, 1, 'text')`,
    { a: ['!id integer', 'x? integer', 'y? integer', 'z? string'], b: ['!id integer', 'n? integer'] }],
    // References to texts that are compared in another way.
    [`create table b (k text primary key collate nocase); create table c (k text collate nocase references b,
      l text references b)`,
    { b: ['!k string', 'c => c(kId)'], c: ['!rowid integer', '-kId? string', 'k -> b(kId)', 'l? string'] }]
  ] as const) {
    t.strictSame(short(await designOf(`pragma foreign_keys = off; ${script}`)), expected, script)
  }
})

test('what is not served is told with its reason, and --key, --show and --tables change it', async t => {
  const script = `create table a (id integer primary key, photo blob, mixed);
    insert into a values (1, x'00', 1.5), (2, x'01', 'x');
    create view v as select id, count(*) as n from a group by id; create view broken as select * from absent;
    create virtual table words using fts5(text)`
  const design = await designOf(script)
  t.match(design.omissions, [
    { place: 'words', reason: 'is a virtual table' }, { place: 'broken', reason: /no such table/ },
    { place: 'a.photo', reason: 'holds bytes' }, { place: 'a.mixed', reason: /several types/ },
    { place: 'v', reason: /--key v=id/ }
  ])
  const flags = ['--key', 'v=id', '--show', 'a.photo', '--show', 'a.mixed', '--tables', 'a,v*']
  t.strictSame(short(await designOf(script, ...flags)), {
    a: ['!id integer', 'photo? byte', 'mixed? string'], v: ['!id integer', 'n? integer']
  })
})

test('a check constraint is read as its database writes it', async t => {
  for (const [text, expected] of [
    ["((rating)::text = ANY ((ARRAY['G'::character varying, 'PG-13'::character varying])::text[]))", ['G', 'PG-13']],
    ["(rating = ANY (ARRAY['a'::text, 'it''s'::text]))", ['a', "it's"]],
    ["(rating = 'a'::text)", undefined],
    ['(rating = ANY (ARRAY[1, 2]))', [1, 2]],
    ["rating in ('a') or other = 1", undefined],
    ["rating not in ('a')", undefined],
    ["rating in ('a', 'a')", undefined],
    ["\"rating\" IN ('a' /* ' */, 'b' -- )\n)", ['a', 'b']],
    ["lower(rating) in ('a')", undefined],
    ["rating in (select 'a')", undefined]
  ] as const) t.strictSame(choicesIn(text, 'rating'), expected, text)
})

test('numbers that a check constraint allows are texts in a column of text of SQLite', async t => {
  const script = 'create table t (id integer primary key, a text check (a in (1, 2)), b int check (b in (1)))'
  const { collections: [things] } = await designOf(script)
  t.strictSame(things?.fields.map(field => 'type' in field && 'values' in field.type && field.type.values),
    [false, ['1', '2'], [1]])
})

test('texts that a check constraint allows are numbers in a column of numbers of SQLite', async t => {
  const choices = async (script: string) => (await designOf(script)).collections[0]?.fields
    .map(field => 'type' in field && 'values' in field.type && field.type.values)
  t.strictSame(await choices(`create table t (id integer primary key, a int check (a in ('1', ' 2')),
    b numeric check (b in ('1.5', 'none')), c blob check (c in ('1')), d check (d in ('1')))`),
  [false, [1, 2], [1.5, 'none'], ['1'], ['1']])
  t.strictSame(await choices(`create table t (id integer primary key, a any check (a in ('1')),
    b int check (b in ('1'))) strict`), [false, ['1'], [1]])
})

test('a check constraint lists no choices for texts that are compared otherwise than by their bytes', async t => {
  const script = `create table t (id integer primary key, a text collate nocase check (a in ('x', 'y')),
    b text collate rtrim check (b in ('x')), c text collate binary check (c in ('x')),
    d int collate nocase check (d in (1, 2)))`
  t.strictSame(short(await designOf(script)), { t: ['!id integer', 'a? string', 'b? string', 'c? x', 'd? 1|2'] })
})

const root = fileURLToPath(new URL('../../', import.meta.url))
const projects = newPath('projects')

/** A folder in which projects compile as if they had installed this package. */
function makeProjects (files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(projects, path)), { recursive: true })
    writeFileSync(join(projects, path), text)
  }
  const modules = join(projects, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  mkdirSync(join(modules, '@sinclair'))
  symlinkSync(root, join(modules, 'fastify-data-api'))
  for (const name of ['fastify', '@sinclair/typebox', '@types/node']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(projects, 'all.json')], { env: { ...process.env, NODE_OPTIONS: '' } })
}

/** What decides about answers, as one text. */
const essence = (collections: Readonly<Record<string, Declared>>) => JSON.stringify(Object.entries(collections)
  .map(([name, { schema, source, key }]) => {
    const { table, schema: place, column } = source as SqlSource
    return [name, schema, key, table, place, Object.keys(schema.properties).map(column)]
  }))

const nowhere = { kind: 'nowhere' } as unknown as SqlSource['database']
const declared = (design: Design) =>
  declareDesign(design, { table: (table, options) => makeSource(nowhere, table, options) })

const rich = `create table "Artist" ("ArtistId" integer primary key, "Name" text not null unique, password text);
  create table "Album" ("AlbumId" integer primary key, "Title" text, "ArtistId" int references "Artist", "Day" date);
  create table "order lines" (order_id int, n int, price real, primary key (order_id, n));
  insert into "Artist" values (1, 'Can', 'hunter2'), (2, 'Noisia', 'hunter2');
  insert into "Album" values (1, 'Tago Mago', 1, '1971-02-01'), (2, 'Outer Edges', 2, '2016-09-23');
  insert into "order lines" values (7, 1, 2.5)`

const projectOptions = { name: 'x', version: '0', file: 'x.db', needsDriver: false, isUnproven: false, command: 'x' }
test('a project runs on the Node.js that wrote it: without a SQLite of its own it depends on a driver', async t => {
  const design = await designOf('create table t (id integer primary key)')
  for (const [needsDriver, node] of [[false, '>=22.16'], [true, '>=20.19']] as const) {
    const text = writeProject(design, { ...projectOptions, needsDriver }).get('package.json') ?? ''
    t.match(JSON.parse(text), { engines: { node } })
    t.equal(text.includes('@photostructure/sqlite'), needsDriver)
  }
})

test('what init writes compiles strictly and answers as what is served; hostile catalogues are inert', async t => {
  const runs = runsOf(12)
  const file = makeFile(rich)
  t.match(await runLine('init', file, projects), { code: 0, out: /Next: cd / })
  t.match(await runLine('init', file, projects), { code: 1, error: /exists, and nothing is overwritten/ })
  const scripts = fc.sample(hostileScript, { numRuns: runs, seed: 7 })
  const designs = await Promise.all(scripts.map(async script => designOf(script)))
  const files = new Map(designs.flatMap((design, index) => {
    const options = { ...projectOptions, file: "../it's.db" }
    const written = [...writeProject(design, options)]
    return written.filter(([path]) => /^(?:schemas|collections|database)\.ts$/.test(path))
      // Opening a file is not what is tested here.
      .map(([path, text]) => [`hostile/p${index}/${path}`, path === 'database.ts' ? stand : text] as const)
  }))
  const tsconfig = '{ "extends": "./tsconfig.json", "include": ["*.ts", "test", "hostile"] }'
  makeProjects(new Map([...files, ['all.json', tsconfig]]))
  for (const [index, design] of designs.entries()) {
    const path = join(projects, `dist/hostile/p${index}/collections.js`)
    const { collections } = await import(pathToFileURL(path).href) as { collections: Record<string, Declared> }
    t.equal(essence(collections), essence(declared(design)), JSON.stringify(Object.keys(collections)))
  }

  const served = await serveTarget(file)
  process.env['DATABASE_FILE'] = file
  const app = await import(pathToFileURL(join(projects, 'dist/app.js')).href) as Application
  const written = await app.makeApp(false)
  for (const url of [
    '/', '/artist', '/artist/Can', '/artist/1/album', '/album?artist.name=Can&fields=title,artist(name)',
    '/order_lines/7,1', '/album?sort=day desc', '/artist?password=x', '/nothing', '/album?format=csv'
  ]) {
    const [one, other] = [await served.app.inject(url), await written.inject(url)]
    const told = (answer: typeof one) => [answer.statusCode, answer.body, answer.headers['etag']]
    t.strictSame(told(one), told(other), url)
    t.notMatch(one.body, 'hunter2')
  }
  await served.close()
  await written.close()

  const test = join(projects, 'dist/test/api.test.js')
  execFileSync(process.execPath, ['--test', test], { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } })
  t.match(await runLine('init', file, projects, '--diff'), { code: 0, out: /^The project has all/ })
  const changed = makeFile(`${rich}; alter table "Album" add column "Rating" int; drop table "order lines";
    create table new (id integer primary key);
    create table credits (artist int references "Artist", album int references "Album", primary key (artist, album))`)
  t.strictSame((await runLine('init', changed, projects, '--diff')).out.trimEnd().split('\n'), [
    '+ column Album.Rating (integer)', '+ relation Album: the join table credits by album',
    '+ relation Artist: the join table credits by artist', '+ table new', '- table order lines'
  ])
})

interface Application { makeApp (logger: boolean): Promise<FastifyInstance> }

const stand = `import { sqlite } from 'fastify-data-api'
export const db = sqlite(':memory:')
`
