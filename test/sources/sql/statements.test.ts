import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import Fastify from '../../helpers/fastify.ts'
import dataApi from '../../../lib/index.ts'
import { collection } from '../../../lib/core/declare/collection.ts'
import { SubCollection } from '../../../lib/core/declare/relations.ts'
import { compileModel } from '../../../lib/core/model/compile.ts'
import type { Collection, DataField, SubCollectionField, SubItemField } from '../../../lib/core/model/model.ts'
import type { Predicate, ReadPlan } from '../../../lib/core/plan/plan.ts'
import { all, any, equals, always } from '../../../lib/core/plan/predicates.ts'
import type { ReadResult } from '../../../lib/core/sources/source.ts'
import { sqliteDialect } from '../../../lib/core/sources/sql/sqlite/dialect.ts'
import { makeStatements } from '../../../lib/core/sources/sql/statements/statements.ts'
import { groupsOf, ids, names, not, rowsOf, watched, world } from '../../helpers/sql-world.ts'

// One statement for each read, whose text depends on the shape of the plan alone.

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

test('a sub-item is joined once for all terms of an order, and to plain orders nothing is', async t => {
  const { read, sent, data, field, page, listing, by, value } = world()
  const path = [{ field: field('albums.artist') as SubItemField, where: always }]
  const further = [...path, { field: field('artists.boss') as SubItemField, where: always }]
  const order = [
    { path, field: data('artists.name'), descending: true },
    { path: further, field: data('artists.age'), descending: false },
    { path: further, field: data('artists.name'), descending: false },
    ...by('albums.id')
  ]
  read(page('albums', listing(order, [value('albums.id')]), { extra: [data('albums.id')] }))
  t.equal(sent.at(-1)?.text.match(/ left join /g)?.length, 2)
  read(page('albums', listing(by('albums.title', 'albums.id'), [value('albums.id')]), { extra: [data('albums.id')] }))
  t.notMatch(sent.at(-1)?.text, ' join ')
})

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
  // The bits of a number are the operators of a filter, so that each number has a statement of its own.
  const operatorOf = (number: number, bit: number) => number >> bit & 1 ? 'at_least' : 'less'
  const plan = (number: number) => page('artists', listing(by('artists.id'), [value('artists.id')], {
    where: all(Array.from({ length: 9 }, (_, bit) => compare('artists.age', operatorOf(number, bit), 0)))
  }))
  prepared.length = 0
  for (let number = 0; number < 501; number++) read(plan(number))
  t.equal(prepared.length, 501)
  read(plan(500))
  t.equal(prepared.length, 501)
  read(plan(0))
  t.equal(prepared.length, 502)
})

test('statements are kept within a number of characters as well', async t => {
  const { compare, page, listing, by, value } = world()
  let lookups = 0
  const statements = makeStatements(sqliteDialect, () => {
    lookups++
    return undefined
  })
  const isBuilt = (terms: number) => {
    const before = lookups
    statements.bind(page('artists', listing(by('artists.id'), [value('artists.id')], {
      where: all(Array.from({ length: terms }, () => compare('artists.age', 'less', 0)))
    })))
    return lookups > before
  }
  const terms = Array.from({ length: 50 }, (_, index) => 800 + index)
  t.ok(terms.every(isBuilt))
  t.notOk(terms.slice(-10).some(isBuilt))
  t.ok(isBuilt(800))
})

test('the option statementCache bounds the statements that are remembered, and prepared', async t => {
  const { db, prepared } = watched(':memory:', { statementCache: 3000 })
  const app = Fastify()
  db.exec('create table things (id integer primary key, a text, b text, c text, d text, e text)')
  const shown = Type.Optional(Type.String({ readable: true }))
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), a: shown, b: shown, c: shown, d: shown, e: shown
  })
  await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things') }) } })
  await app.ready()
  const preparedFor = async (path: string) => {
    prepared.length = 0
    t.equal((await app.inject(path)).statusCode, 200)
    return prepared.length
  }
  t.equal(await preparedFor('/things?fields=id'), 1)
  t.equal(await preparedFor('/things?fields=id'), 0)
  for (const name of ['a', 'b', 'c', 'd', 'e']) t.equal(await preparedFor(`/things?fields=id,${name}`), 1)
  t.equal(await preparedFor('/things?fields=id'), 1)
  await app.close()
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

function fieldOf (of: Collection, property: string): SubCollectionField {
  return of.properties.get(property) as SubCollectionField
}
