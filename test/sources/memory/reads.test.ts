import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection } from '../../../lib/core/declare/collection.ts'
import { SubCollection } from '../../../lib/core/declare/relations.ts'
import { DeclarationError } from '../../../lib/core/errors/errors.ts'
import { compileModel } from '../../../lib/core/model/compile.ts'
import type { RelationField, ScalarField, SubCollectionField } from '../../../lib/core/model/model.ts'
import type { Predicate, ReadPlan, Selection, Shown, Step, Row } from '../../../lib/core/plan/plan.ts'
import { all, any, equals, always, never } from '../../../lib/core/plan/predicates.ts'
import { memory } from '../../../lib/core/sources/memory/memory.ts'
import type { MemoryRows } from '../../../lib/core/sources/memory/table.ts'
import {
  type Person, age, collectionOf, compare, database, down, embed, find, flags, id, idsOf, itemAt, listOf, listingOf,
  makeWorld, markId, name, nick, not, read, show, showing, some, stored, up, word
} from '../../helpers/memory-world.ts'

// Steps, relations, pages, groups and batches of memory().

test('rows are fresh objects that hold what is asked for and carried, and what computed fields need', async t => {
  const row = { id: 1, name: 'Ada', age: 36, nick: 'a', secret: 'x' }
  const { people } = makeWorld([row])
  const initial: ScalarField = {
    ...flags('initial'), kind: 'computed', from: [name, age], get: () => t.fail('belongs to the response')
  }
  t.strictSame(read(listOf(people, { select: show(initial) }, { extra: [id, nick] })),
    { kind: 'rows', rows: [{ id: 1, nick: 'a', name: 'Ada', age: 36 }], more: false })
  t.strictSame(showing(people, []), [{}])
  Object.assign(showing(people, show(name))[0] ?? {}, { name: 'changed' })
  t.strictSame(row.name, 'Ada')
})

test('a step is resolved to one item: none is a miss, two are ambiguous (docs/http.md: Identifiers)', async t => {
  const { people, boss, staff, marks, words } = makeWorld(
    [{ id: 1, nick: '7' }, {
      id: 2, bossId: 1, nick: 'same'
    }, { id: 3, bossId: 1, nick: 'same' }, { id: 7, bossId: 2 }, { id: 8, nick: '8' }, { id: 9, bossId: 99 }],
    {
      links: [
        { personId: 1, markId: 5 }, { personId: 1, markId: 5 }
      ],
      marks: [{ id: 5, word: 'w' }, { id: 6, word: 'w' }]
    }
  )
  const root = (where: Predicate): Step => ({ collection: people, via: undefined, where })
  const at = (one: number) => root(equals(id, one))
  const search = (one: number) => root(any([equals(id, one), equals(nick, `${one}`)]))
  const along = (via: RelationField, where = always): Step => ({ collection: via.target, via, where })
  const cases: ReadonlyArray<readonly [string, readonly Step[], number | {
    readonly kind: 'missing' | 'ambiguous'
    readonly step: number
  }]> = [
    ['found', [at(2)], 2],
    ['not there', [at(4)], { kind: 'missing', step: 0 }],
    ['fits nothing', [root(never)], { kind: 'missing', step: 0 }],
    ['two items share a value', [root(equals(nick, 'same'))], { kind: 'ambiguous', step: 0 }],
    ['one item by two identifiers', [search(8)], 8],
    ['two items by two identifiers', [search(7)], { kind: 'ambiguous', step: 0 }],
    ['one of the two is not among those to be seen', [
      root(all([any([equals(id, 7), equals(nick, '7')]), compare(id, 'less', 5)]))
    ], 1],
    ['up', [at(7), along(boss), along(boss)], 1],
    ['up from nowhere', [at(1), along(boss)], { kind: 'missing', step: 1 }],
    ['up to what is not there', [at(9), along(boss)], { kind: 'missing', step: 1 }],
    ['up to what is not to be seen', [at(7), along(boss, equals(id, 3))], { kind: 'missing', step: 1 }],
    ['down', [at(1), along(staff, equals(id, 3))], 3],
    ['down to another\'s', [at(1), along(staff, equals(id, 7))], { kind: 'missing', step: 1 }],
    ['down to two', [at(1), along(staff, equals(nick, 'same'))], { kind: 'ambiguous', step: 1 }],
    ['the first step that fails', [at(4), along(staff), along(boss)], { kind: 'missing', step: 0 }],
    ['a link twice is one item', [at(1), along(marks, equals(word, 'w'))], 5],
    ['an item that is not linked', [at(1), along(marks, equals(markId, 6))], { kind: 'missing', step: 1 }]
  ]
  for (const [what, steps, expected] of cases) {
    t.strictSame(itemAt(...steps),
      typeof expected === 'number' ? { kind: 'rows', rows: [{ id: expected }], more: false } : expected, what)
  }
  t.strictSame(read(listOf(people, {}, { steps: [at(4)], from: { collection: people, via: staff } })),
    { kind: 'missing', step: 0 })
  t.strictSame(idsOf(read(listOf(words, {}, { steps: [at(1)], from: { collection: words, via: marks } }))), [5])
})

