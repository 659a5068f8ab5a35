import fc, { runsOf } from '../helpers/fast-check.ts'
import type { FastifyInstance } from 'fastify'
import { Readable } from 'node:stream'
import { test } from 'tap'
import { describeDesign } from '../../lib/tools/command/report.ts'
import { runCommand } from '../../lib/tools/command/run.ts'
import { short } from '../helpers/short-designs.ts'
import { makeFile, serveTarget } from './helpers.ts'

/** More rows than are looked at first. */
const many = `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 10000)
  insert into t select i, `

test('a value behind the first rows counts for the type of its column', async t => {
  for (const [declared, first, late, type] of [
    ['integer', 'i', "'N/A'", 'string'],
    ['integer', 'i', '9007199254740993', 'int64'],
    ['integer', 'i', '1.5', 'number'],
    ['', 'i', '1.5', 'number'],
    ['boolean', 'i % 2', '2', 'integer'],
    ['text', "'2020-01-01'", "'soon'", 'string'],
    ['text', "'2020-01-01'", "'0000-01-01'", 'string'],
    ['text', "'2020-01-01T00:00:00Z'", "'2020-01-01'", 'string'],
    ['text', "'2020-01-01T00:00:00Z'", "'2020-01-01T24:00:00Z'", 'string'],
    ['uuid', "'c0a80101-0000-4000-8000-000000000000'", "'C0A80101-0000-4000-8000-000000000000'", 'string'],
    ['text', 'null', "'2020-01-01'", 'date'],
    ['', 'null', '5', 'integer'],
    ['integer', 'i', 'null', 'integer'],
    ['text', "'2020-01-01'", "'2020-01-02'", 'date']
  ] as const) {
    const table = `create table t (id integer primary key, v ${declared})`
    const { design } = await serveTarget(makeFile(
      `${table}; ${many}${first} from numbers; insert into t values (20000, ${late})`))
    t.strictSame(short(design), { t: ['!id integer', `v? ${type}`] }, `${declared}: ${first}, then ${late}`)
    t.strictSame(design.partlySeen, [])
  }
})

test('a column of more types behind the first rows is not served, and told', async t => {
  const { design } = await serveTarget(makeFile(
    `create table t (id integer primary key, v, w); ${many}1.5, i from numbers;
     insert into t values (20000, 'x', x'00')`))
  t.match(design.omissions, [
    { place: 't.v', reason: 'holds values of several types (real, text); --show t.v shows it' },
    { place: 't.w', reason: 'holds bytes and other values (integer, blob)' }
  ])
})

test('in a catalogue of many tables, too, a column is what all its rows hold', async t => {
  const others = Array.from({ length: 200 }, (_, index) => `create table o${index} (id integer primary key)`).join(';')
  const { design } = await serveTarget(makeFile(`${others};
    create table t (id integer primary key, n integer, s varchar(9), w bigint, r real);
    insert into t values (1, 1, 'x', 1, 1.5), (2, 'x', 'y', 9007199254740993, 2)`))
  t.strictSame(short(design)['t'], ['!id integer', 'n? string', 's? string', 'w? int64', 'r? number'])
})

test('what the time did not suffice for is named, and has the types of the first rows', async t => {
  const script = `create table t (id integer primary key, v integer); create table small (id integer primary key);
    insert into small values (1); ${many}i from numbers; insert into t values (20000, 'x')`
  const { design } = await serveTarget(makeFile(script), '--look', '0')
  t.strictSame(design.partlySeen, ['t'])
  t.strictSame(short(design)['t'], ['!id integer', 'v? integer'])
  t.match(describeDesign(design, { label: 'x', write: false }),
    'Not looked at to the end, so that types are those of the first rows: t\n(--look 60 looks for a minute)')
  // A view that never ends is looked at as long as the time suffices.
  const endless = `create view v as with recursive numbers (i) as (select 1 union all select i + 1 from numbers)
    select i from numbers`
  const view = await serveTarget(makeFile(`${script};${endless}`), '--look', '0.2', '--key', 'v=i')
  t.strictSame(view.design.partlySeen, ['v'])
})

const stored = fc.oneof(
  fc.constantFrom('null', '0', '1', '1.5', '9007199254740993', "'x'", "'5'", "'2020-01-01'", "'0000-01-01'",
    "'2020-01-01T00:00:00Z'", "'2020-01-01T24:00:00Z'", "'0001-01-01T00:00:00+01:00'", "'2020-02-30'", "x'00'"),
  fc.integer().map(String)
)
const declared =
  fc.constantFrom('', 'integer', 'text', 'real', 'boolean', 'date', 'datetime', 'numeric', 'bigint', 'uuid')

interface Item { readonly id: number, readonly v?: unknown }

test('by what is shown of any row, a filter finds it, wherever the values stand that break a guess', async t => {
  await fc.assert(fc.asyncProperty(declared, stored, fc.array(stored, { maxLength: 3 }), async (type, first, late) => {
    const rows = late.map((value, index) => `insert into t values (${20000 + index}, ${value})`).join(';')
    const { app } = await serveTarget(makeFile(
      `create table t (id integer primary key, v ${type}); ${many}${first} from numbers; ${rows}`))
    const shown = (await app.inject('/t?sort=-id&size=5')).json<readonly Item[]>()
    for (const { id, v } of shown.filter(one => one.v !== undefined && one.v !== null)) {
      const text = encodeURIComponent(typeof v === 'string' ? `"${v}"` : String(v))
      const found = await app.inject(`/t?v=${text}&id=${id}&fields=id`)
      t.strictSame([found.statusCode, found.json()], [200, [{ id }]], `${type}: ${String(v)}`)
    }
  }), { numRuns: runsOf(30) })
})

