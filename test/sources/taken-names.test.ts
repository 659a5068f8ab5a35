import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import {
  collection, expression, type PostgresDatabase, sqlite, type SqliteDatabase, SubCollection, SubItem
} from '../../lib/index.ts'
import { type StatementEvent, statementChannelName } from '../../lib/core/sources/statement-events.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'

// docs/databases.md: Names of tables and columns. No column of a table captures a name of the plugin's own statements.

type Database = SqliteDatabase | PostgresDatabase

const rw = { readable: true, writable: true } as const
const own = ['id', 'label', 'price', 'day', 'at', 'parent', 'a', 'b', 'things', 'links', 'version']

/** Returns the script of two tables, which have further columns of these names. */
function ddlOf (names: readonly string[], timestamp: string): string {
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
  const more = names.map(name => `, ${quote(name)} text default 'x'`).join('')
  return `create table things (id integer primary key, label text unique, price numeric, day date, at ${timestamp},
      parent integer references things, version integer not null default 1${more});
    create table links (a integer references things, b integer references things${more}, primary key (a, b));
    insert into things (id, label, price, day, at, parent) values
      (1, 'one', 1.5, '2026-01-02', '2026-01-02 03:04:05', null),
      (2, 'two', 2.5, '2026-01-03', '2026-01-03 03:04:05', 1);
    insert into links (a, b) values (1, 2)`
}

/** Sends requests of every kind. Returns their answers. */
async function answersOf (db: Database): Promise<readonly unknown[]> {
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, ...rw }),
    label: Type.Optional(Type.String({ identifier: true, listed: true, ...rw })),
    price: Type.Optional(Type.Number({ listed: true, ...rw })),
    day: Type.Optional(Type.String({ format: 'date', listed: true, ...rw })),
    at: Type.Optional(Type.String({ format: 'date-time', listed: true, ...rw })),
    version: Type.Integer({ readable: true, version: true }),
    parent: Type.Optional(Type.Integer(rw)),
    of: Type.Optional(SubItem('things', { foreignKey: 'parent', ...rw })),
    parts: SubCollection('things', { foreignKey: 'parent', ...rw }),
    others: SubCollection('things', { through: 'links', foreignKey: 'a', otherKey: 'b', ...rw })
  })
  const requestStrategies = { upsert: true, delete: true }
  const source = db.table('things')
  const { app, send } = await serveMinimally({
    things: collection(Thing, { source, requestStrategies }),
    hooked: collection(Thing, {
      source,
      requestStrategies,
      hooks: { creating () {}, updating () {}, deleting () {}, saved () {} },
      computed: { shout: expression({ type: Type.Integer({ readable: true }), sql: eb => eb('id', '+', 1) }) }
    })
  })
  const answers = []
  for (const [method, url, payload] of [
    ['GET', '/things'], ['GET', '/things/1'], ['GET', '/things/one/label'], ['GET', '/things/by_day'],
    ['GET', '/things/2/of'], ['GET', '/things/1/parts'], ['GET', '/things/1/others/2/of/label'],
    ['GET', '/things?fields=id,of(label),parts(id,others(id)),others(at)&sort=-price,at&limit=1&offset=1'],
    ['GET', '/hooked?fields=shout,parts(shout)'], ['GET', '/things/1?fields=of,parts(label),others(label)'],
    ['GET', '/things?label~=ONE&price>1&day<2026-02-01&at>=2026-01-01T00:00:00Z&id=1,2&label*~=n'],
    ['GET', '/things?others.label=two'], ['GET', '/things?of.label=one&parts.id!=7'], ['GET', '/things?label=null'],
    ['GET', '/things/by_price?fields=label'], ['GET', '/things/1/others/by_day'],
    ['POST', '/things', { id: 3, label: 'three' }], ['POST', '/things', { id: 3, label: 'again' }],
    ['POST', '/hooked', [{ id: 4 }, { id: 5, parent: 9 }]], ['POST', '/hooked', { id: 4, others: [{ id: 1 }] }],
    ['PATCH', '/things/3', { price: 7, at: '2026-05-05T00:00:00.000Z' }], ['PATCH', '/hooked/3', { label: 'two' }],
    ['PUT', '/things/6', { label: 'six' }], ['PUT', '/things/6', { label: 'seven' }],
    ['POST', '/things/3/others', { id: 1 }], ['PUT', '/things/3/others', [{ id: 2 }]], ['PUT', '/things/1/parts', []],
    ['DELETE', '/things/3/others/2'], ['DELETE', '/hooked/3'], ['DELETE', '/things/6'], ['GET', '/things?limit=9']
  ] as const) {
    answers.push([method, url, ...await send(method, url, payload)])
  }
  await app.close()
  return answers
}

/** Returns the result of work, and the names in the statements of the plugin. */
async function namesIn<T> (work: () => Promise<T>): Promise<readonly [T, readonly string[]]> {
  const texts = new Set<string>()
  const note = (event: unknown) => { texts.add((event as StatementEvent).text) }
  subscribe(statementChannelName, note)
  const result = await work()
  unsubscribe(statementChannelName, note)
  const names = [...texts].flatMap(text => text.replaceAll(/'(?:[^']|'')*'/g, '').match(/"[^"]+"|[a-z_]\w*/gi) ?? [])
    .map(name => name.replaceAll('"', '').toLowerCase())
  return [result, [...new Set(names)].filter(name => !own.includes(name) && !/^(?:rowid|oid|_rowid_)$/.test(name))]
}

test('no column takes the place of a name in the statements of the plugin (sqlite)', async t => {
  const serve = async (names: readonly string[]) => {
    const db = sqlite(':memory:')
    db.exec(ddlOf(names, 'text'))
    const answers = await answersOf(db)
    db.close()
    return answers
  }
  const [answers, names] = await namesIn(() => serve([]))
  t.ok(names.includes('(t0)') && names.includes('count'), names.join())
  t.strictSame(await serve(names), answers)
})

postgresTest('no column takes the place of a name in the statements of the plugin (postgres)', async t => {
  const serve = async (names: readonly string[]) => {
    let answers: readonly unknown[] = []
    await onDatabase(ddlOf(names, 'timestamptz'), async db => { answers = await answersOf(db) })
    return answers
  }
  const [answers, names] = await namesIn(() => serve([]))
  t.ok(names.includes('(t0)') && names.includes('count'), names.join())
  t.strictSame(await serve(names), answers)
})
