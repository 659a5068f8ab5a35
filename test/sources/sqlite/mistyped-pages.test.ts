import { Type } from '@sinclair/typebox'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import dataApi, { collection, computed, sqlite } from '../../../lib/index.ts'
import type { ReadPlan, Row } from '../../../lib/core/plan/plan.ts'
import { positionOf } from '../../../lib/core/plan/read/cursor.ts'
import type { JsonResult, ReadResult } from '../../../lib/core/sources/source.ts'
import { makeReadTable } from '../../../lib/core/sources/sql/sqlite/catalog.ts'
import { clockOf } from '../../../lib/core/sources/sql/sqlite/clock.ts'
import { dialectOf, sqliteDialect } from '../../../lib/core/sources/sql/sqlite/dialect.ts'
import { toArrays } from '../../../lib/core/sources/sql/sqlite/driver.ts'
import { makeRunRead } from '../../../lib/core/sources/sql/sqlite/connection.ts'
import { makeStatements, type PreparedRead } from '../../../lib/core/sources/sql/statements/statements.ts'
import { statementChannelName, type StatementEvent } from '../../../lib/core/sources/statement-events.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import Fastify from '../../helpers/fastify.ts'
import { inSqlite, names, openSqlite, someWorld } from '../../helpers/sql-world.ts'

// docs/decisions/columns-rows-json.md: One form of pages on SQLite

const folder = mkdtempSync(join(tmpdir(), 'data-api-mistyped-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })

const columns = { name: 'select', age: 'age', score: 'score', active: 'active', born: 'born', seen: 'seen' } as const
type Name = keyof typeof columns

// Literals of SQL: what is usual in some column, and what is unusual in each.
const literals = [
  '3', '-0.0', '5.5', '0.1 + 0.2', "'text'", "''", "'Ærø'", "'2024-01-01'", "'2024-01-01T00:00:00.000Z'", '1', '0',
  '9007199254740991', '9007199254740993', '1e300', '9e999', "x'41'", "x''", "x'ff'", "'a' || char(0) || 'b'",
  "'c' || char(0)", "char(1) || 't'", 'char(1)', "cast(x'41ff' as text)", 'char(65533)', "'7'", "'8.0'"
]

interface MistypedValue { readonly id: number, readonly name: Name, readonly literal: string }

const fields = Object.keys(columns) as readonly Name[]

// Most mistyped values are in the column of the order.
const asked = fc.constantFrom(...fields).chain(sort => fc.record({
  sort: fc.constant(sort),
  mistyped: fc.array(fc.record({
    id: fc.integer({ min: 1, max: 7 }),
    name: fc.constantFrom(sort, sort, ...fields),
    literal: fc.constantFrom(...literals)
  }), { maxLength: 2 }),
  shown: fc.subarray([...fields]).map(some => [sort, ...some.filter(name => name !== sort)]),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 8 })
}))

/** Opens the world with mistyped values. `cutting`: the statements of a driver whose texts end at NUL. */
function open (mistyped: readonly MistypedValue[]) {
  const driver = openSqlite(':memory:')
  const db = sqlite(':memory:', { driver })
  const world = names(inSqlite(db, someWorld))
  for (const { id, name, literal } of mistyped) {
    db.exec(`update artists set "${columns[name]}" = ${literal} where id = ${id}`)
  }
  const tables = makeReadTable(driver)
  const statements = {
    exact: makeStatements(dialectOf(driver), tables),
    cutting: makeStatements(sqliteDialect, tables)
  }
  const run = makeRunRead({ driver, clock: clockOf(driver), prepare: text => toArrays(driver.prepare(text)) })
  const read = <Result>(bound: PreparedRead<Result>) => run(bound, 1000)
  return { ...world, read, statements, close: () => { db.close() } }
}

