import { test } from 'tap'
import { operatorNames } from '../../../lib/core/model/values.ts'
import type { Predicate } from '../../../lib/core/plan/plan.ts'
import { any, always, never } from '../../../lib/core/plan/predicates.ts'
import { databaseOf, type ReadResult } from '../../../lib/core/sources/source.ts'
import { groupsOf, ids, inMemory, names, not, rowsOf, someWorld, world, operands } from '../../helpers/sql-world.ts'

// docs/databases.md: Types of columns

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
