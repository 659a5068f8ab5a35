import { Type } from '@sinclair/typebox'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { collection } from '../../lib/collection.ts'
import { SubCollection } from '../../lib/declare/relations.ts'
import { DataApiError, DeclarationError } from '../../lib/errors.ts'
import { compileModel } from '../../lib/model/compile.ts'
import type { Collection, DataField, SubCollectionField } from '../../lib/model/model.ts'
import { operatorNames } from '../../lib/model/values.ts'
import type { Predicate, ReadPlan, Step } from '../../lib/plan/plan.ts'
import { all, any, equals, equalsKey, always, never } from '../../lib/plan/predicates.ts'
import { databaseOf, type ReadResult } from '../../lib/sources/source.ts'
import type { SqliteDriver } from '../../lib/sources/sql/sqlite/driver.ts'
import { sqlite } from '../../lib/sources/sql/sqlite/sqlite.ts'
import {
  DatabaseSync, artist, groupsOf, ids, inMemory, inSqlite, names, not, openSqlite, rowsOf, someWorld,
  watched, world, operands
} from '../helpers/sql-world.ts'

test('values are shown as they are stored', async t => {
  const { read, page, listing, by, value } = world()
  const fields = ['id', 'name', 'age', 'score', 'active', 'born', 'seen', 'meta', 'labelId', 'bossId']
  t.same(rowsOf(read(page('artists', listing(by('artists.id'), fields.map(name => value(`artists.${name}`)))))),
    someWorld.artists)
})

test('a field computed in the application brings what it is computed from, an expression its value', async t => {
  const { read, page, listing, by, value } = world()
  const select = ['initial', 'ageNext', 'newAlbums'].map(name => value(`artists.${name}`))
  t.same(rowsOf(read(page('artists', listing(by('artists.id'), select, { limit: 3 })))), [
    { name: 'Ada', ageNext: 37, newAlbums: 1 }, { name: 'bo', ageNext: 37, newAlbums: 1 },
    { name: 'Ångström%_', ageNext: null, newAlbums: 0 }
  ])
})

test('expressions filter, sort and group like stored fields', async t => {
  const { read, page, listing, by, value, compare, at, data, step } = world()
  const select = [value('artists.id')]
  t.same(ids(read(page('artists', listing(by('-artists.newAlbums', 'artists.id'), select, { limit: 3 })))), [1, 2, 3])
  t.same(ids(
    read(page('artists', listing(by('artists.id'), select, { where: compare('artists.newAlbums', 'at_least', 1) })))
  ), [1, 2])
  t.same(ids(
    read(page('artists', listing(by('artists.id'), select, { where: not(compare('artists.ageNext', 'equals', 37)) })))
  ), [3, 4, 5, 6, 7])
  const groups = read({
    kind: 'groups',
    steps: [],
    from: { collection: at('artists'), via: undefined },
    by: data('artists.newAlbums'),
    cursorBound: always,
    descending: true,
    range: { offset: 0, limit: 10 },
    members: listing(by('artists.id'), select),
    count: true
  })
  t.same(groupsOf(groups), [[1, [1, 2]], [0, [3, 4, 5, 6, 7]]])
  const found = read({
    kind: 'item',
    steps: [step('artists', compare('artists.ageNext', 'equals', 1))],
    select: [value('artists.id'), value('artists.ageNext'), value('artists.newAlbums')]
  })
  t.same(rowsOf(found), [{ id: 4, ageNext: 1, newAlbums: 0 }])
})

test('a read sends one statement, however long its path and deep its selection', async t => {
  const { read, sent, at, step, compare, listing, by, value, list, item } = world()
  const tags = list('albums.tags', listing(by('tags.id'), [value('tags.word')]))
  const result = read({
    kind: 'list',
    steps: [
      step('labels', compare('labels.name', 'equals', 'Hospital')),
      step('artists', compare('artists.name', 'equals', 'bo'), 'labels.artists'),
      step('artists', always, 'artists.boss')
    ],
    from: { collection: at('albums'), via: fieldOf(at('artists'), 'albums') },
    listing: listing(by('albums.year', 'albums.id'),
      [value('albums.title'), tags, item('albums.artist', [value('artists.name')])], { limit: 2 }),
    cursorBound: always,
    extra: [],
    count: true
  })
  t.same(result, {
    kind: 'rows',
    rows: [
      { title: 'Up', artist: { name: 'Ada' }, tags: [{ word: 'jazz' }] },
      { title: 'Out', artist: { name: 'Ada' }, tags: [{ word: 'rock' }, { word: 'jazz' }] }
    ],
    more: true,
    total: 3
  })
  t.equal(sent.length, 1)
})

