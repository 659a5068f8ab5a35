import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isDeepStrictEqual } from 'node:util'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import pg from 'pg'
import { type Test, test } from 'tap'
import dataApi, { collection, expression, memory, sqlite, SubCollection, SubItem } from '../../lib/index.ts'
import type { DataSource } from '../../lib/core/sources/source.ts'
import { type StatementEvent, statementChannelName } from '../../lib/core/sources/statement-events.ts'
import { changeLogScript } from '../../lib/core/sources/sql/postgres/change-log-sql.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { hardNames, sqliteKeywords } from '../helpers/hard-names.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'

// docs/databases.md: Names of tables and columns. A column may have any name that the database takes, and one that is
// not declared captures no name: requests of every kind to such tables are answered as memory() answers them.

const rw = { readable: true, writable: true } as const
const text = (flags: object = {}) => Type.Optional(Type.String({ ...rw, ...flags }))

/** The columns of a table: its key, a foreign key, a text that is shown in listings, and two others. */
const properties = ['id', 'parent', 'shown', 'word', 'more'] as const
type Names = Readonly<Record<typeof properties[number], string>>

const rows = [
  { id: 1, parent: null, shown: 'a', word: 'b', more: 'x' }, { id: 2, parent: 1, shown: 'b', word: 'a', more: null },
  { id: 3, parent: 1, shown: null, word: 'a', more: 'y' }, { id: 4, parent: 2, shown: 'b', word: null, more: 'x' }
]
// The same in each row, in columns of these names.
const typed = { the_price: 1.5, the_day: '2026-01-02', the_moment: '2026-01-02T03:04:05.000Z' }

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Returns the script of a table `things` whose columns have these names, and of a join table. Both have `others`. */
function ddlOf ({ id, parent, shown, word, more }: Names, others: readonly string[] = []): string {
  const further = others.map(name => `, ${quote(name)} text default 'x'`).join('')
  const columns = [`${quote(id)} integer primary key`, `${quote(parent)} integer references things`,
    ...[shown, word, more].map(name => `${quote(name)} text`),
    "the_price numeric default 1.5, the_day date default '2026-01-02'",
    "the_moment timestamptz default '2026-01-02T03:04:05.000Z'"]
  const literal = (value: unknown) => value === null ? 'null' : typeof value === 'number' ? value : `'${String(value)}'`
  const values = rows.map(row => `(${properties.map(name => literal(row[name])).join(', ')})`)
  const [one, other] = [quote(shown), quote(word)]
  return `create table things (${columns.join(', ')}${further});
    create table links (${one} integer references things, ${other} integer references things${further},
      primary key (${one}, ${other}));
    insert into things (${properties.map(name => quote({ id, parent, shown, word, more }[name])).join()})
      values ${values.join(', ')};
    insert into links (${one}, ${other}) values (1, 2), (1, 3), (3, 1)`
}

/** Serves things, as they are and with an expression that takes two columns of the table by their own names. */
async function serve (source: DataSource, names: Names) {
  const fields = {
    id: Type.Integer({ identifier: true, ...rw }),
    parent: Type.Optional(Type.Integer(rw)),
    shown: text({ listed: true }),
    word: text({ listed: true }),
    more: text(),
    the_price: Type.Number({ readable: true, default: 1.5 }),
    the_day: text({ format: 'date', default: typed.the_day }),
    the_moment: text({ format: 'date-time', default: typed.the_moment }),
    of: SubItem('things', { foreignKey: 'parent', ...rw }),
    parts: SubCollection('things', { foreignKey: 'parent', ...rw }),
    others: SubCollection('things', { through: 'links', foreignKey: 'from', otherKey: 'to', ...rw })
  }
  const app = Fastify()
  await app.register(dataApi, {
    imports: true,
    requestStrategies: { upsert: true, delete: true, bulk: ['PATCH', 'DELETE'] },
    collections: {
      things: collection(Type.Object(fields), { source }),
      made: collection(Type.Object({
        ...fields,
        of: SubItem('made', { foreignKey: 'parent', ...rw }),
        parts: SubCollection('made', { foreignKey: 'parent', ...rw })
      }), {
        source,
        hooks: { creating () {}, updating () {} },
        computed: {
          both: expression({
            type: Type.Optional(Type.String({ readable: true, listed: true })),
            sql: () => sql`${sql.id('things', names.shown)} || ${sql.id(names.word)}`,
            memory: ({ shown, word }) => shown == null || word == null ? null as never : `${shown}${word}`
          })
        }
      })
    }
  })
  return app
}