const keys = `create table t (code, n integer, primary key (code));
  insert into t values (5, 1), ('5', 2), ('a', 3), (10, 4), ('10x', 5);
  create table u (id integer primary key, t_code references t (code)); insert into u values (1, 'a'), (2, 10);
  create table k (auth text, code integer_or_text, name text, primary key (auth, code));
  insert into k values ('EPSG', 4326, 'x'), ('IGNF', 'AMAN', 'y'), ('EPSG', 4327, 'z');
  create table l (id integer primary key, k_auth text, k_code integer_or_text,
    foreign key (k_auth, k_code) references k (auth, code));
  create table m (l_code integer primary key references n, v text); create table n (code integer primary key);
  insert into l values (1, 'EPSG', 4326), (2, 'EPSG', 4327)`

test('keys of integers and texts are served as texts, with their relations', async t => {
  const { app, design } = await serveTarget(makeFile(keys))
  const get = async (url: string) => (await app.inject(url)).json<unknown>()
  t.strictSame(design.omissions, [])
  t.strictSame(await get('/t?sort=code&n>2'), [{ code: '10', n: 4 }, { code: '10x', n: 5 }, { code: 'a', n: 3 }])
  t.strictSame(await get('/t/10'), { code: '10', n: 4 })
  t.strictSame(await get('/t/a/u'), [{ id: 1 }])
  t.strictSame(await get('/t/10/u'), [{ id: 2 }])
  t.strictSame(await get('/u?fields=id,t_code(n)'), [{ id: 1, t_code: { n: 3 } }, { id: 2, t_code: { n: 4 } }])
  t.strictSame(await get('/u?t_code.code=10&fields=id'), [{ id: 2 }])
  t.strictSame(await get('/k/IGNF,AMAN'), { auth: 'IGNF', code: 'AMAN', name: 'y' })
  t.strictSame(await get('/k/EPSG,4326/l'), [{ id: 1 }])
  t.strictSame(await get('/l?fields=id,k(name)&sort=k.code'),
    [{ id: 1, k: { name: 'x' } }, { id: 2, k: { name: 'z' } }])
  t.strictSame(await get('/k?fields=name,l.count()&l.count()>0&sort=-code'),
    [{ name: 'z', l: { count: 1 } }, { name: 'x', l: { count: 1 } }])
  t.match((await app.inject('/m')).json(), [])
})

test('a segment that is an integer of one row and a text of another is ambiguous', async t => {
  const { app } = await serveTarget(makeFile(keys))
  for (const url of ['/t/5', '/t/5/n', '/t/5/u', '/t/by_code/5']) {
    const answer = await app.inject(url)
    t.match([answer.statusCode, answer.json()], [409, { error: 'ambiguous_identifier' }], url)
  }
  t.strictSame((await app.inject('/t?code=5&sort=n')).json(), [{ code: '5', n: 1 }, { code: '5', n: 2 }])
  t.strictSame((await app.inject('/t?fields=code,count()&code=5')).json(), [{ code: '5', count: 2 }])
})

const storedKey = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map(String), fc.integer({ min: -20, max: 20 }).map(number => `'${number}'`),
  fc.constantFrom("'a'", "'5 '", "'05'", "''", "'5a'", '9007199254740993', "'9007199254740993'", "'4'||char(0)")
)

test('cursors visit each row of a key of integers and texts once, in the order of the texts', async t => {
  const column = fc.constantFrom('code', 'code integer', 'code blob')
  const script = fc.tuple(column, fc.uniqueArray(storedKey, { maxLength: 12 }))
  await fc.assert(fc.asyncProperty(script, async ([column, values]) => {
    const inserts = ["'x'", '7', ...values].map((one, index) => `insert or ignore into t values (${one}, ${index})`)
    const { app } = await serveTarget(makeFile(
      `create table t (${column}, n integer, primary key (code)) without rowid; ${inserts.join(';')}`))
    for (const sort of ['code', '-code']) {
      const whole = (await app.inject(`/t?sort=${sort}&size=100`)).json<readonly Keyed[]>()
      const texts = whole.map(({ code }) => code)
      const sorted = texts.toSorted((one, other) => one < other ? -1 : one > other ? 1 : 0)
      t.strictSame(texts, sort === 'code' ? sorted : sorted.toReversed())
      t.strictSame(await visited(app, `/t?sort=${sort}&size=1`), whole)
    }
  }), { numRuns: runsOf(15) })
})

interface Keyed { readonly code: string, readonly n: number }

/** Returns the items of a page and of those that follow it. */
async function visited (app: FastifyInstance, url: string): Promise<readonly Keyed[]> {
  const { headers, ...answer } = await app.inject(url)
  const [, next] = /<([^>]*)>; rel="?next"?/.exec(String(headers['link'])) ?? []
  const items = answer.json<readonly Keyed[]>()
  return next === undefined ? items : [...items, ...await visited(app, next)]
}

test('import loads numbers beyond 2^53 into a bigint column that is empty', async t => {
  const file = makeFile('create table artists (id integer primary key, name text not null unique, big bigint)')
  let out = ''
  const input = Readable.from(['name,big\nAnn,9007199254740993\nBob,5\n'])
  const tell = (text: string) => { out += text }
  t.equal(await runCommand(['import', file, 'artists'], { out: tell, error: tell, isTerminal: false, input }), 0)
  t.equal(out, 'imported: 2\n')
  const { app } = await serveTarget(file)
  t.strictSame((await app.inject('/artists?big>6&fields=big')).json(), [{ big: '9007199254740993' }])
})