test('a relation leads to the items that are there, each once, and its conditions bear on them alone', async t => {
  const { people, boss, staff, marks } = makeWorld(
    [{ id: 1, name: 'a', age: 50 }, {
      id: 2, name: 'b', bossId: 1, age: 20
    }, { id: 3, name: 'c', bossId: 1, age: 30 }, { id: 4, name: 'd', bossId: 99 }, { id: 5, name: 'e', bossId: 5 }],
    {
      links: new Map<string, object>([
        ['a', { personId: 2, markId: 10 }],
        ['b', { personId: 2, markId: 11 }],
        ['c', { personId: 2, markId: 10 }],
        ['d', { personId: 3, markId: 99 }],
        ['e', { personId: 3, markId: null }],
        ['f', { personId: null, markId: 11 }],
        ['g', {}]
      ]),
      marks: [{ id: 10, word: 'x' }, { id: 11, word: 'y' }]
    }
  )
  const item = (where: Predicate, select: Selection = show(id)): Shown =>
    ({ kind: 'item', name: 'boss', field: boss, where, select })
  t.strictSame(showing(people, [item(always)]),
    [{ boss: null }, { boss: { id: 1 } }, { boss: { id: 1 } }, { boss: null }, { boss: { id: 5 } }])
  t.strictSame(showing(people, [item(compare(age, 'less', 50))], equals(id, 2)), [{ boss: null }])
  t.strictSame(showing(people, [item(always, [embed(staff)])], equals(id, 3)),
    [{ boss: { staff: [{ id: 2 }, { id: 3 }] } }])
  t.strictSame(showing(people, [embed(staff, { order: down(id), range: { offset: 0, limit: 1 } })]),
    [{ staff: [{ id: 3 }] }, { staff: [] }, { staff: [] }, { staff: [] }, { staff: [{ id: 5 }] }])
  t.strictSame(showing(people, [embed(staff, { where: compare(age, 'greater', 20), range: { offset: 0, limit: 5 } })],
    equals(id, 1)), [{ staff: [{ id: 3 }] }])
  t.strictSame(showing(people, [embed(staff, { range: { offset: 1, limit: 5 } })], equals(id, 1)),
    [{ staff: [{ id: 3 }] }])
  t.strictSame(showing(people, [embed(marks, { order: down(word), select: show(word) })]),
    [{ marks: [] }, { marks: [{ word: 'y' }, { word: 'x' }] }, { marks: [] }, { marks: [] }, { marks: [] }])
  t.strictSame(find(people, some(boss)), [2, 3, 5])
  t.strictSame(find(people, not(some(boss))), [1, 4])
  t.strictSame(find(people, some(boss, compare(name, 'starts_with', 'a'))), [2, 3])
  t.strictSame(find(people, some(staff, compare(age, 'greater', 25))), [1])
  t.strictSame(find(people, some(marks)), [2])
  t.strictSame(find(people, some(staff, some(marks, equals(word, 'y')))), [1])
  t.strictSame(find(people, some(boss, some(staff, equals(id, 3)))), [2, 3])
  t.strictSame(find(people, some(marks, never)), [])
})