const fieldOf = (of: Collection, property: string) => of.properties.get(property) as SubCollectionField

test('the text of a statement is the same whatever the values, and holds none of them', async t => {
  const { read, sent, prepared, compare, page, listing, by, value, list } = world()
  const plan = (text: string, number: number, limit: number) => page('artists', listing(by('artists.id'), [
    value('artists.id'), list('artists.albums', listing(by('albums.id'), [value('albums.id')],
      { where: compare('albums.title', 'contains', text), limit: limit + 1, offset: limit }))
  ], {
    where: all([
      compare('artists.name', 'starts_with', text), not(compare('artists.age', 'in', [number, null])),
      any([compare('artists.score', 'less', number), compare('artists.active', 'equals', true)])
    ]),
    limit,
    offset: limit
  }))
  prepared.length = 0
  for (const [text, number, limit] of [
    ['a', 1, 2], ["x'; drop table artists; --", 4711.25, 123456], ['"`]\\', -4711, 987654]
  ] as const) read(plan(text, number, limit))
  t.equal(new Set(sent.map(({ text }) => text)).size, 1)
  t.equal(prepared.length, 1)
  t.notMatch(sent[0]?.text, /drop|4711|123456|987654/)
})

test('a statement met again takes the values and bounds of the plan at hand', async t => {
  const { read, prepared, compare, page, listing, by, value, list, at, data } = world()
  const albums = (limit: number, title: string) => page('artists', listing(by('artists.id'), [
    list('artists.albums',
      listing(by('albums.id'), [value('albums.id')], { limit, where: compare('albums.title', 'not_equals', title) }))
  ], { limit: 1 }))
  const shown = (limit: number, title: string) => rowsOf(read(albums(limit, title)))
  t.same(shown(1, 'Up'), [{ albums: [{ id: 10 }] }])
  t.same(shown(2, 'Up'), [{ albums: [{ id: 10 }, { id: 11 }] }])
  t.same(shown(3, 'Out'), [{ albums: [{ id: 11 }, { id: 12 }] }])

  const groups = (limit: number, members: number): ReadPlan => ({
    kind: 'groups',
    steps: [],
    from: { collection: at('albums'), via: undefined },
    by: data('albums.title'),
    cursorBound: always,
    descending: false,
    range: { offset: 0, limit },
    members: listing(by('albums.id'), [value('albums.id')], { limit: members }),
    count: false
  })
  t.same(groupsOf(read(groups(3, 1))), [['In', [11]], ['Lost', [14]], ['Out', [10]]])
  t.same(groupsOf(read(groups(4, 2))), [['In', [11]], ['Lost', [14]], ['Out', [10, 13]], ['Up', [12]]])
  t.equal(prepared.filter(text => text.startsWith('select')).length, 2)
})

test('a node of a plan that stands in two places is told from two nodes', async t => {
  const { read, compare, page, listing, by, value } = world()
  const one = compare('artists.age', 'equals', 36)
  const plan = (first: Predicate, second: Predicate) => page('artists', listing(by('artists.id'), [value('artists.id')],
    { where: any([first, all([second, compare('artists.name', 'equals', 'x')])]) }))
  t.same(ids(read(plan(one, one))), [1, 2])
  t.same(ids(read(plan(compare('artists.age', 'equals', 0), compare('artists.age', 'equals', 36)))), [4])
})

test('plans of different shapes never share a statement, however collections and fields are numbered', async t => {
  const { db } = watched()
  const count = 12
  const columns = Array.from({ length: count }, (_, index) => `f${index}`)
  // Collection i has in field j the value i * 1000 + j.
  const collections = Object.fromEntries(Array.from({ length: 120 }, (_, index) => {
    db.exec(`create table wide${index} (${columns.map(column => `${column} integer`)
      .join(', ')}); insert into wide${index} values (${columns.map((_, at) => index * 1000 + at).join(', ')})`)
    const schema = Type.Object(
      Object.fromEntries(columns.map((column, at) => [column, Type.Integer({ readable: true, identifier: at === 0 })]))
    )
    return [`wide${index}`, collection(schema, { source: db.table(`wide${index}`) })]
  }))
  const { collections: compiled } = compileModel(collections,
    { naming: 'none', pages: { defaultSize: 1, maxSize: 1 }, reserved: new Map() })
  const wrong: string[] = []
  for (const [index, one] of [...compiled.values()].entries()) {
    for (const [at, field] of [...one.fields.values()].entries()) {
      // Few enough that none is forgotten meanwhile.
      if (at !== 1 && at !== 11) continue
      const stored = field as DataField
      const plan: ReadPlan = {
        kind: 'item',
        steps: [
          { collection: one, via: undefined, where: equals(stored, index * 1000 + at) }
        ],
        select: [{ kind: 'value', name: 'key', field: one.stored[0] as DataField }]
      }
      const result = db.read(plan) as ReadResult
      if (rowsOf(result)[0]?.['f0'] !== index * 1000) wrong.push(`${one.name}.${stored.name}`)
    }
  }
  t.same(wrong, [])
})