/** Returns what a client sees of a result, with the positions of its ends. */
function seen (result: ReadResult | JsonResult, plan: Extract<ReadPlan, { kind: 'list' }>): unknown {
  const places = (row: Row | undefined) => row && plan.extra.map(field => positionOf(row, { field }))
  if (result.kind === 'rows') {
    const { rows } = result
    const shown = rows.map(row => plan.listing.select.map(({ field }) => row[field.property]))
    return { shown, ends: [places(rows[0]), places(rows.at(-1))] }
  }
  if (result.kind !== 'items') return result
  const { text, ends, more } = result
  return { text: text(false), ends: [places(ends?.first()), places(ends?.last())], more }
}

test('columns of mistyped values show what JSON shows of them, and have the same ends', t => {
  fc.assert(fc.property(asked, ({ mistyped, sort, shown, descending, limit }) => {
    const { page, listing, by, value, data, statements, read, close } = open(mistyped)
    const order = by(`${descending ? '-' : ''}artists.${sort}`, 'artists.id')
    const select = ['id', ...shown].map(name => ({ ...value(`artists.${name}`), name }))
    const extra = [data(`artists.${sort}`), data('artists.id')]
    const plan = page('artists', listing(order, select, { limit }), { extra }) as Extract<ReadPlan, { kind: 'list' }>
    const json = seen(read(statements.exact.bindJson(plan)), plan) as { readonly text: string, readonly ends: unknown }
    const items = (JSON.parse(json.text) as ReadonlyArray<Readonly<Record<string, unknown>>>)
      .map(item => select.map(({ name }) => item[name]))
    for (const form of ['exact', 'cutting'] as const) {
      const rows = seen(read(statements[form].bind(plan)), plan)
      t.strictSame(JSON.parse(JSON.stringify(rows)), JSON.parse(JSON.stringify({ shown: items, ends: json.ends })))
    }
    close()
  }), { numRuns: runsOf(300) })
  t.end()
})

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true, writable: true })
})

/** Serves notes of these texts, as literals of SQL. `events`: the statements that were run since it was emptied. */
async function serve (notes: readonly string[], limits?: { length: number }) {
  const db = sqlite(join(folder, `${notes.length}-${Math.random()}.db`))
  db.exec(`create table notes (id integer primary key, text text not null);
    insert into notes (text) values ${notes.map(one => `(${one})`).join(', ')}`)
  const app = Fastify()
  const source = db.table('notes')
  await app.register(dataApi, { collections: { notes: collection(Note, { source }) }, ...limits && { limits } })
  const events: StatementEvent[] = []
  const note = (event: unknown) => { events.push(event as StatementEvent) }
  await app.ready()
  subscribe(statementChannelName, note)
  tap.teardown(async () => {
    unsubscribe(statementChannelName, note)
    await app.close()
    db.close()
  })
  return { app, db, events }
}

test('a page of usual values is one statement', async t => {
  const { app, events } = await serve(["'a'", "'Ærø'", "'c'"])
  for (const url of ['/notes?sort=text', '/notes/by_text', '/notes/1']) {
    events.length = 0
    t.equal((await app.inject(url)).statusCode, 200)
    t.equal(events.length, 1, url)
  }
})

test('a page that ends at an unusual value is one statement, and leads to the next page', async t => {
  const { app, events } = await serve(["'a'", "x'62'", "'c'"])
  const { headers, body } = await app.inject('/notes?sort=text&limit=2')
  t.match(JSON.parse(body), [{ text: 'a' }, { text: 'c' }])
  t.equal(events.length, 1)
  const next = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1] ?? ''
  t.match((await app.inject(next)).json(), [{ text: 'b' }])
})

const odd = [
  "'a'", "'b'", "'Ærø'", "'a' || char(0) || 'b'", "'a' || char(0)", 'char(1)', "char(1) || 't'", "cast(x'ff' as text)",
  "cast(x'61ff' as text)", "cast(x'61fe' as text)", "cast(x'61f09f98' as text)", 'char(65533)', "'a' || char(65533)",
  "'\"\\'", "''"
]

