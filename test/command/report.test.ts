import { test } from 'tap'
import { printable } from '../../lib/core/errors/printable.ts'
import { describeDesign } from '../../lib/tools/command/report.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { short } from '../helpers/short-designs.ts'
import { test as onPostgres } from '../helpers/on-postgres.ts'
import { makeFile, runLine, serveTarget } from './helpers.ts'

/** Returns the design of a database, and what the command tells of it. */
async function reportOf (target: string, ...flags: readonly string[]) {
  const { design, close } = await serveTarget(target, ...flags)
  await close()
  const tell = (all: boolean) => describeDesign(design, { label: 'x', write: false, all })
  return { fields: short(design), told: tell(false), all: tell(true) }
}

test('no text controls a terminal', async t => {
  t.equal(printable('a\n\u202Eb'), 'a\\u{a}\\u{202e}b')
})

test('a name that an earlier column or table has already is told with the name in its place', async t => {
  const { told, fields } = await reportOf(makeFile(`
    create table accounts (id integer primary key, created_at text, "createdAt" text, boss integer references accounts);
    create table a_b (id integer primary key); create table aB (id integer primary key)`))
  t.match(Object.keys(fields), ['aB', 'main_a_b', 'accounts'])
  t.match(told, `Renamed, as the name is taken:
  a_b                 is main_a_b
  accounts.createdAt  is created_at_2
`)
  t.notMatch((await reportOf(makeFile('create table "Order Lines" ("Line No" integer primary key)'))).told, 'Renamed')
})

test('--all lists what is served, and what is not, however much', async t => {
  const names = Array.from({ length: 30 }, (_, index) => index)
  const file = makeFile(['create table hubs (id integer primary key)', ...names.map(index =>
    `create table t${index} (id integer primary key, hub_id integer references hubs);
    create view v${index} as select 1 as id`)].join(';'))
  const { told, all } = await reportOf(file)
  t.equal(told.split('… and 6 more; --all lists them').length, 2)
  t.equal(told.split('… and 5 more; --all lists them').length, 2)
  t.notMatch(all, '…')
  for (const index of names) {
    t.match(all, new RegExp(`^  t${index} +1 field; hub$`, 'm'))
    t.match(all, new RegExp(`^  v${index} +is a view`, 'm'))
  }
  t.match(all, names.map(index => `t${index}`).toSorted().join(', '))
})

const keyless = `
create table people (id integer primary key, name text unique);
create view first as select id, name from people;
create view second as select id from people;
create view third as select name as label from people`

test("--key '*=id' names the column for all tables that have it and no key of their own", async t => {
  const { fields } = await reportOf(makeFile(keyless), '--key', '*=id', '--key', 'third=label')
  t.strictSame(fields, {
    first: ['!id integer', 'name? string'],
    people: ['!id integer', 'name? string'],
    second: ['!id integer'],
    third: ['!label string']
  })
  const exact = await reportOf(makeFile(keyless), '--key', '*=id', '--key', 'first=name')
  t.strictSame(exact.fields['first'], ['id? integer', '!name string'])
  for (const [key, error] of [
    ['*=no', "--key *: there is no column 'no'"], ['x*=id', "--key: there is no table or view 'x*'"],
    ['*=label,id', '--key *: no table or view has all of the columns label, id'],
    ['third=id', "--key third: there is no column 'id'"]
  ] as const) t.match(await runLine(makeFile(keyless), '--key', key), { code: 1, error }, key)
})

const lists = `
create table people (id integer primary key, name text);
insert into people values (1, 'Ann'), (2, 'Ann'), (3, null);
create table tags (live integer, person_id integer, tag text, code text);
insert into tags values (1, 1, 'x', 'a'), (1, 2, 'x', 'b'), (1, 1, 'y', 'c');`

test('the column that is proposed as a key is unique in the first rows', async t => {
  const { told } = await reportOf(makeFile(`${lists}
    create view named as select name, id from people; create view tagged as select live, tag, person_id from tags;
    create view coded as select live, person_id, code, tag from tags;
    create view secret as select code as token from tags`))
  t.match(told, /named +.*; name a column whose values are unique, such as --key named=id\n/)
  t.match(told, /coded +.* --key coded=code\n/)
  t.match(told, /tagged +.*; name columns whose values are unique together, such as --key 'tagged=person_id,tag'\n/)
  t.match(told, /secret +.* --key secret=column\n/)
})

onPostgres('the key that is proposed for a table of PostgreSQL is unique in the first rows', async t => {
  await onDatabase(`${lists} create view named as select name, id from people;
    create view slow as select pg_sleep(60)::text as a, id from people`, async (_, url) => {
    const { told } = await reportOf(url)
    t.match(told, /tags +has no key; name a column whose values are unique, such as --key tags=code\n/)
    t.match(told, /named +.* --key named=id\n/)
    t.match(told, /slow +.* --key slow=id\n/, 'a view is not read')
  })
})

// docs/command.md: What is served.

test('a view lists items with the names of those that they refer to', async t => {
  const file = makeFile(`
    create table artists (id integer primary key, born text, full_name text);
    create table labels (code text primary key, town text);
    create table codes (a integer, b integer, primary key (a, b));
    create table albums (id integer primary key, title text, artist_id int references artists, label references labels,
      fields text, a int, b int, foreign key (a, b) references codes);
    create table odd (id integer primary key, "größe" text, artist_id int references artists)`)
  const { design: { collections } } = await serveTarget(file)
  t.strictSame(Object.fromEntries(collections.map(({ property, view }) => [property, view])), {
    artists: undefined,
    labels: undefined,
    codes: undefined,
    albums: 'select=id,title,artist(id,full_name),label(code),fields,codes(a,b)',
    odd: undefined
  })
})