test('statements are kept within bounds', async t => {
  const { read, prepared, compare, page, listing, by, value } = world()
  const plan = (comparisons: number) => page('artists', listing(by('artists.id'), [value('artists.id')],
    { where: all(Array.from({ length: comparisons }, () => compare('artists.age', 'at_least', 0))) }))
  prepared.length = 0
  for (let comparisons = 2; comparisons < 503; comparisons++) read(plan(comparisons))
  t.equal(prepared.length, 501)
  read(plan(502))
  t.equal(prepared.length, 501)
  read(plan(2))
  t.equal(prepared.length, 502)
})

test('every operator means on SQLite what it means in memory, alone, negated twice and in lists with null', async t => {
  const here = world()
  const there = names(inMemory(someWorld))
  for (const [path, values] of Object.entries(operands)) {
    for (const operator of operatorNames) {
      if (!here.data(path).type.operators.has(operator)) continue
      const isList = operator === 'in' || operator === 'not_in'
      const lists = [[], ...values.map(value => [value]), values, values.filter(value => value !== null)]
      for (const operand of isList ? lists : values) {
        if (operand === null && operator !== 'equals' && operator !== 'not_equals') continue
        for (const wrap of [
          (one: Predicate) => one, not, (one: Predicate) => not(not(one)), (one: Predicate) => not(any([one, never]))
        ]) {
          const plan = ({ page, listing, by, value, compare }: ReturnType<typeof names>) => page('artists',
            listing(by('artists.id'), [value('artists.id')], { where: wrap(compare(path, operator, operand)) }))
          const expected = databaseOf(there.at('artists')).read(plan(there)) as ReadResult
          t.same(ids(here.read(plan(here))), ids(expected), `${path} ${operator} ${JSON.stringify(operand)}`)
        }
      }
    }
  }
})

test('text is ordered by code point, whatever the collation of its column, and nulls last ascending', async t => {
  const { read, page, listing, by, value } = world()
  const order = (...terms: readonly string[]) =>
    ids(read(page('artists', listing(by(...terms), [value('artists.id')]))))
  t.same(order('artists.name', 'artists.id'), [4, 1, 2, 7, 3, 6, 5])
  t.same(order('-artists.name', 'artists.id'), [5, 6, 3, 7, 2, 1, 4])
  t.same(order('artists.age', '-artists.id'), [5, 4, 2, 1, 6, 7, 3])
  t.same(order('-artists.age', 'artists.id'), [3, 7, 6, 1, 2, 4, 5])
})

test('doubles come out as they went in', async t => {
  const { db, read, page, listing, by, value } = world({ ...someWorld, artists: [] })
  // As text, because a driver may bind a number that is nearly whole as a whole one.
  const numbers = [
    '0.30000000000000004', '1e21', '5e-324', '2.2250738585072014e-308', '1.7976931348623157e308', '0.1',
    '123456789012345680', '1.0000000000000002', '-0.0', '3', '4503599627370497.5'
  ]
  for (const [index, number] of numbers.entries()) {
    db.exec(`insert into artists (id, "select", score) values (${index}, '', ${number})`)
  }
  t.same(rowsOf(read(page('artists', listing(by('artists.id'), [value('artists.score')])))).map(row => row['score']),
    numbers.map(number => Number(number) + 0))
  db.exec('update artists set score = case id when 0 then 9e999 else -9e999 end')
  t.same(rowsOf(read(page('artists', listing(by('artists.id'), [value('artists.score')], { limit: 2 })))),
    [{ score: 'Infinity' }, { score: '-Infinity' }])
})