for (const { kind, strict, bytes } of [
  { kind: 'a table', strict: '', bytes: ["x'62'", "x'ff'", "x''"] },
  { kind: 'a strict table', strict: 'strict', bytes: [] }
]) {
  test(`links lead through the pages of ${kind} once, whatever its texts are and an item shows`, async t => {
    const db = sqlite(':memory:')
    db.exec(`create table notes (id integer primary key, text text not null, parent integer) ${strict};
      insert into notes (text, parent) values ${[...odd, ...bytes].map(one => `(${one}, 1)`).join(', ')}`)
    const app = Fastify()
    const readable = { readable: true }
    const notes = collection(Type.Object({
      id: Type.Integer({ identifier: true, ...readable }),
      text: Type.String(readable),
      parent: Type.Integer(readable)
    }), {
      source: db.table('notes'),
      computed: { double: computed({ type: Type.Integer(readable), from: ['id'], get: ({ id }) => id * 2 }) }
    })
    await app.register(dataApi, { collections: { notes } })
    t.teardown(() => app.close())
    for (const sort of ['text', '-text', 'text,id', 'parent,-text']) {
      const expected = db.driver.prepare(`select id from notes order by ${
        sort === 'text,id' ? 'text, id' : sort.replace(/-?text/, one => `text ${one === 'text' ? '' : 'desc'}, id`)
      }`).all().map(row => (row as { readonly id: number }).id)
      for (const fields of ['id,text', 'text,id', 'id', 'id,double', 'id,text,double']) {
        const ids: number[] = []
        let url: string | undefined = `/notes?sort=${sort}&fields=${fields}&limit=1`
        while (url !== undefined && ids.length <= expected.length) {
          const answer: Awaited<ReturnType<typeof app.inject>> = await app.inject(url)
          ids.push(...(answer.json() as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id))
          url = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1]
        }
        t.strictSame(ids, expected, `${sort} ${fields}`)
      }
    }
  })
}

test('a page whose texts become too long ends the statement, and is refused', async t => {
  const texts = Array.from({ length: 40 }, () => "printf('%.*c', 100000, 'x')")
  const { app, events } = await serve(texts, { length: 500_000 })
  const tooLong = await app.inject('/notes?limit=40')
  t.equal(tooLong.statusCode, 400)
  t.equal(tooLong.json().error, 'answer_too_large')
  t.match(events, [{ error: Error }])
  t.equal((await app.inject('/notes?limit=4')).statusCode, 200)
  t.equal((await app.inject('/notes?limit=40&fields=id')).statusCode, 200)
})

for (const hasLimits of [true, false]) {
  test(`columns too long together are refused, by a driver ${hasLimits ? 'with' : 'without'} limits`, async t => {
    const driver = openSqlite(':memory:')
    if (!hasLimits) Object.defineProperty(driver, 'limits', { value: undefined })
    const db = sqlite(':memory:', { driver })
    db.exec(`create table notes (id integer primary key, text text not null);
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 40)
      insert into notes select i, printf('%.*c', 100000, 'x') from n`)
    const app = Fastify()
    const notes = collection(Note, {
      source: db.table('notes'),
      computed: { double: computed({ type: Type.Integer({ readable: true }), from: ['id'], get: ({ id }) => id * 2 }) }
    })
    await app.register(dataApi, { collections: { notes }, limits: { length: 500_000 } })
    t.teardown(() => app.close())
    t.match((await app.inject('/notes?limit=40&fields=double,text')).json(), { error: 'answer_too_large' })
    t.match((await app.inject('/notes?limit=2&fields=double,text')).json(), [{ double: 2 }, { double: 4 }])
    t.match((await app.inject('/notes?limit=40&fields=double')).json(), { 39: { double: 80 } })
  })
}

test('columns of a list without an end are read, whatever the limit of the answer', t => {
  const { page, listing, by, value, statements, read, close } = open([])
  for (const shown of ['artists.id', 'artists.name']) {
    for (const longest of [undefined, 1000, 1e9]) {
      const plan = page('artists', listing(by('artists.id'), [value(shown)], { limit: Infinity }))
      const found = read(statements.exact.bind({ ...plan, ...longest !== undefined && { longest } }))
      t.match(found, { kind: 'rows', rows: { length: 7 } }, `${shown} ${String(longest)}`)
    }
  }
  close()
  t.end()
})