const json = { 'content-type': 'application/json' }
const reads = (of: 'things' | 'made') => [
  '', '/1', '/4/of/shown', '/by_shown?fields=id', '/by_word', '/2/of', '/1/parts?sort=-shown', '/1/others/2/of/word',
  '/1/others?sort=word,-id', '?sort=shown', '?sort=-word,shown&size=2', '?sort=-shown&limit=1&offset=2',
  '?shown=b&fields=word', '?where=(shown>=b|word=null)', '?word*~=A', '?word=a,b&fields=more,shown', '?more=null',
  '?of.shown=a', '?parts.word=a&fields=id', '?others.more!=x', '?parts(word=a,shown=b)', '?sort=of.word,-of.more',
  '?fields=id,of(word,of(shown)),parts(id,word;sort=-word;limit=1),others(shown,parts(more))',
  '/1?fields=more,of,parts', '/1?fields=parts(shown;where=word=a),others', '?fields=shown,count()&sort=-count()',
  '?where=!(shown=b,word=a)', '?fields=word,id.sum(),more.max()', '?fields=of(shown),count()',
  '?fields=id,parts.count(),parts.word.max()&sort=-parts.shown.max()',
  '?parts.count()>0&sort=parts.count()&size=1', '/by_word?fields=shown,more&sort=-more', '/1/parts/by_word',
  '?fields=the_price,of(the_day,the_moment)&sort=-the_price,the_moment&limit=2&offset=1', '/by_the_day?fields=id',
  '?the_price>1&the_day<2026-02-01&the_moment>=2026-01-01T00:00:00Z&fields=id', '/1/others/by_the_price?fields=id'
].map(path => `/${of}${path}`)

const own = ['?sort=both', '?both=ab&fields=id', '?fields=both,more,of(both,more),parts(both)', '/by_both', '/1/both',
  '?fields=both,count()', '?sort=-of.both,both&size=1', '?fields=parts.both.max()', '?of.both=ab', '/2/of/both',
  '/1/parts?fields=both,word', '/1?fields=both'].map(path => `/made${path}`)

const writes = [
  ['POST', '/things', { id: 5, shown: 'e', word: 'a', parent: 1 }], ['POST', '/things', { id: 5 }],
  ['POST', '/made', [{ id: 6, more: 'z' }, { id: 7 }]], ['PATCH', '/things/5', { word: 'w', more: null }],
  ['PATCH', '/made/6', { shown: 's' }],
  ['PUT', '/things/8', { word: 'eight' }], ['PUT', '/things/8', { shown: 'again' }], ['PUT', '/things/5/word', 'new'],
  ['POST', '/made/1/parts', { id: 9, word: 'part' }], ['PUT', '/things/1/others', [{ id: 5 }, { id: 6 }]],
  ['POST', '/things/5/others', { id: 1 }], ['DELETE', '/things/1/others/6', undefined],
  ['PATCH', '/things?word=a', { more: 'many' }], ['PATCH', '/made?shown=b', { word: 'all' }],
  ['DELETE', '/made/7', undefined], ['DELETE', '/things?word=eight', undefined]
] as const

interface Answer {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly body: string
  readonly location: unknown
}

type Method = 'GET' | typeof writes[number][0]

/** Sends requests of every kind. Returns their answers. */
async function answersOf (app: Awaited<ReturnType<typeof serve>>): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const ask = async (method: Method, url: string, payload?: string, type = json) => {
    const { statusCode, body, headers } = await app.inject({
      method, url, ...payload === undefined ? { headers: { accept: type['content-type'] } } : { payload, headers: type }
    })
    answers.push({ method, url, status: statusCode, body, location: headers['location'] })
    return /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1]
  }
  const readAll = async () => {
    for (const url of [...reads('things'), ...reads('made'), ...own]) await ask('GET', url)
    for (const type of ['application/x-ndjson', 'text/csv']) {
      for (const url of ['/things?sort=shown', '/made?sort=-word']) {
        await ask('GET', url, undefined, { 'content-type': type })
      }
    }
    for (const start of ['/things?sort=shown&size=1', '/made?sort=-both,of.word&size=1']) {
      for (let url: string | undefined = start; url !== undefined;) url = await ask('GET', url)
    }
  }
  await readAll()
  for (const [method, url, body] of writes) await ask(method, url, body === undefined ? body : JSON.stringify(body))
  for (const url of ['/things', '/made']) {
    const id = url === '/made' ? 20 : 30
    await ask('POST', url, `id,shown,word\n${id},i,j\n${id + 1},k,\n`, { 'content-type': 'text/csv' })
    await ask('POST', url, `{"id":${id + 2},"word":"l"}\n`, { 'content-type': 'application/x-ndjson' })
  }
  await readAll()
  await app.close()
  return answers
}

/** Draws the names of a table's columns, no two of which differ in their case alone. */
const namesOf = (words: readonly string[]) => fc.uniqueArray(
  fc.oneof(fc.constantFrom(...hardNames), fc.constantFrom('true', 'FALSE', 'c0', 'rowid'), fc.constantFrom(...words)),
  { minLength: 5, maxLength: 5, selector: name => name.toLowerCase() }
).map(([id = '', parent = '', shown = '', word = '', more = '']): Names => ({ id, parent, shown, word, more }))