test('data that no schema allows does not stop a read', async t => {
  const { db, read, page, listing, by, value, at, data } = world({ ...someWorld, artists: [] })
  db.exec(`insert into artists (id, "select", age, score, active, born, meta) values
    (1, x'00ff', x'00ff', x'00ff', x'00ff', x'00ff', x'00ff'),
    (2, 'a' || char(0) || 'b', 'text', 'text', 'text', 5, '5'),
    (3, 'c', 9e999, null, 7, '', 'null'), (4, '', 2.5, null, 0, '', 'no JSON')`)
  const select = ['id', 'name', 'age', 'score', 'active', 'born'].map(name => value(`artists.${name}`))
  const rows = rowsOf(read(page('artists', listing(by('artists.id'), select))))
  t.match(rows[0], { id: 1, name: String, age: String, score: String })
  // @photostructure/sqlite stops at the NUL, which no client can write.
  t.match(rows[1]?.['name'], /^a/)
  t.match(rows[1], { age: 'text', score: 'text' })
  t.same(rows[2]?.['age'], 'Infinity')
  t.equal(rows.length, 4)
  t.same(rowsOf(read(page('artists', listing(by('artists.id'), [value('artists.meta')], { offset: 2 })))),
    [{ meta: null }, { meta: 'no JSON' }])
  const groups = read({
    kind: 'groups',
    steps: [],
    from: { collection: at('artists'), via: undefined },
    by: data('artists.name'),
    cursorBound: always,
    descending: false,
    range: { offset: 0, limit: 10 },
    members: listing(by('artists.id'), [value('artists.id')]),
    count: false
  })
  t.equal(groups.kind, 'groups')
})

test('steps that find nothing or too much are told, the first of them first', async t => {
  const { read, step, compare, value } = world()
  const find = (...steps: readonly Step[]) => read({ kind: 'item', steps, select: [value('artists.id')] })
  const ada = step('artists', compare('artists.name', 'equals', 'Ada'))
  const nobody = step('artists', compare('artists.name', 'equals', 'nobody'))
  t.same(find(ada), { kind: 'rows', rows: [{ id: 1 }], more: false })
  t.same(find(nobody), { kind: 'missing', step: 0 })
  t.same(find(step('artists', compare('artists.age', 'equals', 36))), { kind: 'ambiguous', step: 0 })
  t.same(find(step('artists', compare('artists.age', 'equals', 36)), step('artists', never, 'artists.boss')),
    { kind: 'ambiguous', step: 0 })
  t.same(find(ada, step('artists', always, 'artists.bossOf')), { kind: 'ambiguous', step: 1 })
  t.same(find(ada, step('artists', always, 'artists.boss')), { kind: 'missing', step: 1 })
  t.same(find(nobody, step('artists', always, 'artists.boss'), step('artists', always, 'artists.boss')),
    { kind: 'missing', step: 0 })
})

test('chains of any length are followed', async t => {
  const chain = Array.from({ length: 60 }, (_, index) => artist(index, `a${index}`, { bossId: index + 1 }))
  const { read, step, equal, value, sent } = { ...world({ ...someWorld, artists: chain }), equal: t.equal }
  const first = step('artists', equalsKey(step('artists', always).collection.key, [0]))
  const plan: ReadPlan = {
    kind: 'item',
    steps: [
      first, ...Array.from({ length: 40 }, () => step('artists', always, 'artists.boss'))
    ],
    select: [value('artists.id')]
  }
  t.same(ids(read(plan)), [40])
  equal(sent.length, 1)
})

test('more tells whether a row follows, total counts what lies before the page too', async t => {
  const { read, page, listing, by, value, compare, data } = world()
  const plan = (limit: number, offset = 0) => page('artists', listing(by('artists.id'), [value('artists.name')], {
    limit, offset, where: compare('artists.age', 'not_equals', null)
  }), { count: true, cursorBound: compare('artists.id', 'greater', 1), extra: [data('artists.id')] })
  const short = ({ kind, ...rest }: ReadResult) => 'more' in rest
    ? [ids({ kind, ...rest } as ReadResult), rest.more, rest.total]
    : kind
  t.same(short(read(plan(2))), [[2, 4], true, 5])
  t.same(short(read(plan(4))), [[2, 4, 5, 6], false, 5])
  t.same(short(read(plan(2, 3))), [[6], false, 5])
  t.same(short(read(plan(2, 9))), [[], false, 5])
  t.same(short(read(plan(Infinity, 1))), [[4, 5, 6], false, 5])
})

