import { test } from 'tap'
import Fastify from '../../helpers/fastify.ts'
import dataApi from '../../../lib/index.ts'
import type { Collection, SubCollectionField } from '../../../lib/core/model/model.ts'
import type { ReadPlan, Step } from '../../../lib/core/plan/plan.ts'
import { equalsKey, always, never } from '../../../lib/core/plan/predicates.ts'
import type { ReadResult } from '../../../lib/core/sources/source.ts'
import { collections, tables } from '../../fixtures/music.ts'
import { openers } from '../../helpers/sources.ts'
import { artist, groupsOf, ids, rowsOf, someWorld, world } from '../../helpers/sql-world.ts'

// Steps, pages, nested lists and groups.

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

function fieldOf (of: Collection, property: string): SubCollectionField {
  return of.properties.get(property) as SubCollectionField
}

test('the related items of an item go out as the database wrote them', async t => {
  const opened = await openers.sqlite(tables)
  const app = Fastify()
  await app.register(dataApi, { collections: collections(opened.source) })
  t.teardown(async () => {
    await app.close()
    await opened.close()
  })
  const { parse } = JSON
  const parsed: string[] = []
  JSON.parse = (text: string, ...others) => {
    parsed.push(text)
    return parse(text, ...others) as unknown
  }
  try {
    const { statusCode, body } = await app.inject('/artists/1?fields=name,albums(title,artist(name)),id')
    t.strictSame([statusCode, parsed], [200, []], body)
    t.match(body, /^\{"name":".*","albums":\[\{"title":".*","artist":\{"name":".*"\}.*\],"id":1\}$/)
  } finally {
    JSON.parse = parse
  }
})