test('nothing belongs to an item by a value that neither has', async t => {
  const { people, boss, staff, marks } = makeWorld([{ name: 'no key' }, { id: 1, name: 'no boss' }],
    { links: [{}], marks: [{}] })
  t.strictSame(find(people, any([some(boss), some(staff), some(marks)])), [])
})

test('a join leads from the key of one collection to the key of the other, whatever they are called', async t => {
  const code = stored('code', Type.String(), true)
  const tags = collectionOf('tags', memory([{ code: 'a', id: 2 }, { code: 'b', id: 1 }]), code)
  const people = collectionOf('people',
    memory([{ id: 1, code: 'b' }], { joins: { taggings: [{ who: 1, what: 'a' }, { who: 2, what: 'b' }] } }), id)
  const field: SubCollectionField = {
    ...flags('tags'),
    kind: 'sub-collection',
    holder: people,
    target: tags,
    creates: false,
    constants: [],
    link: {
      kind: 'join', through: 'taggings', foreignKey: ['who'], otherKey: ['what']
    }
  }
  t.strictSame(showing(people, [embed(field, { order: up(code), select: show(code) })]), [{ tags: [{ code: 'a' }] }])
})

// docs/http.md: Pages and links.
test('more tells whether a row follows, and total counts those before and beyond the page too', async t => {
  const { people } = makeWorld([5, 3, 1, 4, 2].map(one => ({ id: one, age: one })))
  const cases: ReadonlyArray<readonly [offset: number, limit: number, ids: readonly number[], more: boolean]> = [
    [0, Infinity, [1, 2, 3, 4], false], [0, 4, [1, 2, 3, 4], false], [0, 3, [1, 2, 3], true], [1, 3, [2, 3, 4], false],
    [3, 2, [4], false], [4, 1, [], false], [9, Infinity, [], false], [0, 0, [], true], [4, 0, [], false]
  ]
  const where = compare(age, 'less', 5)
  for (const [offset, limit, ids, more] of cases) {
    const rows = ids.map(one => ({ id: one }))
    t.strictSame(read(listOf(people, { where, range: { offset, limit } })),
      { kind: 'rows', rows, more }, `${offset}, ${limit}`)
    t.strictSame(read(listOf(people, { where, range: { offset, limit } }, { count: true })),
      { kind: 'rows', rows, more, total: 4 }, `${offset}, ${limit}, counted`)
  }
  t.strictSame(read(listOf(people, { where, range: { offset: 0, limit: 1 } }, {
    count: true, cursorBound: compare(id, 'greater', 2)
  })), { kind: 'rows', rows: [{ id: 3 }], more: true, total: 4 })
  t.strictSame(read(listOf(people, { where, range: { offset: 0, limit: 1 } }, {
    count: true, cursorBound: compare(id, 'greater', 3)
  })), { kind: 'rows', rows: [{ id: 4 }], more: false, total: 4 })
})

test('groups are the distinct values that are not null, in their order, each with its own page of items', async t => {
  const { people, staff } = makeWorld([{ id: 1, age: 2 }, { id: 2, age: 10 }, {
    id: 3, age: 2
  }, { id: 4 }, { id: 5, age: 1, bossId: 3 }, { id: 6, age: 2, bossId: 3 }, { id: 7, age: undefined, bossId: 3 }])
  const groups = (rest: Partial<Extract<ReadPlan, { kind: 'groups' }>> = {}) => {
    const result = read({
      kind: 'groups',
      steps: [],
      from: { collection: people, via: undefined },
      by: age,
      cursorBound: always,
      descending: false,
      range: { offset: 0, limit: Infinity },
      members: listingOf({}),
      count: false,
      ...rest
    })
    return result.kind === 'groups'
      ? {
          ...result,
          kind: undefined,
          groups: result.groups.map(group => [group.value, ...group.rows.map(row => row['id'])])
        }
      : result
  }
  const same = (got: unknown, groups: readonly unknown[], rest: object = { more: false }) =>
    t.strictSame(got, { kind: undefined, groups, ...rest })
  same(groups(), [[1, 5], [2, 1, 3, 6], [10, 2]])
  same(groups({ descending: true, count: true }), [[10, 2], [2, 1, 3, 6], [1, 5]], { more: false, total: 3 })
  same(groups({ range: { offset: 0, limit: 2 }, count: true }), [[1, 5], [2, 1, 3, 6]], { more: true, total: 3 })
  same(groups({ range: { offset: 2, limit: 2 } }), [[10, 2]])
  same(groups({
    members: listingOf({ where: compare(id, 'greater', 2), order: down(id), range: { offset: 0, limit: 2 } })
  }), [[1, 5], [2, 6, 3]])
  same(groups({ cursorBound: compare(age, 'greater', 1), range: { offset: 0, limit: 1 }, count: true }), [[2, 1, 3, 6]],
    { more: true, total: 3 })
  same(groups({
    steps: [{ collection: people, via: undefined, where: equals(id, 3) }], from: { collection: people, via: staff }
  }), [[1, 5], [2, 6]])
  same(groups({ by: name }), [])
  t.strictSame(groups({ steps: [{ collection: people, via: undefined, where: never }] }), { kind: 'missing', step: 0 })
})