test('lists within items take their own condition, order and bounds', async t => {
  const { read, step, compare, value, list, item, listing, by } = world()
  const albums = list('artists.albums', listing(by('-albums.year', 'albums.id'), [
    value('albums.title'), list('albums.tags', listing(by('-tags.word'), [value('tags.word')], { limit: 1 }))
  ], { where: compare('albums.title', 'not_equals', 'Up'), offset: 1, limit: 5 }))
  const ada = read({
    kind: 'item',
    steps: [step('artists', compare('artists.id', 'equals', 1))],
    select: [
      value('artists.name'), albums, item('artists.boss', [value('artists.name')]),
      item('artists.label',
        [value('labels.id'), list('labels.artists', listing(by('-artists.id'), [value('artists.id')]))])
    ]
  })
  t.same(rowsOf(ada), [{
    name: 'Ada',
    albums: [
      { title: 'Out', tags: [{ word: 'rock' }] }
    ],
    boss: null,
    label: { id: 1, artists: [{ id: 2 }, { id: 1 }] }
  }])
  const hidden = read({
    kind: 'item',
    steps: [step('artists', compare('artists.id', 'equals', 1))],
    select: [item('artists.label', [value('labels.id')], compare('labels.name', 'equals', null))]
  })
  t.same(rowsOf(hidden), [{ label: null }])
})

test('groups are the distinct values, each with its own page of items', async t => {
  const { read, at, data, compare, listing, by, value, step } = world()
  const plan = (more: Partial<Extract<ReadPlan, { kind: 'groups' }>>): ReadPlan => ({
    kind: 'groups',
    steps: [],
    from: { collection: at('albums'), via: undefined },
    by: data('albums.year'),
    cursorBound: always,
    descending: false,
    range: { offset: 0, limit: 10 },
    members: listing(by('-albums.id'), [value('albums.id')]),
    count: true,
    ...more
  })
  t.same(groupsOf(read(plan({}))), [[1999, [12]], [2000, [10]], [2001, [14, 13]]])
  t.match(read(plan({ range: { offset: 1, limit: 1 } })), { more: true, total: 3 })
  t.same(groupsOf(read(plan({ descending: true, cursorBound: compare('albums.year', 'less', 2001) }))),
    [[2000, [10]], [1999, [12]]])
  t.match(read(plan({ cursorBound: compare('albums.year', 'less', 2001) })), { more: false, total: 3 })
  t.same(groupsOf(read(plan({
    steps: [step('artists', compare('artists.id', 'equals', 1))],
    from: { collection: at('albums'), via: fieldOf(at('artists'), 'albums') }
  }))), [[1999, [12]], [2000, [10]]])
  t.same(groupsOf(read(plan({
    by: data('albums.title'),
    members: listing(by('albums.id'), [value('albums.id')], {
      limit: 1, where: compare('albums.year', 'not_equals', null)
    })
  }))), [['Lost', [14]], ['Out', [10]], ['Up', [12]]])
})

test('tables may be named as the statement names its own parts', async t => {
  const { db } = watched()
  const key = Type.Integer({ identifier: true, readable: true })
  db.exec(`create table s0 (id integer primary key, t1 integer); create table t0 (id integer primary key, t1 integer);
  create table t1 (s integer, t integer);
    insert into s0 values (1, 5); insert into t0 values (7, 1); insert into t1 values (1, 7)`)
  const model = compileModel({
    s0: collection(Type.Object({
      id: key, many: SubCollection('t0', { through: 't1', foreignKey: 's', otherKey: 't', readable: true })
    }), { source: db.table('s0') }),
    t0: collection(Type.Object({ id: key }), { source: db.table('t0') })
  }, { naming: 'none', pages: { defaultSize: 1, maxSize: 1 }, reserved: new Map() })
  const { step, value, list, listing, by, some, compare } = names(model)
  for (let depth = 0; depth < 3; depth++) {
    let where: Predicate = compare('t0.id', 'equals', 7)
    for (let nots = 0; nots < depth; nots++) where = all([where, compare('t0.id', 'greater', 0)])
    const plan: ReadPlan = {
      kind: 'item',
      steps: [
        step('s0', some('s0.many', where))
      ],
      select: [value('s0.id'), list('s0.many', listing(by('t0.id'), [value('t0.id')], { where }))]
    }
    t.same(rowsOf(db.read(plan) as ReadResult), [{ id: 1, many: [{ id: 7 }] }])
  }
})