const examples: Array<[Names]> = [
  [{ id: 'c0', parent: 'c1', shown: 'true', word: 'rowid', more: 'false' }],
  [{ id: 'oid', parent: 'true', shown: 'order', word: '"', more: 'excluded' }]
]

const columnsOf = (names: Names) => ({ ...names, from: names.shown, to: names.word })

/** Compares the answers over tables of drawn columns with those over memory(). */
async function compare (
  t: Test, words: readonly string[], usual: number,
  answersOver: (ddl: string, columns: ReturnType<typeof columnsOf>) => Promise<readonly Answer[]>
): Promise<void> {
  const plain: Names = { id: 'id', parent: 'parent', shown: 'shown', word: 'word', more: 'more' }
  const links = [{ from: 1, to: 2 }, { from: 1, to: 3 }, { from: 3, to: 1 }]
  const source = memory(rows.map(row => ({ ...row, ...typed })), { joins: { links }, statementTimeout: 0 })
  const expected = await answersOf(await serve(source, plain))
  const own = await namesIn(async () => {
    t.strictSame(await answersOver(ddlOf(plain), columnsOf(plain)), expected)
  })
  t.ok(own.includes('(t0)') && own.includes('count'), own.join())
  t.strictSame(await answersOver(ddlOf(plain, own), columnsOf(plain)), expected)
  await fc.assert(fc.asyncProperty(namesOf(words), async names => {
    const answers = await answersOver(ddlOf(names), columnsOf(names))
    const at = expected.findIndex((answer, index) => !isDeepStrictEqual(answer, answers[index]))
    assert.deepStrictEqual(answers[at], expected[at])
    assert.equal(answers.length, expected.length)
  }), { numRuns: runsOf(usual), examples })
  // The second time, the item is no longer among the others.
  t.strictSame(expected.filter(({ status }) => status >= 400).map(({ status, url }) => `${status} ${url}`),
    ['409 /things', '404 /things/1/others/2/of/word', '404 /made/1/others/2/of/word'])
}

/** Returns the names in the statements of the plugin, but for those of the tables. */
async function namesIn (work: () => Promise<unknown>): Promise<readonly string[]> {
  const texts = new Set<string>()
  const note = (event: unknown) => { texts.add((event as StatementEvent).text) }
  subscribe(statementChannelName, note)
  await work()
  unsubscribe(statementChannelName, note)
  const names = [...texts].flatMap(text => text.replaceAll(/'(?:[^']|'')*'/g, '').match(/"[^"]+"|[a-z_]\w*/gi) ?? [])
    .map(name => name.replaceAll('"', '').toLowerCase())
  // A column of the name (o) would be shown in the place of a sub-item.
  const known = [...properties, ...Object.keys(typed), 'things', 'links', 'from', 'to', 'rowid', 'oid', '_rowid_',
    '(o)']
  return [...new Set(names)].filter(name => !known.includes(name))
}

test('a column may have any name, and each request is answered as by memory() (sqlite)', async t => {
  await compare(t, sqliteKeywords, 12, async (ddl, columns) => {
    const db = sqlite(':memory:')
    try {
      db.exec(ddl)
      return await answersOf(await serve(db.table('things', { columns }), columns))
    } finally {
      db.close()
    }
  })
})

postgresTest('a column may have any name, and each request is answered as by memory() (postgres)', async t => {
  let words: readonly string[] = []
  await onDatabase('', async (_db, url) => {
    const client = new pg.Client(url)
    await client.connect()
    words = (await client.query<{ word: string }>('select word from pg_get_keywords()')).rows.map(({ word }) => word)
    await client.end()
  })
  await compare(t, words, 6, async (ddl, columns) => {
    let answers: readonly Answer[] = []
    await onDatabase(ddl, async db => {
      answers = await answersOf(await serve(db.table('things', { columns }), columns))
    })
    return answers
  })
})

postgresTest('a column of a key may have the name of a variable of the log of changes', async t => {
  const columns = ['new', 'old', 'found', 'changed', 'noted', 'noted_new', 'noted_old', 'tg_op', 'true', 'a"$n$b']
  const ddl = `create table kept (${columns.map(name => `${quote(name)} integer`).join(', ')},
    primary key (${columns.map(quote).join(', ')}));
    ${changeLogScript([{ schema: undefined, name: 'kept' }])}`
  await onDatabase(ddl, async db => {
    await db.pool.query('insert into kept values (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)')
    await db.pool.query('update kept set new = 0, found = 0')
    const { rows } = await db.pool.query<{ noted: unknown }>('select noted from data_api.changes order by xid')
    const before = Object.fromEntries(columns.map((name, at) => [name, String(at + 1)]))
    t.strictSame(rows, [{ noted: [before] }, { noted: [before, { ...before, new: '0', found: '0' }] }])
  })
})