test('a listing in batches is the listing as it was when it began', async t => {
  const rows = [5, 3, 6, 1, 4, 2].map((one): Person => ({ id: one, name: `n${one}`, age: one }))
  const { people } = makeWorld(rows)
  const plan = listOf(people, { where: compare(age, 'greater', 1), range: { offset: 1, limit: 3 } },
    { extra: [age], count: true, cursorBound: compare(age, 'less', 6) })
  const batches = await database.readBatches?.(plan, 2)
  if (batches === undefined) throw new TypeError('memory reads in batches')
  t.strictSame(batches.first, { kind: 'rows', rows: [{ id: 3, age: 3 }, { id: 4, age: 4 }], more: false, total: 5 })
  rows.length = 0
  const told: (readonly Row[])[] = []
  for await (const batch of batches.rows) told.push(batch)
  t.strictSame(told, [[{ id: 3, age: 3 }, { id: 4, age: 4 }], [{ id: 5, age: 5 }]])
})

test('a listing in batches tells a miss before any of it is read', async t => {
  const { people, staff } = makeWorld([{ id: 1 }])
  const batches = await database.readBatches?.(listOf(people, {}, {
    steps: [{ collection: people, via: undefined, where: equals(id, 2) }], from: { collection: people, via: staff }
  }), 2)
  if (batches === undefined) throw new TypeError('memory reads in batches')
  t.strictSame(batches.first, { kind: 'missing', step: 0 })
  for await (const batch of batches.rows) t.fail('there is nothing to read', { batch })
})

test('all memory sources are of one database, and each knows its joins', async t => {
  const source = memory([], { joins: { a: [], toString: new Map() } })
  t.equal(source.database, memory(new Map()).database)
  t.equal(source.database.kind, 'memory')
  t.strictSame([...source.joinNames ?? []], ['a', 'toString'])
  t.strictSame([...memory([]).joinNames ?? []], [])
})

test('anything but an array or a Map is refused where it is given', async t => {
  for (const rows of [undefined, null, 'rows', 5, {}, new Set(), new WeakMap(), { length: 0 }]) {
    t.throws(() => memory(rows as unknown as MemoryRows),
      new DeclarationError('memory(rows): expected an array or a Map of objects'))
    t.throws(() => memory([], { joins: { links: rows as unknown as MemoryRows } }),
      new DeclarationError('memory(rows, { joins: { links } }): expected an array or a Map of objects'))
  }
})

test('a relation through rows that its source was not given is refused at registration', async t => {
  const Person = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    friends: SubCollection('people', { through: 'friendships', foreignKey: 'a', otherKey: 'b', readable: true })
  })
  const compile = (joins: Record<string, MemoryRows>) => compileModel({
    people: collection(Person, { source: memory([], { joins }) })
  }, { naming: 'none', pages: { defaultSize: 1, maxSize: 1 }, reserved: new Map() })
  t.throws(() => compile({ friendship: [] }),
    { name: 'DeclarationError', message: /'people', field 'friends'.*'friendships'/ })
  t.equal(compile({ friendships: [] }).collections.size, 1)
  const { people, marks } = makeWorld([{ id: 1 }])
  t.throws(() => find(people, some({
    ...marks, link: { kind: 'join', through: 'unknown', foreignKey: ['a'], otherKey: ['b'] }
  })), { message: /unknown/ })
})