test('an index serves identifiers, text by code point, relations and orders', async t => {
  const { db, sent, read, page, listing, by, value, compare, step, list } = world()
  const planOf = (plan: ReadPlan): string => {
    read(plan)
    const { text = '', parameters = [] } = sent.at(-1) ?? {}
    return (db.driver.prepare(`explain query plan ${text}`).all(...parameters) as {
      detail: string
    }[]).map(({ detail }) => detail).join('\n')
  }
  const artists = (where: Predicate) => page('artists', listing(by('artists.id'), [value('artists.id')], { where }))
  t.match(planOf({
    kind: 'item', steps: [step('artists', compare('artists.id', 'equals', 1))], select: [value('artists.name')]
  }), /USING INTEGER PRIMARY KEY/)
  t.match(planOf(artists(compare('artists.name', 'equals', 'Ada'))), /artists_name/)
  t.match(planOf(artists(compare('artists.name', 'in', ['Ada']))), /artists_name/)
  t.match(planOf(artists(compare('artists.age', 'in', [36]))), /artists_age/)
  t.match(planOf(artists(compare('artists.age', 'greater', 9))), /artists_age|INTEGER PRIMARY KEY|SCAN/)
  t.match(planOf(
    page('albums', listing(by('albums.id'), [value('albums.id')], { where: compare('albums.title', 'equals', 'Out') }))
  ), /albums_title/)
  t.notMatch(planOf(page('albums', listing(by('albums.title', 'albums.id'), [value('albums.id')], { limit: 2 }))),
    /TEMP B-TREE/)
  t.notMatch(planOf(page('albums', listing(by('-albums.title', '-albums.id'), [value('albums.id')], { limit: 2 }))),
    /TEMP B-TREE/)
  t.match(planOf(page('artists', listing(by('artists.id'),
    [list('artists.albums', listing(by('albums.id'), [value('albums.id')]))], { limit: 2 }))), /albums_artist/)
})

test('a busy or unreachable database is unavailable, what is wrong with the statement internal', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-'))
  const file = join(folder, 'music.db')
  const db = sqlite(file, { busyTimeout: 0, driver: openSqlite(file) })
  t.teardown(() => { db.close(); rmSync(folder, { recursive: true }) })
  const { page, listing, by, value } = names(inSqlite(db, someWorld))
  const plan = page('artists', listing(by('artists.id'), [value('artists.id')], { limit: 1 }))
  t.same(ids(db.read(plan) as ReadResult), [1])
  t.same(db.driver.prepare('pragma journal_mode').get(), { journal_mode: 'wal' })
  t.same(db.driver.prepare('pragma foreign_keys').get(), { foreign_keys: 1 })

  const other = openSqlite(file)
  db.exec('pragma journal_mode = delete')
  other.exec('begin exclusive')
  await t.rejects(async () => db.read(plan), {
    code: 'unavailable', cause: { message: /another process holds the lock/, cause: { message: 'database is locked' } }
  })
  other.exec('rollback')
  t.same(ids(db.read(plan) as ReadResult), [1])
  other.exec('drop table artists')
  other.close()
  t.throws(() => db.read(plan), { code: 'internal' })
  for (const [error, code] of [
    [{ code: 'SQLITE_BUSY_SNAPSHOT' }, 'unavailable'],
    [{ code: 'SQLITE_IOERR_READ' }, 'unavailable'],
    [{ errcode: 6 | 1 << 8 }, 'unavailable'],
    [{ code: 'SQLITE_ERROR' }, 'internal'],
    [new Error('x'), 'internal']
  ] as const) {
    const { db: broken } = watched()
    const throwing: SqliteDriver = { ...broken.driver, prepare () { throw error } }
    await t.rejects(async () => sqlite('broken', { driver: throwing, busyTimeout: 1 }).read(plan), { code })
  }
})

test('the driver is the one that is asked for, and what to install is said where there is none', async t => {
  for (const driver of ['@photostructure/sqlite', DatabaseSync, openSqlite(':memory:'), undefined] as const) {
    const db = sqlite(':memory:', driver === undefined ? {} : { driver })
    t.equal(db.kind, 'sqlite')
    t.equal(typeof db.driver.prepare, 'function')
    db.close()
  }
  t.throws(() => sqlite(':memory:', { driver: 'better-sqlite3' }), DeclarationError)
  t.throws(() => sqlite(':memory:', { driver: 'better-sqlite3' }), /npm install/)
  t.ok(new DataApiError('internal', '') instanceof Error)
})
